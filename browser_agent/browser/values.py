"""Values as fields want them: formats of date, time, number and colour fields, and comparing.

Pure. A value that is written differently but can mean only one thing is normalised; anything
else is refused with the format that is wanted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time

_WANTED = {
    "date": "YYYY-MM-DD, for example 2026-03-05",
    "time": "HH:MM in 24 hours, for example 09:30",
    "datetime-local": "YYYY-MM-DDTHH:MM, for example 2026-03-05T09:30",
    "month": "YYYY-MM, for example 2026-03",
    "week": "YYYY-Www, for example 2026-W09",
    "color": "#rrggbb, for example #1a2b3c",
    "number": "a number, for example 12 or 3.5",
    "range": "a number, for example 40",
}
_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([AaPp])?\.?[Mm]?\.?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A value in the form that a field takes, or the sentence that says which form it wants."""

    value: str = ""
    problem: str = ""


def for_field(kind: str, value: str) -> Wanted:
    """``value`` in the form that an input of type ``kind`` takes."""
    text = value.strip()
    if kind not in _WANTED or not text:
        return Wanted(value=value)
    found = _normal(kind, text)
    if found is None:
        return Wanted(problem=f"A {kind} field wants {_WANTED[kind]}.")
    return Wanted(value=found)


def _normal(kind: str, text: str) -> str | None:
    if kind == "date":
        return _date(text)
    if kind == "time":
        return _time(text)
    if kind == "datetime-local":
        day, _, hour = text.replace("T", " ", 1).partition(" ")
        parts = (_date(day), _time(hour.strip()))
        return None if None in parts else "T".join(part for part in parts if part)
    if kind in ("number", "range"):
        return text if _NUMBER.fullmatch(text) else None
    shape = {"month": r"\d{4}-\d{2}", "week": r"\d{4}-W\d{2}", "color": r"#[0-9a-fA-F]{6}"}[kind]
    return text if re.fullmatch(shape, text) else None


def _date(text: str) -> str | None:
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    try:
        return date(*(int(part) for part in found.groups())).isoformat()
    except ValueError:
        return None


def _time(text: str) -> str | None:
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    hour, minute, second, half = found.groups()
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half.lower() == "p" else 0)
    try:
        moment = time(hours, int(minute), int(second or 0))
    except ValueError:
        return None
    return moment.isoformat() if second else moment.strftime("%H:%M")


def same_value(kind: str, wanted: str, held: str) -> bool:
    """Whether a field of ``kind`` (the hand's word) holds what was asked for."""
    if kind == "rich":
        return _plain(wanted) == _plain(held)
    if kind == "set":
        return wanted.lower() == held.lower() or _same_number(wanted, held)
    return wanted.replace("\r\n", "\n") == held


def _plain(text: str) -> str:
    """Rich text as its words: editors differ in how they write blanks and line ends."""
    return re.sub(r"\s+", " ", text.replace("\u00a0", " ")).strip()


def _same_number(wanted: str, held: str) -> bool:
    try:
        return float(wanted) == float(held)
    except ValueError:
        return False
