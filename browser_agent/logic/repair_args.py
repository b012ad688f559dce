"""What a model wrote as arguments of a call, read as a JSON object: strictly, else mended.

Mending is for slips of form (fences, quotes, trailing commas, one lost brace), and it is told.
Text that was cut off is refused, because what it lost cannot be known; nothing is ever replaced
by an empty object. Errors quote nothing of the text.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import json_repair

from browser_agent._freeze import freeze, thaw
from browser_agent.errors import InvalidInput

MAX_CHARS = 1_000_000
"""Longer arguments are refused unread."""
MAX_MENDED_CHARS = 100_000
"""Longer ones are not mended."""

_FENCE = re.compile(r"\A\s*```[\w-]*\s*\n?(.*?)\n?\s*```\s*\Z", re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[{}\[\]]|["\']', re.DOTALL)
_GUESSWORK = re.compile(r"""[{,:\[]\s*'|\\[^"\\ntu]""")
"""Single quotes (which apostrophe ends the text?) and escapes that the library misreads."""
_NO_JSON = "arguments are no JSON; write one JSON object and nothing else"
_DECODER = json.JSONDecoder()
_WHOLE_END = re.compile(r'(?:["\'}\]]|\btrue|\bfalse|\bnull|\bTrue|\bFalse|\bNone)\s*\Z')


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadArguments:
    """The object, and how it was mended: a short word, or None when it was proper JSON."""

    value: dict[str, object]
    mended: str | None = None


def read_arguments(raw: object, *, needs_any: bool = True) -> ReadArguments:
    """Read the arguments of one call; InvalidInput says what to write instead.

    ``needs_any``: the tool has required arguments, so that nothing at all is no answer.
    """
    if isinstance(raw, Mapping):
        return _checked(dict(cast("Mapping[str, object]", raw)), "object")
    if not isinstance(raw, str):
        raise InvalidInput("arguments must be one JSON object")
    if len(raw) > MAX_CHARS:
        raise InvalidInput(f"arguments are longer than {MAX_CHARS} characters")
    text = raw.strip()
    if text in ("", "null", "None"):
        if needs_any:
            raise InvalidInput("arguments are empty; write them as one JSON object")
        return ReadArguments(value={}, mended="empty")
    return _read_strictly(text) or _mend(text)


def _read_strictly(text: str) -> ReadArguments | None:
    try:
        value = _loads(text)
    except _TwiceError:
        raise
    except (ValueError, RecursionError):
        return None
    if isinstance(value, str):
        return _read_inner(value)
    return _checked(value, None)


def _read_inner(text: str) -> ReadArguments:
    """Arguments that were written as a JSON string of a JSON object."""
    try:
        value = _loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("arguments are a string; write them as one JSON object") from None
    return _checked(value, "string")


def _mend(text: str) -> ReadArguments:
    fenced = _FENCE.match(text)
    if fenced:
        found = _read_strictly(fenced.group(1).strip())
        if found is not None:
            return ReadArguments(value=found.value, mended="fence")
        text = fenced.group(1).strip()
    if not text.startswith("{") or len(text) > MAX_MENDED_CHARS:
        raise InvalidInput(_NO_JSON)
    if _is_cut(text):
        raise InvalidInput("arguments are cut off; write the whole call again")
    for read in (_first_object, _closed_object, _python_literal, _mended_json):
        value = read(text)
        if value:
            return _checked(value, "syntax")
    raise InvalidInput(_NO_JSON)


def _first_object(text: str) -> object:
    """A whole object with stray closing signs behind it; two objects are one too many."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    rest = text[end:]
    if "{" in rest:
        raise InvalidInput("arguments hold more than one JSON object; make one call for each")
    return cast("object", value) if not rest.strip("]}); \n\t`") else None


def _closed_object(text: str) -> object:
    """An object that lacks no more than its last brace."""
    try:
        return _loads(text + "}")
    except (ValueError, RecursionError):
        return None


def _python_literal(text: str) -> object:
    try:
        return cast("object", ast.literal_eval(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _mended_json(text: str) -> object:
    if _GUESSWORK.search(text):
        return None
    try:
        return cast("object", json_repair.loads(text))
    except (ValueError, RecursionError):
        return None


def _is_cut(text: str) -> bool:
    """Whether text ends inside a string or a number, or lacks more than its last brace."""
    depth = 0
    for found in _TOKEN.finditer(text):
        sign = found.group(0)
        if sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
        elif len(sign) == 1 and not text.endswith("}"):
            return True
    return depth > 1 or (depth == 1 and _WHOLE_END.search(text) is None)


def _checked(value: object, mended: str | None) -> ReadArguments:
    if not isinstance(value, dict):
        raise InvalidInput('arguments must be one JSON object, such as {"name": "value"}')
    plain = thaw(freeze(cast("object", value)))
    return ReadArguments(value=cast("dict[str, object]", plain), mended=mended)


def _loads(text: str) -> object:
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _TwiceError
    return made


class _TwiceError(InvalidInput):
    """A key stands twice in one object: which one is meant would be a guess."""

    def __init__(self) -> None:
        super().__init__("arguments name one key twice")


def _no_constant(word: str) -> object:
    raise ValueError(word)
