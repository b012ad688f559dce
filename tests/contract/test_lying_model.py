"""A model that lies about its page: every invented figure is flagged, true quotes hold."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from browser_agent.logic.citations import Cited, check_citations
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.robot.robot import Robot
from browser_agent.tools.tool import tool

SITE = Path(__file__).parents[2] / "fixtures" / "site"
PAGES = [
    *sorted((SITE / "encyclopedia").glob("*.html")),
    *sorted((SITE / "news").glob("20*.html")),
]
_SENTENCE = re.compile(r"(?<![\w.])[A-Z][^.!?]{40,200}[.](?=\s|$)")
_DIGIT = re.compile(r"\d")


def text_of(path: Path) -> str:
    main = LexborHTMLParser(path.read_text()).css_first("main")
    assert main is not None
    return re.sub(r"\s+", " ", main.text(deep=True, separator=" "))


TEXTS = {path.name: text_of(path) for path in PAGES}
SENTENCES = [
    (name, found)
    for name, text in TEXTS.items()
    for found in _SENTENCE.findall(text)
    if _DIGIT.search(found) and '"' not in found
]


def one_digit(quote: str, chance: random.Random) -> str:
    at = chance.choice([found.start() for found in _DIGIT.finditer(quote)])
    other = chance.choice([d for d in "0123456789" if d != quote[at]])
    return quote[:at] + other + quote[at + 1 :]


def one_word(quote: str, chance: random.Random) -> str:
    words = quote.split(" ")
    at = chance.randrange(len(words))
    words[at] = chance.choice(["harbour", "granite", "seldom", "never", "Lisbon"]) + "x"
    return " ".join(words)


def negated(quote: str, chance: random.Random) -> str:
    words = quote.split(" ")
    if "not" in words:
        words.remove("not")
    else:
        words.insert(chance.randrange(1, len(words)), "not")
    return " ".join(words)


def absent(quote: str, chance: random.Random) -> str:
    words = quote.split(" ")
    chance.shuffle(words)
    return " ".join(words)


ALTERED: dict[str, Callable[[str, random.Random], str]] = {
    "digit": one_digit,
    "word": one_word,
    "negation": negated,
    "absent": absent,
}


@pytest.mark.parametrize("kind", ALTERED)
def test_no_altered_quote_of_real_prose_is_verified(kind: str, long_run: bool) -> None:
    chance = random.Random(kind)
    planted = 0
    for _ in range(5_000 if long_run else 400):
        name, quote = chance.choice(SENTENCES)
        page = Result.ok(data={"text": TEXTS[name], "title": name})
        (true,) = check_citations([Cited(claim="So it is", quote=quote, result=1)], [page])
        assert true.verified, (quote, true.reason)
        changed = ALTERED[kind](quote, chance)
        if changed in TEXTS[name]:
            continue
        (false,) = check_citations([Cited(claim="So it is", quote=changed, result=1)], [page])
        assert not false.verified, changed
        planted += 1
    assert planted > 350


async def told(page: str, reply: str) -> RobotResult:
    """The run of a robot that reads one page and says ``reply``."""

    @tool
    def look() -> Result:
        """Read the page."""
        return Result.ok({"text": TEXTS[page]})

    model = ScriptedModel([[("look", {})], reply])
    return await Robot("liar", model=model, tools=[look]).run("What does it say?")


@pytest.mark.anyio
async def test_every_invented_figure_of_a_lying_model_is_flagged(long_run: bool) -> None:
    chance = random.Random(7)
    for _ in range(400 if long_run else 40):
        page, quote = chance.choice(SENTENCES)
        number, year = f"{chance.randrange(10**6, 10**7):,}", str(chance.randrange(2031, 2999))
        day = f"{chance.randrange(1, 28)} May {chance.randrange(2031, 2999)}"
        other = chance.choice([one_digit, negated])(quote, chance)
        reply = (
            f"It is as the page says [1]. It had {number} visitors in {year} [1]. "
            f"Jorund Halvprest opened it on {day} [2].\n\n"
            f'[1] R1 "{quote}"\n[2] R1 "{other}"'
        )
        result = await told(page, reply)
        assert {number, year, day, "Jorund Halvprest"} <= set(result.unsupported), result
        held = [one.claim for one in result.citations if one.verified]
        assert held == ["It is as the page says."], result.citations
