"""The fixture questions keep their rules: answers stand on their pages, questions paraphrase."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import NotRequired, TypedDict

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"
SITE = FIXTURES / "site"

BLOCKS = frozenset(
    re.findall(
        r"\S+",
        "p li dd dt tr h1 h2 h3 caption blockquote pre title div section article aside legend",
    )
)
SKIPPED = frozenset({"script", "style", "head"})
SENTENCE_END = re.compile(r"(?<=[.!?])[”\"]?\s+(?=[\w“\"¿])")
WORD = re.compile(r"\w+")
STOP_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
    a about after again all an and any are as at be been before being but by can could did
    do does for from had has have her him his how i if in into is it its itself least many
    may me more most much must my no not of off on one only or other our out over own should
    so some such than that the their them then there these they this those through to too
    under up was we were what when where which while who whom whose why will with would you
    your am auf aus das dem den der des die ein eine einem einen einer es für im in ist mit
    nach und von vor wann was welche welcher welches werden wie wird zu zum zur al con cuál
    cuándo cuánto de del dónde el en es la las los más para por qué que quién se su tiene un
    una y
    """,
    )
)

# What scripts put on a page; its HTML does not hold it.
DRAWN = {
    "/harbour/tides.html": [
        "The sea will climb furthest on Thursday at 06:24, to 4.9 metres at the Custom House",
        "Thursday High water 06:24 4.9 m",
    ],
    "/harbour/dashboard.html": [
        "Amber, flashing A diver is at work near the ferry steps; dead slow.",
    ],
}


class Question(TypedDict):
    id: str
    package: NotRequired[str]
    question: str
    start: str
    expected: list[str]
    page: str | list[str]
    kind: str
    answerable: bool


def load_questions(name: str) -> list[Question]:
    lines = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


QUESTIONS = load_questions("questions.jsonl")
DEBIAN_QUESTIONS = load_questions("questions_debian.jsonl")
ANSWERABLE = [question for question in QUESTIONS if question["answerable"]]
UNANSWERABLE = [question for question in QUESTIONS if not question["answerable"]]


class PassageParser(HTMLParser):
    """Collects the text of blocks; a row is one passage, so is a term with its description."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[str] = [""]
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._skipped += tag in SKIPPED
        if tag in BLOCKS - {"dd"}:
            self.blocks.append("")
        elif tag in {"td", "th", "dd", "br"}:
            self.blocks[-1] += " "

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in SKIPPED
        if tag in BLOCKS - {"dt"}:
            self.blocks.append("")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.blocks[-1] += data


def passages_of(path: str) -> list[str]:
    parser = PassageParser()
    file = SITE / path.lstrip("/")
    parser.feed(file.read_text(encoding="utf-8"))
    blocks = [" ".join(block.split()) for block in parser.blocks]
    return [part for block in blocks for part in SENTENCE_END.split(block) if part] + DRAWN.get(
        path, []
    )


def pages_of(question: Question) -> list[str]:
    page = question["page"]
    return [page] if isinstance(page, str) else page


def stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "ly", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def content_words(text: str) -> set[str]:
    words = (word.removesuffix("s") for word in WORD.findall(text.lower().replace("'s", "")))
    return {stem(word) for word in words if word not in STOP_WORDS and f"{word}s" not in STOP_WORDS}


def answering_passages(question: Question) -> list[str]:
    passages = [part for page in pages_of(question) for part in passages_of(page)]
    return [part for part in passages if any(answer in part for answer in question["expected"])]


def ids(question: Question) -> str:
    return question["id"]


def test_there_are_sixty_questions_with_an_answer_and_ten_without() -> None:
    assert (len(ANSWERABLE), len(UNANSWERABLE)) == (60, 10)
    assert len({question["id"] for question in QUESTIONS}) == 70
    assert len({question["question"] for question in QUESTIONS}) == 70


@pytest.mark.parametrize("question", ANSWERABLE, ids=ids)
def test_every_accepted_answer_stands_on_a_page_named(question: Question) -> None:
    text = "\n".join(part for page in pages_of(question) for part in passages_of(page))
    assert question["expected"]
    assert [answer for answer in question["expected"] if answer not in text] == []


@pytest.mark.parametrize("question", ANSWERABLE, ids=ids)
def test_at_most_half_of_the_words_stand_in_a_passage_that_answers(question: Question) -> None:
    words = content_words(question["question"])
    for passage in answering_passages(question):
        shared = words & content_words(passage)
        assert len(shared) <= len(words) / 2, (sorted(shared), sorted(words), passage)


@pytest.mark.parametrize("question", QUESTIONS, ids=ids)
def test_the_question_does_not_give_its_answer_away(question: Question) -> None:
    assert [answer for answer in question["expected"] if answer in question["question"]] == []


@pytest.mark.parametrize("question", UNANSWERABLE, ids=ids)
def test_questions_without_an_answer_name_no_page(question: Question) -> None:
    assert (question["expected"], question["page"]) == ([], [])


def test_questions_spread_over_the_site() -> None:
    pages = {page for question in ANSWERABLE for page in pages_of(question)}
    sections = {page.split("/")[1] for page in pages}
    assert len(pages) >= 35
    assert sections == {
        *("encyclopedia", "catalogue", "docs", "news", "harbour", "visit", "kitchen", "de", "es"),
    }


def test_twenty_questions_over_documentation_that_debian_ships() -> None:
    assert len({question["question"] for question in DEBIAN_QUESTIONS}) == 20
    assert len({question["id"] for question in DEBIAN_QUESTIONS}) == 20
    assert {question.get("package") for question in DEBIAN_QUESTIONS} == {
        *("python3.11-doc", "debian-reference-en", "gnuplot-doc"),
    }


@pytest.mark.parametrize("question", DEBIAN_QUESTIONS, ids=ids)
def test_debian_questions_are_complete_and_keep_their_answer(question: Question) -> None:
    assert question["answerable"]
    assert question["expected"]
    assert question["start"].startswith("/")
    assert question["start"] not in pages_of(question)
    assert [answer for answer in question["expected"] if answer in question["question"]] == []


def test_the_rule_can_fail() -> None:
    words = content_words("How many steps has the tower of Skerrow Light?")
    assert words == {"step", "tower", "skerrow", "light"}
    assert len(words & content_words("The tower of Skerrow has 214 steps.")) > len(words) / 2
