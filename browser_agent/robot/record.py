"""Writing down what became of a call: in the run's records, the conversation, the events."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from pydantic_core import PydanticSerializationError, to_jsonable_python

from browser_agent._freeze import FrozenMapping, thaw
from browser_agent._json import dumps
from browser_agent.errors import BrowserAgentError, retryable
from browser_agent.records.events import ToolCallEnded
from browser_agent.records.message import ToolResultMessage
from browser_agent.records.result import Result
from browser_agent.records.run import ToolCallRecord, ToolFailure
from browser_agent.robot.answer import Answer
from browser_agent.robot.prepare import PreparedCall
from browser_agent.robot.state import RunState
from browser_agent.tools.tool import Halt, Tool

TYPED_KEYS = frozenset({"text", "fields", "promptText", "data", "value", "values"})
"""Arguments that hold what is typed into a page."""


@dataclass(frozen=True, slots=True)
class Clock:
    """When a call began: the date for people, a monotonic reading for its duration."""

    started_at: datetime
    begun: float

    @classmethod
    def start(cls) -> Clock:
        """Now."""
        return cls(datetime.now(UTC), time.monotonic())

    @property
    def seconds(self) -> float:
        """Seconds since then."""
        return time.monotonic() - self.begun


def record_call(
    state: RunState, prepared: PreparedCall, answer: Answer, clock: Clock
) -> ToolCallRecord:
    """Note one answered call everywhere; gives its record."""
    call = prepared.call
    record = ToolCallRecord(
        id=call.id,
        turn=state.turns,
        name=call.name,
        arguments=_shown(state, prepared),
        result=answer.result,
        status=answer.status,
        error=answer.error,
        started_at=clock.started_at,
        duration=clock.seconds,
    )
    state.calls.append(record)
    state.say(ToolResultMessage(tool=prepared.message, content=answer.text))
    if answer.failed:
        state.failures.append(_failure(record, answer))
    state.events.emit(
        ToolCallEnded,
        call_id=call.id,
        name=call.name,
        status=answer.status,
        arguments=record.arguments,
        number=answer.number,
        result=answer.result if is_result(record) else None,
        error=answer.error,
        mended=prepared.mended,
        duration=record.duration,
    )
    return record


def note_outcome(
    state: RunState, tool: Tool, *, value: object = None, error: Exception | None = None
) -> None:
    """Tell a recorder what a tool of the robot's own gave, for a replay without its code."""
    if state.recorder is None or isinstance(value, Result):
        return
    if error is not None:
        message = error.message if isinstance(error, BrowserAgentError) else str(error)
        told = message or type(error).__name__
        state.recorder.add_tool(tool.name, {"error": told, "retryable": retryable(error)})
        return
    halt = isinstance(value, Halt)
    try:
        plain = to_jsonable_python(value.value if isinstance(value, Halt) else value)
    except PydanticSerializationError:
        return  # the call fails for the same reason
    state.recorder.add_tool(tool.name, {"value": plain, "halt": halt})


def is_result(record: ToolCallRecord) -> bool:
    """Whether the call gave a Result, and not a value of a tool of the robot's own."""
    return isinstance(record.result, Result)


def redacted_arguments(state: RunState, prepared: PreparedCall) -> FrozenMapping:
    """Arguments as everybody but the tool may see them."""
    plain = state.redactor.redact(thaw(prepared.arguments or FrozenMapping()))
    return FrozenMapping(cast("dict[str, object]", plain))


def announced_arguments(state: RunState, prepared: PreparedCall) -> FrozenMapping:
    """Arguments of an action before it is made: what it types may turn out to be a secret, which
    nobody knows until the page says what kind of field it is.
    """
    shown = redacted_arguments(state, prepared)
    if prepared.tool is None or not prepared.tool.side_effect:
        return shown
    return FrozenMapping({key: _unsaid(key, value) for key, value in shown.items()})


def _unsaid(key: str, value: object) -> object:
    return "\u2026" if key in TYPED_KEYS and value else value


def _shown(state: RunState, prepared: PreparedCall) -> FrozenMapping | str:
    if prepared.arguments is None:
        return state.redact(str(prepared.call.arguments))
    return redacted_arguments(state, prepared)


def _failure(record: ToolCallRecord, answer: Answer) -> ToolFailure:
    arguments = record.arguments
    return ToolFailure.build(
        turn=record.turn,
        tool_name=record.name,
        arguments=arguments if isinstance(arguments, str) else dumps(arguments),
        error=answer.error or "",
        tool_result=answer.text,
    )
