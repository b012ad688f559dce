"""What a run tells while it goes on: typed, numbered, redacted events.

Owns the shapes. Numbers run from 1 without gaps in the order of emission; the last event of every
run is :class:`RunEnded`. Deltas are for people who watch and are not kept in the run folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import ClassVar, cast

from browser_agent._freeze import FrozenMapping, thaw
from browser_agent.records.model import Usage
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Common to all events. ``turn`` is 0 before the first model call."""

    kind: ClassVar[str] = "event"
    is_delta: ClassVar[bool] = False
    sequence: int
    run_id: str
    turn: int = 0
    at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def id(self) -> str:
        """Unique over all runs."""
        return f"{self.run_id}:{self.sequence}"

    def to_dict(self) -> dict[str, object]:
        """Plain mapping, ``kind`` first; keys without a value are left out."""
        made: dict[str, object] = {"kind": self.kind}
        for item in fields(self):
            value = _plain(getattr(self, item.name))
            if value is not None:
                made[item.name] = value
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """The session is open and the first model call comes next."""

    kind: ClassVar[str] = "run_started"
    robot_name: str
    task: str
    start: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    """A model call begins."""

    kind: ClassVar[str] = "turn_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(Event):
    """A piece of the model's text."""

    kind: ClassVar[str] = "text_delta"
    is_delta: ClassVar[bool] = True
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta(Event):
    """A piece of the model's reasoning."""

    kind: ClassVar[str] = "reasoning_delta"
    is_delta: ClassVar[bool] = True
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolArgumentsDelta(Event):
    """A piece of the arguments of the call at ``index`` of this turn."""

    kind: ClassVar[str] = "tool_arguments_delta"
    is_delta: ClassVar[bool] = True
    text: str
    index: int = 0
    tool_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted(Event):
    """The model call was begun anew after a fault: the deltas of this turn so far are void."""

    kind: ClassVar[str] = "restarted"
    is_delta: ClassVar[bool] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(Event):
    """The model's whole reply: its text, and the names of the tools that it asks for."""

    kind: ClassVar[str] = "turn_ended"
    text: str | None = None
    reasoning: str | None = None
    tools: tuple[str, ...] = ()
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageUpdated(Event):
    """Tokens and cost of the last call, and of the run so far."""

    kind: ClassVar[str] = "usage_updated"
    usage: Usage
    total: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStarted(Event):
    """A checked call is about to be executed."""

    kind: ClassVar[str] = "tool_call_started"
    call_id: str
    name: str
    arguments: FrozenMapping


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAsked(Event):
    """The operator is asked whether a call may be executed."""

    kind: ClassVar[str] = "approval_asked"
    call_id: str
    name: str
    arguments: FrozenMapping


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallEnded(Event):
    """A call was answered: executed, refused or invalid.

    ``number`` is the R number and ``result`` the Result of a browser tool. ``mended`` says how
    malformed arguments were read.
    """

    kind: ClassVar[str] = "tool_call_ended"
    call_id: str
    name: str
    status: str
    arguments: FrozenMapping | str
    number: int | None = None
    result: Result | None = None
    error: str | None = None
    mended: str | None = None
    duration: float = 0.0

    def to_dict(self) -> dict[str, object]:
        """As :meth:`Event.to_dict`; the Result goes without its data, which its digest names."""
        made = Event.to_dict(self)
        if self.result is not None:
            whole = self.result.to_dict()
            made["result"] = {key: value for key, value in whole.items() if key != "data"}
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(Event):
    """A guard of the run told the model something, or a reply had to be asked for again."""

    kind: ClassVar[str] = "warned"
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(Event):
    """Older parts of the conversation were shortened; counts are messages."""

    kind: ClassVar[str] = "compacted"
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Event):
    """The run is over and cleaned up."""

    kind: ClassVar[str] = "run_ended"
    stop_reason: str
    status: str
    message: str = ""
    result: RobotResult

    def to_dict(self) -> dict[str, object]:
        """As :meth:`Event.to_dict`; of the RobotResult only its id and integrity."""
        made = Event.to_dict(self)
        export = self.result.export()
        made["result"] = {"id": self.result.id, "integrity": export["integrity"]}
        return made


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{value.microsecond // 1000:03d}Z"
    if isinstance(value, Usage | Result):
        return value.to_dict()
    if isinstance(value, RobotResult):
        return value.id
    return thaw(cast("object", value)) or None if isinstance(value, Mapping | tuple) else value
