"""litellm's objects read into our own plain pieces: chunks, whole messages, usage.

Owns attribute names of litellm and of the providers behind it, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from browser_agent.logic.reply_builder import CallPiece, ReplyPiece
from browser_agent.records.model import JsonDict, Usage


def read_piece(chunk: object) -> ReplyPiece | None:
    """A piece from a streamed chunk or a whole response; None when it holds no choice."""
    choices = _list(_get(chunk, "choices"))
    if not choices:
        return None
    choice = choices[0]
    body = _get(choice, "delta") or _get(choice, "message")
    return ReplyPiece(
        text=_text(_get(body, "content")),
        reasoning=_read_reasoning(body),
        refusal=_text(_get(body, "refusal")) or _text(_extra(body, "refusal")),
        calls=tuple(_read_calls(body)),
        thinking_blocks=tuple(_read_blocks(body)),
        finish_reason=_text(_get(choice, "finish_reason")) or None,
        model=_text(_get(chunk, "model")) or None,
        id=_text(_get(chunk, "id")) or None,
    )


def read_usage(sources: Iterable[object]) -> Usage:
    """The last usage that a provider reported; all zeros count as not reported."""
    found = [usage for source in sources if (usage := _get(source, "usage")) is not None]
    if not found:
        return Usage()
    usage = found[-1]
    read, written = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    if not read and not written:
        return Usage()
    return Usage(
        input_tokens=read,
        output_tokens=written,
        cached_tokens=_count(_get(usage, "prompt_tokens_details"), "cached_tokens"),
        reasoning_tokens=_count(_get(usage, "completion_tokens_details"), "reasoning_tokens"),
    )


def _read_reasoning(body: object) -> str:
    for name in ("reasoning_content", "reasoning"):
        if text := _text(_get(body, name)) or _text(_extra(body, name)):
            return text
    details = _list(_get(body, "reasoning_details"))
    return next((text for item in details if (text := _text(_get(item, "text")))), "")


def _read_calls(body: object) -> Iterator[CallPiece]:
    for position, call in enumerate(_list(_get(body, "tool_calls"))):
        function = _get(call, "function")
        index = _get(call, "index")
        yield CallPiece(
            index=index if isinstance(index, int) else position,
            id=_text(_get(call, "id")) or None,
            name=_text(_get(function, "name")) or None,
            arguments=_text(_get(function, "arguments")),
        )


def _read_blocks(body: object) -> Iterator[JsonDict]:
    for block in _list(_get(body, "thinking_blocks")):
        if isinstance(block, Mapping):
            yield dict(cast("JsonDict", block))


def _get(source: object, name: str) -> object:
    if isinstance(source, Mapping):
        return cast("JsonDict", source).get(name)
    return cast("object", getattr(source, name, None))


def _extra(body: object, name: str) -> object:
    return _get(_get(body, "provider_specific_fields"), name)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[object]:
    return list(cast("Iterable[object]", value)) if isinstance(value, list | tuple) else []


def _count(source: object, name: str) -> int | None:
    value = _get(source, name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
