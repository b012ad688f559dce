"""Figures in text: numbers, dates and names, in forms that can be compared.

Pure and linear. A number is compared by value, a date by the parts that are given, a name by its
letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join(f"{name}|{name[:3]}\\.?" for name in _MONTHS)
_DATES = (
    re.compile(r"\b(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})(?![\d])"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?(?P<n>{_MONTH})(?:,? (?P<y>\d{{4}}))?\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<n>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>\d{{4}}))?(?!\d)",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<n>{_MONTH}),? (?P<y>\d{{4}})\b", re.IGNORECASE),
)
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-\u2212](?=\d))?"
    r"(?P<body>\d+(?:[.,'\u2019\u00a0\u202f ]\d{3})*(?:[.,]\d+)?|\d+)"
)
_WORDS = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
    if value >= 2
} | dict(
    zip(
        ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        range(30, 100, 10),
        strict=True,
    )
)
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_NUMBER_WORD = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(sorted({*_WORDS, *_SCALES}, key=len, reverse=True))
    + r")(?:-(?:two|three|four|five|six|seven|eight|nine|one))?(?![\w-])",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?<![\w'\u2019])[^\W\d_a-z][\w'\u2019&-]*"
    r"(?:[ -](?:(?:of|the|de|du|la|le|van|von|der|den|y|and|for) ){0,2}[^\W\d_a-z][\w'\u2019&-]*)*"
)
_STARTERS = frozenset(
    [
        "a",
        "about",
        "according",
        "after",
        "all",
        "also",
        "although",
        "an",
        "and",
        "another",
        "any",
        "are",
        "as",
        "at",
        "because",
        "before",
        "between",
        "both",
        "but",
        "by",
        "can",
        "citations",
        "could",
        "despite",
        "did",
        "do",
        "does",
        "during",
        "each",
        "either",
        "every",
        "finally",
        "first",
        "for",
        "found",
        "from",
        "further",
        "given",
        "had",
        "has",
        "have",
        "he",
        "her",
        "here",
        "his",
        "how",
        "however",
        "i",
        "if",
        "in",
        "indeed",
        "instead",
        "is",
        "it",
        "its",
        "last",
        "later",
        "like",
        "many",
        "may",
        "meanwhile",
        "more",
        "moreover",
        "most",
        "much",
        "my",
        "near",
        "neither",
        "nevertheless",
        "next",
        "no",
        "none",
        "nor",
        "not",
        "note",
        "nothing",
        "now",
        "of",
        "on",
        "once",
        "one",
        "only",
        "or",
        "other",
        "our",
        "over",
        "overall",
        "page",
        "pages",
        "please",
        "several",
        "she",
        "should",
        "similarly",
        "since",
        "so",
        "some",
        "source",
        "sources",
        "still",
        "such",
        "than",
        "that",
        "the",
        "their",
        "then",
        "there",
        "therefore",
        "these",
        "they",
        "this",
        "those",
        "though",
        "through",
        "thus",
        "to",
        "today",
        "together",
        "under",
        "unfortunately",
        "unlike",
        "until",
        "up",
        "upon",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whose",
        "why",
        "will",
        "with",
        "within",
        "without",
        "would",
        "yes",
        "yet",
        "you",
        "your",
        "answer",
        "based",
        "currently",
        "however",
        "result",
        "results",
        "section",
        "table",
        "two",
        "three",
        "four",
        "five",
    ]
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date with the parts that a text gives; None where it is silent."""

    text: str
    year: int | None
    month: int
    day: int | None

    def agrees(self, other: Date) -> bool:
        """Every part that this date gives stands in the other one."""
        return (
            self.month == other.month
            and self.year in (None, other.year)
            and self.day in (None, other.day)
        )


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers (as written → values it may mean) and dates of one text."""

    numbers: tuple[tuple[str, frozenset[str]], ...]
    dates: tuple[Date, ...]

    @property
    def values(self) -> frozenset[str]:
        """Every value that a number of the text may mean."""
        return frozenset(value for _, values in self.numbers for value in values)


def figures_of(text: str) -> Figures:
    """All numbers and dates of a text, in order. Numbers inside dates count as both."""
    numbers = [(m.group(0), _values(m)) for m in _NUMBER.finditer(text)]
    numbers += [(m.group(0), _word_value(m.group(0))) for m in _NUMBER_WORD.finditer(text)]
    return Figures(tuple(numbers), dates_of(text))


def dates_of(text: str) -> tuple[Date, ...]:
    """All dates of a text; day and year may be missing, a month is always given."""
    found: list[Date] = []
    taken: list[tuple[int, int]] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            date = _date(match)
            if date is not None:
                found.append(date)
                taken.append(match.span())
    return tuple(found)


def missing_figures(text: str, sources: list[Figures]) -> tuple[str, ...]:
    """Numbers and dates of ``text`` that stand in none of the sources, as written."""
    values = frozenset[str]().union(*(source.values for source in sources))
    dates = [date for source in sources for date in source.dates]
    rest, missing = text, list[str]()
    for date in dates_of(text):
        if not any(date.agrees(other) for other in dates):
            missing.append(date.text)
        rest = rest.replace(date.text, " ")
    own = figures_of(rest)
    missing += [written for written, meant in own.numbers if not meant & values]
    return tuple(dict.fromkeys(missing))


def names_of(text: str) -> tuple[str, ...]:
    """Capitalised names of a text; a single ordinary word that opens a sentence is none."""
    found: list[str] = []
    for match in _NAME.finditer(text):
        words = match.group(0).split()
        while words and words[0].lower() in _STARTERS:
            words = words[1:]
        name = " ".join(words).removesuffix("'s").removesuffix("\u2019s")
        if len(name) > 1:
            found.append(name)
    return tuple(dict.fromkeys(found))


def _date(match: re.Match[str]) -> Date | None:
    parts = match.groupdict()
    named = parts.get("n")
    month = _month(named) if named else int(parts["m"])
    day = int(parts["d"]) if parts.get("d") else None
    if not 1 <= month <= 12 or not (day is None or 1 <= day <= 31):
        return None
    year = int(parts["y"]) if parts.get("y") else None
    return Date(match.group(0), year, month, day)


def _month(name: str) -> int:
    return next(i for i, full in enumerate(_MONTHS, 1) if full.startswith(name.lower().rstrip(".")))


def _values(match: re.Match[str]) -> frozenset[str]:
    sign = "-" if match.group("sign") else ""
    digits = re.sub(r"[^\d.,]", "", match.group("body"))
    at = max(digits.rfind("."), digits.rfind(","))
    whole, tail = (digits[:at], digits[at + 1 :]) if at >= 0 else (digits, "")
    whole = re.sub(r"[.,]", "", whole)
    meant: set[str] = set()
    if at < 0 or len(tail) == 3:  # the last mark may set thousands apart
        meant.add(whole + tail)
    if at >= 0 and digits.count(digits[at]) == 1:  # or a fraction
        meant.add(f"{whole}.{tail}")
    return frozenset(sign + _plain(value) for value in meant)


def _plain(value: str) -> str:
    whole, _, part = value.partition(".")
    part = part.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{part}" if part else "")


def _word_value(word: str) -> frozenset[str]:
    first, _, second = word.lower().partition("-")
    value = _SCALES.get(first) or _WORDS.get(first, 0)
    if second:
        value += _WORDS.get(second, 1)
    return frozenset({str(value)})
