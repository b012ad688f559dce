"""Values of a page in the type that a schema wants. Pure; what has no such form gives None."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from browser_agent.logic.extract_schema import Wanted
from browser_agent.logic.figures import dates_of

_NUMBER = re.compile(r"[-\u2212]?\d[\d.,'\u2019\u00a0\u202f ]*\d|[-\u2212]?\d")
_YES, _NO = (
    frozenset(["yes", "true", "y", "on", "in", "stock", "available"]),
    frozenset(["no", "false", "n", "off"]),
)


def coerce(value: object, wanted: Wanted) -> object:
    """The value in the wanted type, or None where it has no such form."""
    if value is None or isinstance(value, Mapping | list):
        return None
    if wanted.choices:
        text = str(value).strip().casefold()
        return next((c for c in wanted.choices if str(c).casefold() == text), None)
    if wanted.kind in ("number", "integer"):
        return _number(value, whole=wanted.kind == "integer")
    if wanted.kind == "boolean":
        word = str(value).strip().lower()
        return True if word in _YES else False if word in _NO else None
    text = str(value).strip()
    if wanted.format == "date":
        return _date(text)
    return text or None


def _number(value: object, *, whole: bool) -> int | float | None:
    if isinstance(value, bool):
        return None
    number = float(value) if isinstance(value, int | float) else _parse_number(str(value))
    if number is None:
        return None
    if number.is_integer():
        return int(number)
    return None if whole else number


def _parse_number(text: str) -> float | None:
    """The one number of a text, its marks read as English or continental; None for several."""
    found = _NUMBER.findall(text)
    if len(found) != 1:
        return None
    digits = re.sub(r"[\s'\u2019]", "", found[0]).replace("\u2212", "-")
    if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    elif re.fullmatch(r"-?\d{1,3}(?:\.\d{3})+,\d+", digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"-?\d+,\d{1,2}", digits):
        digits = digits.replace(",", ".")
    try:
        return float(digits)
    except ValueError:
        return None


def _date(text: str) -> str | None:
    dates = dates_of(text)
    if len(dates) != 1 or dates[0].year is None or dates[0].day is None:
        return None
    return f"{dates[0].year:04d}-{dates[0].month:02d}-{dates[0].day:02d}"


def plain_value(value: object, wanted: Wanted) -> object:
    """A plain value of a nested one: its name, text or price, as JSON-LD writes them."""
    if isinstance(value, list):
        items = cast("Sequence[object]", value)
        return plain_value(items[0], wanted) if len(items) == 1 else None
    if not isinstance(value, Mapping):
        return value
    fields = cast("Mapping[str, object]", value)
    keys = ("value", "price", "name", "text", "@value", "url", "contentUrl")
    numeric = wanted.kind in ("number", "integer")
    for key in keys if numeric else ("@value", "name", "text", "url", "contentUrl", "value"):
        if isinstance(fields.get(key), str | int | float):
            return fields[key]
    return None


def split_items(text: str) -> list[str]:
    """The parts of a text that lists several things."""
    return [part.strip() for part in re.split(r"[,;]\s+|\n", text) if part.strip()]
