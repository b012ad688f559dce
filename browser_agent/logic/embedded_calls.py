"""Tool calls that a model wrote into its text, read by one table of formats.

Open models put calls between tags of their own (hermes, longcat, mistral, llama, deepseek, kimi,
glm, qwen) or into a fenced JSON block. Owns reading them; it never repairs arguments and never
makes up any: what the model wrote goes on as raw text, and the loop judges it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from browser_agent.logic.call_formats import (
    FoundCall,
    ParameterTypes,
    as_mapping,
    read_deepseek,
    read_json,
    read_kimi,
    read_llama,
    read_named,
    read_python,
    read_tagged,
    read_xml,
)
from browser_agent.records.model import JsonDict, ToolCall

_THINKING = re.compile(r"\A\s*(?:<think(?:ing)?>)?(.*?)</think(?:ing)?>", re.DOTALL)
_OPEN_THINKING = re.compile(r"\A\s*<think(?:ing)?>(.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedCalls:
    """What was found: the text without the calls, the calls, the format's name (None: none)."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    format: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitText:
    """A text cut into the reasoning that think tags enclose and the rest."""

    reasoning: str | None
    text: str


@dataclass(frozen=True, slots=True)
class _Format:
    """``pattern`` finds a stretch of calls, its group 1 is the body that ``read`` takes apart.

    ``known_only``: nothing but the shape marks a call, so the tool must have been offered.
    """

    name: str
    pattern: re.Pattern[str]
    read: Callable[[str, ParameterTypes], Iterator[FoundCall]]
    known_only: bool = False


def split_thinking(text: str) -> SplitText:
    """Separate a leading ``<think>…</think>``; an unclosed one is all reasoning."""
    found = _THINKING.match(text) if "</think" in text else _OPEN_THINKING.match(text)
    if found is None:
        return SplitText(reasoning=None, text=text)
    return SplitText(reasoning=found[1].strip() or None, text=text[found.end() :].strip())


def parse_embedded_calls(
    text: str, tools: Sequence[JsonDict], *, id_prefix: str = "call"
) -> EmbeddedCalls:
    """Find the calls of the first format of the table that gives any.

    ``tools`` are the OpenAI function schemas that were offered; they type XML-like arguments.
    Ids are ``<id_prefix>_<n>``. Arguments are the model's own text, broken JSON included.
    """
    types = _parameter_types(tools)
    for form in _FORMATS:
        spans = list(form.pattern.finditer(text))
        found = [call for span in spans for call in form.read(span[1], types)]
        if not found or (form.known_only and any(call.name not in types for call in found)):
            continue
        calls = (
            ToolCall(id=f"{id_prefix}_{number}", name=call.name, arguments=call.arguments)
            for number, call in enumerate(found)
        )
        rest = form.pattern.sub("", text).strip()
        return EmbeddedCalls(text=rest, calls=tuple(calls), format=form.name)
    return EmbeddedCalls(text=text)


def _parameter_types(tools: Sequence[JsonDict]) -> ParameterTypes:
    types: dict[str, dict[str, object]] = {}
    for tool in tools:
        function = as_mapping(tool.get("function")) or tool
        schema = as_mapping(function.get("parameters"))
        properties = as_mapping(schema.get("properties"))
        types[str(function.get("name"))] = {
            name: as_mapping(spec).get("type") for name, spec in properties.items()
        }
    return types


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.DOTALL)


_FENCE = _Format(
    "fenced_json",
    _pattern(r"```(?:json|tool_call|tool_code|)[ \t]*\n\s*([{\[].*?)\s*(?:```|\Z)"),
    read_json,
    known_only=True,
)
_FORMATS: tuple[_Format, ...] = (
    _Format(
        "deepseek",
        _pattern(r"<｜tool▁call▁begin｜>(.*?)(?:<｜tool▁call▁end｜>|\Z)"),
        read_deepseek,
    ),
    _Format(
        "kimi_k2", _pattern(r"<\|tool_call_begin\|>(.*?)(?:<\|tool_call_end\|>|\Z)"), read_kimi
    ),
    _Format(
        "longcat",
        _pattern(r"<longcat_tool_call>(.*?)(?:</longcat_tool_call>|(?=<longcat_tool_call>)|\Z)"),
        read_tagged,
    ),
    _Format(
        "tool_call",
        _pattern(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)"),
        read_tagged,
    ),
    _Format("mistral", _pattern(r"\[TOOL_CALLS\]((?:(?!\[TOOL_CALLS\]).)*)"), read_named),
    _Format(
        "llama_python_tag",
        _pattern(r"<\|python_tag\|>(.*?)(?:<\|eom_id\|>|<\|eot_id\|>|\Z)"),
        read_llama,
    ),
    _Format(
        "xml",
        _pattern(r"(<(?:function=|(?:｜DSML｜)?invoke name=).*)\Z"),
        read_xml,
        known_only=True,
    ),
    _FENCE,
    _Format("llama_json", _pattern(r"\A\s*(\{.*)\Z"), read_json, known_only=True),
    _Format("json_list", _pattern(r"\A\s*(\[\s*\{.*)\Z"), read_json, known_only=True),
    replace(_FENCE, name="pythonic", pattern=_pattern(r"\A\s*(\[\w.*\])\s*\Z"), read=read_python),
)
