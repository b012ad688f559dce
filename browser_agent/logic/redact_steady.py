"""Redaction for recordings: placeholders keep the length and are the same for the same value.

Pages that compare or measure a value still work, and nothing of it is there: the placeholder is
made of its kind and of its ordinal within the process.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Protocol

_PLACEHOLDER = re.compile(r"\[REDACTED:([a-zA-Z0-9_-]{1,49})\]")


class _Redacts(Protocol):
    def redact_text(self, text: str) -> str: ...


def redact_steady(text: str, redactor: _Redacts) -> str:
    """``text`` without secrets, at its own length."""
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
        following = clean[found.end() :]
        end = _end_of_value(text, at, following)
        if text[at:end] == found.group(0):
            made.append(found.group(0))
        else:
            made.append(_steady(found.group(1), end - at))
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


def _steady(kind: str, length: int) -> str:
    word = f"REDACTED{kind.replace('_', '').replace('-', '')}"
    return (word * (length // len(word) + 1))[:length]


def _by_blocks(text: str, clean: str) -> str:
    """Where the texts cannot be laid beside each other simply: by their common blocks."""
    made: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, text, clean, autojunk=False).get_opcodes():
        made.append(clean[j1:j2] if tag == "equal" else _steady("value", i2 - i1))
    return "".join(made)
