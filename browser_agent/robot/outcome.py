"""The RobotResult of a run, whatever ended it: made of what was gathered, redacted, checked.

Owns the rule of the reply and the closing of calls that were never answered. It runs nothing.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from browser_agent._freeze import thaw
from browser_agent.logic.citations import check_citations, split_reply, unsupported_parts
from browser_agent.logic.history import close_dangling
from browser_agent.ports import Redacts, StatefulModel
from browser_agent.records.citation import Citation
from browser_agent.records.message import (
    Message,
    TextMessage,
    ToolMessage,
    parse_message,
)
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.robot.state import RunState, RunStop


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of a run and its source: final, reasoning or earlier; None when there is none."""

    text: str | None
    source: str | None


def close_calls(state: RunState, stop: RunStop) -> None:
    """Answer what is left open, so that the conversation can go on."""

    def answer(_: ToolMessage) -> str:
        return f"Not executed: the run stopped ({stop.reason.value})."

    state.messages = list(close_dangling(state.messages, answer))
    state.view = list(close_dangling(state.view, answer))


def build_result(
    state: RunState,
    stop: RunStop,
    *,
    created_at: datetime,
    begun: float,
    closing: Result | None,
) -> RobotResult:
    """Everything that the run gave. ``begun`` is a monotonic reading."""
    reply = _choose_reply(state)
    final = reply.text if reply.source == "final" else None
    output = () if reply.text is None else (TextMessage(role="assistant", content=reply.text),)
    model = state.settings.model
    managed = model.get_state() if isinstance(model, StatefulModel) else None
    system = [TextMessage(role="system", content=state.system)] if state.system else []
    return RobotResult(
        state.settings.name,
        output,
        id=state.id,
        created_at=created_at,
        duration=time.monotonic() - begun,
        task=state.redact(state.task),
        reply_source=reply.source,
        parsed=state.parsed,
        answered=state.answered,
        messages=_redacted(state.redactor, [*system, *state.messages]),
        results=state.results,
        tool_calls=state.calls,
        citations=_cite(state, final),
        unsupported=() if final is None else unsupported_parts(final, state.results),
        usage=state.usage,
        turns_used=state.turns,
        reasoning_per_turn=state.reasoning,
        tool_errors=state.failures,
        stop_reason=stop.reason,
        closing=closing,
        managed_state=None if managed is None else state.redactor.redact(managed),
        provider_metadata=_metadata(state),
        prompt=state.redact(state.system),
        history=_redacted(state.redactor, state.history),
    ).explained(state.redact(stop.message))


def _choose_reply(state: RunState) -> Reply:
    if state.final_text is not None:
        return Reply(state.redact(state.final_text), "final")
    last = None if state.last is None else state.last.reasoning
    if last and last.strip() and not (state.last and state.last.tool_calls):
        return Reply(state.redact(last), "reasoning")
    for message in reversed(state.messages):
        if message.role == "assistant" and message.text.strip():
            return Reply(state.redact(message.text), "earlier")
    return Reply(None, None)


def _cite(state: RunState, final: str | None) -> tuple[Citation, ...]:
    """Footnotes of the final text, and what was cited by tool call."""
    cited = () if final is None else split_reply(final)[1]
    return check_citations((*cited, *state.context.claims), state.results)


def _metadata(state: RunState) -> object:
    if state.last is None or not state.last.provider_metadata:
        return None
    return state.redactor.redact(thaw(state.last.provider_metadata))


def _redacted(redactor: Redacts, messages: list[Message] | tuple[Message, ...]) -> list[Message]:
    made: list[Message] = []
    for message in messages:
        plain = cast("dict[str, object]", redactor.redact(message.to_dict()))
        made.append(parse_message(plain))
    return made
