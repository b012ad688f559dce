"""Deep freezing of JSON-like values, and back.

Owns the one immutable mapping of the package. Values that are no JSON (NaN, integers beyond
64 bit, keys that are no strings, nesting above :data:`MAX_DEPTH`) raise InvalidInput here, so
that nothing frozen can fail to be written later. Lone surrogates become U+FFFD.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NoReturn, Self, SupportsIndex, TypeAlias, TypeVar, cast

from browser_agent._text import repair
from browser_agent.errors import InvalidInput

MAX_DEPTH = 100
"""Containers may nest this deep."""

_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1

Frozen: TypeAlias = "str | int | float | bool | FrozenMapping | tuple[Frozen, ...] | None"


class FrozenMapping(Mapping[str, object]):
    """A read-only, hashable mapping that keeps its order. Built by :func:`freeze` only."""

    __slots__ = ("_view",)
    _view: MappingProxyType[str, object]

    def __new__(cls, items: Mapping[str, object] | None = None) -> Self:
        """Freeze ``items`` deeply."""
        if items is None:
            items = {}
        return _freeze_mapping(cls, items, 0)

    def __init_subclass__(cls) -> None:
        """Subclasses may add read-only properties, no state."""

    def __getitem__(self, key: str) -> object:
        return self._view[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._view)

    def __len__(self) -> int:
        return len(self._view)

    def __contains__(self, key: object) -> bool:
        return key in self._view

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __hash__(self) -> int:
        return hash(frozenset(self._view.items()))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenMapping):
            return self._view == other._view
        if isinstance(other, Mapping):
            return self == _try_freeze(cast("Mapping[object, object]", other))
        return NotImplemented

    def __repr__(self) -> str:
        return repr(dict(self._view))

    def __copy__(self) -> FrozenMapping:
        return self

    def __deepcopy__(self, memo: object) -> FrozenMapping:
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[object, ...]:
        return (type(self), (thaw(self),))


M = TypeVar("M", bound=FrozenMapping)


def _try_freeze(value: Mapping[object, object]) -> object:
    try:
        return freeze(value)
    except InvalidInput:
        return None


def _adopt(cls: type[M], fresh: dict[str, object]) -> M:
    made = object.__new__(cls)
    object.__setattr__(made, "_view", MappingProxyType(fresh))
    return made


def _freeze_mapping(cls: type[M], value: Mapping[str, object], depth: int) -> M:
    if depth >= MAX_DEPTH:
        raise InvalidInput(f"a value nests deeper than {MAX_DEPTH} levels")
    fresh: dict[str, object] = {}
    for key, item in value.items():
        name = _key(key)
        # the common leaf, kept out of the recursion
        if type(item) is str and item.isascii():
            fresh[name] = item
        else:
            fresh[name] = _freeze(item, depth + 1)
    return _adopt(cls, fresh)


def _key(given: object) -> str:
    if not isinstance(given, str):
        raise InvalidInput(f"keys must be strings, got {type(given).__name__}")
    return given if given.isascii() else repair(given)


def _freeze(value: object, depth: int) -> object:
    kind = type(value)
    if kind is str:
        text = cast("str", value)
        return text if text.isascii() else repair(text)
    if value is None or kind is bool:
        return value
    if kind is dict:
        return _freeze_mapping(FrozenMapping, cast("dict[str, object]", value), depth)
    if kind is list or kind is tuple:
        return _freeze_items(cast("list[object]", value), depth)
    return _freeze_other(value, depth)


def _freeze_items(value: list[object] | tuple[object, ...], depth: int) -> tuple[object, ...]:
    if depth >= MAX_DEPTH:
        raise InvalidInput(f"a value nests deeper than {MAX_DEPTH} levels")
    return tuple([_freeze(item, depth + 1) for item in value])


def _freeze_other(value: object, depth: int) -> object:
    if isinstance(value, int):
        return _checked_int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"{value} is no JSON number")
        return float(value)
    if isinstance(value, str):
        return repair(str.__str__(value))
    if isinstance(value, FrozenMapping):
        return value if depth == 0 else _freeze_mapping(type(value), value, depth)
    if isinstance(value, Mapping):
        return _freeze_mapping(FrozenMapping, cast("Mapping[str, object]", value), depth)
    if isinstance(value, list | tuple):
        return _freeze_items(cast("list[object]", value), depth)
    raise InvalidInput(f"{type(value).__name__} is no JSON value")


def _checked_int(value: int) -> int:
    if not _INT_MIN <= value <= _INT_MAX:
        raise InvalidInput("an integer is larger than 64 bit")
    return int(value)


def freeze(value: object) -> Frozen:
    """A deep, immutable, hashable copy of a JSON-like value.

    Mappings become :class:`FrozenMapping`, lists and tuples become tuples. Raises InvalidInput
    for what JSON cannot hold.
    """
    return cast("Frozen", _freeze(value, 0))


def mapping_of(value: object) -> Mapping[str, object] | None:
    """The value where it is a mapping, else None."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None


def list_of(value: object) -> Sequence[object] | None:
    """The value where it is a list or a tuple, else None."""
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else None


def thaw(value: object) -> object:
    """Fresh plain dicts and lists of a frozen value; scalars come back as they are."""
    if isinstance(value, FrozenMapping):
        return {key: thaw(item) for key, item in value._view.items()}
    if isinstance(value, tuple | list):
        return [thaw(item) for item in cast("tuple[object, ...]", value)]
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in cast("Mapping[str, object]", value).items()}
    return value


def plain_level(value: object) -> object:
    """One level of a frozen mapping as a dict: what an encoder asks for step by step."""
    if isinstance(value, FrozenMapping):
        return dict(value._view)
    raise TypeError(f"{type(value).__name__} is no JSON value")
