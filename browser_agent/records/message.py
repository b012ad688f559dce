"""Messages of a conversation: text, tool calls, tool results; and their OpenAI form.

Frozen. Mappings are accepted wherever a Message is and refused with a reason otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, cast

from browser_agent._freeze import FrozenMapping, freeze, thaw
from browser_agent._json import dumps
from browser_agent._text import repair
from browser_agent.errors import InvalidInput

TYPES = ("text", "tool_call", "tool_result")
ROLES = ("system", "user", "assistant", "tool_result")
STOP_REASONS = ("tool", "stop")


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidInput(f"unknown {name} {value!r}: must be one of {', '.join(allowed)}")


@dataclass(frozen=True, slots=True)
class Message:
    """Common to all messages. ``content`` is text, or JSON for tool results."""

    type: ClassVar[str] = "text"
    role: str
    content: str | FrozenMapping | tuple[object, ...] | float | bool | None = None
    stop_reason: str | None = None

    def __post_init__(self) -> None:
        _one_of("message role", self.role, ROLES)
        if self.stop_reason is not None:
            _one_of("stop reason", self.stop_reason, STOP_REASONS)
        frozen = repair(self.content) if isinstance(self.content, str) else freeze(self.content)
        object.__setattr__(self, "content", frozen)

    @property
    def is_text(self) -> bool:
        """A plain text message."""
        return self.type == "text"

    @property
    def is_tool_call(self) -> bool:
        """An assistant message that asks for tools."""
        return self.type == "tool_call"

    @property
    def is_tool_result(self) -> bool:
        """The answer to one tool call."""
        return self.type == "tool_result"

    @property
    def is_stopped(self) -> bool:
        """The model stopped here by itself."""
        return self.stop_reason == "stop"

    @property
    def is_tool_stop(self) -> bool:
        """The model stopped here for tools."""
        return self.stop_reason == "tool"

    @property
    def text(self) -> str:
        """The content as text; JSON content is written compactly."""
        if self.content is None:
            return ""
        return self.content if isinstance(self.content, str) else dumps(self.content)

    def to_dict(self) -> dict[str, object]:
        """Plain mapping; keys without a value are left out."""
        made: dict[str, object] = {"type": self.type, "role": self.role}
        if self.content is not None:
            made["content"] = thaw(self.content)
        if self.stop_reason is not None:
            made["stop_reason"] = self.stop_reason
        return made

    def to_openai(self) -> dict[str, object]:
        """The OpenAI chat form of this message."""
        return {"role": self.role, "content": self.text}


@dataclass(frozen=True, slots=True)
class TextMessage(Message):
    """Text of any role. ``reasoning`` is what the model thought before it, where shown."""

    reasoning: str | None = None

    def to_dict(self) -> dict[str, object]:
        """As :meth:`Message.to_dict`, with ``reasoning``."""
        made = Message.to_dict(self)
        if self.reasoning is not None:
            made["reasoning"] = self.reasoning
        return made

    def to_openai(self) -> dict[str, object]:
        """Reasoning goes along as ``reasoning_content``."""
        made = Message.to_openai(self)
        if self.reasoning is not None:
            made["reasoning_content"] = self.reasoning
        return made


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """One call inside a :class:`ToolCallMessage`. ``input`` is a frozen mapping.

    ``raw`` is the text that the model wrote where it was no JSON object.
    """

    id: str
    name: str
    input: FrozenMapping = field(default_factory=FrozenMapping)
    raw: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "input", FrozenMapping(self.input))

    @property
    def arguments(self) -> str:
        """The arguments as a JSON string."""
        return dumps(self.input) if self.raw is None else self.raw

    def to_dict(self) -> dict[str, object]:
        """Plain mapping."""
        made: dict[str, object] = {
            "type": "tool",
            "id": self.id,
            "name": self.name,
            "input": thaw(self.input),
        }
        if self.raw is not None:
            made["raw"] = self.raw
        return made

    @classmethod
    def from_dict(cls, value: Mapping[str, object]) -> ToolMessage:
        """Read a mapping; ``arguments`` is accepted for ``input``."""
        given = value.get("input", value.get("arguments"))
        if given is not None and not isinstance(given, Mapping):
            raise InvalidInput("a tool call needs a mapping as input")
        raw = value.get("raw")
        return cls(
            id=str(value.get("id", "")),
            name=str(value.get("name", "")),
            input=FrozenMapping(cast("Mapping[str, object]", given or {})),
            raw=None if raw is None else str(raw),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallMessage(Message):
    """An assistant turn that asks for tools; ``content`` is the text beside the calls."""

    type: ClassVar[str] = "tool_call"
    role: str = "assistant"
    tools: tuple[ToolMessage, ...] = ()
    stop_reason: str | None = "tool"
    reasoning: str | None = None

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        object.__setattr__(self, "tools", tuple(_tool(item) for item in self.tools))

    def to_dict(self) -> dict[str, object]:
        """As :meth:`Message.to_dict`, with ``tools`` and ``reasoning``."""
        made = Message.to_dict(self)
        made["tools"] = [tool.to_dict() for tool in self.tools]
        if self.reasoning is not None:
            made["reasoning"] = self.reasoning
        return made

    def to_openai(self) -> dict[str, object]:
        """Calls as OpenAI ``tool_calls`` with JSON string arguments."""
        made: dict[str, object] = {
            "role": "assistant",
            "content": self.text,
            "tool_calls": [
                {
                    "id": tool.id,
                    "type": "function",
                    "function": {"name": tool.name, "arguments": tool.arguments},
                }
                for tool in self.tools
            ],
        }
        if self.reasoning is not None:
            made["reasoning_content"] = self.reasoning
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultMessage(Message):
    """What one tool call gave back."""

    type: ClassVar[str] = "tool_result"
    role: str = "tool_result"
    tool: ToolMessage
    stop_reason: str | None = "tool"

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        object.__setattr__(self, "tool", _tool(self.tool))

    @property
    def is_error(self) -> bool:
        """The content is a mapping with key ``error``."""
        return isinstance(self.content, FrozenMapping) and "error" in self.content

    def to_dict(self) -> dict[str, object]:
        """As :meth:`Message.to_dict`, with ``tool``."""
        return {**Message.to_dict(self), "tool": self.tool.to_dict()}

    def to_openai(self) -> dict[str, object]:
        """A message of role ``tool``."""
        return {
            "role": "tool",
            "tool_call_id": self.tool.id,
            "name": self.tool.name,
            "content": self.text,
        }


def _tool(value: object) -> ToolMessage:
    if isinstance(value, ToolMessage):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput("Invalid tool: must be ToolMessage or mapping")
    return ToolMessage.from_dict(cast("Mapping[str, object]", value))


def parse_message(value: object) -> Message:
    """A Message as it is, or one made from a mapping. A missing type means text."""
    if isinstance(value, Message):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput("Invalid message: must be Message or mapping")
    fields = cast("Mapping[str, object]", value)
    kind = fields.get("type") or "text"
    _one_of("message type", kind, TYPES)
    known = _KNOWN[str(kind)]
    unknown = sorted(set(fields) - known - {"type"})
    if unknown:
        raise InvalidInput(f"unknown key of a {kind} message: {', '.join(map(str, unknown))}")
    given = {key: fields[key] for key in fields if key != "type"}
    try:
        return _CLASSES[str(kind)](**given)  # pyright: ignore[reportArgumentType] - checked by name above
    except TypeError:
        raise InvalidInput(f"Invalid message: a {kind} message lacks a key") from None


_CLASSES: dict[str, type[TextMessage | ToolCallMessage | ToolResultMessage]] = {
    "text": TextMessage,
    "tool_call": ToolCallMessage,
    "tool_result": ToolResultMessage,
}
_KNOWN: dict[str, set[str]] = {
    "text": {"role", "content", "stop_reason", "reasoning"},
    "tool_call": {"role", "content", "stop_reason", "reasoning", "tools"},
    "tool_result": {"role", "content", "stop_reason", "tool"},
}
