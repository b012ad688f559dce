"""Units in the names of fields and in values: ``weight_kg`` takes no grams. Pure; nothing converts.

A number without its unit is another number, so a value whose unit is known and differs is left out
rather than passed off as found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import cast

_SAME_UNIT = """
m metre metres meter meters | km kilometre kilometres kilometer kilometers
cm centimetre centimetres centimeter centimeters | mm millimetre millimetres millimeter millimeters
ft foot feet | inch inches | mi mile miles | nm nmi | yd yard yards
km2 km² sqkm | m2 m² sqm | ha hectare hectares | acre acres
m3 m³ | kg kilogram kilograms | g gram grams | mg | t tonne tonnes ton tons | lb lbs pound pounds
oz ounce ounces | l litre litres liter liters | ml | cl
s sec secs second seconds | min mins minute minutes | h hr hrs hour hours | day days
week weeks | month months | year years | ms
eur euro euros € | usd dollar dollars $ | gbp £ | chf
percent pct % | c °c celsius | f °f fahrenheit | kw | w watt watts | mw | kwh | hz hertz | khz | mhz
kb | mb | gb | kcal | kj | hpa | db | kmh km/h | mph | v volt volts
"""
_CANONICAL: Mapping[str, str] = {
    word: words.split()[0]
    for line in _SAME_UNIT.strip().splitlines()
    for words in line.split("|")
    for word in words.split()
}
UNIT_WORDS = frozenset(word for word in _CANONICAL if word.isalnum())
"""Words that stand for a unit in a name, lower case."""

_SPLIT = re.compile(r"[^\w°%€$£²³/]+|_")
_BEFORE = re.compile(r"([€$£]|\b[A-Z]{3}\b)\s*[-\u2212]?\d")
_AFTER = re.compile(r"\d\s*((?:°\s?[CF])|[A-Za-z²³%€$£][\w²³/]*)")


def has_other_unit(value: object, said_name: str, wanted: Iterable[str]) -> bool:
    """Whether the page gives ``value``, under its own name, in another unit than is wanted."""
    unit, said = unit_of_names(wanted), unit_of_names([said_name])
    if unit is None or unit == said:
        return False
    return (unit_of_value(value) or said) not in (None, unit)


def unit_of_names(names: Iterable[str]) -> str | None:
    """The unit at the end of a field's name (``height_m``, ``Height (m)``); None without one.

    A name that is nothing but its unit (``year``, ``euros``) is no measure of something.
    """
    for name in names:
        words = [word for word in _SPLIT.split(name) if word]
        if len(words) > 1 and words[-1].lower() in _CANONICAL:
            return _CANONICAL[words[-1].lower()]
    return None


def unit_of_value(value: object) -> str | None:
    """The unit that a value carries: behind its number, before it, or in a field of its own."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        said = fields.get("unitText") or fields.get("priceCurrency")
        return _CANONICAL.get(str(said).lower())
    for found in (_AFTER.search(str(value)), _BEFORE.search(str(value))):
        unit = _CANONICAL.get(found.group(1).replace(" ", "").lower()) if found else None
        if unit is not None:
            return unit
    return None
