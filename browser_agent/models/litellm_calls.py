"""One request to litellm and its answer: streamed or whole, with the usage and cost it reports.

Owns the calls of litellm's functions. It retries nothing and lets every exception out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from browser_agent.errors import InferenceError
from browser_agent.logic.reply_builder import ReplyBuilder
from browser_agent.models.litellm_chunks import read_piece, read_usage
from browser_agent.models.litellm_setup import load_litellm, read_facts
from browser_agent.records.model import ModelDelta, Usage

Emit = Callable[[ModelDelta], None]


class NoChoicesError(InferenceError):
    """The provider answered, and the answer holds no reply at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The pieces of one answer, put together, and what the provider says it used."""

    builder: ReplyBuilder
    usage: Usage


async def stream_once(arguments: dict[str, Any], emit: Emit) -> Answer:
    """Ask for a stream and show its pieces as they come."""
    chunks: list[object] = []
    builder = ReplyBuilder()
    response = await load_litellm().acompletion(
        **arguments, stream=True, stream_options={"include_usage": True}
    )
    try:
        async for chunk in response:
            chunks.append(chunk)
            if (piece := read_piece(chunk)) is not None:
                for delta in builder.add(piece):
                    emit(delta)
    finally:
        await response.aclose()
    # the wrapper keeps what the provider reported; its own chunks carry estimates as well
    return Answer(builder=builder, usage=read_usage(getattr(response, "chunks", chunks)))


async def complete_once(arguments: dict[str, Any], emit: Emit) -> Answer:
    """Ask for a whole reply. Raises NoChoicesError where it holds none."""
    response = await load_litellm().acompletion(**arguments)
    piece = read_piece(response)
    if piece is None:
        raise NoChoicesError("the answer holds no choices")
    builder = ReplyBuilder()
    for delta in builder.add(piece):
        emit(delta)
    return Answer(builder=builder, usage=read_usage([response]))


def table_cost(name: str, usage: Usage) -> float | None:
    """US dollars by litellm's price table; None where price or tokens are not known."""
    if usage.input_tokens is None or usage.output_tokens is None or not read_facts(name).price:
        return None
    litellm = load_litellm()
    counts = litellm.Usage(
        prompt_tokens=usage.input_tokens,
        completion_tokens=usage.output_tokens,
        prompt_tokens_details={"cached_tokens": usage.cached_tokens or 0},
    )
    response = litellm.ModelResponse(model=name, usage=counts)
    return float(litellm.completion_cost(completion_response=response, model=name))
