"""The RobotResult: everything that one run gave. Immutable; its codecs lose nothing.

Owns the shape and what can be re-checked with no more than stored bytes. It must not run, read
disk or call a model.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NoReturn, Self, SupportsIndex, cast

from browser_agent._digest import digest_of
from browser_agent._freeze import FrozenMapping, thaw
from browser_agent._json import dumps_frozen, loads
from browser_agent.errors import (
    BrowserAgentError,
    BudgetExceeded,
    InferenceError,
    IntegrityError,
    InvalidInput,
    RunStopped,
    ToolLoopError,
)
from browser_agent.records.citation import Citation
from browser_agent.records.codes import Status
from browser_agent.records.message import Message, TextMessage
from browser_agent.records.model import Usage
from browser_agent.records.recheck import recheck_run
from browser_agent.records.result import Result
from browser_agent.records.result_fields import need_mapping
from browser_agent.records.run_fields import (
    BUILDERS,
    keep_parsed,
    list_items,
    parse_result,
    plain_parsed,
)
from browser_agent.records.run_parts import (
    StopReason,
    ToolCallRecord,
    ToolFailure,
    checksum_of,
    derive_status,
    format_moment,
)
from browser_agent.records.verification import Verification

SCHEMA = "browser_agent.robot_result/1"
DEBUG_FIELDS = ("provider_metadata", "prompt", "history")

_STORED = (
    "robot_name",
    "id",
    "created_at",
    "duration",
    "task",
    "output",
    "reply_source",
    "parsed",
    "answered",
    "messages",
    "results",
    "tool_calls",
    "citations",
    "unsupported",
    "usage",
    "turns_used",
    "reasoning_per_turn",
    "tool_errors",
    "stop_reason",
    "closing",
    "delegated_by",
    "managed_state",
    "provider_metadata",
    "prompt",
    "history",
)
_DERIVED = ("reply", "finished_naturally", "status", "checksum")


class RobotResult:
    """What a run gave. See ``_STORED`` in this module for the fields and contracts for meanings.

    Mappings are accepted for messages and tool calls; anything else raises InvalidInput.
    """

    __slots__ = (*_STORED[:7], "_parsed", *_STORED[8:], "_stop_message")
    _parsed: object
    _stop_message: str

    robot_name: str
    id: str
    created_at: datetime
    duration: float
    task: str
    output: tuple[TextMessage, ...]
    reply_source: str | None
    answered: bool | None
    messages: tuple[Message, ...]
    results: tuple[Result, ...]
    tool_calls: tuple[ToolCallRecord, ...]
    citations: tuple[Citation, ...]
    unsupported: tuple[str, ...]
    usage: Usage
    turns_used: int
    reasoning_per_turn: tuple[str | None, ...]
    tool_errors: tuple[ToolFailure, ...]
    stop_reason: StopReason
    closing: Result | None
    delegated_by: str | None
    managed_state: FrozenMapping | None
    provider_metadata: object
    prompt: object
    history: tuple[Message, ...] | None

    def __new__(cls, robot_name: str, output: object = (), **fields: object) -> Self:
        """Validate and freeze; every keyword is a field's name, unknown ones are refused."""
        unknown = sorted(set(fields) - set(_STORED))
        if unknown:
            raise InvalidInput(f"unknown field of a RobotResult: {', '.join(unknown)}")
        made = object.__new__(cls)
        results = tuple(parse_result(item) for item in list_items("results", fields.get("results")))
        fields = {**fields, "robot_name": robot_name, "output": output, "results": results}
        for name, build in BUILDERS.items():
            object.__setattr__(made, name, build(fields.get(name), results))
        object.__setattr__(made, "_parsed", keep_parsed(fields.get("parsed")))
        object.__setattr__(made, "_stop_message", f"the run stopped: {made.stop_reason.value}")
        return made

    def explained(self, message: str) -> RobotResult:
        """The same result whose :meth:`raise_for_stop` says more; what it says is not stored."""
        made = self.replace()
        object.__setattr__(made, "_stop_message", message or self._stop_message)
        return made

    @property
    def parsed(self) -> object:
        """The structured output, or None; a fresh copy where it could be changed."""
        return copy.deepcopy(self._parsed)

    @property
    def reply(self) -> str | None:
        """The last text of ``output``."""
        texts = [message for message in self.output if message.is_text]
        return texts[-1].text if texts else None

    last_text_content = reply

    @property
    def finished_naturally(self) -> bool:
        """The run completed."""
        return self.stop_reason is StopReason.COMPLETED

    @property
    def status(self) -> Status:
        """Derived from stop reason, results and closing."""
        return derive_status(self.stop_reason, self.results, self.closing)

    @property
    def is_ok(self) -> bool:
        """Status ok or truncated."""
        return self.status in (Status.OK, Status.TRUNCATED)

    @property
    def has_tool_calls(self) -> bool:
        """Whether any tool was called."""
        return bool(self.tool_calls)

    @property
    def input_tokens(self) -> int | None:
        """Tokens sent, None when the provider did not say."""
        return self.usage.input_tokens

    @property
    def output_tokens(self) -> int | None:
        """Tokens received, None when the provider did not say."""
        return self.usage.output_tokens

    @property
    def checksum(self) -> str:
        """Hex SHA-256 of task, output texts and tool calls with their result digests."""
        texts = [message.text for message in self.output if message.is_text]
        return checksum_of(self.task, texts, self.tool_calls)

    def to_openai_messages(self) -> list[dict[str, object]]:
        """The run's messages as plain OpenAI dicts, the system message included."""
        made = [message.to_openai() for message in self.messages]
        has_system = bool(made) and made[0].get("role") == "system"
        if isinstance(self.prompt, str) and not has_system:
            made.insert(0, {"role": "system", "content": self.prompt})
        return made

    def to_dict(self) -> dict[str, object]:
        """Everything, debug fields too; ``schema`` and ``integrity`` stand last."""
        return self._dump(skip=())

    def export(self) -> dict[str, object]:
        """As :meth:`to_dict` without the debug fields."""
        return self._dump(skip=DEBUG_FIELDS)

    def to_json(self) -> str:
        """:meth:`to_dict` as compact JSON."""
        return dumps_frozen(self.to_dict()).decode()

    def _dump(self, *, skip: tuple[str, ...]) -> dict[str, object]:
        made: dict[str, object] = {}
        for name in (*_STORED[:6], *_DERIVED, *_STORED[6:]):
            value = None if name in skip else _plain(name, self)
            if value is not None:
                made[name] = value
        made["schema"] = SCHEMA
        made["integrity"] = digest_of(made)
        return made

    @classmethod
    def from_dict(cls, value: Mapping[str, object]) -> RobotResult:
        """Read :meth:`to_dict` or :meth:`export`; both keep what they were given.

        A ``checksum`` or ``integrity`` that does not match raises IntegrityError.
        """
        fields = cast("dict[str, object]", thaw(need_mapping("a RobotResult", value)))
        fields.pop("chain", None)  # what a run folder adds about its log
        integrity = fields.pop("integrity", None)
        if integrity is not None and digest_of(fields) != integrity:
            raise IntegrityError("the integrity value does not match the content")
        if fields.pop("schema", SCHEMA) != SCHEMA:
            raise InvalidInput(f"schema must be {SCHEMA!r}")
        derived = {name: fields.pop(name) for name in _DERIVED if name in fields}
        if "robot_name" not in fields:
            raise InvalidInput("a RobotResult needs robot_name")
        make = cast("Callable[..., RobotResult]", cls)
        made = make(**fields)
        for name, stored in derived.items():
            if _plain(name, made) != stored:
                raise IntegrityError(f"{name} does not match the content")
        return made

    @classmethod
    def from_json(cls, text: str | bytes) -> RobotResult:
        """As :meth:`from_dict`, from JSON text."""
        return cls.from_dict(cast("Mapping[str, object]", loads(text)))

    def verify(self, load_blob: Callable[[str], bytes | None] | None = None) -> Verification:
        """Re-check digests and citations with no model and no network.

        ``load_blob`` gives the stored preimage of a digest; without it the Results' own data is
        checked against their digests.
        """
        return recheck_run(self.results, self.citations, load_blob)

    def raise_for_stop(self) -> None:
        """Raise the typed exception of a run that did not complete, ``.result`` attached."""
        reason = self.stop_reason
        if reason is StopReason.COMPLETED:
            return
        message = self._stop_message
        if reason is StopReason.MAX_TOOL_ROUNDS:
            error: BrowserAgentError = ToolLoopError.exceeded(len(self.tool_calls))
            error.result = self
            raise error
        if reason.value.startswith("budget_"):
            raise BudgetExceeded(message, result=self)
        if reason is StopReason.MODEL_ERROR:
            raise InferenceError(message, result=self)
        raise RunStopped(message, stop_reason=reason.value, result=self)

    def replace(self, **changes: object) -> RobotResult:
        """A changed copy, validated like a new one."""
        fields = {name: getattr(self, name) for name in _STORED if name != "parsed"}
        fields["parsed"] = self._parsed
        unknown = sorted(set(changes) - set(_STORED))
        if unknown:
            raise InvalidInput(f"unknown field of a RobotResult: {', '.join(unknown)}")
        make = cast("Callable[..., RobotResult]", type(self))
        return make(**{**fields, **changes})

    __replace__ = replace

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RobotResult):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.id, self.robot_name, self.task))

    def __repr__(self) -> str:
        return (
            f"RobotResult(robot_name={self.robot_name!r}, status={self.status.value!r}, "
            f"stop_reason={self.stop_reason.value!r}, id={self.id!r})"
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a RobotResult is read-only; use replace()")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a RobotResult is read-only")

    def __copy__(self) -> RobotResult:
        return self

    def __deepcopy__(self, memo: object) -> RobotResult:
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[object, ...]:
        return (_restore, (self.to_dict(),))


def _restore(fields: dict[str, object]) -> RobotResult:
    return RobotResult.from_dict(fields)


def _plain(name: str, made: RobotResult) -> object:  # noqa: PLR0911 - one return for each kind of field
    if name == "parsed":
        return plain_parsed(made._parsed)
    value: object = getattr(made, name)
    if name == "tool_calls":
        return [call.to_dict(made.results) for call in made.tool_calls]
    if isinstance(value, datetime):
        return format_moment(value)
    if isinstance(value, Status | StopReason):
        return value.value
    if hasattr(value, "to_dict"):
        return cast("Result", value).to_dict()
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        return [cast("Result", i).to_dict() if hasattr(i, "to_dict") else thaw(i) for i in items]
    return thaw(value)
