"""How well a sentence answers a question: which of its terms it, its block, headings and page
cover, and whether it holds the kind of thing that was asked for.

Pure and generic: no word of any site stands here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from browser_agent.logic.fitness import fitness
from browser_agent.logic.nearness import bases_of, nearest
from browser_agent.logic.page_text import Block, cut_sentences
from browser_agent.logic.question import Question, Term
from browser_agent.logic.stopwords import STOPWORDS
from browser_agent.logic.thesaurus import base_of
from browser_agent.logic.words import cut_words

MIN_RELATION, MIN_ENTITY, MIN_SCORE, MIN_FIT = 0.33, 0.55, 0.4, 0.2
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

    @property
    def is_acceptable(self) -> bool:
        """It is about what was asked, says what was asked of it, and holds the right kind."""
        return (
            self.relation >= MIN_RELATION
            and self.entity >= MIN_ENTITY
            and self.fit >= MIN_FIT
            and self.score >= MIN_SCORE
        )


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
                relation=_relation(strengths, page),
                entity=_share(
                    [pair for pair in strengths if pair[0].is_name and not pair[0].is_given]
                ),
                score=(coverage + _FOCUS * focus + _CLOSE * close) * (0.7 + 0.3 * fit),
            )
        )
    return found


def _relation(strengths: Sequence[tuple[Term, float]], page: PageFrame) -> float:
    """What is asked of the entity: terms that are no names; words of the page's topic half."""
    asked = [
        (replace(term, weight=term.weight / 2) if term.base in page.topic else term, strength)
        for term, strength in strengths
        if not term.is_name
    ]
    return _share(asked)


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


def best_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Best first; ties keep the order in which they were read."""
    ranked = sorted(candidates, key=lambda candidate: -candidate.score)
    top = ranked[0].score if ranked else 0.0
    return sorted(ranked, key=lambda c: not (c.is_acceptable and c.score >= 0.8 * top))
