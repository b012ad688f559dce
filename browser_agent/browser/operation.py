"""One operation: its id, its one deadline, its effect; and the runner that ends it in one Result.

The runner owns: the deadline over all parts (with at most :data:`OVERRUN_S` beyond it), one
operation at a time on a tab, the journal entry of operations with a side effect, and turning
whatever is raised into a typed outcome. It makes no Result itself: the door does.

How a part of a session uses it::

    async def click(self, ref: str) -> Result:
        async def act(op: Operation) -> Outcome:
            locator = ...                                   # fail(ErrorCode.REF_STALE) ends it
            await op.call(locator.click(trial=True, timeout=op.remaining_ms()))
            op.dispatching()                                # from here a timeout is `unknown`
            await op.call(locator.click(timeout=op.remaining_ms()))
            op.acknowledged()
            return Outcome(data={"changed": True}, locator=...)

        kind = Kind("click", limits.action_timeout_s, ErrorCode.ACTION_TIMEOUT, effectful=True)
        return await self._core.run(kind, act)

Every await on Playwright goes through ``op.call``: it is bounded by what is left of the deadline
and cancelled (aborted in the driver too) when the operation ends early.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from browser_agent.browser.failures import outcome_of_error
from browser_agent.browser.outcome import PAGE, OperationFailed, Outcome
from browser_agent.records.codes import Effect, ErrorCode, Status
from browser_agent.records.ids import new_operation_id

if TYPE_CHECKING:
    from browser_agent.browser.tab import Tab
    from browser_agent.records.result import Result

T = TypeVar("T")
_PAGE_ENDS = (ErrorCode.PAGE_CLOSED, ErrorCode.PAGE_CRASHED)
OVERRUN_S = 0.5
"""How long an operation that was cut may take to let go."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What the runner must know of an operation before it starts.

    ``effectful``: it can change something outside (journalled; a cut is `unknown` once
    dispatched). ``acts``: it is input to a page, `not_dispatched` until that begins. ``on_page``:
    it needs the current tab and its lock. ``despite_dialog``: it may run while a dialog of the
    page is open (others end as `dialog_open`). ``fresh_page``: a tab that is gone or wedged is
    replaced first (navigate), instead of failing.
    """

    name: str
    timeout_s: float
    timeout_code: ErrorCode
    effectful: bool = False
    acts: bool = False
    on_page: bool = True
    despite_dialog: bool = False
    fresh_page: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Operation:
    """The running operation, handed to its body. ``deadline`` is in the loop's own time."""

    kind: Kind
    id: str = field(default_factory=new_operation_id)
    deadline: float
    effect: Effect | None = None
    locator: Mapping[str, object] = field(default_factory=lambda: PAGE)
    coverage: dict[str, object] = field(default_factory=dict[str, object])
    gathered: dict[str, object] = field(default_factory=dict[str, object])
    blobs: list[bytes] = field(default_factory=list[bytes])
    gone: ErrorCode | None = None
    _tab: Tab | None = None

    @property
    def tab(self) -> Tab:
        """The tab that the operation holds; only for kinds that are ``on_page``."""
        if self._tab is None:
            raise OperationFailed(Outcome(status=Status.ERROR, code=ErrorCode.PAGE_CLOSED))
        return self._tab

    @property
    def held_tab(self) -> Tab | None:
        """The tab that the operation holds, or None."""
        return self._tab

    def hold(self, tab: Tab) -> None:
        """Aim the operation at a tab (the runner does; a body only after replacing one)."""
        self._tab = tab

    def remaining_s(self, *, keep_s: float = 0.0) -> float:
        """Seconds left, less ``keep_s`` for later parts; never negative."""
        return max(0.0, self.deadline - asyncio.get_running_loop().time() - keep_s)

    def remaining_ms(self, *, keep_s: float = 0.0) -> float:
        """Milliseconds left for a Playwright ``timeout=`` (at least 1: 0 would mean no limit)."""
        return max(1.0, self.remaining_s(keep_s=keep_s) * 1000)

    async def call(self, work: Awaitable[T], *, within_s: float | None = None) -> T:
        """Await work within what is left (and ``within_s``); TimeoutError beyond it."""
        left = self.remaining_s()
        async with asyncio.timeout(left if within_s is None else min(left, within_s)):
            return await work

    def not_dispatched(self) -> None:
        """The effect of an action until its input call begins."""
        self.effect = Effect.NOT_DISPATCHED

    def dispatching(self) -> None:
        """The input call begins now: from here on its outcome may be unknown."""
        if self.effect is not Effect.ACKNOWLEDGED:
            self.effect = Effect.DISPATCHED

    def acknowledged(self) -> None:
        """Evidence that the input arrived: event seen, value read back, request begun …"""
        self.effect = Effect.ACKNOWLEDGED


Body = Callable[[Operation], Coroutine[object, object, Outcome]]


class Host(Protocol):
    """What the runner needs of the session it works for."""

    @property
    def is_closed(self) -> bool: ...
    async def acquire_tab(self, op: Operation) -> Tab:
        """The current tab, usable, or raise OperationFailed. Called before its lock is taken."""
        ...

    def seal(self, op: Operation, outcome: Outcome) -> Result:
        """The door."""
        ...

    def gone_code(self, op: Operation) -> ErrorCode | None:
        """browser_disconnected, page_crashed, page_closed or None: why calls fail right now."""
        ...

    def note_cut(self, op: Operation) -> None:
        """The operation had to be ended at its deadline."""
        ...

    async def begin(self, op: Operation) -> None:
        """Journal an effectful operation, durable when this returns."""
        ...

    async def end(self, op: Operation, status: str) -> None:
        """Journal its end."""
        ...

    async def publish(self, op: Operation, result: Result) -> None:
        """Store the operation's blobs and hand the Result to ``on_result``."""
        ...


class Runner:
    """Runs the operations of one session."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._running: set[asyncio.Task[Outcome]] = set()

    def abort(self) -> None:
        """End what is running now: the session closes. Each still gives its typed Result."""
        for task in tuple(self._running):
            task.cancel()

    async def run(self, kind: Kind, body: Body) -> Result:
        """Run ``body`` under one deadline; every end but cancellation is a Result."""
        op = self.prepare(kind)
        outcome = await self.perform(op, body)
        result = self._host.seal(op, outcome)
        await self._host.publish(op, result)
        return result

    def prepare(self, kind: Kind) -> Operation:
        """An operation whose time starts now."""
        now = asyncio.get_running_loop().time()
        op = Operation(kind=kind, deadline=now + kind.timeout_s)
        if kind.acts:
            op.not_dispatched()
        return op

    async def perform(self, op: Operation, body: Body) -> Outcome:
        """The outcome of ``body``, not yet sealed: for operations that clean up before that."""
        if self._host.is_closed:
            return Outcome(status=Status.ERROR, code=ErrorCode.SESSION_CLOSED)
        return await self._guard(op, body)

    async def _guard(self, op: Operation, body: Body) -> Outcome:
        if op.kind.effectful:
            await self._host.begin(op)
        status = str(Status.UNKNOWN)
        try:
            outcome = await self._supervise(op, self._on_tab(op, body))
            status = str(outcome.status)
        finally:
            if op.kind.effectful:
                await asyncio.shield(self._host.end(op, status))
        return outcome

    async def _supervise(self, op: Operation, work: Coroutine[object, object, Outcome]) -> Outcome:
        """Run ``work`` as a task that is ended at the deadline, whatever it does."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            done, _ = await asyncio.wait({task}, timeout=op.remaining_s())
            if not done:
                self._host.note_cut(op)
        finally:
            cut = not task.done()
            if cut:
                task.cancel()
                await asyncio.wait({task}, timeout=OVERRUN_S)
        return self._outcome(op, task, cut=cut)

    def _outcome(self, op: Operation, task: asyncio.Task[Outcome], *, cut: bool) -> Outcome:
        error: BaseException | None = None
        if not task.done():
            task.add_done_callback(_swallow)
            error = TimeoutError()
        elif task.cancelled():
            error = TimeoutError() if cut else asyncio.CancelledError()
        else:
            error = task.exception()
        if error is None:
            return task.result()
        gone = self._host.gone_code(op)
        if isinstance(error, OperationFailed):
            return _with_cause(error.outcome, gone)
        return outcome_of_error(error, op, gone)

    async def _on_tab(self, op: Operation, body: Body) -> Outcome:
        if not op.kind.on_page:
            return await body(op)
        tab = await self._host.acquire_tab(op)
        op.hold(tab)
        async with tab.lock:
            if tab.dialog is not None and not op.kind.despite_dialog:
                return Outcome(status=Status.ERROR, code=ErrorCode.DIALOG_OPEN)
            return await _while_there(op, tab, body)


async def _while_there(op: Operation, tab: Tab, body: Body) -> Outcome:
    """Run the body; a crash or close of its page ends it at once."""
    task = asyncio.create_task(body(op))

    def on_gone(code: ErrorCode) -> None:
        op.gone = code
        asyncio.get_running_loop().call_later(0.05, task.cancel)

    tab.watch(on_gone)
    try:
        return await task
    finally:
        tab.unwatch(on_gone)
        task.cancel()


def _with_cause(outcome: Outcome, gone: ErrorCode | None) -> Outcome:
    """A page that is gone with its browser is not what failed."""
    if gone is ErrorCode.BROWSER_DISCONNECTED and outcome.code in _PAGE_ENDS:
        return replace(outcome, code=gone, message=None, hint=None)
    return outcome


def _swallow(task: asyncio.Task[Outcome]) -> None:
    if not task.cancelled():
        task.exception()
