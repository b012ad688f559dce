"""Questions taken apart: the kind of answer, names, weights and measures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent.logic.question import Kind, Term, parse_question


def term(question: str, word: str) -> Term:
    return next(one for one in parse_question(question).terms if one.word == word)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Why is the bridge closed?", Kind.REASON),
        ("When was the mill built?", Kind.TIME),
        ("In which year did the ferry sink?", Kind.TIME),
        ("How many keepers lived there?", Kind.NUMBER),
        ("What is the maximum load of the lift?", Kind.NUMBER),
        ("Who painted the ceiling?", Kind.PERSON),
        ("Where does the river rise?", Kind.PLACE),
        ("Which option prints the version?", Kind.CODE),
        ("Which lake feeds the river?", Kind.NAME),
        ("What is basalt?", Kind.OTHER),
        ("Wann wurde die Brücke gebaut?", Kind.TIME),
        ("¿Cuánto cuesta la entrada?", Kind.NUMBER),
        ("Combien de marches compte le phare ?", Kind.NUMBER),
    ],
)
def test_the_kind_of_answer(question: str, kind: Kind) -> None:
    assert parse_question(question).kind is kind


@pytest.mark.parametrize(
    ("question", "measure"),
    [
        ("How old is the oak?", "age"),
        ("How long ought a password to be kept?", "duration"),
        ("How often does the clock tick?", "frequency"),
        ("What does a ticket cost?", "money"),
        ("How tall is the tower?", "height"),
        ("Who is the keeper?", None),
    ],
)
def test_the_measure(question: str, measure: str | None) -> None:
    found = parse_question(question).measure
    assert (found and found.name) == measure


def test_capitals_make_names_but_not_at_the_start() -> None:
    names = [one.word for one in parse_question("Towers of Calder near setup.cfg?").terms]
    assert names == ["towers", "calder", "setup.cfg"]
    assert not term("Towers of Calder", "towers").is_name
    assert term("Towers of Calder", "calder").is_name
    assert term("What does setup.cfg hold?", "setup.cfg").is_name


def test_a_german_noun_is_no_name() -> None:
    assert not any(one.is_name for one in parse_question("Wie hoch ist der Turm?").terms)


def test_what_an_answer_replaces_tells_less_than_what_is_said_of_it() -> None:
    asked = term("Which algorithm sorts the list?", "algorithm")
    said = term("Does the algorithm sort the list?", "algorithm")
    assert asked.weight < said.weight


def test_a_single_figure_tells_less_than_a_long_one() -> None:
    assert term("Which hash has version 5?", "5").weight < term("Which law of 1848?", "1848").weight


@given(st.text(max_size=120))
def test_any_text_gives_distinct_terms_with_weight(text: str) -> None:
    question = parse_question(text)
    bases = [one.base for one in question.terms]
    assert len(bases) == len(set(bases))
    assert all(one.weight > 0 and one.near[one.base] == 1.0 for one in question.terms)
    assert question.total > 0
    assert parse_question(text) == question
