"""FTS5 ranking: order, bounds, and words that mean something to its query language."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from browser_agent.logic.question import Question, parse_question
from browser_agent.models.ranking import match_query, rank_rows

QUESTION = parse_question("Which harbour shelters the ferry?")
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60)


def rank(question: Question, rows: list[str], limit: int = 10) -> list[int]:
    found = rank_rows(question, [(row,) for row in rows], weights=(1.0,), limit=limit)
    return [index for index, _ in found]


def test_the_row_with_more_of_the_question_comes_first() -> None:
    rows = ["The weather is fine.", "A ferry.", "The ferry lies in the harbour.", "No sea here."]
    assert rank(QUESTION, rows) == [2, 1]


def test_a_heavier_column_outweighs_a_lighter_one() -> None:
    rows = [("ferry", "x"), ("x", "ferry"), ("y", "z"), ("v", "w"), ("t", "u")]
    first = rank_rows(QUESTION, rows, weights=(3.0, 1.0), limit=5)
    second = rank_rows(QUESTION, rows, weights=(1.0, 3.0), limit=5)
    assert [index for index, _ in first] == [0, 1]
    assert [index for index, _ in second] == [1, 0]


def test_equal_rows_keep_their_order_and_the_limit_cuts() -> None:
    assert rank(QUESTION, ["ferry"] * 5, limit=3) == [0, 1, 2]


def test_nothing_asked_or_nothing_read_finds_nothing() -> None:
    assert match_query(()) == ""
    assert rank(parse_question("What is it?"), ["what is it"]) == []
    assert rank(QUESTION, []) == []


@given(WORDS, st.lists(WORDS, max_size=6))
def test_no_text_is_taken_for_query_syntax(asked: str, rows: list[str]) -> None:
    question = parse_question(f'{asked} "ferry" NEAR( OR * harbour')
    found = rank(question, [*rows, "ferry"], limit=4)
    assert len(rows) in found or len(found) == 4
    assert len(found) == len(set(found))
