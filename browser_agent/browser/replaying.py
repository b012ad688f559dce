"""Replaying the page half: every request of a session is answered from a recording or refused.

Nothing reaches the network: the egress proxy of a replay refuses everything, and this part answers
before it. Strict: a request that was not recorded is noted as a miss and fails. The browser asks
nobody about the hops of a redirect, so a recorded chain is followed here and its last answer given
at the first address; a run that was redirected therefore replays with another final URL, and the
comparison says so. Pages get the recorded clock and seed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast
from urllib.parse import urljoin

from browser_agent.browser.failures import is_playwright_error
from browser_agent.browser.taping import PAGE_SCRIPT
from browser_agent.errors import RecordingError
from browser_agent.logic.recorded import LocalNames, describe_difference, nearest, network_key
from browser_agent.logic.redact_steady import redact_steady
from browser_agent.logic.url_policy import UrlPolicy

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Route, WebSocketRoute

    from browser_agent.browser.shared import Shared


MAX_HOPS = 20
"""A recorded chain of redirects longer than this is a miss."""


class NetworkSource(Protocol):
    """A recording that was read."""

    @property
    def network(self) -> Sequence[Mapping[str, object]]: ...

    def body(self, digest: str) -> bytes: ...


class NetworkReplay:
    """Answers one session. ``misses`` are what it asked for and the recording lacks."""

    def __init__(self, source: NetworkSource, *, start_ms: int, seed: int) -> None:
        self._source = source
        self._start_ms, self._seed = start_ms, seed
        self._names = LocalNames()
        self._by_key: dict[str, list[Mapping[str, object]]] = defaultdict(list)
        self._used: dict[str, int] = defaultdict(int)
        self._frames: dict[str, list[str]] = defaultdict(list)
        self.misses: list[str] = []
        self._index()

    def _index(self) -> None:
        for entry in sorted(self._source.network, key=lambda one: cast("int", one.get("n", 0))):
            url, kind = str(entry.get("url")), entry.get("kind")
            if kind == "frame":
                self._frames[self._names.fold(url)].append(str(entry.get("text", "")))
            elif kind == "ws":
                self._frames.setdefault(self._names.fold(url), [])
            else:
                self._by_key[self._key_of(entry)].append(entry)

    def _key_of(self, entry: Mapping[str, object]) -> str:
        posted = str(entry.get("post_text", "")).encode() if "post" in entry else None
        return network_key(str(entry.get("method")), str(entry.get("url")), posted, self._names)

    async def attach(self, context: BrowserContext, shared: Shared) -> None:
        """Take over every request of the context."""
        self._redactor = shared.redactor
        shared.proxy.set_policy(UrlPolicy.only([]))
        script = PAGE_SCRIPT % {"start": self._start_ms, "seed": self._seed}
        await context.add_init_script(script=script)
        await context.route("**/*", self._on_route)
        await context.route_web_socket(lambda _: True, self._on_socket)

    async def finish(self) -> None:
        """Nothing of a replay is left to write."""

    def check(self) -> None:
        """Raise RecordingError for the first miss, with the nearest recorded request."""
        if self.misses:
            raise RecordingError(self.misses[0])

    def find(self, method: str, url: str, body: bytes | None) -> Mapping[str, object] | None:
        """The recorded answer: in order for repeated requests, the last one again after that."""
        key = network_key(method, url, self._posted(body), self._names)
        found = self._by_key.get(key)
        if not found:
            self._miss(key)
            return None
        at = min(self._used[key], len(found) - 1)
        if self._used[key] >= len(found) and method not in ("GET", "HEAD"):
            self._miss(key)
            return None
        self._used[key] += 1
        return found[at]

    def _posted(self, body: bytes | None) -> bytes | None:
        if not body:
            return None
        return redact_steady(body.decode("utf-8", "replace"), self._redactor)[:20_000].encode()

    def _miss(self, key: str) -> None:
        closest = nearest(key, list(self._by_key))
        detail = (
            ""
            if closest is None
            else "; the nearest differs:\n" + (describe_difference(key.split(), closest.split()))
        )
        self.misses.append(
            f"the recording does not hold {key.split('?', maxsplit=1)[0][:200]}{detail}"
        )

    async def _on_route(self, route: Route) -> None:
        request = route.request
        entry = self.find(request.method, request.url, request.post_data_buffer)
        try:
            if entry is None or "status" not in entry:
                await route.abort("failed")
                return
            entry = self._follow(entry, request.url)
            if entry is None:
                await route.abort("failed")
                return
            body, headers = self._answer(entry, request.url)
            await route.fulfill(status=cast("int", entry["status"]), headers=headers, body=body)
        except Exception as error:
            if not is_playwright_error(error):
                raise

    def _follow(self, entry: Mapping[str, object], url: str) -> Mapping[str, object] | None:
        """The last answer of a recorded chain of redirects; None for one that is not whole."""
        for _ in range(MAX_HOPS):
            if "location" not in entry:
                return entry
            url = urljoin(url, str(entry["location"]))
            following = self.find("GET", url, None)
            if following is None:
                return None
            entry = following
        self.misses.append(f"the redirects of {url.split('?')[0][:200]} have no end")
        return None

    def _answer(self, entry: Mapping[str, object], url: str) -> tuple[bytes, dict[str, str]]:
        headers = dict(cast("Mapping[str, str]", entry.get("headers") or {}))
        digest = entry.get("body")
        if digest is None:
            self.misses.append(
                f"the body of {url.split('?', maxsplit=1)[0][:200]} was not recorded"
            )
            return b"", headers
        return self._source.body(str(digest)), headers

    async def _on_socket(self, socket: WebSocketRoute) -> None:
        """Send the recorded frames; a socket that was not recorded is closed with a reason."""
        frames = self._frames.get(self._names.fold(socket.url))
        if frames is None:
            self._miss(f"WS {self._names.fold(socket.url)}")
            await socket.close(code=4000, reason="not recorded")
            return
        for text in frames:
            socket.send(text)
