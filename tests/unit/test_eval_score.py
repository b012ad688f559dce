"""The evaluation's arithmetic: what counts as right, as abstained, as a met goal."""

from __future__ import annotations

import importlib.util
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"

if TYPE_CHECKING:
    from scripts import eval_score
else:
    _spec = importlib.util.spec_from_file_location("eval_score", SCRIPTS / "eval_score.py")
    eval_score = importlib.util.module_from_spec(_spec)
    sys.modules["eval_score"] = eval_score
    _spec.loader.exec_module(eval_score)

QUESTION = eval_score.Question(
    id="q01",
    question="How tall is it?",
    start="/",
    expected=("41 metres", "41 m"),
    pages=("/tower.html", "/docs/index.html"),
    kind="number",
    answerable=True,
)
ABSENT = replace(QUESTION, id="n01", expected=(), pages=(), answerable=False)
RIGHT = eval_score.Outcome(
    question=QUESTION,
    reply='It rises 41 metres. [1]\n[1] R2 "It rises 41 metres."',
    answered=True,
    quotes=("It rises 41 metres.",),
    cited=("http://127.0.0.1:9/tower.html#top",),
    pages=3,
    seconds=1.5,
)


@pytest.mark.parametrize(
    ("text", "is_held"),
    [
        ("rises 41 METRES", True),
        ("rises  41\nmetres", True),
        ("it is 41 m high", True),
        ("it is 141 m high", False),
        ("41 miles", False),
        ("", False),
    ],
)
def test_an_answer_counts_as_a_whole_word_in_any_form(text: str, *, is_held: bool) -> None:
    assert eval_score.holds(text, QUESTION.expected) is is_held


def test_quotation_marks_and_dashes_are_alike() -> None:
    assert eval_score.holds("the “Grey—Mare”", ['"Grey-Mare"'])


def test_an_abstention_is_never_right_and_a_wrong_page_is_not_the_right_one() -> None:
    abstained = replace(RIGHT, answered=False)
    silent = replace(RIGHT, reply=" ", answered=None)
    elsewhere = replace(RIGHT, cited=("http://127.0.0.1:9/other.html",))
    assert [eval_score.is_right(o) for o in (RIGHT, abstained, silent)] == [True, False, False]
    assert [eval_score.is_abstention(o) for o in (RIGHT, abstained, silent)] == [False, True, True]
    assert (eval_score.is_right_page(RIGHT), eval_score.is_right_page(elsewhere)) == (True, False)
    assert eval_score.is_right_page(replace(RIGHT, cited=("http://x/docs/",)))


def figures_of(*outcomes: eval_score.Outcome) -> dict[str, eval_score.Figure]:
    figures = eval_score.build_figures("site", outcomes, {"q01": 0.1})
    return {figure.name: figure for figure in figures}


def test_figures_of_a_perfect_evaluation_meet_every_goal() -> None:
    figures = figures_of(RIGHT, eval_score.Outcome(question=ABSENT, reply="None.", answered=False))
    assert all(figure.is_met for figure in figures.values())
    assert figures["expected"].value == figures["abstentions"].value == 100
    assert figures["random"].value == 10
    assert (figures["pages_max"].value, figures["pages_median"].value) == (3, 1.5)


def test_figures_of_a_bad_evaluation_miss_their_goals() -> None:
    wrong = replace(RIGHT, reply="x" * 700, quotes=("a",) * 4, pages=13, cited=())
    figures = figures_of(
        wrong,
        replace(wrong, answered=False),
        replace(wrong, question=ABSENT),
    )
    assert [name for name, figure in figures.items() if not figure.is_met] == [
        *("expected", "page", "false_abstentions", "abstentions"),
        *("pages_max", "reply_max", "quotes_max"),
    ]
    assert figures["false_abstentions"].value == 50


def test_the_first_quote_figure_looks_at_the_first_quote_alone() -> None:
    later = replace(RIGHT, quotes=("Something else.", "It rises 41 metres."))
    assert figures_of(RIGHT, later)["first_quote"].value == 50


def test_the_baseline_is_seeded_and_finds_what_is_everywhere() -> None:
    everywhere = {"/a": "41 metres " * 50, "/b": "41 metres " * 50}
    nowhere = {"/a": "nothing " * 50}
    draw = [eval_score.random_share(QUESTION, everywhere, random.Random(1)) for _ in range(2)]
    assert draw == [1.0, 1.0]
    assert eval_score.random_share(QUESTION, nowhere, random.Random(1)) == 0.0


def test_one_page_or_several_are_read() -> None:
    line: dict[str, object] = {
        "id": "q1",
        "question": "?",
        "start": "/",
        "expected": ["a"],
        "kind": "name",
        "answerable": True,
    }
    assert eval_score.parse_question({**line, "page": "/a"}).pages == ("/a",)
    assert eval_score.parse_question({**line, "page": ["/a", "/b"]}).pages == ("/a", "/b")
