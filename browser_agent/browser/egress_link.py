"""One connection of the browser to our proxy: requests in, bytes both ways, back-pressure.

Owns the transport of the browser's side. Requests are told apart so that each one is judged; what
comes back is passed on unread. A connection to the network is used again only for the same host.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Callable

from browser_agent.browser.egress_gate import FarEnd, Gate, Plan, RefusedError
from browser_agent.browser.egress_http import BadRequest, Request, parse_request, render_reply
from browser_agent.browser.egress_log import NO_ANSWER

__all__ = ["Link"]

HEAD_LIMIT_BYTES = 65_536
SMALL_BODY_BYTES = 65_536
"""A body up to this size is there in full before the request is judged."""
BUFFER_BYTES = 1_048_576

_SAVES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
"""Browsers send these again, unasked, when a connection that was used before ends without an
answer; a reply of ours keeps them from it."""

_LOG = logging.getLogger(__name__)
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_CHALLENGE = ("Proxy-Authenticate", 'Basic realm="browser-agent"')


class Link(asyncio.Protocol):
    """The browser's end. ``joined`` says why a client may not use the proxy, None when it may."""

    def __init__(
        self,
        gate: Gate,
        *,
        joined: Callable[[Link], RefusedError | None],
        left: Callable[[Link], None],
        credential: bytes | None,
    ) -> None:
        self.started = self.touched = asyncio.get_running_loop().time()
        self.task: asyncio.Task[None] | None = None
        self._gate = gate
        self._joined = joined
        self._left = left
        self._credential = credential
        self._transport: asyncio.Transport | None = None
        self._far: FarEnd | None = None
        self._plan: Plan | None = None
        self._inbox = bytearray()
        self._body_left = 0
        self._streaming = False
        self._unanswered = False
        self._received = 0

    # the transport's calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=BUFFER_BYTES)
        unwanted = self._joined(self)
        if unwanted is not None:
            self._answer(unwanted.status, unwanted.code)

    def data_received(self, data: bytes) -> None:
        self.touched = asyncio.get_running_loop().time()
        if self._streaming:
            self._send(data)
            return
        self._inbox += data
        if self.task is None:
            self._advance()
        elif len(self._inbox) > HEAD_LIMIT_BYTES + SMALL_BODY_BYTES:
            self._hold_browser(True)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._drop_far()
        if self.task is not None:
            self.task.cancel()
        self._left(self)

    def pause_writing(self) -> None:
        self._hold_network(True)

    def resume_writing(self) -> None:
        self._hold_network(False)

    @property
    def _is_closing(self) -> bool:
        return self._transport is None or self._transport.is_closing()

    @property
    def peer_port(self) -> int:
        """The client's port on loopback."""
        assert self._transport is not None
        return self._transport.get_extra_info("peername")[1]

    def abort(self, code: str | None = None, reason: str = "") -> None:
        """Cut both sides at once; ``code`` goes into the log."""
        if code is not None and self._plan is not None:
            self._plan.entry.settle(allowed=True, code=code, reason=reason)
        if self._transport is not None:
            self._transport.abort()

    # requests

    def _advance(self) -> None:
        """Take what can be taken out of the inbox: rest of a body, and requests."""
        while self._inbox and self.task is None and not self._is_closing:
            if self._streaming:
                self._send(bytes(self._inbox))
                self._inbox.clear()
            elif self._body_left:
                self._send_body()
            elif not self._take_request():
                return

    def _send_body(self) -> None:
        piece = bytes(self._inbox[: self._body_left])
        del self._inbox[: len(piece)]
        self._body_left -= len(piece)
        self._send(piece)

    def _take_request(self) -> bool:
        """Take one request with its small body; False when it is not there in full."""
        end = self._inbox.find(b"\r\n\r\n")
        if end < 0:
            if len(self._inbox) > HEAD_LIMIT_BYTES:
                self._answer(431, "too_large")
            return False
        try:
            request = parse_request(bytes(self._inbox[:end]))
        except BadRequest:
            self._answer(400, "invalid_input")
            return False
        start = end + 4
        small = request.length if request.length <= SMALL_BODY_BYTES else 0
        if len(self._inbox) < start + small:
            return False
        body = bytes(self._inbox[start : start + small])
        del self._inbox[: start + small]
        self._serve(request, body)
        return True

    def _serve(self, request: Request, body: bytes) -> None:
        """Judge a request; a connection that fits is used at once, another one is opened."""
        try:
            self._check_credential(request)
            plan = self._gate.plan(request, body)
        except RefusedError as refused:
            self._refuse(refused)
            return
        except Exception as error:  # noqa: BLE001 - the step boundary: logged, the link is cut
            self._fail(error)
            return
        far = self._reusable(plan)
        if far is not None:
            self._attach(far, plan)
            self._forward(request, body, plan)
            return
        self.task = asyncio.ensure_future(self._open(request, body, plan))
        self.task.add_done_callback(self._opened)

    async def _open(self, request: Request, body: bytes, plan: Plan) -> None:
        try:
            far = await self._gate.connect(plan)
        except RefusedError as refused:
            self._refuse(refused)
            return
        if self._is_closing:
            if far.transport is not None:
                far.transport.abort()
            return
        self.task = None
        self._hold_browser(False)
        self._attach(far, plan)
        self._forward(request, body, plan)
        self._advance()

    def _opened(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        """Our own fault: the text of the error could hold what the page sent."""
        _LOG.error("a connection was dropped: %s", type(error).__name__)
        self.abort("internal", "the proxy failed")

    def _check_credential(self, request: Request) -> None:
        if self._credential is not None:
            given = request.header(b"proxy-authorization") or b""
            if not _same(given, self._credential):
                raise RefusedError("proxy_credential")

    def _refuse(self, refused: RefusedError) -> None:
        if refused.code == "proxy_credential":
            self._answer(407, refused.code, _CHALLENGE)
        else:
            self._answer(refused.status, refused.code)

    def _reusable(self, plan: Plan) -> FarEnd | None:
        known = self._plan
        if plan.tunnel or known is None or known.tunnel or known.route != plan.route:
            return None
        return self._far if self._far is not None and self._far.is_open else None

    def _attach(self, far: FarEnd, plan: Plan) -> None:
        self._plan = plan
        if far is self._far:
            return
        self._drop_far()
        self._far = far
        far.receive, far.lost, far.hold = self._deliver, self._far_lost, self._hold_browser
        assert far.transport is not None
        far.transport.set_write_buffer_limits(high=BUFFER_BYTES)

    def _forward(self, request: Request, body: bytes, plan: Plan) -> None:
        assert self._far is not None
        if plan.tunnel:
            self._write(_ESTABLISHED)
        else:
            self._send(_head_for(request, plan, self._gate) + body)
            self._body_left = request.length - len(body)
        self._streaming = plan.tunnel or request.upgrades
        self._unanswered = not plan.tunnel and request.method in _SAVES
        if self._far.early:
            early = bytes(self._far.early)
            self._far.early.clear()
            self._deliver(early)
        if not self._far.is_open:
            self._far_lost(self._far)

    # bytes

    def _deliver(self, data: bytes) -> None:
        self.touched = asyncio.get_running_loop().time()
        size = len(data)
        self._unanswered = False
        self._received += size
        if self._plan is not None:
            self._plan.entry.received += size
        if self._gate.count(size, self._received):
            self._write(data)
        else:
            self.abort("too_large", "the limit of received bytes is reached")

    def _write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    def _send(self, data: bytes) -> None:
        if self._far is not None and self._far.transport is not None:
            self._far.transport.write(data)

    def _answer(self, status: int, code: str, *extra: tuple[str, str]) -> None:
        assert self._transport is not None
        self._drop_far()
        if not self._transport.is_closing():
            self._transport.write(render_reply(status, code, *extra))
            self._transport.close()

    def _far_lost(self, far: FarEnd) -> None:
        if far is not self._far or self._transport is None:
            return
        if self._unanswered and self._plan is not None:
            self._plan.entry.settle(allowed=True, code="connect_failed", reason=NO_ANSWER)
            self._answer(502, "connect_failed")
            return
        self._transport.close()

    def _drop_far(self) -> None:
        far, self._far = self._far, None
        if far is not None and far.transport is not None:
            far.receive, far.lost = _ignore, _ignore
            far.transport.close()

    def _hold_browser(self, stop: bool) -> None:
        _hold(self._transport, stop=stop)

    def _hold_network(self, stop: bool) -> None:
        _hold(self._far.transport if self._far is not None else None, stop=stop)


def _head_for(request: Request, plan: Plan, gate: Gate) -> bytes:
    rest = plan.url.href.partition("://")[2].partition("#")[0]
    authority, _, path = rest.partition("/")
    upstream = gate.upstream
    if upstream is None:
        return request.render(f"/{path}", authority)
    extra = ()
    if upstream.authorization is not None:
        extra = ((b"Proxy-Authorization", upstream.authorization),)
    return request.render(f"http://{rest}", authority, extra)


def _hold(transport: asyncio.Transport | None, *, stop: bool) -> None:
    if transport is None or transport.is_closing():
        return
    if stop:
        transport.pause_reading()
    else:
        transport.resume_reading()


def _same(given: bytes, wanted: bytes) -> bool:
    return hmac.compare_digest(given, wanted)


def _ignore(_: object) -> None:
    return
