"""Which values of a given storage state are secrets: what a session is signed in by.

Pure. Owns the choice alone; how a value is masked is the redactor's. Settings (a theme, a consent)
are no secrets: masked everywhere they would eat ordinary words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final, cast

from browser_agent.logic.redact_judge import token_like
from browser_agent.logic.redact_names import classify_name

_NAMED_LEAST: Final = 6
_TOKEN_LEAST: Final = 8
_DEPTH: Final = 8
_MOST: Final = 2_000


def credentials_in(state: Mapping[str, object]) -> tuple[str, ...]:
    """The secrets of a storage state (cookies, local storage; JSON within its values too).

    A value counts when its name says so or its cookie is kept from scripts, and it has six
    characters; or when it has eight and looks like a token. Shapes that are wrong hold none.
    """
    found: dict[str, None] = {}
    for name, value, guarded in _entries(state):
        for inner_name, text in _leaves(name, value, 0):
            if len(found) < _MOST and _is_secret(inner_name, text, guarded=guarded):
                found[text] = None
    return tuple(found)


def _is_secret(name: str, text: str, *, guarded: bool) -> bool:
    named = guarded or classify_name(name) is not None
    if named and len(text) >= _NAMED_LEAST:
        return True
    return token_like(text.encode("utf-8", "surrogatepass"), _TOKEN_LEAST)


def _entries(state: Mapping[str, object]) -> Iterator[tuple[str, str, bool]]:
    """Name, value, and whether scripts cannot read it."""
    for cookie in _mappings(state.get("cookies")):
        guarded = cookie.get("httpOnly") is True
        yield str(cookie.get("name", "")), str(cookie.get("value", "")), guarded
    for origin in _mappings(state.get("origins")):
        for entry in _mappings(origin.get("localStorage")):
            yield str(entry.get("name", "")), str(entry.get("value", "")), False


def _mappings(value: object) -> list[Mapping[str, object]]:
    if not isinstance(value, list | tuple):
        return []
    items = cast("list[object] | tuple[object, ...]", value)
    return [cast("Mapping[str, object]", item) for item in items if isinstance(item, Mapping)]


def _leaves(name: str, text: str, depth: int) -> Iterator[tuple[str, str]]:
    """The value itself, or the texts of the JSON that it holds with their own names."""
    if text[:1] not in ("{", "[", '"') or depth > _DEPTH:
        yield name, text
        return
    try:
        held: object = json.loads(text)
    except (ValueError, RecursionError):
        yield name, text
        return
    yield from _texts(name, held, depth + 1)


def _texts(name: str, held: object, depth: int) -> Iterator[tuple[str, str]]:
    if depth > _DEPTH:
        return
    if isinstance(held, str):
        yield from _leaves(name, held, depth)
    elif isinstance(held, Mapping):
        for key, item in cast("Mapping[str, object]", held).items():
            yield from _texts(key, item, depth + 1)
    elif isinstance(held, list):
        for item in cast("list[object]", held):
            yield from _texts(name, item, depth + 1)
