"""Ids that sort by time: ULIDs with a word in front."""

from __future__ import annotations

import re
import secrets
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_IDS = re.compile(r"\b(op|cur)_[0-9A-HJKMNP-TV-Z]{26}\b")


def _ulid() -> str:
    number = (time.time_ns() // 1_000_000 << 80) | secrets.randbits(80)
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))


def new_operation_id() -> str:
    """``op_`` and a ULID of 26 characters."""
    return f"op_{_ulid()}"


def new_cursor() -> str:
    """``cur_`` and a ULID of 26 characters."""
    return f"cur_{_ulid()}"


def ordinalise(text: str, seen: dict[str, str]) -> str:
    """Write every id in ``text`` as its ordinal of first appearance (``op#1``, ``cur#2``).

    ``seen`` carries the numbering over several texts.
    """

    def name(match: re.Match[str]) -> str:
        word = match.group(0)
        if word not in seen:
            seen[word] = f"{match.group(1)}#{len(seen) + 1}"
        return seen[word]

    return _IDS.sub(name, text)
