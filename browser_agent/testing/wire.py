"""HTTP/1.1 on asyncio streams: the request and response records of the fixture site.

Owns parsing and writing of messages, bounded and strict enough for real browsers. It knows no
routes and no files, and it is no server for the open internet.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from types import MappingProxyType
from urllib.parse import parse_qs, unquote, urlsplit

HEAD_LIMIT_BYTES = 65_536
BODY_LIMIT_BYTES = 16_777_216
CHUNKS_END = b"0\r\n\r\n"

HTML_TYPE = "text/html; charset=utf-8"


class BadRequestError(Exception):
    """The client's bytes are no HTTP/1.1 request that the fixture site serves."""


class Hangup(Exception):  # noqa: N818 - an instruction to the server, not a failure
    """Raised by a route to drop the connection without an answer."""


def _no_headers() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as the site received it; header names are lower-case."""

    method: str
    target: str
    path: str
    headers: Mapping[str, str] = field(default_factory=_no_headers)
    body: bytes = b""

    @property
    def query(self) -> Mapping[str, str]:
        """Query parameters, decoded; the last value wins."""
        return _fields(self.target.partition("?")[2])

    @property
    def form(self) -> Mapping[str, str]:
        """Fields of an urlencoded body, decoded; the last value wins."""
        return _fields(self.body.decode("utf-8", "replace"))

    @property
    def cookies(self) -> Mapping[str, str]:
        """Cookies that the client sent; empty when the header cannot be parsed."""
        jar = SimpleCookie()
        try:
            jar.load(self.headers.get("cookie", ""))
        except CookieError:
            return {}
        return {name: morsel.value for name, morsel in jar.items()}


@dataclass(frozen=True, slots=True)
class Response:
    """What a route answers. A string body is UTF-8, an async iterable is sent chunk by chunk.

    A `content-length` that the route sets itself is sent as it is, right or wrong, and the
    connection is closed after the body: so a test can cut an answer short.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=_no_headers)
    body: bytes | str | AsyncIterable[bytes] = b""

    @classmethod
    def html(cls, text: str, status: int = 200) -> Response:
        """A page in UTF-8."""
        return cls(status, {"content-type": HTML_TYPE}, text)

    @classmethod
    def redirect(cls, location: str, status: int = 302) -> Response:
        """An answer that sends the client to `location`."""
        return cls(status, {"location": location})


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Read one request, None at a clean end of the connection. Raises BadRequestError."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as exc:
        if exc.partial:
            raise BadRequestError("the request head was cut short") from exc
        return None
    except asyncio.LimitOverrunError as exc:
        raise BadRequestError("the request head is too long") from exc
    lines = head.decode("latin-1").split("\r\n")
    method, target = _parse_request_line(lines[0])
    headers = _parse_headers(lines[1:])
    return Request(
        method=method,
        target=target,
        path=_parse_path(target),
        headers=MappingProxyType(headers),
        body=await _read_body(reader, headers),
    )


async def write_response(
    writer: asyncio.StreamWriter, response: Response, *, head_only: bool = False
) -> bool:
    """Send one answer; True when the connection can serve another request."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    keep_alive = "content-length" not in headers and headers.get("connection") != "close"
    body = response.body.encode() if isinstance(response.body, str) else response.body
    if isinstance(body, bytes):
        headers.setdefault("content-length", str(len(body)))
    elif "content-length" not in headers:
        headers["transfer-encoding"] = "chunked"
    headers["connection"] = "keep-alive" if keep_alive else "close"
    writer.write(_render_head(response.status, headers))
    if not head_only:
        await _write_body(writer, body, chunked="transfer-encoding" in headers)
    await writer.drain()
    return keep_alive


def _render_head(status: int, headers: Mapping[str, str]) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unnamed"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {text}" for name, text in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _write_body(
    writer: asyncio.StreamWriter, body: bytes | AsyncIterable[bytes], *, chunked: bool
) -> None:
    if isinstance(body, bytes):
        writer.write(body)
        return
    async for part in body:
        if part:
            writer.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
            await writer.drain()
    if chunked:
        writer.write(CHUNKS_END)


def _parse_request_line(line: str) -> tuple[str, str]:
    words = line.split(" ")
    match words:
        case [method, target, "HTTP/1.1" | "HTTP/1.0"] if method.isalpha() and target:
            return method.upper(), target
        case _:
            raise BadRequestError("the request line cannot be read")


def _parse_path(target: str) -> str:
    path = target if target.startswith("/") else urlsplit(target).path
    return unquote(path.partition("?")[0], errors="replace") or "/"


def _parse_headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in filter(None, lines):
        name, colon, text = line.partition(":")
        if not colon or not name.strip():
            raise BadRequestError("a header line cannot be read")
        headers[name.strip().lower()] = text.strip()
    return headers


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return await _read_chunks(reader)
    text = headers.get("content-length", "0")
    if not text.isdecimal() or int(text) > BODY_LIMIT_BYTES:
        raise BadRequestError("the length of the body cannot be served")
    return await _read_exactly(reader, int(text))


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    total = 0
    while size := await _read_chunk_size(reader):
        total += size
        if total > BODY_LIMIT_BYTES:
            raise BadRequestError("the body is too long")
        parts.append(await _read_exactly(reader, size))
        await reader.readline()
    while (await reader.readline()).strip():
        pass
    return b"".join(parts)


async def _read_chunk_size(reader: asyncio.StreamReader) -> int:
    line = (await reader.readline()).partition(b";")[0]
    try:
        return int(line, 16)
    except ValueError as exc:
        raise BadRequestError("a chunk size cannot be read") from exc


async def _read_exactly(reader: asyncio.StreamReader, size: int) -> bytes:
    try:
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError as exc:
        raise BadRequestError("the body was cut short") from exc


def _fields(text: str) -> Mapping[str, str]:
    return {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}
