"""How well a sentence answers a question: which of its terms it, its block, headings and page
cover, and whether it holds the kind of thing that was asked for.

Pure and generic: no word of any site stands here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from browser_agent.logic.page_text import Block, cut_sentences
from browser_agent.logic.question import Kind, Question, Term
from browser_agent.logic.thesaurus import base_of, commonness
from browser_agent.logic.words import STOPWORDS, cut_words

_NUMBER = re.compile(
    r"(?<![\w.])[-−]?\d+(?:[,.   ]\d{3})*(?:[.,]\d+)?|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty"
    r"|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|half|twice|thrice|once"
    r"|daily|weekly|monthly|yearly|annually|hourly|every"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|hundert|tausend"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|veinte|treinta|cien|mil"
    r"|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|vingt|trente|cent|mille)(?:-\w+)?\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d,.])1\d{3}(?![\d,.]\d|\d)|(?<![\d,.])20\d{2}(?![\d,.]\d|\d)")
_TIME = re.compile(
    r"(?<![\d,.])(?:1\d{3}|20\d{2})s?(?!\d)|\b(?:january|february|march|april|june|july|august|september"
    r"|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century"
    r"|spring|summer|autumn|winter|midnight|noon|dawn|dusk|sunrise|sunset"
    r"|januar|februar|märz|juni|juli|oktober|dezember|montag|dienstag|mittwoch|donnerstag|freitag"
    r"|samstag|sonntag|jahrhundert|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre"
    r"|noviembre|diciembre|lunes|martes|miércoles|jueves|viernes|sábado|domingo|siglo|janvier|février"
    r"|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|lundi|mardi|mercredi|jeudi"
    r"|vendredi|samedi|dimanche)\b|\b(?-i:May|Mai)\b"
    r"|\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?[ap]\.?m\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-ZÀ-Þ][\w'’.-]+(?:\s+(?:of|de|van|von|the)?\s*[A-ZÀ-Þ][\w'’.-]+)*")
_PLACE = re.compile(
    r"\b(?:in|at|near|from|to|on|off|into|of|between|by|beside|outside|behind|under|above|over|along)"
    r"\s+(?:the\s+|an?\s+)?(?:\w+\s+){0,2}[A-ZÀ-Þ]"
)
_COUNTED = re.compile(r"\bhow many\s+((?:[\w'’-]+\s*){1,3})", re.IGNORECASE)

_CAUSE = re.compile(
    r"\b(?:because|since|as|so that|so as|due|owing|therefore|thus|hence|caus\w+|reason|in order|to prevent"
    r"|to avoid|weil|denn|porque)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\b(?:people|persons?|man|men|woman|women|anyone|those|children|visitors|guests|staff|crew|members"
    r"|owners?|users?|patients|students|workers)\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w/])~?/[\w.-]+(?:/[\w.-]*)*|\b\w:\\\\")
_CODE = re.compile(
    r"(?<![\w/])~?/[\w.+-]+(?:/[\w.+-]*)*|\w+_\w+|\w+(?:\.\w+)*\(|\w+\.[a-z]\w+|(?<![\w-])--?[a-z][\w-]*"
    r"|\$\w+|[a-z]+[A-Z]\w+|\b[A-Z][A-Z0-9_]{2,}\b|[\"“‘`'][^\"”’`'\s]{2,40}[\"”’`']|\w+\(\d\)"
)
_CURRENCY = tuple("$€£¥")
_ALIKE_CHARS, _ALIKE = 6, 0.7

_IN_SENTENCE, _IN_BLOCK, _IN_HEADING, _IN_CONTEXT = 1.0, 0.6, 0.8, 0.7
_IN_TITLE, _IN_TOPIC, _ON_PAGE = 0.7, 1.0, 0.3
_NAME_IN_TITLE, _NAME_ON_PAGE = 0.9, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """What surrounds every block of one page. ``topic`` holds the words of its own heading."""

    url: str
    title: str
    words: frozenset[str]
    topic: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence that may answer; every figure but ``score`` lies between 0 and 1.

    ``coverage`` counts all terms of the question, ``entity`` its names, ``relation`` the others;
    ``fit`` says whether the sentence holds the kind of thing that was asked for.
    """

    sentence: str
    block: Block
    page: PageFrame
    coverage: float
    fit: float
    relation: float
    entity: float
    score: float


@lru_cache(maxsize=32_768)
def bases_of(text: str) -> frozenset[str]:
    """The bases of all words of a text, parts of compound words included."""
    found: set[str] = set()
    for word in cut_words(text):
        found.add(base_of(word))
        if not word.isalnum():
            found.update(base_of(part) for part in re.split(r"[^a-z0-9]+", word) if len(part) > 1)
    return frozenset(found)


def frame_page(url: str, title: str, blocks: Iterable[Block], topic: str = "") -> PageFrame:
    """Gather what one page's blocks share; ``topic`` is its own heading."""
    words: set[str] = set()
    for block in blocks:
        words |= bases_of(block.text)
    content = frozenset(base_of(w) for w in cut_words(topic or title) if w not in STOPWORDS)
    return PageFrame(url=url, title=title, words=frozenset(words), topic=content)


def find_candidates(question: Question, block: Block, page: PageFrame) -> list[Candidate]:
    """Every sentence of a block, judged."""
    asked = {term.base for term in question.terms}
    focus = len(page.topic & asked) / len(page.topic) if page.topic else 0.0
    outer = _Fields.of(block, page, focus)
    found: list[Candidate] = []
    for sentence in cut_sentences(block.text):
        words = bases_of(sentence)
        if not _says_something(words, asked):
            continue
        strengths = [(term, outer.strength(term, words)) for term in question.terms]
        coverage, fit = _share(strengths), fitness(question, sentence)
        close = _share([(term, nearest(term, words)) for term in question.terms])
        found.append(
            Candidate(
                sentence=sentence,
                block=block,
                page=page,
                coverage=coverage,
                fit=fit,
                relation=_share([pair for pair in strengths if not pair[0].is_name]),
                entity=_share(
                    [pair for pair in strengths if pair[0].is_name and not pair[0].is_given]
                ),
                score=(coverage + _FOCUS * focus + _CLOSE * close) * (0.7 + 0.3 * fit),
            )
        )
    return found


def _says_something(words: frozenset[str], asked: set[str]) -> bool:
    """It holds more than the words of the question."""
    return len(words - asked - _EMPTY) >= _MIN_NEW_WORDS


def _share(strengths: Sequence[tuple[Term, float]]) -> float:
    """The covered part of the terms' weight; 1 where there are none."""
    total = sum(term.weight for term, _ in strengths)
    return sum(term.weight * strength for term, strength in strengths) / total if total else 1.0


_FOCUS, _CLOSE = 0.12, 0.2
_MIN_NEW_WORDS = 1
_EMPTY = frozenset(base_of(word) for word in STOPWORDS)


@dataclass(frozen=True, slots=True)
class _Fields:
    """Where else than in the sentence a term may stand, and what that is worth."""

    places: tuple[tuple[frozenset[str], float], ...]
    title: frozenset[str]
    page: frozenset[str]

    @classmethod
    def of(cls, block: Block, page: PageFrame, focus: float) -> _Fields:
        title = bases_of(page.title) | bases_of(page.url.rpartition("/")[2])
        places = (
            (page.topic, _IN_TITLE + (_IN_TOPIC - _IN_TITLE) * focus),
            (bases_of(block.text), _IN_BLOCK),
            (bases_of(" ".join(block.headings)), _IN_HEADING),
            (bases_of(block.context), _IN_CONTEXT),
            (title, _IN_TITLE),
        )
        return cls(places, title | page.topic, page.words)

    def strength(self, term: Term, sentence: frozenset[str]) -> float:
        on_page = _NAME_ON_PAGE if term.is_name else _ON_PAGE
        best = max(_IN_SENTENCE * nearest(term, sentence), on_page * nearest(term, self.page))
        if term.is_name and term.base in self.title:
            best = max(best, _NAME_IN_TITLE)
        for words, weight in self.places:
            if weight > best:
                best = max(best, weight * nearest(term, words))
        return best


def nearest(term: Term, words: frozenset[str]) -> float:
    """How near the nearest of ``words`` comes to a term; names must match themselves."""
    if term.base in words:
        return 1.0
    if term.is_name:
        return 0.0
    best = max((near for word, near in term.near.items() if word in words), default=0.0)
    return best or _alike(term.base, words)


def _alike(base: str, words: frozenset[str]) -> float:
    """Words that no table lists may share a stem that no rule knows, or stand in a compound:
    ``verlost`` and ``Verlosung``, ``Anleger`` and ``Fähranleger``.
    """
    if len(base) < _ALIKE_CHARS or commonness(base) is not None:
        return 0.0
    head = base[: max(_ALIKE_CHARS - 1, len(base) * 3 // 4)]
    for word in words:
        if word.startswith(head):
            return _ALIKE
        if len(word) >= _ALIKE_CHARS and (base.endswith(word) or word.endswith(base)):
            return _ALIKE
    return 0.0


def fitness(question: Question, sentence: str) -> float:
    """How well a sentence holds the kind of thing that the question asks for, 0 to 1."""
    judge = _FITNESS.get(question.kind)
    return _ANYTHING if judge is None else judge(question, sentence)


def _time_fit(question: Question, sentence: str) -> float:
    asked = set(_TIME.findall(question.text))
    return 1.0 if set(_TIME.findall(sentence)) - asked else 0.0


def _person_fit(question: Question, sentence: str) -> float:
    if _new_names(question, sentence):
        return 1.0
    return 0.6 if _PEOPLE.search(sentence) else 0.0


def _place_fit(question: Question, sentence: str) -> float:
    if not _new_names(question, sentence):
        return 1.0 if _PATH.search(sentence) else 0.4
    return 1.0 if _PLACE.search(sentence) else 0.7


def _reason_fit(_question: Question, sentence: str) -> float:
    return 1.0 if _CAUSE.search(sentence) else 0.7


def _name_fit(question: Question, sentence: str) -> float:
    return 1.0 if _new_names(question, sentence) else 0.7


def _code_fit(question: Question, sentence: str) -> float:
    found = {match[0].strip("()") for match in _CODE.finditer(sentence)}
    return 1.0 if any(word not in question.text for word in found) else 0.6


def _number_fit(question: Question, sentence: str) -> float:
    asked = {match.strip(" ,.").lower() for match in _NUMBER.findall(question.text)}
    found = [m for m in _NUMBER.finditer(sentence) if m[0].strip(" ,.").lower() not in asked]
    if not found:
        return 0.0
    if question.measure is not None:
        return max(_unit_fit(question, sentence, match) for match in found)
    if all(_YEAR.fullmatch(match[0].strip(" ,.")) for match in found):
        return 0.3
    counted = _COUNTED.search(question.text)
    if counted is None:
        return 0.9
    wanted = bases_of(counted[1])
    near = (bases_of(sentence[match.end() : match.end() + 40]) for match in found)
    return 1.0 if any(wanted & words for words in near) else 0.75


def _unit_fit(question: Question, sentence: str, match: re.Match[str]) -> float:
    measure = question.measure
    if measure is None:
        return 0.5
    if measure.units.match(sentence[match.end() :].lstrip("%")):
        return 1.0
    if measure.name == "money" and sentence[: match.start()].rstrip()[-1:] in _CURRENCY:
        return 1.0
    return 0.2 if _YEAR.fullmatch(match[0].strip(" ,.")) else 0.5


def _new_names(question: Question, sentence: str) -> list[str]:
    asked = bases_of(question.text)
    names: list[str] = []
    for match in _NAME.finditer(sentence):
        words = bases_of(match[0])
        at_start = match.start() == 0 and " " not in match[0]
        plain = match[0].lower() in STOPWORDS or any(commonness(w) is not None for w in words)
        if at_start and plain:
            continue
        if not words <= asked:
            names.append(match[0])
    return names


def best_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Best first; ties keep the order in which they were read."""
    return sorted(candidates, key=lambda candidate: -candidate.score)


_ANYTHING = 0.8
_FITNESS: Mapping[Kind, Callable[[Question, str], float]] = {
    Kind.NUMBER: _number_fit,
    Kind.TIME: _time_fit,
    Kind.PERSON: _person_fit,
    Kind.PLACE: _place_fit,
    Kind.REASON: _reason_fit,
    Kind.NAME: _name_fit,
    Kind.CODE: _code_fit,
}
