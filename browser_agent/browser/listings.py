"""Console messages and requests of a session, as bounded listings.

Owns the console record and how both listings look. Headers that carry credentials are never
copied; everything else is redacted at the door.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from browser_agent.browser.bounding import json_bytes
from browser_agent.browser.failures import is_playwright_error
from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.searching import compile_pattern
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from playwright.async_api import ConsoleMessage, Request, WebError

    from browser_agent.browser.core import Core
    from browser_agent.browser.operation import Body, Operation
    from browser_agent.browser.traffic import Entry, TrafficLog
    from browser_agent.records.result import Result

CONSOLE_KEPT = 200
TEXT_CHARS = 1_000
BODY_BYTES = 16_384
LISTED = 200
PARTS = ("request-headers", "request-body", "response-headers", "response-body")
LEVELS = ("error", "warning", "info", "debug")
_SEVERITY = {"error": 0, "uncaught": 0, "assert": 0, "warning": 1, "debug": 3, "trace": 3}
_STATIC = ("image", "font", "media", "stylesheet", "script")
_SECRET_HEADERS = ("cookie", "authorization", "token", "secret", "key", "session", "credential")
_TEXTS = ("text/", "json", "javascript", "xml", "urlencoded", "graphql")


class Listings:
    """What the pages of one session wrote to the console, and what they requested."""

    def __init__(self, core: Core, traffic: TrafficLog) -> None:
        self._core = core
        self._traffic = traffic
        self._console: deque[dict[str, object]] = deque(maxlen=CONSOLE_KEPT)
        self._written = 0
        core.context.on("console", self._on_console)
        core.context.on("weberror", self._on_error)

    async def console(self, level: str = "debug") -> Result:
        """Console messages and uncaught errors, oldest first.

        ``level``: error, warning, info or debug; each includes the more severe ones.
        """

        async def act(_: Operation) -> Outcome:
            if level not in LEVELS:
                fail(ErrorCode.INVALID_INPUT, f"level must be one of {', '.join(LEVELS)}.")
            wanted = LEVELS.index(level)
            items = [item for item in self._console if _level_of(item) <= wanted]
            shown = self._newest(items)
            dropped = self._written - len(self._console) + len(items) - len(shown)
            return Outcome(data={"items": shown, "dropped": dropped})

        return await self._run("console", act)

    def _newest(self, rows: list[dict[str, object]]) -> list[dict[str, object]]:
        """The last rows that fit a Result: what is cut there would be the newest."""
        room = self._core.limits.result_bytes * 3 // 4
        first = len(rows)
        while first and (room := room - json_bytes(rows[first - 1])) >= 0:
            first -= 1
        return rows[first:]

    async def requests(self, *, pattern: str | None = None, static: bool = True) -> Result:
        """Requests, oldest first; ``index`` is what :meth:`request` takes.

        ``pattern`` is an RE2 pattern that the URL must hold; without ``static`` images, fonts,
        media, styles and scripts that arrived are left out.
        """

        async def act(_: Operation) -> Outcome:
            matches = _url_matcher(pattern)
            kept = [
                entry
                for entry in self._traffic.entries
                if matches(entry.url) and (static or not _is_static(entry))
            ]
            items = self._newest([_row(entry) for entry in kept[-LISTED:]])
            return Outcome(data={"items": items, "dropped": self._traffic.count - len(items)})

        return await self._run("requests", act)

    async def request(self, index: int, *, part: str | None = None) -> Result:
        """One request; ``part`` is one of :data:`PARTS`, or None for all but the bodies."""
        if isinstance(index, bool) or not isinstance(index, int):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without a checker
            raise InvalidInput("index must be a whole number")

        async def act(op: Operation) -> Outcome:
            if part is not None and part not in PARTS:
                fail(ErrorCode.INVALID_INPUT, f"part must be one of {', '.join(PARTS)}.")
            entry = next((one for one in self._traffic.entries if one.index == index), None)
            if entry is None:
                fail(ErrorCode.NOT_FOUND, f"No request {index} is kept; see the listing.")
            return Outcome(data=_row(entry) | await _details(op, entry, part))

        return await self._run("request", act)

    async def _run(self, name: str, body: Body) -> Result:
        limit_s = self._core.limits.observation_timeout_s
        kind = Kind(name, limit_s, ErrorCode.OBSERVATION_TIMEOUT, on_page=False)
        return await self._core.run(kind, body)

    def _on_console(self, message: ConsoleMessage) -> None:
        place = message.location
        self._note(
            {
                "type": message.type,
                "text": message.text[:TEXT_CHARS],
                "source": f"{place['url'][:500]}:{place['lineNumber']}",
            }
        )

    def _on_error(self, error: WebError) -> None:
        self._note({"type": "uncaught", "text": str(error.error)[:TEXT_CHARS]})

    def _note(self, item: dict[str, object]) -> None:
        self._written += 1
        self._console.append({"index": self._written - 1, **item})


def _level_of(item: Mapping[str, object]) -> int:
    return _SEVERITY.get(str(item["type"]), LEVELS.index("info"))


def _url_matcher(pattern: str | None) -> Callable[[str], bool]:
    if pattern is None:
        return lambda _: True
    try:
        return compile_pattern(pattern)
    except ValueError:
        fail(ErrorCode.INVALID_INPUT, "The pattern cannot be read.")


def _is_static(entry: Entry) -> bool:
    arrived = entry.failure is None and entry.status is not None and entry.status < 400
    return arrived and entry.kind in _STATIC


def _row(entry: Entry) -> dict[str, object]:
    row: dict[str, object] = {
        "index": entry.index,
        "method": entry.method,
        "url": entry.url[:2_000],
        "type": entry.kind,
    }
    if entry.tab is not None:
        row["tab"] = entry.tab
    if entry.failure is not None:
        row["failed"] = entry.failure
    else:
        row["status"] = entry.status
    return row


async def _details(op: Operation, entry: Entry, part: str | None) -> dict[str, object]:
    request = entry.request
    wanted = PARTS if part is None else (part,)
    found: dict[str, object] = {}
    if "request-headers" in wanted:
        found["request_headers"] = _headers(request.headers)
    if "request-body" in wanted:
        found["request_body"] = (request.post_data or "")[:BODY_BYTES] or None
    if entry.status is not None:
        found |= await _response(op, request, wanted, part)
    return found


async def _response(
    op: Operation, request: Request, wanted: tuple[str, ...], part: str | None
) -> dict[str, object]:
    found: dict[str, object] = {}
    try:
        response = await op.call(request.response())
        if response is None:
            return found
        if "response-headers" in wanted:
            found["response_headers"] = _headers(response.headers)
        if part == "response-body":
            found["response_body"] = await _body(op, response.headers, response.body)
    except Exception as error:
        if not is_playwright_error(error):
            raise
        fail(ErrorCode.NOT_FOUND, "The browser does not keep this response any more.")
    return found


async def _body(
    op: Operation, headers: Mapping[str, str], read: Callable[[], Awaitable[bytes]]
) -> str:
    kind = headers.get("content-type", "")
    if kind and not any(word in kind for word in _TEXTS):
        return f"({kind.partition(';')[0]}, not shown)"
    content = await op.call(read())
    return content[:BODY_BYTES].decode("utf-8", "replace")


def _headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if not _is_secret(name)}


def _is_secret(name: str) -> bool:
    lower = name.lower()
    return any(word in lower for word in _SECRET_HEADERS)
