"""What a question asks for: its content words with weights, and the kind of thing that answers it.

Pure. It knows the English question words and nothing of any page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from browser_agent.logic.thesaurus import base_of, commonness
from browser_agent.logic.words import STOPWORDS, cut_words

_WORD = re.compile(r"[^\W_]+(?:['’.\-_][^\W_]+)*")
_QUOTED = re.compile(r"[\"“‘`]([^\"”’`]{2,80})[\"”’`]")
_CODE = re.compile(r"[_().<>{}=\\/$]|[a-z][A-Z]|^--?\w")


class Kind(StrEnum):
    """What an answer must hold."""

    NUMBER = "number"
    TIME = "time"
    PERSON = "person"
    PLACE = "place"
    OTHER = "other"


_KINDS = (
    (
        Kind.TIME,
        re.compile(
            r"\bwhen\b|\bsince when\b|\b(?:what|which)\s+(?:\w+\s+)?"
            r"(?:year|date|day|month|century|decade|time|season|weekday)s?\b|\bhow long ago\b"
        ),
    ),
    (
        Kind.NUMBER,
        re.compile(
            r"\bhow (?:many|much|long|far|tall|high|deep|wide|broad|thick|big|large|heavy|fast|old|often"
            r"|hot|cold|large|late|early|soon|close|near|steep|strong|loud|bright|quickly|frequently)\b"
            r"|\b(?:what|which)\b(?:\W+\w+){0,3}?\W+(?:number|percentage|percent|share|proportion|height"
            r"|length|depth|width|weight|price|cost|fee|fare|amount|size|age|distance|speed|rate|capacity"
            r"|population|area|temperature|total|sum|duration|quantity|wage|salary|score|version|port"
            r"|limit|maximum|minimum|range|altitude|elevation|voltage|power)\b"
        ),
    ),
    (Kind.PERSON, re.compile(r"\bwho(?:m|se)?\b|\b(?:which|what)\s+(?:person|man|woman|people)\b")),
    (
        Kind.PLACE,
        re.compile(
            r"\bwhere\b|\b(?:which|what)\s+(?:\w+\s+)?"
            r"(?:place|town|city|village|country|street|island|port|county|region|state)\b"
        ),
    ),
)
_HINTS = {
    "long": ("length", "duration"),
    "far": ("distance",),
    "tall": ("height",),
    "high": ("height",),
    "deep": ("depth",),
    "wide": ("width",),
    "heavy": ("weight",),
    "much": ("cost", "price"),
    "old": ("age", "born"),
    "often": ("every", "per"),
    "fast": ("speed",),
    "big": ("size",),
    "large": ("size",),
    "thick": ("thickness",),
    "hot": ("temperature",),
    "cold": ("temperature",),
}
_MEASURE = re.compile(r"\bhow (\w+)\b")
_HEAD = re.compile(r"\b(?:what|which)\s+(?:kind|sort|type|colour|color|name)?(?:\s+of)?\s*(\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One content word: its base, how much it tells (0 to about 1.5), whether it is a name."""

    base: str
    word: str
    weight: float
    is_name: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question taken apart. ``terms`` are distinct and in order."""

    text: str
    kind: Kind
    terms: tuple[Term, ...]
    phrases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[Term, ...]:
        """The terms that are names."""
        return tuple(term for term in self.terms if term.is_name)


def parse_question(text: str) -> Question:
    """Take a question (or any task in words) apart."""
    lowered = " ".join(text.lower().split())
    kind = next((kind for kind, pattern in _KINDS if pattern.search(lowered)), Kind.OTHER)
    terms = {term.base: term for term in reversed(_hint_terms(lowered))}
    head = _HEAD.search(lowered)
    asked = base_of(head[1]) if head else ""
    for found in reversed(list(_WORD.finditer(text))):
        for term in _read_terms(found, text, asked):
            terms.pop(term.base, None)
            terms[term.base] = term
    phrases = tuple(dict.fromkeys(match[1] for match in _QUOTED.finditer(text)))
    ordered = tuple(reversed(list(terms.values())))
    return Question(text=text, kind=kind, terms=ordered, phrases=phrases)


def _hint_terms(lowered: str) -> list[Term]:
    measure = _MEASURE.search(lowered)
    words = _HINTS.get(measure[1], ()) if measure else ()
    return [Term(base=base_of(word), word=word, weight=0.25) for word in words]


def _read_terms(found: re.Match[str], text: str, asked: str) -> list[Term]:
    surface = found[0]
    words = cut_words(surface)
    if not words or words[0] in STOPWORDS:
        return []
    is_name = _is_name(surface, text[: found.start()])
    base = base_of(words[0])
    weight = _weight(base, is_name=is_name)
    if base == asked and not is_name:
        weight *= 0.5  # the answer often stands in its place: a colour, a material
    return [Term(base=base, word=words[0], weight=weight, is_name=is_name)]


def _is_name(surface: str, before: str) -> bool:
    if any(char.isdigit() for char in surface) or _CODE.search(surface):
        return True
    starts = not before.strip() or before.rstrip()[-1:] in ".?!:\n"
    return surface[0].isupper() and not starts


def _weight(base: str, *, is_name: bool) -> float:
    """Rare words tell more; a word that the table does not list is a name or a technical one."""
    common = commonness(base)
    weight = 1.1 if common is None else 1.0 - 0.06 * common
    return weight * (1.3 if is_name else 1.0)
