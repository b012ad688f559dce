"""Redaction of text that arrives in pieces.

A secret may be split over pieces, so the last word is held back until it is whole, and what was
shown before is kept as context for rules that look at the words in front.
"""

from __future__ import annotations

import re
from collections.abc import Callable

CONTEXT_CHARS = 256
MAX_HELD_CHARS = 8192
"""A longer word is let go, redacted as far as it came."""

MAX_TRIES = 8
"""Places where the text might be cut that are looked at for one piece."""

_BREAK = re.compile(r"\s+")


class DeltaRedactor:
    """``add`` pieces, show what comes back, and ``flush`` at the end.

    ``hold_chars``: so many characters stay back always, for secrets that hold blanks.
    """

    def __init__(self, redact: Callable[[str], str], *, hold_chars: int = 0) -> None:
        self._redact = redact
        self._hold_chars = hold_chars
        self._context = self._held = ""

    def add(self, piece: str) -> str:
        """The text that can be shown now."""
        self._held += piece
        return self._release(self._find_end())

    def _find_end(self) -> int:
        """Behind the last word that is whole and not the middle of something redacted."""
        held = self._held
        limit = max(0, len(held) - self._hold_chars)
        whole = self._redact(held)
        ends = [found.end() for found in _BREAK.finditer(held, 0, limit)]
        for end in ends[: -MAX_TRIES - 1 : -1]:
            if self._redact(held[:end]) + self._redact(held[end:]) == whole:
                return end
        return len(held) if len(held) > MAX_HELD_CHARS else 0

    def flush(self) -> str:
        """All that is left."""
        return self._release(len(self._held))

    def _release(self, end: int) -> str:
        ready, self._held = self._held[:end], self._held[end:]
        if not ready:
            return ""
        before = self._redact(self._context)
        both = self._redact(self._context + ready)
        self._context = (self._context + ready)[-CONTEXT_CHARS:]
        return both[_common_length(before, both) :]


def _common_length(left: str, right: str) -> int:
    pairs = zip(left, right, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))
