"""JSON in two forms: canonical bytes for digests, ordered text for people and files.

Canonical: sorted keys, UTF-8, no white space. Both refuse what JSON cannot hold (see
``_freeze``); lone surrogates become U+FFFD.
"""

from __future__ import annotations

from typing import cast

import orjson

from browser_agent._freeze import freeze, plain_level
from browser_agent.errors import InvalidInput


def canonical(value: object) -> bytes:
    """Canonical JSON of a value: the bytes that digests are taken of."""
    return canonical_frozen(freeze(value))


def canonical_frozen(value: object) -> bytes:
    """As :func:`canonical`, for a value that is frozen already (no second check)."""
    return orjson.dumps(value, default=plain_level, option=orjson.OPT_SORT_KEYS)


def dumps(value: object, *, indent: bool = False) -> str:
    """Compact JSON text in the order of the keys."""
    option = orjson.OPT_INDENT_2 if indent else 0
    return orjson.dumps(freeze(value), default=plain_level, option=option).decode()


def dumps_frozen(value: object) -> bytes:
    """Compact JSON bytes of a frozen value, in the order of the keys."""
    return orjson.dumps(value, default=plain_level)


def loads(text: str | bytes) -> object:
    """Parse JSON; InvalidInput says where it is malformed and quotes nothing of it."""
    try:
        return cast("object", orjson.loads(text))
    except orjson.JSONDecodeError as exc:
        raise InvalidInput(f"malformed JSON at line {exc.lineno} column {exc.colno}") from None
