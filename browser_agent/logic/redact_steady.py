"""Redaction for recordings: placeholders keep the length and are the same for the same value.

Pages that compare or measure a value still work, and nothing of it is there: the placeholder is
made of its kind and its length alone. Read again with :attr:`Steady.placeholders` registered, a
placeholder is redacted to the same ``[REDACTED:kind]`` as the value was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Protocol, cast

_PLACEHOLDER = re.compile(r"\[REDACTED:([a-zA-Z0-9_-]{1,49})\]")
SHORTEST = 6
"""Shorter placeholders are no values that a redactor finds everywhere."""


class Redacts(Protocol):
    """What takes secrets out of a text."""

    def redact_text(self, text: str) -> str: ...


class Steady:
    """Redacts texts and JSON values of one recording at their own length.

    ``placeholders`` are those that were written, with their kinds.
    """

    def __init__(self, redactor: Callable[[], Redacts]) -> None:
        self._redactor = redactor
        self.placeholders: dict[str, str] = {}

    def text(self, text: str) -> str:
        """``text`` without secrets."""

        def note(kind: str, length: int) -> str:
            made = steady(kind, length)
            if length >= SHORTEST:
                self.placeholders[made] = kind
            return made

        return _laid(text, self._redactor(), note)

    def value(self, value: object) -> object:
        """A JSON value without secrets; keys stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            fields = cast("Mapping[str, object]", value)
            return {key: self.value(item) for key, item in fields.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in cast("Sequence[object]", value)]
        return value


def redact_steady(text: str, redactor: Redacts) -> str:
    """``text`` without secrets, at its own length."""
    return Steady(lambda: redactor).text(text)


def steady(kind: str, length: int) -> str:
    """The placeholder of a kind at a length. None is the beginning of another."""
    word = f"REDACTED{kind.replace('_', '').replace('-', '')}"
    return (word * (length // len(word) + 1))[: max(0, length - 1)] + "Z" * min(1, length)


def _laid(text: str, redactor: Redacts, make: Callable[[str, int], str]) -> str:
    clean = redactor.redact_text(text)
    if clean == text:
        return text
    made: list[str] = []
    at = 0
    last = 0
    for found in _PLACEHOLDER.finditer(clean):
        kept = clean[last : found.start()]
        start = text.find(kept, at) if kept else at
        if start < 0:
            return _by_blocks(text, clean)
        made.append(kept)
        at = start + len(kept)
        end = _end_of_value(text, at, clean[found.end() :])
        value = text[at:end]
        made.append(value if value == found.group(0) else make(found.group(1), end - at))
        at, last = end, found.end()
    made.append(clean[last:])
    return "".join(made)


def _end_of_value(text: str, at: int, following: str) -> int:
    """Where the masked value ends: where what follows the placeholder goes on."""
    tail = _PLACEHOLDER.split(following, maxsplit=1)[0][:64]
    if not tail:
        return len(text)
    end = text.find(tail, at)
    return len(text) if end < 0 else end


def _by_blocks(text: str, clean: str) -> str:
    """Where the texts cannot be laid beside each other simply: by their common blocks."""
    made: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, text, clean, autojunk=False).get_opcodes():
        made.append(clean[j1:j2] if tag == "equal" else steady("value", i2 - i1))
    return "".join(made)
