"""The built-in model: no key, no network of its own, no chance. It reads pages by tool calls and
answers with what they say, quoted.

Owns the decisions of a run: open, read on, search, stop. It keeps nothing between calls; what it
knows it reads back from the request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import cast
from urllib.parse import urljoin, urlsplit

from browser_agent.logic.evidence import Candidate
from browser_agent.logic.question import Question, parse_question
from browser_agent.models.answering import render_answer, render_not_found
from browser_agent.models.frontier import Lead, find_leads, normal_url
from browser_agent.models.library import Page, find_answers, read_page, weigh_terms
from browser_agent.models.trail import Trail, Visit, read_trail
from browser_agent.records.model import (
    JsonDict,
    ModelPrice,
    ModelReply,
    ModelRequest,
    ToolCall,
    Usage,
)

MAX_PAGES = 12
MAX_TURNS = 27
MAX_PARTS = 6
SURE_RELATION, SURE_FIT = 0.8, 0.9
SURE_TERMS = 3
MIN_READ, WEAK_LEAD = 3, 0.45
IDLE_RELATION, IDLE_FIT = 0.65, 0.7
IDLE_PAGES = 3
MAX_SEARCHES = 3
MIN_QUERY_WEIGHT = 0.45
MAX_HUB_PARTS = 4
MIN_WORTH, WORTHLESS = 0.15, -0.3
_FIELD = re.compile(r"(?m)^\s*\[?(?:ref=)?(e\d+)\]?\s+(searchbox|textbox|combobox)\b(.*)$")
_SEARCHING = re.compile(r"search|such|busca|recherch|cerca|zoek|query|find", re.IGNORECASE)

_Call = tuple[str, dict[str, object]]


class ExtractiveModel:
    """Follows links best-first, ranks what it read, quotes or says that it found nothing."""

    def __repr__(self) -> str:
        return "ExtractiveModel()"

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Decide the next calls, or give the answer."""
        trail = read_trail(request)
        tools = {_tool_name(tool) for tool in request.tools}
        work = _Work(trail, tools)
        calls = work.next_calls()
        if calls:
            return _ask(calls, trail.turns)
        return work.answer()

    def price(self) -> ModelPrice:
        """Nothing."""
        return ModelPrice(input_usd=0.0, output_usd=0.0)

    def supports_output_schema(self) -> bool:
        """It only quotes."""
        return False

    def context_window(self) -> int | None:
        """It has none: it reads Results, not messages."""
        return None


def _tool_name(tool: JsonDict) -> str:
    function = cast("JsonDict", tool.get("function") or {})
    return str(function.get("name"))


def _ask(calls: Sequence[_Call], turn: int) -> ModelReply:
    made = tuple(
        ToolCall(id=f"call_{turn}_{n}", name=name, arguments=json.dumps(arguments))
        for n, (name, arguments) in enumerate(calls)
    )
    return ModelReply(tool_calls=made, finish_reason="tool_calls", usage=_FREE)


_FREE = Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)


class _Work:
    def __init__(self, trail: Trail, tools: set[str]) -> None:
        self.trail = trail
        self.tools = tools
        self.pages: list[Page] = [read_page(visit) for visit in trail.visits if visit.is_ok]
        self.question: Question = weigh_terms(parse_question(trail.task), self.pages)
        self.answers: list[Candidate] = find_answers(self.question, self.pages)

    @property
    def is_found(self) -> bool:
        """The best sentence is one that can be answered with."""
        return bool(self.answers) and self.answers[0].is_acceptable

    @property
    def is_sure(self) -> bool:
        """Nothing better can be expected."""
        best = self.answers[0] if self.answers else None
        own = [term for term in self.question.terms if not term.is_given]
        return (
            best is not None
            and self.is_found
            and len(own) >= SURE_TERMS
            and best.relation >= SURE_RELATION
            and best.fit >= SURE_FIT
        )

    @property
    def is_idle(self) -> bool:
        """The last pages brought nothing better than what was found before them."""
        read = [visit for visit in self.trail.visits if visit.is_ok]
        if len(read) <= IDLE_PAGES + 1 or not self.is_found:
            return False
        if self.answers[0].relation < IDLE_RELATION or self.answers[0].fit < IDLE_FIT:
            return False
        return self.answers[0].block.part < read[-IDLE_PAGES].step.number

    def next_calls(self) -> list[_Call]:
        trail = self.trail
        if not {"browser_navigate", "browser_read"} <= self.tools or trail.turns >= MAX_TURNS:
            return []
        if more := self._read_on():
            return more
        if len(trail.visits) >= MAX_PAGES:
            return []
        opened = {normal_url(visit.requested) for visit in trail.visits if visit.requested}
        for start in trail.starts:
            if normal_url(start) not in opened:
                return self._open(start, first=not trail.visits)
        if search := self._search():
            return search
        return self._follow()

    def _read_on(self) -> list[_Call]:
        visit = self.trail.visits[-1] if self.trail.visits else None
        if visit is None or visit.query is not None:
            return []
        calls: list[_Call] = []
        hub = visit.next_of(visit.markdown)
        if hub and len(self.trail.visits) == 1 and len(visit.markdown) < MAX_HUB_PARTS:
            calls.append(("browser_read", {"format": "markdown", "cursor": hub}))
        more = visit.next_of(visit.texts)
        if more and len(visit.texts) < MAX_PARTS and not self.is_sure:
            calls.append(("browser_read", {"format": "text", "cursor": more}))
        return calls

    def _open(self, url: str, *, first: bool = False) -> list[_Call]:
        calls: list[_Call] = [("browser_navigate", {"url": url}), *_READS]
        if first and "browser_snapshot" in self.tools:
            calls.append(_FIELDS)
        return calls

    def _search(self) -> list[_Call]:
        visit = self.trail.visits[-1] if self.trail.visits else None
        tries = len(self.trail.queries)
        if visit is None and "browser_search" not in self.tools:
            return []
        if tries and (visit is None or visit.query is None or self._has_hits(visit)):
            return []
        query = self._query(tries)
        if not query or query in self.trail.queries or tries >= MAX_SEARCHES:
            return []
        if "browser_search" in self.tools:
            return [("browser_search", {"query": query}), *_READS]
        ref = _search_field(visit)
        if ref is None or "browser_type" not in self.tools:
            return []
        typed: dict[str, object] = {"target": ref, "text": query, "submit": True}
        return [("browser_type", typed), *_READS, _FIELDS]

    def _query(self, tries: int) -> str:
        """The weighty words of the question; fewer of them at every further try."""
        terms = [term for term in self.question.terms if term.weight >= MIN_QUERY_WEIGHT]
        wanted = (6, 2, 1)[min(tries, 2)]
        heavy = sorted(terms, key=lambda term: -term.weight)[:wanted]
        return " ".join(term.word for term in terms if term in heavy)

    def _has_hits(self, visit: Visit) -> bool:
        """A page of results links to pages that were not linked before."""
        known = {link.url for page in self.pages if not page.is_search for link in page.links}
        page = next((page for page in self.pages if page.url == visit.url), None)
        return page is not None and any(
            normal_url(link.url) != normal_url(page.url) and link.url not in known
            for link in page.links
        )

    def _follow(self) -> list[_Call]:
        if self.is_sure or self.is_idle:
            return []
        leads = self._leads()
        if sitemap := self._sitemap(leads):
            return self._open(sitemap)
        if not leads or leads[0].worth < (MIN_WORTH if self.is_found else WORTHLESS):
            return []
        return self._open(leads[0].url)

    def _sitemap(self, leads: Sequence[Lead]) -> str | None:
        """The first start's sitemap, asked for once, when no link and no search points anywhere."""
        if self.is_found or not self.trail.starts or len(self.pages) < MIN_READ:
            return None
        if leads and leads[0].worth >= WEAK_LEAD:
            return None
        url = urljoin(self.trail.starts[0], "/sitemap.xml")
        is_asked = any(visit.requested == url for visit in self.trail.visits)
        return None if is_asked or self._is_search_useful() else url

    def _is_search_useful(self) -> bool:
        return any(v.query is not None and self._has_hits(v) for v in self.trail.visits)

    def _leads(self) -> list[Lead]:
        seen = [v.requested for v in self.trail.visits] + [page.url for page in self.pages]
        hosts = {urlsplit(url).netloc for url in self.trail.starts}
        return find_leads(self.question, self.pages, seen=seen, hosts=hosts)

    def answer(self) -> ModelReply:
        found = self.is_found
        if found:
            text = render_answer(self.question, self.answers)
        else:
            titles = [page.title or page.url for page in self.pages if not page.is_sitemap]
            text = render_not_found(titles, [lead.text for lead in self._leads()[:5]])
        return ModelReply(text=text, answered=found, finish_reason="stop", usage=_FREE)


_FIELDS: _Call = ("browser_snapshot", {"mode": "interactive"})
_READS: tuple[_Call, ...] = (
    ("browser_read", {"format": "markdown"}),
    ("browser_read", {"format": "text"}),
)


def _search_field(visit: Visit | None) -> str | None:
    if visit is None or visit.snapshot is None:
        return None
    fields = _FIELD.findall(visit.snapshot.text("text"))
    for ref, role, rest in fields:
        if role == "searchbox" or _SEARCHING.search(rest):
            return str(ref)
    return None
