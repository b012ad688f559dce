"""One action from its dispatch to its outcome: send, look, judge.

Owns the order of these steps and how a verdict becomes an outcome. What is sent is the caller's.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import TYPE_CHECKING

from browser_agent.browser import verdict
from browser_agent.browser.landing import failed_landing, lost_tabs
from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import OperationFailed, Outcome, fail
from browser_agent.browser.verdict import Verdict
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import Effect, ErrorCode, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from browser_agent.browser.core import Core
    from browser_agent.browser.operation import Body, Operation
    from browser_agent.browser.trace import Expected, Trace
    from browser_agent.browser.witness import Witness
    from browser_agent.records.result import Result

Send = Coroutine[object, object, None]
_GONE_S = 0.05
"""The end of a page is told this much before the end of its browser."""


class Stage:
    """Runs actions of one session and judges them."""

    def __init__(self, core: Core, witness: Witness) -> None:
        self.core = core
        self.witness = witness

    async def run(self, name: str, body: Body) -> Result:
        """Run an action; until :meth:`perform` its effect is ``not_dispatched``."""
        limit_s = self.core.limits.action_timeout_s
        kind = Kind(name, limit_s, ErrorCode.ACTION_TIMEOUT, effectful=True, acts=True)
        return await self.core.run(kind, body)

    async def perform(
        self, op: Operation, trace: Trace, send: Send, *, expected: Expected | None = None
    ) -> Outcome:
        """Dispatch ``send``, look at the page, and say what came of it."""
        op.dispatching()
        try:
            if await self.witness.guard(op, trace, send):
                await self.look(op, trace, expected)
            if trace.tab.gone is not None:
                await asyncio.sleep(_GONE_S)
        except asyncio.CancelledError:
            if self.core.gone_code(op) is not ErrorCode.PAGE_CLOSED:
                raise
        return self.conclude(op, trace)

    async def look(self, op: Operation, trace: Trace, expected: Expected | None) -> None:
        """Gather evidence within what is left of the time."""
        with contextlib.suppress(TimeoutError, OperationFailed):
            await self.witness.guard(op, trace, self.witness.look(op, trace, expected))
        await self.witness.fetch_downloads(op, trace)

    def conclude(self, op: Operation, trace: Trace) -> Outcome:
        """The outcome that the evidence allows."""
        self.witness.count(trace)
        evidence = trace.evidence()
        found = verdict.judge(evidence)
        if found.effect is Effect.ACKNOWLEDGED:
            op.acknowledged()
        if trace.page_closed:
            self.witness.leave(trace.tab)
        trace.lost_tabs = lost_tabs(self.core, trace)
        nowhere = failed_landing(self.core, trace)
        if nowhere is not None:
            return nowhere
        data = trace.data(changed=verdict.changed(evidence))
        return _outcome(found, trace, data)


def _outcome(found: Verdict, trace: Trace, data: dict[str, object]) -> Outcome:
    status = trace.answer_status
    if found.status is Status.OK and status is not None and status >= 400:
        message = f"The action led to a page that the server answered with {status}."
        return Outcome(
            status=Status.ERROR,
            code=ErrorCode.HTTP_ERROR,
            message=message,
            retryable=False,
            data=data,
        )
    return Outcome(
        status=found.status,
        code=found.code,
        message=found.message or None,
        data=data,
        effect=found.effect,
    )


def spoken(parse: Callable[[str], str], word: str) -> str:
    """``parse(word)``; a word that it refuses ends the operation as ``invalid_input``."""
    try:
        return parse(word)
    except InvalidInput as error:
        fail(ErrorCode.INVALID_INPUT, error.message, hint=error.hint)


def check_type(value: object, wanted: type, name: str) -> None:
    """Raise InvalidInput for a value of another Python type."""
    wrong_bool = isinstance(value, bool) and wanted is not bool
    if wrong_bool or not isinstance(value, wanted):
        raise InvalidInput(f"{name} must be {wanted.__name__}, got {type(value).__name__}")
