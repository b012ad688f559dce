"""PDFs as text: their bytes by the browser's own network stack, their text by a worker process.

Owns the fetch and the process. Chromium shows a PDF in a viewer of its own, whose content no
script can see, so the document is asked for once more, in the page's name and by its policy.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from browser_agent.browser.failures import is_playwright_error, is_timeout
from browser_agent.logic.pdf_pages import join_pages

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page

PDF_TYPES = frozenset({"application/pdf", "application/x-pdf"})
MAX_BYTES = 67_108_864
_CHUNK = 1_048_576
_WORKER = Path(__file__).with_name("pdf_worker.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfText:
    """``text`` holds page numbers (see ``pdf_pages``). ``cut``: more text was there."""

    title: str
    text: str
    cut: bool = False


async def fetch_document(page: Page, url: str) -> bytes | None:
    """The bytes behind a URL, as the page would load them; None where they do not come."""
    session = await page.context.new_cdp_session(page)
    try:
        frame = (await _send(session, "Page.getFrameTree"))["frameTree"]["frame"]["id"]
        options = {"disableCache": False, "includeCredentials": True}
        asked = {"frameId": frame, "url": url, "options": options}
        found = (await _send(session, "Network.loadNetworkResource", asked))["resource"]
        if not found.get("success") or not found.get("stream"):
            return None
        return await _drain(session, str(found["stream"]))
    except Exception as error:
        if not (is_playwright_error(error) or is_timeout(error)):
            raise
        return None
    finally:
        await _detach(session)


async def _send(
    session: CDPSession, method: str, asked: dict[str, Any] | None = None
) -> dict[str, Any]:
    told = await session.send(method, asked or {})  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - untyped dicts
    return cast("dict[str, Any]", told)


async def _drain(session: CDPSession, stream: str) -> bytes | None:
    parts: list[bytes] = []
    size, ended = 0, False
    while not ended and size <= MAX_BYTES:
        read = await _send(session, "IO.read", {"handle": stream, "size": _CHUNK})
        text = str(read["data"])
        part = base64.b64decode(text) if read.get("base64Encoded") else text.encode()
        parts.append(part)
        size, ended = size + len(part), bool(read["eof"])
    await _send(session, "IO.close", {"handle": stream})
    return b"".join(parts) if ended else None


async def _detach(session: CDPSession) -> None:
    try:
        await session.detach()
    except Exception as error:
        if not is_playwright_error(error):
            raise


async def read_pdf(content: bytes, limit_chars: int) -> PdfText | None:
    """The text of a PDF; None for what is none, is locked, or breaks or outlasts the worker."""
    if not content.lstrip()[:1_024].find(b"%PDF-") >= 0:
        return None
    worker = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(_WORKER),
        str(limit_chars),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},  # keys of ours are none of its business
    )
    try:
        told, _ = await worker.communicate(content)
    finally:
        if worker.returncode is None:
            worker.kill()
            await worker.wait()
    if worker.returncode != 0:
        return None
    found = cast("dict[str, Any]", json.loads(told))
    text = join_pages(cast("list[str]", found["pages"]), int(found["total"]))
    cut = bool(found["cut"]) or len(found["pages"]) < int(found["total"])
    return PdfText(title=str(found["title"]), text=text, cut=cut)
