"""How each field of a RobotResult is validated and frozen. Used by ``records.run`` alone."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from pydantic_core import PydanticSerializationError, to_jsonable_python

from browser_agent._freeze import FrozenMapping, freeze, thaw
from browser_agent._text import repair
from browser_agent.errors import InvalidInput
from browser_agent.records.citation import Citation
from browser_agent.records.message import Message, parse_message
from browser_agent.records.model import Usage
from browser_agent.records.result import Result
from browser_agent.records.result_fields import parse_moment
from browser_agent.records.run_parts import ToolCallRecord, ToolFailure, parse_stop_reason


def parse_result(value: object) -> Result:
    """A Result as it is, or one read from a mapping."""
    if isinstance(value, Result):
        return value
    return Result.from_dict(cast("Mapping[str, object]", value))


def list_items(name: str, value: object) -> Sequence[object]:
    """The items of a list; InvalidInput for text, mappings and scalars."""
    if value is None:
        return ()
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise InvalidInput(f"{name} must be a list")
    return tuple(cast("Iterable[object]", value))


def _messages(value: object) -> tuple[Message, ...]:
    if isinstance(value, list | tuple):
        return tuple(parse_message(item) for item in cast("Sequence[object]", value))
    return () if value is None else (parse_message(value),)


def _call(value: object, results: tuple[Result, ...]) -> ToolCallRecord:
    if isinstance(value, ToolCallRecord):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput("Invalid tool call: must be ToolCallRecord or mapping")
    return ToolCallRecord.from_dict(cast("Mapping[str, object]", value), results)


def _citation(value: object) -> Citation:
    if isinstance(value, Citation):
        return value
    return Citation.from_dict(cast("Mapping[str, object]", value))


def _failure(value: object) -> ToolFailure:
    if isinstance(value, ToolFailure):
        return value
    return ToolFailure.from_dict(cast("Mapping[str, object]", value))


def _usage(value: object) -> Usage:
    if value is None:
        return Usage()
    if isinstance(value, Usage):
        return value
    return Usage(**cast("dict[str, int]", value))


def _string(name: str, value: object, default: str | None) -> str | None:
    if value is None:
        return default
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string, got {type(value).__name__}")
    return repair(value)


def keep_parsed(value: object) -> object:
    """A copy of a structured value; InvalidInput when it has no JSON form."""
    plain_parsed(value)
    return thaw(value) if isinstance(value, FrozenMapping) else copy.deepcopy(value)


def plain_parsed(value: object) -> object:
    """The JSON form of a structured value: of a model, a dataclass, a date, or JSON itself."""
    plain = thaw(value) if isinstance(value, FrozenMapping) else value
    try:
        return thaw(freeze(to_jsonable_python(plain)))
    except PydanticSerializationError:
        raise InvalidInput(f"parsed: {type(value).__name__} has no JSON form") from None


def _now(value: object) -> datetime:
    return parse_moment(
        "created_at", datetime.now(UTC) if value is None else value
    ) or datetime.now(UTC)


def _debug(value: object) -> object:
    return None if value is None else freeze(value)


Builder = Callable[[object, tuple[Result, ...]], object]
BUILDERS: dict[str, Builder] = {
    "robot_name": lambda v, _: _string("robot_name", v, "robot"),
    "id": lambda v, _: _string("id", v, None) or str(uuid.uuid4()),
    "created_at": lambda v, _: _now(v),
    "duration": lambda v, _: float(cast("float", v or 0.0)),
    "task": lambda v, _: _string("task", v, ""),
    "output": lambda v, _: _messages(v),
    "reply_source": lambda v, _: _string("reply_source", v, None),
    "answered": lambda v, _: v,
    "messages": lambda v, _: _messages(v),
    "results": lambda _, results: results,
    "tool_calls": lambda v, r: tuple(_call(item, r) for item in list_items("tool_calls", v)),
    "citations": lambda v, _: tuple(_citation(item) for item in list_items("citations", v)),
    "unsupported": lambda v, _: tuple(str(item) for item in list_items("unsupported", v)),
    "usage": lambda v, _: _usage(v),
    "turns_used": lambda v, _: int(cast("int", v or 0)),
    "reasoning_per_turn": lambda v, _: tuple(list_items("reasoning_per_turn", v)),
    "tool_errors": lambda v, _: tuple(_failure(item) for item in list_items("tool_errors", v)),
    "stop_reason": lambda v, _: parse_stop_reason("completed" if v is None else v),
    "closing": lambda v, _: None if v is None else parse_result(v),
    "delegated_by": lambda v, _: _string("delegated_by", v, None),
    "managed_state": lambda v, _: _debug(v),
    "provider_metadata": lambda v, _: _debug(v),
    "prompt": lambda v, _: _debug(v),
    "history": lambda v, _: None if v is None else _messages(v),
}
