"""How near two English words are, by a table of related stems made from WordNet 3.0.

Owns reading the table (package data, once) and the weights of its relations. Generic English only:
it knows nothing of any site or question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

from browser_agent.logic.words import stem

_WEIGHTS = (0.9, 0.75, 0.5, 0.3)
"""Derived forms, synonyms, more general words, words two steps more general."""

_FREQUENCY = re.compile(r"^([a-z]+) (\d+)", re.MULTILINE)
_FORM = re.compile(r"^([a-z]+)>([a-z]+)$", re.MULTILINE)


@cache
def _table() -> str:
    path = files("browser_agent.logic").joinpath("thesaurus.txt")
    return path.read_text(encoding="utf-8").partition("\n#\n")[2] + "\n"


@cache
def _bases() -> Mapping[str, str]:
    return dict(_FORM.findall(_table()))


@cache
def _frequencies() -> Mapping[str, int]:
    return {word: int(count) for word, count in _FREQUENCY.findall(_table())}


def base_of(word: str) -> str:
    """The stem of a lower-case word's base form: ``built`` and ``building`` give ``build``."""
    made = stem(word)
    return _bases().get(made, made)


def commonness(base: str) -> int | None:
    """Log2 of a word's frequency in running text, 0 to 11; None for a word that is not listed."""
    return _frequencies().get(base)


@lru_cache(maxsize=4_096)
def related_to(base: str) -> Mapping[str, float]:
    """The bases that are near this one, with their nearness (itself: 1)."""
    near = {base: 1.0}
    for word, groups in _lines_with(base):
        for weight, group in zip(_WEIGHTS, groups, strict=False):
            members = group.split()
            if word == base:
                for member in members:
                    near[member] = max(weight, near.get(member, 0.0))
            elif base in members:
                near[word] = max(weight, near.get(word, 0.0))
    return near


def _lines_with(word: str) -> Iterator[tuple[str, list[str]]]:
    """Every line of the table that holds ``word`` as one of its words."""
    table = _table()
    at = table.find(word)
    while at >= 0:
        end = table.index("\n", at)
        start = table.rfind("\n", 0, at) + 1
        head, *groups = table[start:end].split("|")
        yield head.partition(" ")[0], groups
        at = table.find(word, end)
