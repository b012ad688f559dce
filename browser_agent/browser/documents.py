"""Text documents that a browser does not show as a page: CSV, JSON, XML, feeds; PDFs as text.

Owns which content types these are and how their bytes become text. Such a document stands in for
the page of its tab until the next navigation.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_TEXT_TYPES = frozenset(
    {"text/csv", "text/tab-separated-values", "application/json", "text/json", "text/markdown"}
    | {"application/xml", "text/xml", "application/x-ndjson", "application/jsonl", "text/calendar"}
    | {"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml", "application/toml"}
    | {"application/csv", "text/vcard", "text/x-python", "text/x-log", "application/sql"}
)
_SHOWN_AS_PAGE = frozenset({"application/xhtml+xml", "image/svg+xml"})
_XML_ENCODING = re.compile(rb"""<\?xml[^>]{0,200}?encoding=["']([A-Za-z0-9._-]{1,40})["']""")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDocument:
    """A document as text. ``not_captured_bytes`` of it were left out.

    ``paged``: it holds the page numbers of a PDF.
    """

    url: str
    title: str
    content_type: str
    text: str
    not_captured_bytes: int = 0
    paged: bool = False


def media_type(content_type: str | None) -> str:
    """The bare media type, in lower case; empty when unknown."""
    return (content_type or "").partition(";")[0].strip().lower()


def is_text_document(content_type: str | None) -> bool:
    """Whether the content type is a text that is better read from its bytes than from the page."""
    kind = media_type(content_type)
    if kind in _SHOWN_AS_PAGE:
        return False
    return kind in _TEXT_TYPES or kind.endswith(("+json", "+xml"))


def decode_text(content: bytes, content_type: str | None) -> str:
    """Bytes as text: byte order mark, then the header's charset, then XML's own, then UTF-8."""
    for mark, name in ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16")):
        if content.startswith(mark):
            return content.decode(name, "replace")
    if content.startswith(codecs.BOM_UTF16_BE):
        return content.decode("utf-16", "replace")
    named = _CHARSET.search(content_type or "")
    if named is not None:
        return _decoded(content, named.group(1))
    declared = _XML_ENCODING.match(content[:300].lstrip())
    return _decoded(content, declared.group(1).decode() if declared is not None else "utf-8")


def decode_page_text(content: bytes, content_type: str | None) -> str:
    """Bytes that came through the browser, which gives what it decoded itself as UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return decode_text(content, content_type)


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode(name, "replace")
    except LookupError:
        return content.decode("utf-8", "replace")
