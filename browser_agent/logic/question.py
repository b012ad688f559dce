"""What a question asks for: its content words with weights, and the kind of thing that answers it.

Pure. It knows question words (English, and the commonest of German, French and Spanish) and
nothing of any page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from browser_agent.logic.measures import MEASURES, Measure
from browser_agent.logic.stopwords import FOREIGN_STOPWORDS, STOPWORDS
from browser_agent.logic.thesaurus import base_of, commonness, related_to
from browser_agent.logic.words import cut_words

_WORD = re.compile(r"[^\W_]+(?:['’.\-_][^\W_]+)*")
_CODE = re.compile(r"[_().<>{}=\\/$]|[a-z][A-Z]|^--?\w")
_UNLISTED = 1.1
_HEAD_FACTOR = 0.6
_FIGURE_FACTOR, _MIN_FIGURE = 0.6, 3
_TYPE_WORDS = frozenset(
    base_of(word)
    for word in (
        *("year", "date", "day", "month", "century", "decade", "time", "name", "title", "colour"),
        *("color", "shade", "kind", "type", "sort", "number", "amount", "value", "person", "place"),
        *("word", "letter", "age", "reason", "cause", "way", "part", "job", "role", "material"),
    )
)
"""What a question names and its answer replaces: the colour is red, nobody says so."""


class Kind(StrEnum):
    """What an answer must hold."""

    NUMBER = "number"
    TIME = "time"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"
    NAME = "name"
    CODE = "code"
    OTHER = "other"


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", r"\s+"))


_KINDS = (
    (
        Kind.REASON,
        _words(
            r"\bwhy\b|\bhow come\b|\bwhat (?:was |is )?the (?:reason|cause)\b|\bwarum\b|\bpor qué\b"
        ),
    ),
    (
        Kind.TIME,
        _words(
            r"\bwhen\b|\b(?:what|which|whose) (?:\w+ )?(?:year|date|day|month|century|decade"
            r"|weekday|season)s?\b|\bat what time\b|\bhow long ago\b|\bwann\b|\bcu[aá]ndo\b"
            r"|\bquand\b"
        ),
    ),
    (
        Kind.NUMBER,
        _words(
            r"\bhow (?:many|much|long|far|tall|high|deep|wide|broad|thick|big|large|heavy|fast|old"
            r"|often|hot|cold|late|early|steep|strong|loud|bright|quickly|frequently)\b"
            r"|\b(?:what|which)(?:\W+\w+){0,3}?\W+(?:number|percentage|percent|share|proportion"
            r"|height|length|depth|width|weight|price|cost|fee|fare|amount|size|age|distance|speed"
            r"|rate|capacity|population|temperature|total|sum|duration|quantity|wage|salary|score"
            r"|port|limit|maximum|minimum|altitude|elevation|voltage|power|load|value|fine|toll)\b"
            r"|\bwie ?(?:viele?|hoch|lange?|weit|alt|tief|oft|schwer|gro(?:ss|ß))\b|\bwas kostet\b"
            r"|\bcu[aá]nt[oa]s?\b|\bcombien\b"
        ),
    ),
    (
        Kind.PERSON,
        _words(
            r"\bwho(?:m|se)?\b|\b(?:which|what) (?:person|man|woman|people)\b|\bwer\b|\bwem\b"
            r"|\bwen\b|\bqui[eé]n(?:es)?\b"
        ),
    ),
    (
        Kind.PLACE,
        _words(
            r"\bwhere\b|\b(?:which|what) (?:\w+ )?(?:place|town|city|village|country|street|county"
            r"|region|state)\b|\bwo\b|\bwohin\b|\bd[oó]nde\b"
        ),
    ),
    (
        Kind.CODE,
        _words(
            r"\b(?:which|what) (?:\w+ )?(?:file|folder|directory|path|command|option|parameter"
            r"|argument|flag|switch|function|method|class|module|package|variable|key|keyword|field"
            r"|attribute|program|tool|setting|header|extension|utility|operator)\b"
        ),
    ),
    (
        Kind.NAME,
        _words(r"\bwhich \w+\b|\bwhat (?:is|was) the (?:name|title)\b|\bwhat do \w+ call\b"),
    ),
)
_HEAD = re.compile(
    r"\b(?:what|which)\s+(?:kind|sort|type|is the|was the|are the)?(?:\s+of)?\s*(\w+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One content word: its base, how much it tells (0 to about 1.5), whether it is a name.

    ``is_given``: it names the whole site, so a page need not say it.
    ``near`` maps the bases of words that can stand for it to their nearness (itself: 1).
    """

    base: str
    word: str
    weight: float
    is_name: bool = False
    is_given: bool = False
    near: Mapping[str, float] = field(default_factory=dict[str, float], compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question taken apart. ``terms`` are distinct and in order."""

    text: str
    kind: Kind
    terms: tuple[Term, ...]
    measure: Measure | None = None

    @property
    def total(self) -> float:
        """The weight of all terms together, never 0."""
        return sum(term.weight for term in self.terms) or 1.0


def parse_question(text: str) -> Question:
    """Take a question (or any task in words) apart."""
    lowered = " ".join(text.lower().split())
    kind = next((kind for kind, pattern in _KINDS if pattern.search(lowered)), Kind.OTHER)
    measure = next((one for one in MEASURES if one.asked.search(lowered)), None)
    head = _HEAD.search(lowered)
    asked = base_of(head[1]) if head else ""
    terms: dict[str, Term] = {}
    for term in _read_terms(text, asked, measure):
        terms.setdefault(term.base, term)
    return Question(text=text, kind=kind, terms=tuple(terms.values()), measure=measure)


def _read_terms(text: str, asked: str, measure: Measure | None) -> Iterator[Term]:
    foreign = _is_foreign(text)
    ignored = STOPWORDS | FOREIGN_STOPWORDS if foreign else STOPWORDS
    for found in _WORD.finditer(text):
        surface = found[0]
        words = cut_words(surface)
        stands_for_measure = measure is not None and words and words[0] in measure.words
        if not words or (words[0] in ignored and not stands_for_measure):
            continue
        is_name = not foreign and _is_name(surface, text[: found.start()])
        base = base_of(words[0])
        near = {base: 1.0} if is_name else dict(related_to(base))
        if measure is not None and stands_for_measure:
            near |= {base_of(word): 0.9 for word in measure.words}
        weight = _weight(base, is_name=is_name)
        if base == asked:
            weight *= 0.4 if base in _TYPE_WORDS else _HEAD_FACTOR
        yield Term(base=base, word=words[0], weight=weight, is_name=is_name, near=near)


def _is_foreign(text: str) -> bool:
    """More function words of other languages than of English; there a capital makes no name."""
    words = text.lower().replace("¿", " ").split()
    foreign = sum(word.strip("?,.") in FOREIGN_STOPWORDS for word in words)
    return foreign > sum(word.strip("?,.") in STOPWORDS for word in words)


def _is_name(surface: str, before: str) -> bool:
    if any(char.isdigit() for char in surface) or _CODE.search(surface):
        return True
    starts = not before.strip() or before.rstrip()[-1:] in ".?!:\n¿¡"
    return surface[0].isupper() and not starts


def _weight(base: str, *, is_name: bool) -> float:
    """Rare words tell more; a word that the table does not list is a name or a technical one."""
    common = commonness(base)
    weight = _UNLISTED if common is None else 1.0 - 0.08 * common
    if base.isdigit() and len(base) < _MIN_FIGURE:
        weight *= _FIGURE_FACTOR
    return weight * (1.3 if is_name else 1.0)
