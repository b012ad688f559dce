"""Scores of the question evaluation: what one run is worth, and the figures over all of them.

Pure: takes texts and counts, gives numbers. It runs nothing and reads no files.
"""

from __future__ import annotations

import random
import re
import statistics
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

QUOTE_CHARACTERS = 200
QUOTES = 3
DRAWS = 20
FOLDED = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-"})

GOALS: Mapping[str, Mapping[str, float]] = {
    "site": {"expected": 75, "page": 85, "false_abstentions": 10, "abstentions": 80},
    "debian": {"expected": 50, "page": 60},
}
PAGES_LIMIT, REPLY_LIMIT = 12, 600
LOWER_IS_BETTER = frozenset({"false_abstentions", "pages_max", "reply_max", "quotes_max"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One line of a questions file."""

    id: str
    question: str
    start: str
    expected: tuple[str, ...]
    pages: tuple[str, ...]
    kind: str
    answerable: bool
    package: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run gave for one question. ``cited`` are URLs, ``pages`` counts documents fetched."""

    question: Question
    reply: str
    answered: bool | None
    quotes: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    pages: int = 0
    seconds: float = 0.0
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the report; ``goal`` is None where nothing is asked."""

    name: str
    label: str
    value: float
    goal: float | None
    unit: str = ""

    @property
    def is_met(self) -> bool:
        """The goal is reached, or there is none."""
        if self.goal is None:
            return True
        if self.name in LOWER_IS_BETTER:
            return self.value <= self.goal
        return self.value >= self.goal


def parse_question(line: Mapping[str, object]) -> Question:
    """Read one line's JSON object; ``page`` may be a string or a list."""
    return Question(
        id=str(line["id"]),
        question=str(line["question"]),
        start=str(line["start"]),
        expected=_texts(line["expected"]),
        pages=_texts(line["page"]),
        kind=str(line["kind"]),
        answerable=bool(line["answerable"]),
        package=str(line.get("package", "")),
    )


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    assert isinstance(value, list)
    return tuple(str(text) for text in cast("list[object]", value))


def fold(text: str) -> str:
    """Case, white space, quotation marks and dashes made alike."""
    return " ".join(unicodedata.normalize("NFC", text).translate(FOLDED).casefold().split())


def holds(text: str, expected: Sequence[str]) -> bool:
    """One of the accepted answers stands in the text, not inside a longer word or number."""
    folded = fold(text)
    return any(
        re.search(rf"(?<![\w]){re.escape(fold(answer))}(?![\w])", folded) for answer in expected
    )


def page_path(url: str) -> str:
    """The path of a page, the same with and without `index.html`."""
    path = urlsplit(url).path or "/"
    return path.removesuffix("index.html")


def is_abstention(outcome: Outcome) -> bool:
    """The run said that the pages do not hold the answer, or said nothing at all."""
    return outcome.answered is False or not outcome.reply.strip()


def is_right(outcome: Outcome) -> bool:
    """The reply is an answer and holds what was expected."""
    return not is_abstention(outcome) and holds(outcome.reply, outcome.question.expected)


def is_right_page(outcome: Outcome) -> bool:
    """A page named in the question was cited."""
    wanted = {page_path(page) for page in outcome.question.pages}
    return not is_abstention(outcome) and any(page_path(url) in wanted for url in outcome.cited)


def random_share(question: Question, pages: Mapping[str, str], rng: random.Random) -> float:
    """How often three random passages from random pages hold the answer, over several draws."""
    names = sorted(pages)
    hits = 0
    for _ in range(DRAWS):
        quotes = [_random_passage(pages[rng.choice(names)], rng) for _ in range(QUOTES)]
        hits += any(holds(quote, question.expected) for quote in quotes)
    return hits / DRAWS


def build_figures(
    kind: str, outcomes: Sequence[Outcome], baseline: Mapping[str, float]
) -> tuple[Figure, ...]:
    """The report's lines. ``baseline`` gives the random share of each question's id."""
    asked = [outcome for outcome in outcomes if outcome.question.answerable]
    absent = [outcome for outcome in outcomes if not outcome.question.answerable]
    goals = GOALS[kind]
    first = [outcome for outcome in asked if is_right(outcome) and _first_holds(outcome)]
    figures = [
        _share("expected", "expected answer in the reply", [is_right(o) for o in asked], goals),
        _share("page", "right page cited", [is_right_page(o) for o in asked], goals),
        _share("false_abstentions", "false abstentions", [is_abstention(o) for o in asked], goals),
        _share("abstentions", "correct abstentions", [is_abstention(o) for o in absent], goals),
        Figure(
            name="first_quote",
            label="expected answer in the first quote alone",
            value=_percent(len(first), len(asked)),
            goal=None,
            unit="%",
        ),
        Figure(
            name="random",
            label="baseline: three random passages",
            value=100 * statistics.fmean(baseline.values()) if baseline else 0.0,
            goal=None,
            unit="%",
        ),
    ]
    if not absent:
        figures = [figure for figure in figures if figure.name != "abstentions"]
    return (*figures, *_bounds(outcomes))


def _bounds(outcomes: Sequence[Outcome]) -> tuple[Figure, ...]:
    pages = [outcome.pages for outcome in outcomes] or [0]
    seconds = [outcome.seconds for outcome in outcomes] or [0.0]
    replies = [len(outcome.reply) for outcome in outcomes] or [0]
    quotes = [len(outcome.quotes) for outcome in outcomes] or [0]
    rows: list[tuple[str, str, float, float | None, str]] = [
        ("pages_max", "pages a question, most", max(pages), PAGES_LIMIT, ""),
        ("pages_median", "pages a question, median", statistics.median(pages), None, ""),
        ("reply_max", "reply, longest", max(replies), REPLY_LIMIT, " characters"),
        ("quotes_max", "quotes, most", max(quotes), QUOTES, ""),
        ("seconds_median", "time a question, median", statistics.median(seconds), None, " s"),
        ("seconds_max", "time a question, longest", max(seconds), None, " s"),
    ]
    return tuple(
        Figure(name=name, label=label, value=value, goal=goal, unit=unit)
        for name, label, value, goal, unit in rows
    )


def _share(name: str, label: str, hits: Sequence[bool], goals: Mapping[str, float]) -> Figure:
    value = _percent(sum(hits), len(hits))
    counted = f"{label} ({sum(hits)} of {len(hits)})"
    return Figure(name=name, label=counted, value=value, goal=goals.get(name), unit="%")


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _first_holds(outcome: Outcome) -> bool:
    return bool(outcome.quotes) and holds(outcome.quotes[0], outcome.question.expected)


def _random_passage(text: str, rng: random.Random) -> str:
    start = rng.randrange(max(1, len(text) - QUOTE_CHARACTERS))
    return text[start : start + QUOTE_CHARACTERS]
