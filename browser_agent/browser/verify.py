"""Verifying an action afterwards: it only reads, and it settles the outcome or leaves it unknown.

Owns what counts as evidence and how it is listed. Nothing here sends input or requests.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.trace import MASK
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import ErrorCode, Status
from browser_agent.records.result import Result

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.operation import Operation
    from browser_agent.browser.stage import Stage
    from browser_agent.browser.trace import Trace

SHOWN_REQUESTS = 20


class Verifier:
    """Looks for evidence of one session's actions."""

    def __init__(self, core: Core, stage: Stage) -> None:
        self._core = core
        self._stage = stage

    async def verify(self, result: Result | str) -> Result:
        """Look again at what an action (a Result or its operation id) did.

        The status is what is known now: ok, error (``no_effect``, ``http_error``) or unknown.
        """
        given: object = result
        if isinstance(given, Result):
            given = given.operation_id
        if not isinstance(given, str):
            raise InvalidInput("verify takes a Result or an operation id")
        operation_id = given

        async def act(op: Operation) -> Outcome:
            trace = self._stage.witness.trace_of(operation_id)
            if trace is None:
                fail(ErrorCode.NOT_FOUND, "This session has no record of that operation.")
            op.hold(trace.tab)
            if trace.tab.usable:
                await self._stage.look(op, trace, trace.expected)
            return self._settle(op, trace)

        limit_s = self._core.limits.observation_timeout_s
        kind = Kind("verify", limit_s, ErrorCode.OBSERVATION_TIMEOUT, on_page=False)
        return await self._core.run(kind, act)

    def _settle(self, op: Operation, trace: Trace) -> Outcome:
        outcome = self._stage.conclude(op, trace)
        outcome = _by_answers(outcome, trace)
        data = {
            "evidence": _evidence(trace),
            "settles": trace.operation_id,
            "operation": trace.name,
            "changed": (outcome.data or {}).get("changed", False),
        }
        locator = trace.aim.locator if trace.aim is not None else None
        return replace(outcome, data=data, locator=locator)


def _by_answers(outcome: Outcome, trace: Trace) -> Outcome:
    """Let the server's answers to saves speak where the page cannot or does not."""
    saves = [one for one in trace.requests if one.is_save and one.status is not None]
    if not saves or outcome.status is Status.ERROR:
        return outcome
    refused = next((one for one in saves if (one.status or 0) >= 400), None)
    if refused is not None:
        message = f"The server answered the page's {refused.method} with {refused.status}."
        return replace(
            outcome,
            status=Status.ERROR,
            code=ErrorCode.HTTP_ERROR,
            message=message,
            retryable=False,
        )
    if outcome.status is Status.UNKNOWN and not (trace.crashed or trace.browser_gone):
        return replace(outcome, status=Status.OK, code=None, message=None)
    return outcome


def _evidence(trace: Trace) -> list[dict[str, object]]:
    found: list[dict[str, object]] = [{"kind": "event", "seen": str(trace.event)}]
    for entry in trace.requests[:SHOWN_REQUESTS]:
        row: dict[str, object] = {"kind": "request", "method": entry.method, "url": entry.url}
        row["answer"] = entry.failure or entry.status or "none yet"
        found.append(row)
    if trace.expected is not None and trace.held is not None:
        held = MASK if trace.expected.secret else trace.held[:500]
        found.append({"kind": "value", "check": str(trace.value_check), "held": held})
    if trace.navigated:
        found.append({"kind": "url", "before": trace.url, "after": trace.tab.page.url})
    if trace.dialog is not None:
        found.append({"kind": "dialog", **{k: v for k, v in trace.dialog.items() if k != "kind"}})
    found.extend({**file, "kind": "download"} for file in trace.files)
    changes = trace.changes
    if changes is not None and changes.changed:
        found.append(
            {"kind": "text", "added": list(changes.added), "removed": list(changes.removed)}
        )
    found.append({"kind": "page", "answers": trace.state_read, "closed": trace.page_closed})
    return found
