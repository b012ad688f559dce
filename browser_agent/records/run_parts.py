"""The parts of a RobotResult: stop reasons, recorded tool calls, failures, checksum, status."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import cast

from browser_agent._digest import digest_of
from browser_agent._freeze import FrozenMapping, freeze, thaw
from browser_agent._json import canonical
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import Effect, Status
from browser_agent.records.ids import ordinalise
from browser_agent.records.result import Result
from browser_agent.records.result_fields import parse_moment


class StopReason(StrEnum):
    """Why a run ended. The set is closed."""

    COMPLETED = "completed"
    MAX_TURNS = "max_turns"
    MAX_TOOL_ROUNDS = "max_tool_rounds"
    BUDGET_TOKENS = "budget_tokens"
    BUDGET_COST = "budget_cost"
    BUDGET_TIME = "budget_time"
    BUDGET_BYTES = "budget_bytes"
    NO_PROGRESS = "no_progress"
    HALTED = "halted"
    CANCELLED = "cancelled"
    APPROVAL_PENDING = "approval_pending"
    OUTPUT_INVALID = "output_invalid"
    RECORDING_MISS = "recording_miss"
    MODEL_ERROR = "model_error"
    REFUSED = "refused"
    CONTENT_FILTER = "content_filter"
    LENGTH = "length"
    TOOL_ERROR = "tool_error"
    BROWSER_ERROR = "browser_error"


_FAILED = frozenset(
    {
        StopReason.CANCELLED,
        StopReason.MODEL_ERROR,
        StopReason.REFUSED,
        StopReason.CONTENT_FILTER,
        StopReason.BROWSER_ERROR,
        StopReason.TOOL_ERROR,
        StopReason.RECORDING_MISS,
    }
)


def parse_stop_reason(value: object) -> StopReason:
    """Turn a word into a StopReason; anything else, None too, raises InvalidInput."""
    try:
        return StopReason(cast("str", value))
    except ValueError:
        raise InvalidInput(f"unknown stop reason: {value!r}") from None


def format_moment(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and ``Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + (
        f"{moment.microsecond // 1000:03d}Z"
    )


@dataclass(frozen=True, slots=True)
class ToolCallRecord:
    """One tool call that the model made and that was answered.

    ``arguments`` is a frozen mapping, or the raw text where it was no JSON object. ``result`` is
    the Result of a browser tool, or the JSON value of another tool. ``turn`` counts from 1;
    ``duration`` is in seconds.
    """

    id: str
    turn: int
    name: str
    arguments: FrozenMapping | str
    result: object = None
    status: str = "ok"
    error: str | None = None
    started_at: datetime | None = None
    duration: float = 0.0

    def __post_init__(self) -> None:
        given = self.arguments
        object.__setattr__(
            self, "arguments", given if isinstance(given, str) else FrozenMapping(given)
        )
        if not isinstance(self.result, Result):
            object.__setattr__(self, "result", freeze(self.result))
        object.__setattr__(self, "started_at", parse_moment("started_at", self.started_at))

    def to_dict(self, results: Sequence[Result] = ()) -> dict[str, object]:
        """Plain mapping; a Result that stands in ``results`` is written as ``{"$result": n}``."""
        made: dict[str, object] = {
            "id": self.id,
            "turn": self.turn,
            "name": self.name,
            "arguments": thaw(self.arguments),
            "result": _result_out(self.result, results),
            "status": self.status,
            "error": self.error,
            "started_at": None if self.started_at is None else format_moment(self.started_at),
            "duration": self.duration,
        }
        return {key: value for key, value in made.items() if value is not None}

    @classmethod
    def from_dict(
        cls, value: Mapping[str, object], results: Sequence[Result] = ()
    ) -> ToolCallRecord:
        """Read what :meth:`to_dict` wrote."""
        fields = dict(value)
        unknown = set(fields) - set(cls.__dataclass_fields__)
        if unknown or not {"id", "turn", "name", "arguments"} <= set(fields):
            raise InvalidInput("Invalid tool call: needs id, turn, name and arguments")
        fields["result"] = _result_in(fields.get("result"), results)
        return cls(**fields)  # pyright: ignore[reportArgumentType] - names checked above


def _result_out(result: object, results: Sequence[Result]) -> object:
    if not isinstance(result, Result):
        return thaw(result)
    for number, shown in enumerate(results, 1):
        if shown is result:
            return {"$result": number}
    return {"$inline": result.to_dict()}


def _result_in(value: object, results: Sequence[Result]) -> object:
    if not isinstance(value, Mapping):
        return value
    fields = cast("Mapping[str, object]", value)
    number = fields.get("$result")
    if set(fields) == {"$result"} and isinstance(number, int) and 1 <= number <= len(results):
        return results[number - 1]
    if set(fields) == {"$inline"} and isinstance(fields["$inline"], Mapping):
        return Result.from_dict(cast("Mapping[str, object]", fields["$inline"]))
    return fields


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """A call that raised, was unknown or invalid, or whose Result is an error.

    ``arguments`` and ``tool_result`` are cut; the flags say so.
    """

    turn: int
    tool_name: str
    arguments: str
    error: str
    tool_result: str = ""
    arguments_cut: bool = False
    tool_result_cut: bool = False

    @classmethod
    def build(
        cls, *, turn: int, tool_name: str, arguments: str, error: str, tool_result: str
    ) -> ToolFailure:
        """Cut arguments at 2,000 and the result at 4,000 characters."""
        return cls(
            turn=turn,
            tool_name=tool_name,
            arguments=arguments[:2000],
            error=error,
            tool_result=tool_result[:4000],
            arguments_cut=len(arguments) > 2000,
            tool_result_cut=len(tool_result) > 4000,
        )

    def to_dict(self) -> dict[str, object]:
        """Plain mapping with every key."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_dict(cls, value: Mapping[str, object]) -> ToolFailure:
        """Read what :meth:`to_dict` wrote."""
        if not set(value) <= set(cls.__dataclass_fields__):
            raise InvalidInput("unknown key of a tool failure")
        return cls(**dict(value))  # pyright: ignore[reportArgumentType] - names checked above


def derive_status(
    stop_reason: StopReason, results: Iterable[Result], closing: Result | None
) -> Status:
    """The status of a run, by the first rule that holds.

    Failed stops are errors; an action whose outcome is still unknown makes the run unknown;
    unconfirmed closing makes it cleanup_pending; any other stop than completed is truncated.
    """
    if stop_reason in _FAILED:
        return Status.ERROR
    if open_operations(results):
        return Status.UNKNOWN
    if closing is not None and not closing.is_ok:
        return Status.CLEANUP_PENDING
    return Status.OK if stop_reason is StopReason.COMPLETED else Status.TRUNCATED


def open_operations(results: Iterable[Result]) -> tuple[str, ...]:
    """Ids of actions whose outcome is unknown and that no later verify settled."""
    unsettled: dict[str, None] = {}
    for result in results:
        data = result.data
        settles = data.get("settles") if isinstance(data, FrozenMapping) else None
        if isinstance(settles, str) and result.status is not Status.UNKNOWN:
            unsettled.pop(settles, None)
        elif result.status is Status.UNKNOWN and result.effect not in (None, Effect.NONE):
            unsettled[result.operation_id or result.digest] = None
    return tuple(unsettled)


def checksum_of(task: str, texts: Sequence[str], calls: Sequence[ToolCallRecord]) -> str:
    """SHA-256 over task, output texts and calls; ids and cursors count as ordinals.

    Equal content gives an equal checksum, whenever and wherever it ran.
    """
    seen: dict[str, str] = {}
    rows = [[call.name, thaw(call.arguments), _content(call.result)] for call in calls]
    plain = canonical({"task": task, "output": list(texts), "tool_calls": rows}).decode()
    return hashlib.sha256(ordinalise(plain, seen).encode()).hexdigest()


def _content(result: object) -> str:
    if not isinstance(result, Result):
        return digest_of(result)
    text = result.preimage().decode()
    plain = ordinalise(text, {})
    return result.digest if plain == text else digest_of(plain)
