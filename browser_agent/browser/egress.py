"""The egress proxy: the only way from our browser to a network.

A small filtering forward proxy on 127.0.0.1 (``CONNECT`` and absolute-form HTTP). Each request is
judged by the URL policy, its host resolved once, every answer judged, and the checked address
dialled, so that redirects, workers, sockets, popups and rebinding names all meet the same rule.
It owns no page and reads no https; path rules bind here for plain http only.

How others use it::

    proxy = await EgressProxy.start(policy=policy, owner=descends_from(lambda: pid))
    launch(args=[*proxy.chromium_args()], proxy=proxy.playwright_proxy())
    mark = proxy.mark()                          # before an operation
    proxy.decisions(since=mark)                  # every ProxyDecision after it
    proxy.last_decision(url, since=mark)         # by URL or host; .code is None or an error code
    proxy.set_policy(policy.grant(url))
    reply = await proxy.fetch(url, max_bytes=…)  # our own requests, by the same rules
    await proxy.close()

What the browser shows of a refusal: a tunnel (https, ws, wss) fails with
``ERR_TUNNEL_CONNECTION_FAILED`` for every cause; a plain http navigation *loads* our short reply
(403 or 502, header ``X-Browser-Agent``). A site can forge that header, so the typed code comes from
``last_decision``, never from the reply.

Only our own browser may use the proxy. On Linux ``owner`` says whether a process is ours, and the
owner of each connecting socket is looked up; without it (or elsewhere) a random credential is asked
for, which :meth:`playwright_proxy` carries. With an ``upstream`` proxy that one resolves names:
answers of our own resolver are judged where there are any, but the dialled address is not ours to
choose (:attr:`pins_addresses` is False).
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Self

from browser_agent.browser.egress_dial import Names, Resolver
from browser_agent.browser.egress_gate import (
    EgressLimits,
    Gate,
    Guard,
    RefusedError,
    UpstreamProxy,
)
from browser_agent.browser.egress_link import Link
from browser_agent.browser.egress_log import ProxyDecision
from browser_agent.browser.egress_owner import OwnerCheck, descends_from, is_supported
from browser_agent.logic.url_parts import parse_url
from browser_agent.logic.url_policy import UrlPolicy

if TYPE_CHECKING:
    from playwright.async_api import ProxySettings

    from browser_agent.browser.egress_fetch import FetchReply

__all__ = ["EgressLimits", "EgressProxy", "ProxyDecision", "descends_from"]

_HOST = "127.0.0.1"
_BYPASS = "<-loopback>"  # Chromium sends loopback and link-local past a proxy without it
_USER = "browser"
_SWEEPS = 8  # an idle or old connection is cut at most 1/8 of its limit late
_SWITCHES = (
    "--disable-quic",
    f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {_HOST}",
    # both: full Chromium reads the first, chrome-headless-shell the second
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    # Chromium's own calls (account list, component updates) lead to a port that it never opens
    "--gaia-url=http://127.0.0.1:9",
    "--component-updater=url-source=http://127.0.0.1:9",
)


class EgressProxy:
    """A running proxy. Open it with :meth:`start`, end it with :meth:`close`."""

    def __init__(self, gate: Gate, *, owner: Callable[[int], bool] | None) -> None:
        self._gate = gate
        self._owner = owner if is_supported() else None
        self._check: OwnerCheck | None = None
        self._password = None if self._owner else secrets.token_urlsafe(24)
        self._links: set[Link] = set()
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._empty = asyncio.Event()
        self.port = 0
        self.strangers = 0
        """How many connections were refused because they were not our browser's."""

    @classmethod
    async def start(
        cls,
        *,
        policy: UrlPolicy,
        resolver: Resolver | None = None,
        owner: Callable[[int], bool] | None = None,
        upstream: str | None = None,
        limits: EgressLimits | None = None,
        guard: Guard | None = None,
        refuse_all: bool = False,
    ) -> Self:
        """Listen on a free port of 127.0.0.1.

        ``upstream`` is ``http://[user:password@]host:port`` (ConfigurationError otherwise).
        ``guard`` judges plain http requests by URL, head and small body after the policy did.
        ``refuse_all`` refuses everything with ``recording_miss``, for replays.
        """
        bounds = limits or EgressLimits()
        gate = Gate(
            policy,
            names=Names(resolver, keep_s=bounds.names_kept_s, timeout_s=bounds.connect_s),
            limits=bounds,
            upstream=UpstreamProxy.parse(upstream) if upstream is not None else None,
            guard=guard,
            refuse_all=refuse_all,
        )
        proxy = cls(gate, owner=owner)
        await proxy._listen()
        return proxy

    @property
    def url(self) -> str:
        """``http://127.0.0.1:<port>``, without credential."""
        return f"http://{_HOST}:{self.port}"

    @property
    def policy(self) -> UrlPolicy:
        """The policy in force."""
        return self._gate.policy

    def set_policy(self, policy: UrlPolicy) -> None:
        """Judge by ``policy`` from the next request on."""
        self._gate.policy = policy

    def set_guard(self, guard: Guard | None) -> None:
        """Let ``guard`` judge plain http requests by URL, head and small body from now on."""
        self._gate.guard = guard

    def close_network(self) -> None:
        """Refuse everything with ``recording_miss`` from now on: a replay answers before it."""
        self._gate.refuse_all = True

    def note(self, url: str, *, allowed: bool, code: str | None, reason: str) -> None:
        """Write down a decision that was made elsewhere: a replay says what was recorded."""
        parts = parse_url(url)
        if parts is not None:
            href = parts.href.partition("#")[0]
            entry = self._gate.log.open("GET", host=parts.host, port=parts.port or 0, url=href)
            entry.settle(allowed=allowed, code=code, reason=reason)

    @property
    def pins_addresses(self) -> bool:
        """Whether the dialled address is always one that was checked here."""
        return self._gate.upstream is None

    @property
    def received_bytes(self) -> int:
        """All bytes that came in from the network."""
        return self._gate.received

    def chromium_args(self) -> list[str]:
        """The switches that make the proxy the only way out of Chromium.

        With a credential the address of the proxy is left to :meth:`playwright_proxy`.
        """
        if self._password is not None:
            return list(_SWITCHES)
        return [f"--proxy-server={self.url}", f"--proxy-bypass-list={_BYPASS}", *_SWITCHES]

    def playwright_proxy(self) -> ProxySettings | None:
        """The ``proxy`` option of a launch; None where :meth:`chromium_args` says it all."""
        if self._password is None:
            return None
        return {
            "server": self.url,
            "bypass": _BYPASS,
            "username": _USER,
            "password": self._password,
        }

    def mark(self) -> int:
        """The number of the newest decision, to ask for later ones."""
        return self._gate.log.mark()

    def decisions(self, since: int = 0) -> list[ProxyDecision]:
        """Decisions after a mark, oldest first, as far as the log still holds them."""
        return self._gate.log.since(since)

    def last_decision(self, target: str, since: int = 0) -> ProxyDecision | None:
        """The newest decision on a host or a URL (its origin; for http that very URL first)."""
        return self._gate.log.last(target, since)

    async def fetch(
        self,
        url: str,
        *,
        max_bytes: int = 1_048_576,
        timeout_s: float = 10.0,
        headers: Mapping[str, str] | None = None,
    ) -> FetchReply:
        """GET a URL by the same rules, each redirect judged anew; never raises for a network.

        ``headers`` go to the origin of ``url`` only. See ``egress_fetch.FetchReply``.
        """
        from browser_agent.browser.egress_fetch import fetch_through  # httpx costs half a second

        return await fetch_through(
            self, url, max_bytes=max_bytes, timeout_s=timeout_s, headers=headers or {}
        )

    def credential_url(self) -> str:
        """The proxy's URL with its credential, for a client inside this process."""
        if self._password is None:
            return self.url
        return f"http://{_USER}:{self._password}@{_HOST}:{self.port}"

    async def close(self) -> None:
        """Stop listening and cut every connection; idempotent."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.gather(self._sweeper, return_exceptions=True)
            self._sweeper = None
        if self._server is not None:
            self._server.close()
            self._server = None
        for link in list(self._links):
            link.abort()
        if self._links:
            await self._empty.wait()

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._new_link, _HOST, 0, backlog=512)
        self.port = self._server.sockets[0].getsockname()[1]
        if self._owner is not None:
            self._check = OwnerCheck(self._owner, self.port)
        self._sweeper = asyncio.create_task(self._sweep())

    def _new_link(self) -> Link:
        credential = None
        if self._password is not None:
            token = base64.b64encode(f"{_USER}:{self._password}".encode())
            credential = b"Basic " + token
        return Link(self._gate, joined=self._joined, left=self._left, credential=credential)

    def _joined(self, link: Link) -> RefusedError | None:
        self._links.add(link)
        self._empty.clear()
        if self._check is not None and not self._check.admits(link.peer_port):
            self.strangers += 1
            return RefusedError("not_owner")
        if len(self._links) > self._gate.limits.connections:
            return RefusedError("too_many_connections")
        return None

    def _left(self, link: Link) -> None:
        self._links.discard(link)
        if not self._links:
            self._empty.set()

    async def _sweep(self) -> None:
        limits = self._gate.limits
        pause = min(limits.idle_s, limits.overall_s or limits.idle_s) / _SWEEPS
        while True:
            await asyncio.sleep(pause)
            now = asyncio.get_running_loop().time()
            for link in list(self._links):
                if limits.overall_s is not None and now - link.started > limits.overall_s:
                    link.abort("connect_failed", "the connection was open for too long")
                elif now - link.touched > limits.idle_s:
                    link.abort()
