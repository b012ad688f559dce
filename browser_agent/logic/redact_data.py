"""Secrets in structures: what a key, a name beside a value, or a header says.

Owns the walk over JSON-like data. Strings inside are redacted by the redactor that is passed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final, Protocol

from browser_agent.logic.redact_headers import kind_of_owned, mask_authorization, mask_cookies
from browser_agent.logic.redact_judge import Syntax, is_secret_value
from browser_agent.logic.redact_names import Level, Name, classify_name
from browser_agent.logic.redact_spans import PLACEHOLDER, Span, placeholder, replace_spans
from browser_agent.records.policy import Secret

_MAX_DEPTH: Final = 200
_OWNERS: Final = ("name", "key", "id", "header", "field", "property")
_COOKIE_FIELDS: Final = frozenset(
    {"domain", "path", "expires", "expirationdate", "expiry", "httponly", "samesite", "hostonly"}
)
_STORES: Final = frozenset({"localstorage", "sessionstorage"})
_INHERITING: Final = frozenset({"value", "values", "text", "plaintext", "raw", "current", "data"})
_NUMERIC: Final = frozenset({Level.PASSWORD, Level.PIN, Level.CODE, Level.CARD, Level.STORED})
_STORED: Final = Name("storage", Level.STORED)
_STORED_COOKIE: Final = Name("cookie", Level.STORED)


class _RedactsText(Protocol):
    def redact_text(self, text: str) -> str: ...


def redact_data(value: object, redactor: _RedactsText) -> object:
    """``value`` without secrets: new dicts, lists and tuples, the same scalars."""
    return _Walk(redactor).visit(value, None, 0)


class _Walk:
    __slots__ = ("_text",)

    def __init__(self, redactor: _RedactsText) -> None:
        self._text = redactor.redact_text

    def visit(self, value: object, name: Name | None, depth: int) -> object:
        """Redact one value that stands under a key of the meaning ``name``."""
        if isinstance(value, str):
            return self._string(value, name)
        if value is None or isinstance(value, bool | int | float):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return (
                placeholder(name.kind) if name and is_number and name.level in _NUMERIC else value
            )
        if isinstance(value, Mapping | list | tuple | set | frozenset):
            return self._container(value, name, depth)  # pyright: ignore[reportUnknownArgumentType] - contents of unknown data
        return self._other(value, name)

    def _container(
        self, value: Mapping[object, object] | Iterable[object], name: Name | None, depth: int
    ) -> object:
        if depth > _MAX_DEPTH:
            return placeholder("nesting")
        if isinstance(value, Mapping):
            return self._mapping(value, name, depth)  # pyright: ignore[reportUnknownArgumentType] - keys of unknown data
        return self._sequence(value, name, depth)

    def _string(self, value: str, name: Name | None) -> str:
        if name is None or not value:
            return self._text(value)
        data = value.encode("utf-8", "surrogatepass")
        if name.level in {Level.COOKIE, Level.AUTH}:
            return self._text(_header_text(data, name))
        bare = data.strip()
        if name.level is Level.PASSWORD and bare.isalnum() and len(bare) < 3:
            return placeholder(name.kind)
        if not name.query_only and is_secret_value(bare, name.level, Syntax.QUOTED):
            return placeholder(name.kind)
        return self._text(value)

    def _mapping(
        self, value: Mapping[object, object], name: Name | None, depth: int
    ) -> dict[object, object]:
        owned = _owned_name(value)
        if name is not None and name.level is Level.COOKIE:
            name = None if "value" in value else _STORED_COOKIE
        result: dict[object, object] = {}
        for key, item in value.items():
            below = self._name_below(key, name)
            if owned is not None and key == "value":
                below = owned
            result[self._key(key, result)] = self.visit(item, below, depth + 1)
        return result

    def _name_below(self, key: object, above: Name | None) -> Name | None:
        if not isinstance(key, str) or "[REDACTED:" in key:
            return None
        if above is _STORED_COOKIE or above is _STORED:
            return above if key.lower() != "name" else None
        if key.lower() in _INHERITING:
            return above
        if key.lower() in _STORES:
            return _STORED
        return classify_name(key[:200])

    def _key(self, key: object, taken: dict[object, object]) -> object:
        if not isinstance(key, str):
            return key
        clean = self._text(key)
        if clean == key:
            return key
        number = 2
        unique = clean
        while unique in taken:
            unique = f"{clean} ({number})"
            number += 1
        return unique

    def _sequence(
        self, value: Iterable[object], name: Name | None, depth: int
    ) -> list[object] | tuple[object, ...]:
        items = list(value)
        if name is None and len(items) == 2 and isinstance(items[0], str):
            header = _header_name(items[0])
            if header is not None:
                items[1] = self.visit(items[1], header, depth + 1)
        clean = [self.visit(item, name, depth + 1) for item in items]
        return tuple(clean) if isinstance(value, tuple) else clean

    def _other(self, value: object, name: Name | None) -> object:
        if isinstance(value, Secret):
            return str(value)
        if isinstance(value, bytes | bytearray):
            return self._string(bytes(value).decode("utf-8", "replace"), name).encode()
        if isinstance(value, date):
            return value
        try:
            shown = str(value)
        except Exception:  # noqa: BLE001 - a hostile __str__ may raise anything; said in its place
            return placeholder("object")
        clean = self._string(shown, name)
        return value if clean == shown else clean


def _header_text(data: bytes, name: Name) -> str:
    found: list[Span] = []
    mask = mask_cookies if name.level is Level.COOKIE else mask_authorization
    mask(data, 0, b"", found)
    if (
        not found
        and b"[REDACTED:" not in data
        and is_secret_value(data.strip(), Level.SECRET, Syntax.QUOTED)
    ):
        return placeholder(name.kind)
    return replace_spans(data, found).decode("utf-8", "surrogatepass")


def _owned_name(value: Mapping[object, object]) -> Name | None:
    """What the ``value`` of this mapping is, if its name or its fields give it away."""
    item = value.get("value")
    if (
        not isinstance(item, str)
        or not item
        or PLACEHOLDER.fullmatch(item.encode("utf-8", "replace"))
    ):
        return None
    if value.get("type") == "password":
        return Name("password", Level.PASSWORD)
    owner = next((value[key] for key in _OWNERS if isinstance(value.get(key), str)), None)
    if not isinstance(owner, str):
        return None
    if any(isinstance(key, str) and key.lower() in _COOKIE_FIELDS for key in value):
        return _STORED_COOKIE
    name = classify_name(owner[:200])
    if name is not None and name.level in {Level.COOKIE, Level.AUTH}:
        return name
    kind = kind_of_owned(owner[:200], item.encode("utf-8", "replace"))
    return Name(kind, Level.STORED) if kind is not None else None


def _header_name(text: str) -> Name | None:
    """The meaning of the first of a pair such as ``("Authorization", "Bearer …")``."""
    if " " in text or len(text) > 80:
        return None
    name = classify_name(text)
    if name is None or name.query_only:
        return None
    sure = name.level in {Level.COOKIE, Level.AUTH} or (name.level is Level.SECRET and "-" in text)
    return name if sure else None
