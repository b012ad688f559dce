"""Bounds for JSON-like data: long strings, long lists, the size of the whole. Pure.

What is cut ends in an ellipsis; every function says whether it cut.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from browser_agent._freeze import MAX_DEPTH
from browser_agent._json import dumps_frozen
from browser_agent._text import cut_utf8

STRING_BYTES = 8_192
"""A string of ``data`` that is no display text is cut here."""

SHORT_BYTES = {"title": 1_024, "message": 2_000, "hint": 500, "name": 1_024, "url": 4_096}
ITEMS = 2_000
_ROUNDS = 200
_DEEPEST = MAX_DEPTH - 10


@dataclass(slots=True)
class Bounder:
    """Walks data once: bounds strings and lists, applies ``text`` to every string and key.

    ``slack_bytes`` is let through beyond the limit of a string, for a first pass whose result is
    redacted and then bounded again. ``cut`` becomes True when anything was left out.
    """

    text: Callable[[str], str] = str
    slack_bytes: int = 0
    cut: bool = False

    def bound(self, value: object, *, key: str = "", depth: int = 0) -> object:
        """A bounded copy, of plain dicts and lists."""
        if isinstance(value, str):
            return self._string(value, key)
        if isinstance(value, Mapping):
            return self._mapping(cast("Mapping[object, object]", value), depth)
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
            return self._list(cast("Sequence[object]", value), key, depth)
        return _scalar(value)

    def _string(self, value: str, key: str) -> str:
        limit = SHORT_BYTES.get(key, STRING_BYTES) + self.slack_bytes
        if len(value) * 4 <= limit:
            return self.text(value)
        kept = cut_utf8(value, limit)
        if len(kept) == len(value):
            return self.text(value)
        self.cut = True
        return f"{self.text(kept)}…"

    def _mapping(self, value: Mapping[object, object], depth: int) -> dict[str, object]:
        if depth >= _DEEPEST:
            self.cut = True
            return {}
        items = list(value.items())[:ITEMS]
        self.cut = self.cut or len(items) < len(value)
        return {
            self.text(str(key))[:1_024]: self.bound(item, key=str(key), depth=depth + 1)
            for key, item in items
        }

    def _list(self, value: Sequence[object], key: str, depth: int) -> list[object]:
        if depth >= _DEEPEST:
            self.cut = True
            return []
        self.cut = self.cut or len(value) > ITEMS
        return [self.bound(item, key=key, depth=depth + 1) for item in value[:ITEMS]]


def _scalar(value: object) -> object:
    """A value that JSON can hold; what it cannot becomes None."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return None


def json_bytes(value: object) -> int:
    """The size of a clean value's JSON form."""
    return len(dumps_frozen(value))


@dataclass(slots=True)
class Shrunk:
    """Data that fits, and the keys that were cut to make it fit."""

    data: dict[str, object]
    cut: list[str] = field(default_factory=list[str])


def shrink(data: dict[str, object], limit_bytes: int) -> Shrunk:
    """Halve the largest part of ``data`` again and again until its JSON form fits."""
    shrunk = Shrunk(data=data)
    for _ in range(_ROUNDS):
        if json_bytes(shrunk.data) <= limit_bytes:
            return shrunk
        key = max(shrunk.data, key=lambda name: json_bytes(shrunk.data[name]), default=None)
        if key is None:
            return shrunk
        smaller = _half(shrunk.data[key])
        shrunk.data = {**shrunk.data, key: smaller}
        if key not in shrunk.cut:
            shrunk.cut.append(key)
    return Shrunk(data={}, cut=sorted(data))


def _half(value: object) -> object:
    if isinstance(value, str):
        return f"{cut_utf8(value, len(value.encode()) // 2 - 3)}…" if len(value) > 8 else ""
    if isinstance(value, list):
        items = cast("list[object]", value)
        return items[: len(items) // 2] if len(items) > 1 else [_half(item) for item in items]
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        kept = list(fields.items())[: max(1, len(fields) // 2)]
        return dict(kept) if len(fields) > 1 else {name: _half(item) for name, item in kept}
    return None
