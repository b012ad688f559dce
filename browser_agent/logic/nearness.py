"""How near a text comes to a question's term: the same word, a form of it, a related one.

Pure. It knows words and the thesaurus, no pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from browser_agent.logic.question import Term
from browser_agent.logic.thesaurus import base_of, commonness
from browser_agent.logic.words import cut_words

_ALIKE_CHARS, _ALIKE = 6, 0.7
_NAME_AND_FIGURE = re.compile(r"([a-z]{3,})(\d{1,2})")


@lru_cache(maxsize=32_768)
def bases_of(text: str) -> frozenset[str]:
    """The bases of all words of a text, parts of compound words included."""
    found: set[str] = set()
    for word in cut_words(text):
        found.add(base_of(word))
        if not word.isalpha():
            found.update(base_of(part) for part in _parts(word))
    return frozenset(found)


def _parts(word: str) -> Iterator[str]:
    """What a compound is made of: ``e-mail`` of one word, ``uuid5`` of a name and a figure."""
    for part in re.split(r"[^a-z0-9]+", word):
        if len(part) > 1 and part != word:
            yield part
        if mixed := _NAME_AND_FIGURE.fullmatch(part):
            yield from mixed.groups()


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
