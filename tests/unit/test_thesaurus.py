"""Related words: symmetric where they should be, bounded, and deaf to parts of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent.logic.thesaurus import base_of, commonness, related_to

LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)
KNOWN = ("build", "price", "tall", "begin", "ship", "teach", "river", "old")


@pytest.mark.parametrize(
    ("word", "base"),
    [("built", "build"), ("building", "build"), ("ships", "ship")],
)
def test_forms_share_a_base(word: str, base: str) -> None:
    assert base_of(word) == base_of(base)


@given(LETTERS)
def test_a_word_is_nearest_to_itself_and_nothing_is_nearer(word: str) -> None:
    near = related_to(word)
    assert near[word] == 1.0
    assert all(0 < value <= 1.0 for value in near.values())
    assert [other for other, value in near.items() if value == 1.0] == [word]


@pytest.mark.parametrize("word", KNOWN)
def test_nearness_holds_both_ways(word: str) -> None:
    base = base_of(word)
    near = related_to(base)
    assert len(near) > 1
    assert all(related_to(other)[base] == value for other, value in near.items())


@pytest.mark.parametrize(
    ("word", "near"), [("price", "cost"), ("begin", "start"), ("big", "large")]
)
def test_synonyms_are_near(word: str, near: str) -> None:
    assert related_to(base_of(word)).get(base_of(near), 0.0) >= 0.5


def test_common_words_are_commoner_than_rare_ones() -> None:
    common, rare = commonness(base_of("year")), commonness(base_of("lighthouse"))
    assert common is not None
    assert common > (rare or 0)
    assert commonness("qxzzy") is None
    assert related_to("qxzzy") == {"qxzzy": 1.0}
