"""The built-in model over small sites that live in memory; the loop and a real browser are tested
elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from browser_agent.logic.citations import check_citations, split_reply
from browser_agent.models.extractive import MAX_PAGES, ExtractiveModel
from browser_agent.models.trail import START
from browser_agent.records.model import ModelReply, ModelRequest
from browser_agent.records.result import Result
from browser_agent.robot import prompt

pytestmark = pytest.mark.anyio

ORIGIN = "http://town.test"
TOOLS = ("browser_navigate", "browser_read", "browser_snapshot", "browser_type", "browser_search")


@dataclass(frozen=True)
class Page:
    title: str
    markdown: str

    @property
    def text(self) -> str:
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", self.markdown)
        return "\n".join(line.lstrip("# ") for line in plain.split("\n") if line.strip())


def page(title: str, *lines: str) -> Page:
    return Page(title, f"# {title}\n\n" + "\n\n".join(lines))


@dataclass
class Town:
    """Pages by path and the tools of a browser, as far as the model uses them."""

    pages: Mapping[str, Page]
    hits: Mapping[str, str] = field(default_factory=dict[str, str])
    part_chars: int = 20_000
    tools: tuple[str, ...] = TOOLS[:4]
    opened: list[str] = field(default_factory=list[str])
    queries: list[str] = field(default_factory=list[str])
    now: tuple[str, Page] | None = None

    def call(self, name: str, arguments: Mapping[str, object]) -> Result:
        match name:
            case "browser_navigate":
                return self._open(str(arguments["url"]))
            case "browser_type" | "browser_search":
                return self._find(str(arguments.get("text") or arguments.get("query")))
            case "browser_snapshot":
                text = 'e7 searchbox "Search"' if self.hits else 'e3 textbox "Your name"'
                return Result.ok(data={"text": text, "mode": "interactive"})
            case _:
                return self._read(arguments)

    def _open(self, url: str) -> Result:
        self.opened.append(url)
        found = self.pages.get(url.removeprefix(ORIGIN))
        if found is None:
            return Result.failure("error", code="http_error", final_url=url)
        self.now = (url, found)
        return Result.ok(data={"title": found.title, "http_status": 200}, final_url=url)

    def _find(self, query: str) -> Result:
        self.queries.append(query)
        links = [f"- [{self.pages[p].title}]({p})" for w, p in self.hits.items() if w in query]
        self.now = (f"{ORIGIN}/search?q={query}", page("Search", *links))
        return Result.ok(data={"changed": True, "navigated": True}, final_url=self.now[0])

    def _read(self, arguments: Mapping[str, object]) -> Result:
        assert self.now is not None
        url, shown = self.now
        form = str(arguments["format"])
        whole = shown.text if form == "text" else shown.markdown
        start = int(str(arguments.get("cursor") or 0))
        end = start + self.part_chars
        if end < len(whole):
            end = whole.rfind("\n", 0, end) + 1
        is_cut = end < len(whole)
        return Result.ok(
            data={"text": whole[start:end], "format": form, "title": shown.title},
            final_url=url,
            truncated=is_cut,
            cursor=str(end) if is_cut else None,
        )


@dataclass(frozen=True)
class Run:
    reply: ModelReply
    results: tuple[Result, ...]
    calls: tuple[tuple[str, str], ...]
    last: ModelRequest


async def ask(town: Town, question: str, *, start: str | None = "/") -> Run:
    model = ExtractiveModel()
    tools = tuple({"type": "function", "function": {"name": name}} for name in town.tools)
    task = question if start is None else f"{question}\n{START}{ORIGIN}{start}"
    messages: list[dict[str, object]] = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": task},
    ]
    results: list[Result] = []
    calls: list[tuple[str, str]] = []
    for _ in range(40):
        request = ModelRequest(messages=tuple(messages), tools=tools, results=tuple(results))
        reply = await model.complete(request)
        if not reply.tool_calls:
            return Run(reply, tuple(results), tuple(calls), request)
        asked = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
            for c in reply.tool_calls
        ]
        messages.append({"role": "assistant", "content": "", "tool_calls": asked})
        for call in reply.tool_calls:
            calls.append((call.name, call.arguments))
            results.append(town.call(call.name, json.loads(call.arguments)))
            shown = results[-1].render_for_model("n0nce", len(results))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": shown})
    raise AssertionError("the model does not come to an end")


MILL = page(
    "Copper Mill",
    "The Copper Mill stands on the river Ash and has ground barley since 1702.",
    "Its wheel was carved by Hanne Brook, who worked on it for nineteen months.",
    "## Visits",
    "The mill opens on Sundays. A ticket costs 4 crowns, and children pay nothing.",
    "The tower rises 31 metres above the yard.",
)
SQUARE = page("Market square", "The square is paved with basalt.", "Stalls open at six.")
HOME = page("Town of Ash", "Welcome.", "- [Sights](/sights)", "- [Town hall](/hall)")
SIGHTS = page("Sights", "- [Copper Mill](/mill): an old mill", "- [Market square](/square)")
HALL = page("Town hall", "The council meets on Mondays.")
PAGES = {"/": HOME, "/sights": SIGHTS, "/hall": HALL, "/mill": MILL, "/square": SQUARE}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who made the wheel of the Copper Mill?", "Hanne Brook"),
        ("How much does it cost to see the Copper Mill?", "4 crowns"),
        ("How tall is the tower of the Copper Mill?", "31 metres"),
        ("Since when has the Copper Mill been grinding?", "1702"),
    ],
)
async def test_it_finds_the_page_and_quotes_what_answers(question: str, answer: str) -> None:
    town = Town(PAGES)
    run = await ask(town, question)
    assert run.reply.answered is True
    assert answer in (run.reply.text or "")
    assert run.reply.finish_reason == "stop"
    _, cited = split_reply(run.reply.text or "")
    first, *_ = check_citations(cited, run.results)
    assert answer in first.quote
    assert run.results[(first.result or 0) - 1].final_url == f"{ORIGIN}/mill"


@pytest.mark.parametrize(
    "question",
    [
        "Who made the wheel of the Copper Mill?",
        "How tall is the tower of the Copper Mill?",
        "When do the stalls of the Market square open?",
    ],
)
async def test_every_citation_of_an_answer_holds(question: str) -> None:
    run = await ask(Town(PAGES), question)
    text = run.reply.text or ""
    _, cited = split_reply(text)
    checked = check_citations(cited, run.results)
    assert 1 <= len(checked) <= 3
    assert [one.reason for one in checked] == [None] * len(checked)
    assert len(text) <= 600


@pytest.mark.parametrize(
    "question",
    [
        "Who painted the ceiling of the cathedral?",
        "What is the name of the miller's cat at the Copper Mill?",
        "How deep is the harbour of Ash?",
        "When was the volcano near the Market square last active?",
    ],
)
async def test_it_says_so_when_the_pages_do_not_hold_the_answer(question: str) -> None:
    run = await ask(Town(PAGES), question)
    assert run.reply.answered is False
    text = run.reply.text or ""
    assert text.startswith("None of the pages read holds the answer.")
    assert "Copper Mill" in text
    assert split_reply(text)[1] == ()
    assert len(text) <= 600


async def test_the_same_request_gets_the_same_reply_and_runs_do_not_differ() -> None:
    question = "Who made the wheel of the Copper Mill?"
    first, second = await ask(Town(PAGES), question), await ask(Town(PAGES), question)
    assert first.calls == second.calls
    assert first.reply == second.reply
    assert await ExtractiveModel().complete(first.last) == first.reply


async def test_it_opens_at_most_twelve_pages_of_an_endless_site() -> None:
    links = [f"- [Mill number {n}](/{n})" for n in range(60)]
    pages = {f"/{n}": page(f"Mill {n}", f"Mill {n} grinds corn.", *links) for n in range(60)}
    town = Town({"/": page("Mills", *links), **pages})
    run = await ask(town, "Who painted the portrait of the founder?")
    assert run.reply.answered is False
    assert len(town.opened) == MAX_PAGES
    assert len(set(town.opened)) == MAX_PAGES


async def test_a_clear_answer_ends_the_search_early() -> None:
    town = Town(PAGES)
    await ask(town, "Who carved the wheel of the Copper Mill?")
    assert town.opened == [f"{ORIGIN}/", f"{ORIGIN}/sights", f"{ORIGIN}/mill"]


async def test_a_page_that_cannot_be_opened_is_passed_over_and_not_tried_again() -> None:
    home = page("Town of Ash", "- [Copper Mill wheel](/gone)", "- [Copper Mill](/mill)")
    town = Town({"/": home, "/mill": MILL})
    run = await ask(town, "Who made the wheel of the Copper Mill?")
    assert "Hanne Brook" in (run.reply.text or "")
    assert town.opened.count(f"{ORIGIN}/gone") == 1


async def test_a_long_page_is_read_on_by_its_cursor() -> None:
    filler = [f"Entry {n} of the ledger lists sacks of barley and rye." for n in range(400)]
    ledger = page("Copper Mill", *filler, "Hanne Brook carved the wheel of the mill from oak.")
    town = Town({"/": page("Ash", "[Copper Mill](/mill)"), "/mill": ledger}, part_chars=5_000)
    run = await ask(town, "Who carved the wheel of the Copper Mill?")
    assert "Hanne Brook" in (run.reply.text or "")
    assert any("cursor" in arguments for name, arguments in run.calls if name == "browser_read")


async def test_the_sites_own_search_form_is_used() -> None:
    hidden = page("Annals", "In 1822 the bell of Saint Orma cracked during the frost.")
    town = Town({"/": HOME, "/hall": HALL, "/annals": hidden}, hits={"bell": "/annals"})
    run = await ask(town, "When did the bell of Saint Orma crack?")
    assert town.queries
    assert "bell" in town.queries[0]
    assert "1822" in (run.reply.text or "")


async def test_a_search_without_hits_is_tried_with_fewer_words() -> None:
    town = Town({"/": HOME, "/hall": HALL}, hits={"nothing": "/hall"})
    await ask(town, "When did the enormous bell of Saint Orma crack loudly?")
    sizes = [len(query.split()) for query in town.queries]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes) > 1


async def test_the_operators_search_gives_a_start() -> None:
    town = Town({"/mill": MILL}, hits={"mill": "/mill"}, tools=TOOLS)
    run = await ask(town, "Who made the wheel of the Copper Mill?", start=None)
    assert town.opened == [f"{ORIGIN}/mill"]
    assert "Hanne Brook" in (run.reply.text or "")


async def test_without_browser_tools_it_says_that_it_has_nothing() -> None:
    run = await ask(Town({}, tools=()), "Who made the wheel?")
    assert (run.reply.answered, run.calls) == (False, ())


async def test_a_task_of_an_earlier_run_is_not_taken_for_this_one() -> None:
    earlier = await ask(Town(PAGES), "Who made the wheel of the Copper Mill?")
    later = {"role": "user", "content": f"How tall is the tower?\n{START}{ORIGIN}/square"}
    said = {"role": "assistant", "content": earlier.reply.text}
    request = ModelRequest(
        messages=(*earlier.last.messages, said, later), tools=earlier.last.tools, results=()
    )
    reply = await ExtractiveModel().complete(request)
    assert json.loads(reply.tool_calls[0].arguments) == {"url": f"{ORIGIN}/square"}


async def test_it_costs_nothing_and_says_so() -> None:
    model = ExtractiveModel()
    run = await ask(Town(PAGES), "How tall is the tower of the Copper Mill?")
    assert (run.reply.usage.cost_usd, run.reply.usage.input_tokens) == (0.0, 0)
    assert model.price().input_usd == model.price().output_usd == 0.0
    assert model.context_window() is None
    assert not model.supports_output_schema()


def test_the_line_of_a_start_is_the_one_that_the_prompt_writes() -> None:
    assert prompt.START == START


async def test_a_sitemap_shows_pages_that_nothing_links_to() -> None:
    listed = "<urlset xmlns='x'>\n" + f"<url><loc>{ORIGIN}/copper-mill</loc></url>\n" + "</urlset>"
    hidden = {
        "/": page("Town of Ash", "- [Town hall](/hall)", "- [Square](/square)"),
        "/hall": HALL,
        "/square": SQUARE,
        "/copper-mill": MILL,
        "/sitemap.xml": Page("", listed),
    }
    town = Town(hidden)
    run = await ask(town, "Who carved the wheel of the Copper Mill?")
    assert f"{ORIGIN}/sitemap.xml" in town.opened
    assert run.reply.answered
    assert "Hanne Brook" in str(run.reply.text)
    without = Town({path: shown for path, shown in hidden.items() if path != "/sitemap.xml"})
    assert not (await ask(without, "Who carved the wheel of the Copper Mill?")).reply.answered


async def test_further_quotes_are_pointed_to_by_their_sections() -> None:
    headed = page(
        "Copper Mill",
        "## Builders",
        "The wheel of the Copper Mill was carved by Hanne Brook in nineteen months.",
        "## Repairs",
        "The wheel of the Copper Mill was carved anew by Tomas Reed after the flood.",
    )
    run = await ask(Town({"/": HOME, "/sights": SIGHTS, "/mill": headed}), "Who carved the wheel?")
    body, cited = split_reply(str(run.reply.text))
    assert re.search(r"See also “(Builders|Repairs)” \[2\]\.$", body), body
    assert all(one.verified for one in check_citations(cited, run.results))
