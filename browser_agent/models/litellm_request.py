"""A ModelRequest written as the arguments of litellm's completion call.

Owns names of parameters and what providers want in messages (thinking blocks, reasoning). Pure; it
sends nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from browser_agent.errors import ConfigurationError
from browser_agent.records.model import JsonDict, ModelRequest, ModelSettings

_WANT_REASONING = frozenset(
    {
        "deepseek",
        "fireworks_ai",
        "hosted_vllm",
        "lm_studio",
        "moonshot",
        "openrouter",
        "together_ai",
        "zai",
    }
)
_RESERVED = frozenset(
    {"model", "messages", "tools", "stream", "stream_options", "api_key", "api_base", "max_retries"}
    | {"timeout", "num_retries", "base_url", "n"}
)

BlocksByCall = Mapping[str, tuple[JsonDict, ...]]
"""Thinking blocks of earlier turns by the id of the first tool call that they led to."""


def build_arguments(request: ModelRequest) -> dict[str, object]:
    """Tools, limits, settings and schema; only what is set. Raises ConfigurationError."""
    settings = request.settings
    limits = [n for n in (request.max_output_tokens, settings.max_output_tokens) if n is not None]
    arguments: dict[str, object] = {
        "tools": [plain(tool) for tool in request.tools] or None,
        "max_tokens": min(limits, default=None),
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "stop": list(settings.stop) if settings.stop else None,
        "reasoning_effort": settings.reasoning_effort,
        "response_format": _response_format(request.output_schema),
    }
    return {k: v for k, v in arguments.items() if v is not None} | _extra(settings)


def _extra(settings: ModelSettings) -> dict[str, object]:
    clash = sorted(_RESERVED & set(settings.extra))
    if clash:
        raise ConfigurationError(f"model settings cannot set {', '.join(clash)}")
    return cast("dict[str, object]", plain(settings.extra))


def _response_format(schema: JsonDict | None) -> dict[str, object] | None:
    if schema is None:
        return None
    body = {"name": "answer", "schema": plain(schema), "strict": is_closed_schema(schema)}
    return {"type": "json_schema", "json_schema": body}


def is_closed_schema(schema: object) -> bool:
    """Whether every object in a schema requires all it names and nothing else (strict mode)."""
    if isinstance(schema, Mapping):
        node = cast("JsonDict", schema)
        if node.get("type") == "object" or "properties" in node:
            names = set(cast("JsonDict", node.get("properties") or {}))
            required = set(cast("Sequence[str]", node.get("required") or ()))
            if node.get("additionalProperties") is not False or names != required:
                return False
        return all(is_closed_schema(item) for item in node.values())
    if isinstance(schema, list | tuple):
        return all(is_closed_schema(item) for item in cast("Sequence[object]", schema))
    return True


def build_messages(
    request: ModelRequest, *, provider: str, own_base: bool, blocks: BlocksByCall
) -> list[dict[str, object]]:
    """The messages as this provider wants them; the caller's are not touched."""
    keeps_reasoning = provider in _WANT_REASONING or own_base
    messages: list[dict[str, object]] = []
    for given in request.messages:
        message = cast("dict[str, object]", plain(given))
        if message.get("role") == "assistant":
            kept = blocks.get(first_call_id(message))
            if kept and "thinking_blocks" not in message:
                message["thinking_blocks"] = [plain(block) for block in kept]
            if not (keeps_reasoning and message.get("tool_calls")):
                message.pop("reasoning_content", None)
        messages.append(message)
    return messages


def first_call_id(message: JsonDict) -> str:
    """The id of an assistant message's first tool call; empty without one."""
    calls = cast("Sequence[JsonDict]", message.get("tool_calls") or ())
    return str(calls[0].get("id", "")) if calls else ""


def plain(value: object) -> object:
    """Fresh dicts and lists, whatever kind of mapping or sequence came in."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast("Sequence[object]", value)]
    return value
