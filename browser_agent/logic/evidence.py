"""How well a sentence answers a question: which of its terms it, its block, headings and page
cover, and whether it holds the kind of thing that was asked for.

Pure and generic: no word of any site stands here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from browser_agent.logic.page_text import Block, cut_sentences
from browser_agent.logic.question import Kind, Question, Term
from browser_agent.logic.thesaurus import base_of, related_to
from browser_agent.logic.words import cut_words

_NUMBER = re.compile(
    r"(?<![\w.])[-−]?\d[\d,.  ]*(?:\d|%)?|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty"
    r"|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|half|twice|thrice|once"
    r"|daily|weekly|monthly|yearly|annually|hourly|every)(?:-\w+)?\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d,.])1\d{3}(?![\d,.]\d|\d)|(?<![\d,.])20\d{2}(?![\d,.]\d|\d)")
_TIME = re.compile(
    r"(?<![\d,.])(?:1\d{3}|20\d{2})s?(?!\d)|\b(?:january|february|march|april|june|july|august|september"
    r"|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century"
    r"|spring|summer|autumn|winter|midnight|noon|dawn|dusk|sunrise|sunset)\b|\bMay\b"
    r"|\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?[ap]\.?m\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-ZÀ-Þ][\w'’.-]+(?:\s+(?:of|de|van|von|the)?\s*[A-ZÀ-Þ][\w'’.-]+)*")
_PLACE = re.compile(
    r"\b(?:in|at|near|from|to|on|off|into|of|between|by|beside|outside|behind|under|above|over|along)"
    r"\s+(?:the\s+|an?\s+)?(?:\w+\s+){0,2}[A-ZÀ-Þ]"
)
_COUNTED = re.compile(r"\bhow many\s+((?:[\w'’-]+\s*){1,3})", re.IGNORECASE)

_IN_SENTENCE, _IN_BLOCK, _IN_HEADING, _IN_CONTEXT = 1.0, 0.8, 0.8, 0.7
_IN_TITLE, _NAME_IN_TITLE, _ON_PAGE, _NAME_ON_PAGE = 0.7, 0.95, 0.3, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """What surrounds every block of one page."""

    url: str
    title: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence that may answer. ``coverage`` and ``fit`` lie between 0 and 1."""

    sentence: str
    block: Block
    page: PageFrame
    coverage: float
    fit: float
    missing: float
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


def frame_page(url: str, title: str, blocks: Iterable[Block]) -> PageFrame:
    """Gather what one page's blocks share."""
    words: set[str] = set()
    for block in blocks:
        words |= bases_of(block.text)
    return PageFrame(url=url, title=title, words=frozenset(words))


def find_candidates(question: Question, block: Block, page: PageFrame) -> list[Candidate]:
    """Every sentence of a block, judged."""
    outer = _Fields.of(block, page)
    found: list[Candidate] = []
    for sentence in cut_sentences(block.text):
        strengths = [outer.strength(term, bases_of(sentence)) for term in question.terms]
        total = sum(term.weight for term in question.terms) or 1.0
        covered = sum(t.weight * s for t, s in zip(question.terms, strengths, strict=True))
        lost = max(
            (t.weight * (1 - s) for t, s in zip(question.terms, strengths, strict=True)),
            default=0.0,
        )
        fit = fitness(question, sentence)
        coverage = covered / total
        found.append(
            Candidate(
                sentence=sentence,
                block=block,
                page=page,
                coverage=coverage,
                fit=fit,
                missing=lost / total,
                score=coverage * (0.7 + 0.3 * fit),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class _Fields:
    block: frozenset[str]
    headings: frozenset[str]
    context: frozenset[str]
    title: frozenset[str]
    page: frozenset[str]

    @classmethod
    def of(cls, block: Block, page: PageFrame) -> _Fields:
        return cls(
            block=bases_of(block.text),
            headings=bases_of(" ".join(block.headings)),
            context=bases_of(block.context),
            title=bases_of(page.title) | bases_of(page.url.rpartition("/")[2]),
            page=page.words,
        )

    def strength(self, term: Term, sentence: frozenset[str]) -> float:
        places = (
            (sentence, _IN_SENTENCE),
            (self.block, _IN_BLOCK),
            (self.headings, _IN_HEADING),
            (self.context, _IN_CONTEXT),
            (self.title, _NAME_IN_TITLE if term.is_name else _IN_TITLE),
            (self.page, _NAME_ON_PAGE if term.is_name else _ON_PAGE),
        )
        return max(weight * nearest(term, words) for words, weight in places)


def nearest(term: Term, words: frozenset[str]) -> float:
    """How near the nearest of ``words`` comes to a term; names must match themselves."""
    if term.base in words:
        return 1.0
    if term.is_name:
        return 0.0
    return max((near for word, near in related_to(term.base).items() if word in words), default=0.0)


def fitness(question: Question, sentence: str) -> float:
    """How well a sentence holds the kind of thing that the question asks for, 0 to 1."""
    match question.kind:
        case Kind.NUMBER:
            return _number_fit(question, sentence)
        case Kind.TIME:
            asked = set(_TIME.findall(question.text))
            return 1.0 if set(_TIME.findall(sentence)) - asked else 0.0
        case Kind.PERSON:
            return 1.0 if _new_names(question, sentence) else 0.0
        case Kind.PLACE:
            if not _new_names(question, sentence):
                return 0.3
            return 1.0 if _PLACE.search(sentence) else 0.7
        case Kind.OTHER:
            return 0.8


def _number_fit(question: Question, sentence: str) -> float:
    asked = {match.strip(" ,.") for match in _NUMBER.findall(question.text)}
    found = [m for m in _NUMBER.finditer(sentence) if m[0].strip(" ,.") not in asked]
    if not found:
        return 0.0
    if all(_YEAR.fullmatch(match[0].strip(" ,.")) for match in found):
        return 0.3
    counted = _COUNTED.search(question.text)
    if counted is None:
        return 0.9
    wanted = bases_of(counted[1])
    near = (bases_of(sentence[match.end() : match.end() + 40]) for match in found)
    return 1.0 if any(wanted & words for words in near) else 0.75


def _new_names(question: Question, sentence: str) -> list[str]:
    asked = bases_of(question.text)
    names: list[str] = []
    for match in _NAME.finditer(sentence):
        at_start = match.start() == 0 and " " not in match[0]
        if not at_start and not bases_of(match[0]) <= asked:
            names.append(match[0])
    return names


def best_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Best first; ties keep the order in which they were read."""
    return sorted(candidates, key=lambda candidate: -candidate.score)
