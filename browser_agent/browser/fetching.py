"""Small texts by our own door of the proxy (robots.txt, sitemaps), as the data of a read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from browser_agent.browser.documents import decode_text
from browser_agent.browser.outcome import Display, Outcome
from browser_agent.records.codes import ErrorCode, Status, parse_code

if TYPE_CHECKING:
    from browser_agent.browser.egress import EgressProxy
    from browser_agent.browser.operation import Operation

_RETRYABLE = (429, 502, 503, 504)


async def fetch_text(proxy: EgressProxy, url: str, max_bytes: int, op: Operation) -> Outcome:
    """One bounded GET; redirects are judged one by one."""
    reply = await proxy.fetch(url, max_bytes=max_bytes, timeout_s=op.remaining_s())
    data: dict[str, object] = {
        "format": "text",
        "title": None,
        "language": None,
        "http_status": reply.status,
        "content_type": reply.header("content-type"),
        "redirects": [{"url": hop, "status": status} for hop, status in reply.redirects],
    }
    if reply.code is not None:
        message = f"{reply.reason[:1].upper()}{reply.reason[1:]}." if reply.reason else None
        return Outcome(status=Status.ERROR, code=parse_code(reply.code), message=message, data=data)
    display = Display(
        key="text",
        text=decode_text(reply.body, reply.header("content-type")),
        mode="text",
        shown_bytes=max_bytes,
    )
    if reply.status is not None and reply.status >= 400:
        return Outcome(
            status=Status.ERROR,
            code=ErrorCode.HTTP_ERROR,
            message=f"The server answered with status {reply.status}.",
            retryable=reply.status in _RETRYABLE,
            data=data,
            display=display,
            final_url=reply.url,
        )
    return Outcome(data=data, display=display, truncated=reply.truncated, final_url=reply.url)
