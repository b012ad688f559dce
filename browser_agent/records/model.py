"""What goes to a language model and what comes back. Shapes only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from browser_agent.records.result import Result

JsonDict = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of one call or one run. None: the provider did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Sum field by field; None stays None only where neither side knows."""
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cached_tokens=_sum(self.cached_tokens, other.cached_tokens),
            reasoning_tokens=_sum(self.reasoning_tokens, other.reasoning_tokens),
            cost_usd=_sum(self.cost_usd, other.cost_usd),
        )

    def to_dict(self) -> dict[str, object]:
        """Plain mapping with every key, None included."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_tokens": self.cached_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "cost_usd": self.cost_usd,
        }


_Number = TypeVar("_Number", int, float)


def _sum(left: _Number | None, right: _Number | None) -> _Number | None:
    if left is None:
        return right
    return left if right is None else left + right


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrice:
    """US dollars for one token of input and one of output."""

    input_usd: float
    output_usd: float

    def cost_of(self, usage: Usage) -> float | None:
        """The cost of a usage; None unless both token counts are known."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return usage.input_tokens * self.input_usd + usage.output_tokens * self.output_usd


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Sampling settings; None leaves a choice to the provider. ``extra`` goes through as is."""

    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] | None = None
    reasoning_effort: str | None = None
    extra: JsonDict = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for. ``arguments`` is the raw text that it wrote."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call.

    ``messages`` are plain OpenAI chat messages, system first. ``tools`` are OpenAI function
    schemas. ``results`` are the Results shown in this run, structured (R1 is ``results[0]``).
    """

    messages: tuple[JsonDict, ...]
    tools: tuple[JsonDict, ...] = ()
    output_schema: JsonDict | None = None
    max_output_tokens: int | None = None
    settings: ModelSettings = field(default_factory=ModelSettings)
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered. ``finish_reason`` is the provider's word, normalised where known:
    ``stop``, ``tool_calls``, ``length``, ``content_filter``, ``refusal``.

    ``answered`` is False when the model says that the pages do not hold the answer.
    """

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    provider_metadata: JsonDict = field(default_factory=dict[str, object])
    answered: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDelta:
    """A piece of a streamed reply. ``kind``: text, reasoning, tool_arguments or restart.

    ``restart`` (empty text): the provider failed midway and is asked again; the pieces so far
    are void.
    """

    kind: str
    text: str
    index: int = 0
    tool_name: str | None = None
