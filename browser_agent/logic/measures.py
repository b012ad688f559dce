"""Measures: how questions ask for them, the words that name them, the units they come in.

Generic knowledge of quantities, one table. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LENGTH = (
    r"(?:millimet|centimet|kilomet|met)(?:re|er)s?|mm|cm|m|km|miles?|feet|foot|ft|inch(?:es)?|yards?"
    r"|fathoms?"
)
_TIME = (
    r"seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|nights?|decades?"
    r"|centur(?:y|ies)|ms|s|h"
)
_MONEY = (
    r"euros?|dollars?|pounds?|crowns?|cents?|pence|francs?|marks?|shillings?|yen|kronor|kroner|usd"
    r"|eur|gbp|chf"
)
_WEIGHT = r"(?:kilo|milli)?gramm?(?:e?s)?|kg|g|mg|tonnes?|tons?|pounds?|lbs?|ounces?|oz|stone"


@dataclass(frozen=True, slots=True)
class Measure:
    """``asked`` finds it in a question (lower case), ``units`` behind or before a number."""

    name: str
    asked: re.Pattern[str]
    words: frozenset[str]
    units: re.Pattern[str]


def _measure(name: str, asked: str, words: str, units: str) -> Measure:
    after = rf"^[\s  -]?(?:(?:of|square|cubic|nautical|wet|dry)\s+)?(?:{units})(?![\w])"
    return Measure(
        name, re.compile(asked), frozenset(words.split()), re.compile(after, re.IGNORECASE)
    )


MEASURES = (
    _measure(
        "frequency",
        r"\bhow (?:often|frequently)\b|\bfrequency\b|\bwie oft\b",
        "often frequency frequent times every interval",
        rf"times|hz|hertz|[km]hz|per|an?|each|{_TIME}",
    ),
    _measure("age", r"\bhow old\b|\bages?\b|\bwie alt\b", "old age aged born lived life", _TIME),
    _measure(
        "duration",
        r"\bhow long (?:does|do|did|is|are|was|were|will|can|could|has|have|had|must|should"
        r"|ought)\b"
        r"|\bfor how long\b|\bhow many (?:" + _TIME + r")\b|\bduration\b|\bwie lange\b",
        "long last lasts lasting take takes took duration hour minute day",
        _TIME,
    ),
    _measure(
        "money",
        r"\b(?:cost|costs|price|priced|fee|fare|wage|salary|pay|paid|charge|fine|toll|bill|money"
        r"|budget|worth|kostet|cuesta|precio|preis|prix)\b",
        "cost costs price priced pay paid fee fare charge bill worth money sum account",
        _MONEY,
    ),
    _measure(
        "weight",
        r"\bhow heavy\b|\bhow much \w+ weigh|\bweights?\b|\bweigh(?:s|ed)?\b|\bload\b"
        r"|\bwie schwer\b",
        "heavy weight weigh weighs weighed weighing mass load",
        _WEIGHT,
    ),
    _measure(
        "height",
        r"\bhow (?:tall|high)\b|\bheight\b|\belevation\b|\baltitude\b|\bwie hoch\b",
        "tall high height elevation altitude rise rises above",
        _LENGTH,
    ),
    _measure("depth", r"\bhow deep\b|\bdepth\b|\bwie tief\b", "deep depth beneath below", _LENGTH),
    _measure(
        "length",
        r"\bhow (?:wide|thick|broad|far|big|large)\b|\b(?:length|width|breadth|distance|thickness"
        r"|diameter|wingspan|span|radius)\b|\bwie (?:weit|breit|lang)\b",
        "long wide thick broad far length width breadth distance thickness diameter span across",
        _LENGTH,
    ),
    _measure(
        "speed",
        r"\bhow (?:fast|quickly)\b|\bspeed\b",
        "fast speed velocity quickly",
        r"knots?|kn|mph|km/h|(?:kilomet(?:re|er)s?|miles?) (?:per|an) hour|m/s",
    ),
    _measure(
        "temperature",
        r"\bhow (?:hot|cold|warm)\b|\btemperature\b|\bdegrees\b",
        "hot cold warm temperature degree degrees heat",
        r"°|degrees?|celsius|fahrenheit|c|f",
    ),
    _measure(
        "share",
        r"\bpercent(?:age)?\b|\bproportion\b|\bshare\b",
        "percent percentage share",
        r"%|percent|per cent",
    ),
)
