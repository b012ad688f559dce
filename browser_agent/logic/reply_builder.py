"""Putting a model's streamed pieces together into one reply.

Owns assembly, normalised finish reasons and the search for calls in the text. Pure: it sees plain
pieces, whatever library they came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from browser_agent.logic.embedded_calls import parse_embedded_calls, split_thinking
from browser_agent.records.model import (
    JsonDict,
    ModelDelta,
    ModelReply,
    ModelRequest,
    ToolCall,
    Usage,
)

_FINISH = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "safety": "content_filter",
    "refusal": "refusal",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPiece:
    """A part of a tool call; ``index`` says of which, None where the provider does not count."""

    index: int | None = None
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPiece:
    """What one chunk brought."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: tuple[CallPiece, ...] = ()
    thinking_blocks: tuple[JsonDict, ...] = ()
    finish_reason: str | None = None
    model: str | None = None
    id: str | None = None


@dataclass(slots=True)
class _Call:
    index: int | None
    id: str | None
    name: str
    arguments: list[str] = field(default_factory=list[str])


class ReplyBuilder:
    """Collects pieces; :meth:`add` gives the deltas to show, :meth:`build` the whole reply."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._calls: list[_Call] = []
        self._blocks: list[JsonDict] = []
        self._finish: str | None = None
        self._facts: dict[str, object] = {}

    @property
    def says_nothing(self) -> bool:
        """Nothing was said, thought, refused or asked for, and no reason is given for it."""
        said = self._text or self._reasoning or self._refusal or self._calls
        return not said and self._finish_reason(has_calls=False, refused=False) in {None, "stop"}

    def add(self, piece: ReplyPiece) -> list[ModelDelta]:
        """Take a piece in."""
        deltas: list[ModelDelta] = []
        for kind, part, store in (
            ("reasoning", piece.reasoning, self._reasoning),
            ("text", piece.text, self._text),
            ("text", piece.refusal, self._refusal),
        ):
            if part:
                store.append(part)
                deltas.append(ModelDelta(kind=kind, text=part))
        deltas.extend(self._add_call(part) for part in piece.calls)
        for block in piece.thinking_blocks:
            self._add_block(block)
        self._finish = piece.finish_reason or self._finish
        for key, value in (("model", piece.model), ("id", piece.id)):
            if value:
                self._facts[key] = value
        return deltas

    def _add_block(self, block: JsonDict) -> None:
        """Thinking comes in parts that belong together until one is signed."""
        last = self._blocks[-1] if self._blocks else None
        if (
            last is None
            or last.get("signature")
            or not last.get("type") == block.get("type") == "thinking"
        ):
            self._blocks.append(dict(block))
            return
        thought = f"{last.get('thinking') or ''}{block.get('thinking') or ''}"
        self._blocks[-1] = {**last, **block, "thinking": thought}

    def _add_call(self, piece: CallPiece) -> ModelDelta:
        call = self._find_call(piece)
        if call is None:
            call = _Call(piece.index, piece.id, piece.name or "")
            self._calls.append(call)
        else:
            call.name = call.name or piece.name or ""
        call.arguments.append(piece.arguments)
        return ModelDelta(
            kind="tool_arguments",
            text=piece.arguments,
            index=self._calls.index(call),
            tool_name=call.name or None,
        )

    def _find_call(self, piece: CallPiece) -> _Call | None:
        """The call that a piece goes on with; some providers give every call the same index."""
        for call in reversed(self._calls):
            if piece.index is not None and call.index != piece.index:
                continue
            starts_another = piece.name and (piece.id is None or piece.id != call.id)
            return None if starts_another and call.name else call
        return None

    def build(self, request: ModelRequest, usage: Usage) -> ModelReply:
        """The reply. Calls without an id get one that is stable and unique in the conversation."""
        prefix = f"call_{len(request.messages)}"
        text, reasoning = "".join(self._text), "".join(self._reasoning)
        if not reasoning:
            split = split_thinking(text)
            text, reasoning = split.text, split.reasoning or ""
        calls = tuple(
            ToolCall(
                id=call.id or f"{prefix}_{number}",
                name=call.name,
                arguments="".join(call.arguments),
            )
            for number, call in enumerate(self._calls)
        )
        facts = dict(self._facts)
        if request.tools and not calls:
            found = parse_embedded_calls(text, request.tools, id_prefix=prefix)
            text, calls = found.text, found.calls
            facts |= {"call_format": found.format} if found.format else {}
        if self._blocks:
            facts["thinking_blocks"] = tuple(self._blocks)
        refusal = "".join(self._refusal)
        return ModelReply(
            text=text or refusal or None,
            tool_calls=calls,
            reasoning=reasoning or None,
            usage=usage,
            finish_reason=self._finish_reason(has_calls=bool(calls), refused=bool(refusal)),
            provider_metadata=facts,
        )

    def _finish_reason(self, *, has_calls: bool, refused: bool) -> str | None:
        if refused:
            return "refusal"
        word = _FINISH.get((self._finish or "").lower(), self._finish)
        if has_calls:
            return "tool_calls" if word in {"stop", None} else word
        return "stop" if word == "tool_calls" else word
