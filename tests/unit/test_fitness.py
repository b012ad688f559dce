"""Fitness: sentences of the right kind beat those of the wrong one, and echoes do not count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent.logic.fitness import fitness
from browser_agent.logic.question import parse_question


def fit(question: str, sentence: str) -> float:
    return fitness(parse_question(question), sentence)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("When did it open?", "It opened in May 1902.", "It opened with a feast."),
        ("When did it open?", "It opened at half past nine.", "It opened late."),
        ("How many bells are there?", "It has seven bells.", "It has bells."),
        ("How many bells are there?", "It has 7 bells.", "It was cast in 1820."),
        ("How tall is the tower?", "It is 31 metres high.", "It has 31 rooms."),
        ("What does a ticket cost?", "A ticket is 4 crowns.", "There are 4 tickets."),
        ("What does a ticket cost?", "It is €4 for all.", "There are 4 tickets."),
        ("How often does it run?", "It runs 3 times a day.", "It runs 3 wagons."),
        ("Who built it?", "It was built by Hanne Brook.", "It was built of stone."),
        ("Where is it?", "It stands in the old town of Ashford.", "It stands firm."),
        ("Where is the log?", "It is /var/log/syslog.", "It is long."),
        ("Why is it shut?", "It is shut because of ice.", "It is shut."),
        ("Which option is it?", "Give --quiet for that.", "Give nothing for that."),
        ("Which lake is it?", "It is called Hessle Tarn.", "It is called a lake."),
    ],
)
def test_the_right_kind_fits_better(question: str, right: str, wrong: str) -> None:
    assert fit(question, right) > fit(question, wrong)


@pytest.mark.parametrize(
    ("question", "echo"),
    [
        ("When after 1902 did it close?", "It was open in 1902."),
        ("How many of the 7 bells ring?", "All about the 7 bells."),
        ("Who followed Hanne Brook?", "It was the time of Hanne Brook."),
    ],
)
def test_what_the_question_says_itself_is_no_answer(question: str, echo: str) -> None:
    assert fit(question, echo) == 0.0


@given(
    st.sampled_from(["When?", "How many?", "Who?", "Where?", "Why?", "Which file?", "What?"]),
    st.text(max_size=200),
)
def test_fitness_lies_between_nothing_and_one(question: str, sentence: str) -> None:
    assert 0.0 <= fit(question, sentence) <= 1.0
