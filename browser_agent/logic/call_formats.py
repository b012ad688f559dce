"""Readers of the call syntaxes that open models write: JSON, XML-like, key-value, Python.

Each takes the body between a format's markers and gives names with raw argument text. Owns syntax
only: no repair, no judgement of names or arguments, and no call where none was written.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

_DECODER = json.JSONDecoder()
_NAME_KEYS = ("name", "tool", "tool_name", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_BROKEN_NAME = re.compile(r'"(?:name|tool|tool_name)"\s*:\s*"([^"\\\n]{1,128})"')
_BROKEN_ARGUMENTS = re.compile(r'"(?:arguments|parameters|args|input)"\s*:\s*(.*)\Z', re.DOTALL)
_XML_FUNCTION = re.compile(
    r'<(?:function=|(?:｜DSML｜)?invoke name=)"?([\w.:-]+)"?\s*>(.*?)'
    r"(?:</function>|</(?:｜DSML｜)?invoke>|\Z)",
    re.DOTALL,
)
_XML_PARAMETER = re.compile(
    r'<(?:parameter=|(?:｜DSML｜)?parameter name=)"?([\w.:-]+)"?(?:\s[^>]*)?>(.*?)'
    r"(?:</(?:｜DSML｜)?parameter>|(?=<parameter=)|\Z)",
    re.DOTALL,
)
_GLM_PAIR = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)(?:</arg_value>|\Z)", re.DOTALL)
_NAMED_JSON = re.compile(r"\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*(?:\[ARGS\]\s*)?(?=[{\[])")
ParameterTypes = Mapping[str, Mapping[str, object]]
"""Tool name to parameter name to the JSON Schema ``type`` of that parameter."""


@dataclass(frozen=True, slots=True)
class FoundCall:
    name: str
    arguments: str


def as_mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def read_tagged(body: str, types: ParameterTypes) -> Iterator[FoundCall]:
    """A body between tags holds JSON, XML-like parameters, or a name with key-value pairs."""
    if _XML_FUNCTION.search(body):
        yield from read_xml(body, types)
    elif "<arg_key>" in body:
        yield from _read_glm(body, types)
    else:
        yield from read_json(body, types)


def read_json(body: str, _types: ParameterTypes) -> Iterator[FoundCall]:
    """JSON objects or lists of them, one after another; the first broken one ends it."""
    position = 0
    while (start := _next_json(body, position)) is not None:
        try:
            value, position = _DECODER.raw_decode(body, start)
        except (ValueError, RecursionError):
            yield from _read_broken(body[start:])
            return
        for item in cast("list[object]", value) if isinstance(value, list) else [value]:
            yield from _read_object(as_mapping(item))


def _next_json(body: str, position: int) -> int | None:
    found = re.compile(r"[\s;,]*([{\[])").match(body, position)
    return found.start(1) if found else None


def _read_object(item: Mapping[str, object]) -> Iterator[FoundCall]:
    inner = as_mapping(item.get("function"))
    source = inner or item
    name = next((source[key] for key in _NAME_KEYS if isinstance(source.get(key), str)), None)
    if not isinstance(name, str) or not name:
        return
    key = next((key for key in _ARGUMENT_KEYS if key in source), None)
    yield FoundCall(name, "" if key is None else _render(source[key]))


def _render(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read_broken(body: str) -> Iterator[FoundCall]:
    """Name and arguments of an object that is cut or malformed, the arguments as they stand."""
    name, arguments = _BROKEN_NAME.search(body), _BROKEN_ARGUMENTS.search(body)
    if name is None or arguments is None:
        return
    text = arguments[1].strip()
    try:
        _, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        end = len(text)
    yield FoundCall(name[1], text[:end])


def read_named(body: str, types: ParameterTypes) -> Iterator[FoundCall]:
    """``name{…}name{…}`` of mistral, kimi and deepseek; a list is the old mistral form."""
    if body.lstrip().startswith(("[", "{")):
        yield from read_json(body, types)
        return
    position = 0
    while (head := _NAMED_JSON.match(body, position)) is not None:
        start = head.end()
        try:
            _, position = _DECODER.raw_decode(body, start)
        except (ValueError, RecursionError):
            yield FoundCall(head[1], body[start:].strip())
            return
        yield FoundCall(head[1], body[start:position])


def read_deepseek(body: str, _types: ParameterTypes) -> Iterator[FoundCall]:
    """``function<sep>name`` and a fenced block (V3), or ``name<sep>{…}`` (V3.1)."""
    before, _, after = body.partition("<｜tool▁sep｜>")
    if before.strip() == "function":
        name, _, arguments = after.strip().partition("\n")
        arguments = arguments.strip().removeprefix("```json").removesuffix("```")
    else:
        name, arguments = before, after
    if name.strip() and arguments.strip():
        yield FoundCall(name.strip(), arguments.strip())


def read_kimi(body: str, _types: ParameterTypes) -> Iterator[FoundCall]:
    name, mark, arguments = body.partition("<|tool_call_argument_begin|>")
    name = name.strip().removeprefix("functions.").partition(":")[0]
    if mark and name and arguments.strip():
        yield FoundCall(name, arguments.strip())


def read_xml(body: str, types: ParameterTypes) -> Iterator[FoundCall]:
    for function in _XML_FUNCTION.finditer(body):
        wanted = types.get(function[1], {})
        pairs = {
            key: _typed(_trim(text), wanted.get(key))
            for key, text in _XML_PARAMETER.findall(function[2])
        }
        if pairs or not function[2].strip():
            yield FoundCall(function[1], _render(pairs) if pairs else "")


def _read_glm(body: str, types: ParameterTypes) -> Iterator[FoundCall]:
    name = body.partition("<arg_key>")[0].strip()
    wanted = types.get(name, {})
    pairs = {
        key.strip(): _typed(text.strip(), wanted.get(key.strip()))
        for key, text in _GLM_PAIR.findall(body)
    }
    if name and pairs:
        yield FoundCall(name, _render(pairs))


def _trim(text: str) -> str:
    return text.removeprefix("\n").removesuffix("\n")


def _typed(text: str, kind: object) -> object:
    """A parameter's text as JSON or a literal where the schema does not want a string."""
    if kind == "string":
        return text
    for read in (json.loads, ast.literal_eval):
        try:
            value: object = read(text.strip())
            json.dumps(value)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        return value
    return text


def read_python(body: str, _types: ParameterTypes) -> Iterator[FoundCall]:
    """``[name(key="value"), …]`` and ``name.call(key="value")``, keyword literals only."""
    try:
        tree = ast.parse(body.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.elts if isinstance(tree, ast.List) else [tree]:
        if isinstance(node, ast.Call) and not node.args:
            yield from _read_python_call(node)


def _read_python_call(node: ast.Call) -> Iterator[FoundCall]:
    try:
        pairs = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords if word.arg}
        arguments = json.dumps(pairs, ensure_ascii=False)
    except (ValueError, TypeError):
        return
    if len(pairs) == len(node.keywords):
        yield FoundCall(ast.unparse(node.func).removesuffix(".call"), arguments if pairs else "")


def read_llama(body: str, types: ParameterTypes) -> Iterator[FoundCall]:
    yield from (
        read_json(body, types) if body.lstrip().startswith("{") else read_python(body, types)
    )
