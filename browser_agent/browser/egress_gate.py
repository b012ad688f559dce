"""The proxy's judgement: from a request head to a refusal or to a socket at a checked address.

Owns the settings of one proxy and the way from a request to its far end. It moves no page bytes;
``egress_link`` does.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from browser_agent.browser.egress_dial import Names, admit, dial, tunnel_url
from browser_agent.browser.egress_http import Request
from browser_agent.browser.egress_log import DecisionLog, Entry
from browser_agent.errors import ConfigurationError
from browser_agent.logic.url_parts import UrlParts, parse_url
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.policy import Decision

__all__ = ["EgressLimits", "FarEnd", "Gate", "Plan", "RefusedError", "UpstreamProxy"]

Guard = Callable[[str, bytes], Decision]
"""Judges a plain http request's URL and its head with a small body, before anything is sent."""

_STATUS = {
    "invalid_url": 400,
    "dns_failed": 502,
    "connect_failed": 502,
    "too_large": 503,
    "too_many_connections": 503,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressLimits:
    """Bounds of a proxy: seconds, bytes, counts. None means no limit.

    ``idle_s`` closes a connection over which nothing came, ``overall_s`` any connection of that
    age. ``connection_bytes`` and ``total_bytes`` count what comes in from the network.
    ``names_kept_s`` is how long an answer of the resolver serves.
    """

    connect_s: float = 10.0
    idle_s: float = 300.0
    overall_s: float | None = None
    connection_bytes: int | None = None
    total_bytes: int | None = None
    connections: int = 512
    decisions: int = 4096
    names_kept_s: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamProxy:
    """An http proxy of the operator that our proxy goes through."""

    host: str
    port: int
    authorization: bytes | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, url: str) -> UpstreamProxy:
        """Parse ``http://[user:password@]host:port``; ConfigurationError for anything else."""
        scheme, _, rest = url.partition("://")
        userinfo, at, authority = rest.rpartition("@")
        parts = parse_url(f"{scheme}://{authority}")
        if scheme.lower() != "http" or parts is None or parts.port is None:
            raise ConfigurationError(
                "proxy must be http://host:port, with user:password@ if needed"
            )
        if not at:
            return cls(host=parts.host, port=parts.port)
        token = base64.b64encode(userinfo.encode())
        return cls(host=parts.host, port=parts.port, authorization=b"Basic " + token)


class RefusedError(Exception):
    """A request that gets a typed reply instead of its far end."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
        self.status = _STATUS.get(code, 403)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An admitted request: where it goes and the log entry that it fills."""

    url: UrlParts
    port: int
    tunnel: bool
    entry: Entry

    @property
    def route(self) -> tuple[str, int]:
        """What one connection to the network can be used for again."""
        return self.url.host, self.port


class FarEnd(asyncio.Protocol):
    """The connection to the network; ``receive`` and ``lost`` are set by the one who uses it."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.receive: Callable[[bytes], None] = self._keep
        self.lost: Callable[[FarEnd], None] = lambda _: None
        self.hold: Callable[[bool], None] = lambda _: None
        self.early = bytearray()
        self._arrived = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.receive(data)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._arrived.set()
        self.lost(self)

    def pause_writing(self) -> None:
        self.hold(True)

    def resume_writing(self) -> None:
        self.hold(False)

    @property
    def is_open(self) -> bool:
        """Whether it can still be written to."""
        return self.transport is not None and not self.transport.is_closing()

    async def read_head(self, limit: int) -> bytes:
        """The bytes up to a blank line, taken out of what came early; OSError without one."""
        while (end := self.early.find(b"\r\n\r\n")) < 0:
            if len(self.early) > limit or not self.is_open:
                raise OSError("no reply from the upstream proxy")
            self._arrived.clear()
            await self._arrived.wait()
        head = bytes(self.early[:end])
        del self.early[: end + 4]
        return head

    def _keep(self, data: bytes) -> None:
        self.early += data
        self._arrived.set()


class Gate:
    """Settings and state of one proxy that every connection asks."""

    def __init__(
        self,
        policy: UrlPolicy,
        *,
        names: Names,
        limits: EgressLimits,
        upstream: UpstreamProxy | None = None,
        guard: Guard | None = None,
        refuse_all: bool = False,
    ) -> None:
        self.policy = policy
        self.limits = limits
        self.upstream = upstream
        self.log = DecisionLog(limits.decisions)
        self.received = 0
        self._names = names
        self.guard = guard
        self.refuse_all = refuse_all

    def plan(self, request: Request, body: bytes) -> Plan:
        """Judge a request by its text and write the decision down; RefusedError when refused."""
        if request.method == "CONNECT":
            url = tunnel_url(self.policy, request.target)
        else:
            url = parse_url(request.target) if "://" in request.target else None
            url = url if url is not None and url.scheme == "http" else None
        if url is None or url.port is None:
            raise RefusedError("invalid_url")
        tunnel = request.method == "CONNECT"
        shown = url.origin if tunnel else url.href
        entry = self.log.open(request.method, host=url.host, port=url.port, url=shown)
        self._check(self._decide(url, request, body), entry)
        return Plan(url=url, port=url.port, tunnel=tunnel, entry=entry)

    async def connect(self, plan: Plan) -> FarEnd:
        """Resolve, check and dial; RefusedError says what failed."""
        admission = await admit(self.policy, self._names, plan.url)
        plan.entry.address_class = admission.address_class
        if self.upstream is not None and admission.decision.code in {None, "dns_failed"}:
            return await self._reach(plan, self._through_upstream(self.upstream, plan))
        self._check(admission.decision, plan.entry)
        return await self._reach(plan, self._dial(admission.addresses, plan.port))

    def count(self, size: int, link_total: int) -> bool:
        """Add received bytes; False once a limit of bytes is passed."""
        self.received += size
        limits = self.limits
        if limits.total_bytes is not None and self.received > limits.total_bytes:
            return False
        return limits.connection_bytes is None or link_total <= limits.connection_bytes

    def _decide(self, url: UrlParts, request: Request, body: bytes) -> Decision:
        if self.refuse_all:
            reason = "the network is closed"
            return Decision(allowed=False, url=url.href, code="recording_miss", reason=reason)
        if self.limits.total_bytes is not None and self.received > self.limits.total_bytes:
            reason = "the limit of received bytes is reached"
            return Decision(allowed=False, url=url.href, code="too_large", reason=reason)
        if request.method == "CONNECT":
            return self.policy.decide_origin(url.href)
        decision = self.policy.decide(url.href)
        if decision.allowed and self.guard is not None:
            head = b"\n".join(key + b": " + value for key, value in request.headers)
            return self.guard(url.href, head + b"\n\n" + body)
        return decision

    def _check(self, decision: Decision, entry: Entry) -> None:
        entry.settle(allowed=decision.allowed, code=decision.code, reason=decision.reason)
        if not decision.allowed:
            raise RefusedError(decision.code or "policy_denied")

    async def _reach(self, plan: Plan, opening: Awaitable[FarEnd]) -> FarEnd:
        try:
            async with asyncio.timeout(self.limits.connect_s):
                return await opening
        except OSError:  # a timeout is an OSError too
            plan.entry.settle(allowed=True, code="connect_failed", reason="no connection")
            raise RefusedError("connect_failed") from None

    async def _dial(self, addresses: tuple[str, ...], port: int) -> FarEnd:
        loop = asyncio.get_running_loop()

        async def connect(address: str) -> asyncio.Transport:
            transport, _ = await loop.create_connection(FarEnd, address, port)
            return transport

        transport = await dial(addresses, connect)
        far_end = transport.get_protocol()
        assert isinstance(far_end, FarEnd)
        return far_end

    async def _through_upstream(self, upstream: UpstreamProxy, plan: Plan) -> FarEnd:
        loop = asyncio.get_running_loop()
        transport, far_end = await loop.create_connection(FarEnd, upstream.host, upstream.port)
        if plan.tunnel:
            try:
                await _open_tunnel(far_end, upstream, plan.url)
            except BaseException:
                transport.abort()
                raise
        return far_end


async def _open_tunnel(far_end: FarEnd, upstream: UpstreamProxy, url: UrlParts) -> None:
    host = f"[{url.host}]" if ":" in url.host else url.host
    authority = f"{host}:{url.port}".encode()
    lines = [b"CONNECT " + authority + b" HTTP/1.1", b"Host: " + authority]
    if upstream.authorization is not None:
        lines.append(b"Proxy-Authorization: " + upstream.authorization)
    assert far_end.transport is not None
    far_end.transport.write(b"\r\n".join([*lines, b"", b""]))
    head = await far_end.read_head(65_536)
    if head.split(b" ", 2)[1:2] != [b"200"]:
        raise OSError("the upstream proxy refused")
