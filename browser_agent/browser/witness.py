"""Looks at what an action did: marks before the dispatch, evidence after it, a verdict of both.

Owns the trace of every action, which ``verify`` reads again later. It sends no input.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from browser_agent.browser import settling
from browser_agent.browser.aim import looking
from browser_agent.browser.hand import ask
from browser_agent.browser.trace import Expected, Trace
from browser_agent.browser.values import same_value
from browser_agent.browser.verdict import Seen, ValueCheck
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from browser_agent.browser.aim import Aim
    from browser_agent.browser.core import Core
    from browser_agent.browser.devtools import Popups
    from browser_agent.browser.dialogs import Dialogs
    from browser_agent.browser.downloads import Downloads
    from browser_agent.browser.operation import Operation
    from browser_agent.browser.tab import Tab
    from browser_agent.browser.traffic import TrafficLog

KEEP_S = 0.08
"""What an action leaves of its time for its Result."""
KEPT = 200
CHANGES_BYTES = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """Where a session sees what its pages begin."""

    traffic: TrafficLog
    dialogs: Dialogs
    downloads: Downloads
    popups: Popups


class Witness:
    """The evidence of one session's actions."""

    def __init__(self, core: Core, signs: Signs) -> None:
        self._core = core
        self._traffic = signs.traffic
        self._dialogs = signs.dialogs
        self._downloads = signs.downloads
        self._popups = signs.popups
        self._commits = settling.Commits(core.tabs)
        self._traces: OrderedDict[str, Trace] = OrderedDict()

    def trace_of(self, operation_id: str) -> Trace | None:
        """The trace of an action of this session, or None."""
        return self._traces.get(operation_id)

    async def begin(
        self, op: Operation, *, aim: Aim | None = None, kinds: Sequence[str] = ()
    ) -> Trace:
        """Take marks and start to watch; call it right before the dispatch."""
        tab = op.tab
        observer = self._core.observer(tab)
        baseline = asyncio.ensure_future(observer.baseline())
        baseline.add_done_callback(_read_error)  # nobody awaits it where the watch fails
        watch = None
        if aim is not None and kinds:
            watch = await looking(op, observer.watch(aim.ref, kinds))
        trace = Trace(
            operation_id=op.id,
            name=op.kind.name,
            tab=tab,
            aim=aim,
            baseline=await looking(op, baseline),
            watch=watch,
            url=tab.page.url,
            tabs=frozenset(one.id for one in self._core.tabs.all),
            traffic=self._traffic.count,
            dialogs=self._dialogs.count,
            downloads=self._downloads.count,
            commits=self._commits.of(tab),
            load=tab.load,
        )
        self._traces[op.id] = trace
        while len(self._traces) > KEPT:
            self._traces.popitem(last=False)
        return trace

    async def guard(
        self, op: Operation, trace: Trace, work: Coroutine[object, object, None]
    ) -> bool:
        """Await ``work`` until it ends, a dialog waits for an answer, or time is up.

        True when it ended. What is left of it is abandoned: it only waits for the page.
        """
        task = asyncio.ensure_future(work)
        asking = asyncio.ensure_future(self._dialogs.wait_pending(trace.tab))
        try:
            limit_s = op.remaining_s(keep_s=KEEP_S)
            await asyncio.wait({task, asking}, timeout=limit_s, return_when="FIRST_COMPLETED")
        finally:
            ended = task.done()
            settling.abandon(asking)
            settling.abandon(task)
        if ended and not task.cancelled() and trace.tab.usable:
            task.result()
        return ended and trace.tab.usable

    async def look(self, op: Operation, trace: Trace, expected: Expected | None) -> None:
        """Read the page after the input, into the trace. ``state_read`` is set at the end."""
        self.count(trace)
        if trace.watch is not None:
            seen = await looking(op, trace.watch.read(timeout_s=op.remaining_s()))
            trace.hear(seen)
        if trace.ears:
            await _hear_keys(op, trace)
        await self._calm(op, trace)
        changes = await looking(
            op, self._core.observer(trace.tab).changes(trace.baseline, limit_bytes=CHANGES_BYTES)
        )
        trace.note_changes(changes)
        await self.compare(op, trace, expected)
        self.count(trace)
        trace.state_read = True

    async def compare(self, op: Operation, trace: Trace, expected: Expected | None) -> None:
        """Read the target's value back and hold it against what was asked for."""
        if expected is None or trace.value_check is ValueCheck.MATCHES:
            return
        trace.expected = expected
        place = expected.place
        if trace.navigated or not await _is_there(op, trace):
            trace.value_check = ValueCheck.UNREAD
            return
        facts = await ask(op, place, "read")
        held = str(facts.get(expected.key))
        kind = str(facts.get("kind")) if expected.key == "value" else ""
        trace.held = held
        matches = same_value(kind, expected.value, held)
        trace.value_check = ValueCheck.MATCHES if matches else ValueCheck.DIFFERS

    def count(self, trace: Trace) -> None:
        """Count what began since the dispatch; asks nothing of the page."""
        tab = trace.tab
        trace.requests = self._traffic.since(trace.traffic, tab.id)
        trace.dialog_count = self._dialogs.count - trace.dialogs
        trace.dialog = self._dialogs.last_since(trace.dialogs)
        trace.download_count = self._downloads.count - trace.downloads
        trace.new_tabs = tuple(
            one
            for one in self._core.tabs.all
            if one.id not in trace.tabs and one.opener in (tab.id, None)
        )
        trace.browser_gone = not self._core.shared.is_connected()
        trace.page_closed = tab.gone is ErrorCode.PAGE_CLOSED and not trace.browser_gone
        trace.crashed = tab.gone is ErrorCode.PAGE_CRASHED
        committed = self._commits.of(tab) > trace.commits
        loaded = any(entry.navigation and entry.answered for entry in trace.requests)
        moved = not trace.page_closed and tab.page.url != trace.url
        trace.navigated = committed and (loaded or moved)

    async def fetch_downloads(self, op: Operation, trace: Trace) -> None:
        """Wait for the ends of files that the action caused, and note them."""
        if trace.download_count:
            wait_s = op.remaining_s(keep_s=KEEP_S)
            trace.files = await self._downloads.since(trace.downloads, wait_s=wait_s)

    def leave(self, tab: Tab) -> None:
        """Make another tab current after an action closed its own."""
        opener = self._core.tabs.by_id(tab.opener) if tab.opener else None
        others = self._core.tabs.open
        if self._core.tabs.current is tab and (opener is not None or others):
            self._core.tabs.select(opener if opener is not None else others[-1])

    async def _calm(self, op: Operation, trace: Trace) -> None:
        """Wait for answers to what the page sent, for a new document, and for quiet."""
        observer = self._core.observer(trace.tab)
        for _ in range(settling.ROUNDS):
            await settling.wait_answers(self._traffic, self._commits, trace)
            trace.late_tabs += await op.call(self._popups.arrive())
            self.count(trace)
            if trace.navigated:
                await op.call(trace.tab.page.wait_for_load_state("domcontentloaded"))
            quiet_ms = self._core.quiet_ms(settling.quiet_ms(trace))
            limit_s = settling.LIMIT_S * self._core.patience
            silent = not trace.has_reacted
            settled = await looking(
                op, observer.settle(quiet_ms=quiet_ms, limit_s=limit_s, whole=silent)
            )
            trace.settled = settled.quiet
            if not settling.is_open(self._traffic, self._commits, trace):
                return


async def _is_there(op: Operation, trace: Trace) -> bool:
    place = trace.expected.place if trace.expected is not None else None
    if place is None:
        return False
    return await op.call(place.frame.locator(place.selector).count()) > 0


async def _hear_keys(op: Operation, trace: Trace) -> None:
    """Ask every frame that was listened to; one that is gone by now says nothing."""
    places = [(place, key) for place, key in trace.ears if not place.frame.is_detached()]
    heard = await asyncio.gather(*(ask(op, place, "heard", key=key) for place, key in places))
    known = [one for one in heard if one["available"]]
    if any(one["trusted"] for one in known):
        trace.event = Seen.TARGET
    elif known and len(known) == len(trace.ears):
        trace.event = Seen.NOWHERE


def _read_error(task: asyncio.Future[str]) -> None:
    if not task.cancelled():
        task.exception()
