"""When a page says that it was published and changed. Pure; a date is taken as stated, or not.

It trusts what the page states about itself in its markup and nothing that merely looks like a date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from browser_agent.logic.figures import dates_of

_MODIFIED = re.compile(r"modified|updated")
_CREATED = re.compile(r"created")
_MONTH = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2]))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedDates:
    """ISO 8601, as exact as the page states them; None where it does not."""

    published: str | None = None
    modified: str | None = None


def read_dates(stated: Iterable[tuple[str, str]]) -> StatedDates:
    """The dates among pairs of a name in the markup and its value, best sources first."""
    published: str | None = None
    created: str | None = None
    modified: str | None = None
    for name, text in stated:
        date = parse_stated(text)
        if _MODIFIED.search(name):
            modified = modified or date
        elif _CREATED.search(name):
            created = created or date
        else:
            published = published or date
    return StatedDates(published=published or created, modified=modified)


def parse_stated(text: str) -> str | None:
    """One date or time as ISO 8601; None for what is none."""
    plain = text.strip()
    if _MONTH.fullmatch(plain):
        return plain
    try:
        datetime.fromisoformat(plain)
    except ValueError:
        return _in_words(plain)
    return plain.replace(" ", "T", 1)


def _in_words(text: str) -> str | None:
    found = dates_of(text)
    if len(found) != 1 or found[0].year is None or found[0].day is None:
        return None
    return f"{found[0].year:04d}-{found[0].month:02d}-{found[0].day:02d}"
