"""Registered secrets: values that are known, found in whatever encoding they come back.

Owns what one value may look like and the search for all of them. Values of fewer than six
characters would eat ordinary words: they are masked only where they were entered
(:meth:`RegisteredValues.mask_short`).
"""

from __future__ import annotations

import base64
import html
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, quote_plus

from browser_agent.logic.redact_linear import LinearPattern
from browser_agent.logic.redact_spans import Span, placeholder
from browser_agent.logic.redact_views import MappedView, decoded_views, fold_view

if TYPE_CHECKING:
    from collections.abc import Iterable

MIN_EVERYWHERE: Final = 6
_STRONG: Final = 8
_MIN_CODED: Final = 7  # shorter pieces of base64 could be words
_MAX_PARTS: Final = 4


def encodings_of(value: str) -> frozenset[str]:
    """The spellings in which ``value`` may come back, written out.

    Raw, percent-encoded (both cases of hex, form, double), base64 and base64url at all three
    alignments, base32, hex, character references, JSON and Python escapes, reversed.
    """
    data = value.encode("utf-8", "replace")
    percent = {quote(value, safe=""), quote_plus(value), quote(value), _every_byte(data, "%{:02X}")}
    percent |= {_lower_hex(one) for one in percent}
    percent |= {quote(one, safe="") for one in percent}
    references = {
        html.escape(value),
        html.escape(value, quote=False),
        "".join(f"&#{ord(char)};" for char in value),
        "".join(f"&#x{ord(char):x};" for char in value),
        "".join(f"&#x{ord(char):X};" for char in value),
    }
    escapes = {
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        value.replace("/", "\\/"),
        "".join(f"\\u{ord(char):04x}" for char in value),
        "".join(f"\\u{ord(char):04X}" for char in value),
        _every_byte(data, "\\x{:02x}"),
        repr(value)[1:-1],
        repr(data)[2:-1],
    }
    coded = {one.decode() for one in _coded(data)} | {data.hex(), data.hex().upper()}
    for whole in (base64.b64encode(data), base64.urlsafe_b64encode(data), base64.b32encode(data)):
        coded |= {whole.decode(), whole.decode().rstrip("=")}
    return frozenset({value, value[::-1], *percent, *references, *escapes, *coded})


def _every_byte(data: bytes, form: str) -> str:
    return "".join(form.format(byte) for byte in data)


def _lower_hex(text: str) -> str:
    return re.sub(r"%[0-9A-F]{2}", lambda match: match.group().lower(), text)


def _coded(data: bytes) -> set[bytes]:
    """Base64 of ``data`` inside a longer text: the part that does not depend on its neighbours."""
    found: set[bytes] = set()
    for lead, skip in ((0, 0), (1, 2), (2, 3)):
        whole = base64.b64encode(bytes(lead) + data)
        sure = whole[skip : (lead + len(data)) * 8 // 6]
        if len(sure) >= _MIN_CODED:
            found |= {sure, sure.replace(b"+", b"-").replace(b"/", b"_")}
    base32 = base64.b32encode(data).rstrip(b"=")
    return found | ({base32} if len(base32) >= _MIN_CODED else set())


@dataclass(frozen=True, slots=True)
class _Value:
    """One registered value; a strong one is found in any case and with spaces put in."""

    text: str = field(repr=False)
    kind: str

    @property
    def strong(self) -> bool:
        text = self.text
        classes = (
            any(char.islower() for char in text),
            any(char.isupper() for char in text),
            any(char.isdigit() for char in text),
            any(not char.isalnum() and not char.isspace() for char in text),
        )
        return len(text) >= _STRONG and sum(classes) >= 2

    def pattern(self) -> bytes:
        """A pattern (Latin-1, no groups) over folded views."""
        data = self.text.encode("utf-8", "replace")
        plain = {fold_view(data), *map(fold_view, decoded_views(data))}
        if " " in self.text:
            plain.add(fold_view(data.replace(b" ", b"+")))
        if self.strong:
            plain |= {fold_view(self.text[::-1].encode("utf-8", "replace"))}
        literals = [
            _literal(one, any_case=self.strong) for one in plain if len(one) >= MIN_EVERYWHERE
        ]
        literals += [_literal(data.hex().encode(), any_case=True)]
        literals += [_literal(one, any_case=False) for one in _coded(data)]
        return b"|".join(sorted(set(literals), key=len, reverse=True))


def _literal(data: bytes, *, any_case: bool) -> bytes:
    if not any_case:
        return b"".join(b"\\x%02x" % byte for byte in data)
    return b"".join(_in_any_case(char) for char in data.decode("utf-8", "replace"))


def _in_any_case(char: str) -> bytes:
    spellings = sorted({char, char.lower(), char.upper()})
    return b"(?:" + b"|".join(_literal(one.encode(), any_case=False) for one in spellings) + b")"


@dataclass(frozen=True, slots=True)
class _Part:
    """Values that were compiled together: choice ``i`` of the pattern is ``values[i]``."""

    values: tuple[_Value, ...]
    pattern: LinearPattern = field(repr=False)

    @classmethod
    def of(cls, values: tuple[_Value, ...]) -> _Part:
        return cls(values, LinearPattern([value.pattern() for value in values]))


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredValues:
    """All registered values of a redactor. Immutable; adding is cheap."""

    short: tuple[_Value, ...] = ()
    parts: tuple[_Part, ...] = ()

    @property
    def count(self) -> int:
        """How many values are known."""
        return len(self.short) + sum(len(part.values) for part in self.parts)

    def adding(self, pairs: Iterable[tuple[str, str]]) -> RegisteredValues:
        """With more values: pairs of value and kind."""
        known = {one.text for part in self.parts for one in part.values}
        known |= {one.text for one in self.short}
        new = [_Value(text, kind) for text, kind in dict(pairs).items() if text not in known]
        long = tuple(one for one in new if _length(one.text) >= MIN_EVERYWHERE)
        short = tuple(one for one in new if 0 < _length(one.text) < MIN_EVERYWHERE)
        parts = (*self.parts, _Part.of(long)) if long else self.parts
        if len(parts) > _MAX_PARTS:
            parts = (_Part.of(tuple(one for part in parts for one in part.values)),)
        return RegisteredValues(short=(*self.short, *short), parts=parts)

    def find(self, data: bytes) -> list[Span]:
        """Where registered values stand in UTF-8 text, in any encoding."""
        spans: list[Span] = []
        for part in self.parts:
            spans += _find(part, data)
        return spans

    def mask_short(self, text: str) -> str:
        """Mask the values that are too short to be masked everywhere."""
        for one in sorted(self.short, key=lambda value: -len(value.text)):
            text = text.replace(one.text, placeholder(one.kind))
        return text


def _length(text: str) -> int:
    return len(fold_view(text.encode("utf-8", "replace")).decode("utf-8", "replace"))


def _find(part: _Part, data: bytes) -> list[Span]:
    search = part.pattern.search
    spans: list[Span] = []
    if search(fold_view(data)) is not None:
        spans += _located(part, MappedView.of(data), data)
    hit = [
        step for step, view in enumerate(decoded_views(data)) if search(fold_view(view)) is not None
    ]
    if hit:
        for step, view in enumerate(MappedView.of(data).decoded()):
            if step in hit:
                spans += _located(part, view, data)
    return spans


def _located(part: _Part, view: MappedView, data: bytes) -> list[Span]:
    spans: list[Span] = []
    folded = view.folded()
    for hit in part.pattern.hits(folded.data):
        value = part.values[hit.choice]
        start, end = folded.span(hit.start, hit.end)
        if value.strong or " " in value.text or b" " not in data[start:end]:
            spans.append(Span(start, end, value.kind))
    return spans
