"""How alike two texts are, by the words that they use. Local, deterministic, no model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from browser_agent._text import fold
from browser_agent.errors import InvalidInput

MIN_CHARS = 30
"""Shorter texts say too little: their similarity is 0."""
MIN_SEARCH_CHARS = 20
"""Shorter texts are not searched."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ENDINGS = ("ations", "ation", "ingly", "edly", "ments", "ment", "ness", "ies", "ing", "ed", "es")
_MIN_STEM = 4

Terms = Counter[str]


def terms_of(text: str) -> Terms:
    """Word stems and how often each occurs."""
    return Counter(_stem(word) for word in _WORD.findall(fold(text).casefold()))


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word.removesuffix(ending)
    return word[:-1] if word.endswith("s") and len(word) > _MIN_STEM else word


def cosine(left: Terms, right: Terms) -> float:
    """Cosine of two term vectors, between 0 and 1."""
    if not left or not right:
        return 0.0
    shared = sum(count * right[term] for term, count in left.items() if term in right)
    return min(1.0, shared / (_norm(left) * _norm(right)))


def _norm(terms: Terms) -> float:
    return math.sqrt(sum(count * count for count in terms.values()))


def mean_terms(texts: Iterable[str]) -> Terms:
    """The terms of several texts together."""
    together: Terms = Counter()
    for text in texts:
        together.update(terms_of(text))
    return together


def similarity(left: str, right: str) -> float:
    """Between 0 and 1; 0 when one of the texts has less than 30 characters."""
    if min(len(left.strip()), len(right.strip())) < MIN_CHARS:
        return 0.0
    return cosine(terms_of(left), terms_of(right))


def has_converged(left: str, right: str, *, threshold: float = 0.85) -> bool:
    """Whether two texts say much the same; ``threshold`` is between 0 and 1."""
    if not 0 <= threshold <= 1:
        raise InvalidInput("threshold must be between 0 and 1")
    return similarity(left, right) >= threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A text that a search found; ``index`` is its place in what was searched."""

    text: str
    role: str
    score: float
    index: int


def search_texts(query: str, texts: Sequence[tuple[str, str]], *, limit: int = 5) -> list[Found]:
    """The best of ``(role, text)`` for a query, best first; no short texts, no zero scores."""
    if limit < 1:
        raise InvalidInput("limit must be at least 1")
    wanted = terms_of(query)
    found = [
        Found(text=text, role=role, score=cosine(wanted, terms_of(text)), index=index)
        for index, (role, text) in enumerate(texts)
        if len(text) >= MIN_SEARCH_CHARS
    ]
    hits = [item for item in found if item.score > 0]
    return sorted(hits, key=lambda item: (-item.score, item.index))[:limit]
