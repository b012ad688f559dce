"""Taking the text of a document that a browser shows as something else, or hands over as a file.

Owns how its bytes are had. What they say is for ``documents`` and ``pdf_text``.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from browser_agent.browser.documents import (
    TextDocument,
    decode_page_text,
    decode_text,
    is_text_document,
    media_type,
)
from browser_agent.browser.failures import is_playwright_error, is_timeout
from browser_agent.browser.pdf_text import PDF_TYPES, PdfText, fetch_document, read_pdf

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.loads import Load
    from browser_agent.browser.operation import Operation

_BODY_S = 5.0
_PDF_S = 15.0


def is_readable(content_type: str | None) -> bool:
    """Whether :func:`take_document` or :func:`document_of_file` may give a text."""
    return is_text_document(content_type) or media_type(content_type) in PDF_TYPES


async def take_document(core: Core, op: Operation, load: Load) -> TextDocument | None:
    """The text behind the page of a load: JSON, XML, feeds, PDF; None for what is a page."""
    if load.response is None or not is_readable(load.content_type):
        return None
    is_pdf = media_type(load.content_type) in PDF_TYPES
    try:
        return await (_take_pdf(core, op, load) if is_pdf else _take_text(core, op, load))
    except Exception as error:
        if not (is_playwright_error(error) or is_timeout(error)):
            raise
        return None


async def document_of_file(
    core: Core, op: Operation, load: Load, *, name: str, content: bytes, content_type: str | None
) -> TextDocument | None:
    """The text of a file that came instead of a page."""
    limit = core.limits.capture_bytes
    if media_type(content_type) not in PDF_TYPES:
        text = decode_text(content[:limit], load.content_type)
        return _document(load, name, text, len(content) - limit)
    try:
        found = await op.call(read_pdf(content, limit), within_s=_PDF_S)
    except TimeoutError:
        return None
    return None if found is None else _of_pdf(load, found, name)


async def _take_text(core: Core, op: Operation, load: Load) -> TextDocument | None:
    limit = core.limits.capture_bytes
    if load.response is None or (load.length is not None and load.length > limit):
        return None
    within_s = min(_BODY_S, op.remaining_s(keep_s=1.0))
    content = await op.call(load.response.body(), within_s=within_s)
    text = decode_page_text(content[:limit], load.content_type)
    return _document(load, "", text, len(content) - limit)


async def _take_pdf(core: Core, op: Operation, load: Load) -> TextDocument | None:
    if load.response is None or load.response.request.method != "GET":
        return None

    async def ask() -> PdfText | None:
        content = await fetch_document(op.tab.page, load.url)
        return None if content is None else await read_pdf(content, core.limits.capture_bytes)

    within_s = min(_PDF_S, op.remaining_s(keep_s=1.0))
    found = await op.call(core.document_text(load.url, ask), within_s=within_s)
    return None if found is None else _of_pdf(load, found, "")


def _of_pdf(load: Load, found: PdfText, name: str) -> TextDocument:
    title = found.title or name or unquote(posixpath.basename(urlsplit(load.url).path))
    return _document(load, title, found.text, 1 if found.cut else 0, paged=True)


def _document(
    load: Load, title: str, text: str, beyond_bytes: int, *, paged: bool = False
) -> TextDocument:
    return TextDocument(
        url=load.url,
        title=title,
        content_type=media_type(load.content_type),
        text=text,
        not_captured_bytes=max(0, beyond_bytes),
        paged=paged,
    )
