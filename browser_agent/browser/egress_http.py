"""HTTP/1.1 as a forward proxy sees it: request heads in, request heads and short replies out.

Owns text only, no sockets. What is not plainly one request (folded headers, two lengths, a chunked
body, which no browser sends over HTTP/1.1) is refused, so that nobody downstream can read it
another way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["MARK_HEADER", "BadRequest", "Request", "parse_request", "render_reply"]

MARK_HEADER = "X-Browser-Agent"
"""The header of our own replies; its value is the error code."""

_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_REQUEST_LINE = re.compile(rb"([A-Z]{1,32}) ([\x21-\x7e]+) HTTP/1\.[01]")
_HOP_HEADERS = frozenset(
    {b"proxy-authorization", b"proxy-connection", b"proxy-authenticate", b"keep-alive", b"te"}
)
_REASONS = {
    200: "OK",
    400: "Bad Request",
    403: "Forbidden",
    407: "Proxy Authentication Required",
    431: "Request Header Fields Too Large",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}


class BadRequest(ValueError):  # noqa: N818 - named after the HTTP status it becomes
    """A request head that is not plainly one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One parsed request head. ``length`` is that of its body in bytes.

    ``upgrades`` means that what follows on the connection is no HTTP request any more.
    """

    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]
    length: int
    upgrades: bool

    def header(self, name: bytes) -> bytes | None:
        """The first value of a header, by lower-case name."""
        return next((value for key, value in self.headers if key.lower() == name), None)

    def render(self, target: str, host: str, extra: tuple[tuple[bytes, bytes], ...] = ()) -> bytes:
        """The head to send on: our Host, no header that was meant for the proxy."""
        dropped = _HOP_HEADERS | {b"host"}
        kept = [pair for pair in self.headers if pair[0].lower() not in dropped]
        lines = [f"{self.method} {target} HTTP/1.1".encode(), b"Host: " + host.encode()]
        lines += [key + b": " + value for key, value in (*kept, *extra)]
        return b"\r\n".join([*lines, b"", b""])


def parse_request(head: bytes) -> Request:
    """Parse a head, its blank line left out; BadRequest where it is not plainly one request."""
    first, *rest = head.split(b"\r\n")
    line = _REQUEST_LINE.fullmatch(first)
    if line is None:
        raise BadRequest("request line")
    headers = tuple(_parse_header(raw) for raw in rest)
    names = [key.lower() for key, _ in headers]
    if names.count(b"content-length") > 1 or b"transfer-encoding" in names:
        raise BadRequest("no single length")
    return Request(
        method=line[1].decode(),
        target=line[2].decode(),
        headers=headers,
        length=_length(dict(zip(names, (value for _, value in headers), strict=True))),
        upgrades=b"upgrade" in names,
    )


def render_reply(status: int, code: str, *extra: tuple[str, str]) -> bytes:
    """A short final reply that carries ``code`` in a header and as text, and nothing else."""
    body = f"{code}\n".encode()
    lines = [
        f"HTTP/1.1 {status} {_REASONS[status]}",
        f"{MARK_HEADER}: {code}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
        *(f"{name}: {value}" for name, value in extra),
        "Connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _parse_header(raw: bytes) -> tuple[bytes, bytes]:
    name, colon, value = raw.partition(b":")
    if not colon or _TOKEN.fullmatch(name) is None or b"\n" in value or b"\r" in value:
        raise BadRequest("header line")
    return name, value.strip(b" \t")


def _length(headers: dict[bytes, bytes]) -> int:
    text = headers.get(b"content-length", b"0")
    if not text.isdigit() or len(text) > 18:
        raise BadRequest("length")
    return int(text)
