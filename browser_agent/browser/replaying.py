"""Replaying the page half: every request of a session is answered from a recording or refused.

Nothing reaches the network: the egress proxy of a replay refuses everything, and this part answers
before it. Strict: a request that was not recorded is noted as a miss and fails. Redirect hops are
answered through the protocol, since routes do not see them. Pages get the recorded clock and seed.
"""

from __future__ import annotations

import asyncio
import base64
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from browser_agent.browser.failures import is_playwright_error
from browser_agent.browser.taping import PAGE_SCRIPT
from browser_agent.errors import RecordingError
from browser_agent.logic.recorded import LocalNames, describe_difference, nearest, network_key
from browser_agent.logic.redact_steady import redact_steady
from browser_agent.logic.url_policy import UrlPolicy

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page, Route, WebSocketRoute

    from browser_agent.browser.shared import Shared


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
        self._hops: set[asyncio.Task[None]] = set()
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
        context.on("page", self._on_page)

    async def finish(self) -> None:
        """Nothing of a replay is left to write."""
        for task in self._hops:
            task.cancel()

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
            body, headers = self._answer(entry, request.url)
            await route.fulfill(status=cast("int", entry["status"]), headers=headers, body=body)
        except Exception as error:
            if not is_playwright_error(error):
                raise

    def _answer(self, entry: Mapping[str, object], url: str) -> tuple[bytes, dict[str, str]]:
        headers = dict(cast("Mapping[str, str]", entry.get("headers") or {}))
        if "location" in entry:
            headers["location"] = str(entry["location"])
            return b"", headers
        digest = entry.get("body")
        if digest is None:
            self.misses.append(
                f"the body of {url.split('?', maxsplit=1)[0][:200]} was not recorded"
            )
            return b"", headers
        return self._source.body(str(digest)), headers

    def _on_page(self, page: Page) -> None:
        task = asyncio.ensure_future(self._follow_hops(page))
        self._hops.add(task)
        task.add_done_callback(self._hops.discard)

    async def _follow_hops(self, page: Page) -> None:
        """Answer redirect hops of a page, which its routes never see."""
        try:
            session = await page.context.new_cdp_session(page)
            session.on("Fetch.requestPaused", partial(self._start_hop, session))
            await _send(session, "Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        except Exception as error:
            if not is_playwright_error(error):
                raise

    def _start_hop(self, session: CDPSession, event: object) -> None:
        task = asyncio.ensure_future(self._hop(session, cast("Mapping[str, object]", event)))
        self._hops.add(task)
        task.add_done_callback(self._hops.discard)

    async def _hop(self, session: CDPSession, event: Mapping[str, object]) -> None:
        paused = {"requestId": event["requestId"]}
        try:
            if "redirectedRequestId" not in event:
                await _send(session, "Fetch.continueRequest", paused)
                return
            request = cast("Mapping[str, object]", event["request"])
            url, method = str(request["url"]), str(request["method"])
            posted = str(request.get("postData") or "").encode() or None
            entry = self.find(method, url, posted)
            if entry is None or "status" not in entry:
                await _send(session, "Fetch.failRequest", {**paused, "errorReason": "Failed"})
                return
            body, headers = self._answer(entry, url)
            listed = [{"name": name, "value": value} for name, value in headers.items()]
            answer = {
                **paused,
                "responseCode": entry["status"],
                "responseHeaders": listed,
                "body": base64.b64encode(body).decode(),
            }
            await _send(session, "Fetch.fulfillRequest", answer)
        except Exception as error:
            if not is_playwright_error(error):
                raise

    async def _on_socket(self, socket: WebSocketRoute) -> None:
        """Send the recorded frames; a socket that was not recorded is closed with a reason."""
        frames = self._frames.get(self._names.fold(socket.url))
        if frames is None:
            self._miss(f"WS {self._names.fold(socket.url)}")
            await socket.close(code=4000, reason="not recorded")
            return
        for text in frames:
            socket.send(text)


async def _send(session: CDPSession, method: str, params: Mapping[str, object]) -> None:
    await session.send(method, dict(params))  # pyright: ignore[reportUnknownMemberType] - untyped there
