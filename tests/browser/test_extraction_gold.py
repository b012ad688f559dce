"""Extraction without a model over the fixture site, judged by values that people read from it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from browser_agent._freeze import thaw
from browser_agent.browser.browser import Browser
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite
from browser_agent.tools.extraction import leaves

pytestmark = pytest.mark.anyio
FIXTURES = Path(__file__).parents[2] / "fixtures"
GOLD: list[dict[str, Any]] = [
    json.loads(line) for line in (FIXTURES / "extraction.jsonl").read_text().splitlines()
]


WORKERS = 4


@dataclass(slots=True)
class Tally:
    """Values that were right, given and not right, wanted and not given."""

    right: int = 0
    wrong: list[str] = field(default_factory=list[str])
    missed: list[str] = field(default_factory=list[str])

    def count(self, page: str, given: object, wanted: object) -> None:
        got, gold = dict(leaves(given)), dict(leaves(wanted))
        for pointer in sorted(got.keys() | gold.keys()):
            if pointer in got and got[pointer] == gold.get(pointer):
                self.right += 1
                continue
            if pointer in got:
                self.wrong.append(f"{page} {pointer}: {got[pointer]!r}")
            if pointer in gold:
                self.missed.append(f"{page} {pointer}: {gold[pointer]!r}")


def check_sources(result: Result) -> None:
    """Every value says where it stands."""
    data: Any = thaw(result.data)
    assert set(data["sources"]) == {pointer for pointer, _ in leaves(data["value"])}
    assert data["unsupported"] == []
    assert all(source["in"] for source in data["sources"].values())


async def test_precision_and_recall_over_the_fixture_site(browser: Browser) -> None:
    tally = Tally()
    assert len({entry["page"] for entry in GOLD}) >= 30
    waiting = list(GOLD)

    async def work(site: FixtureSite) -> None:
        async with browser.session() as session:
            while waiting:
                entry = waiting.pop()
                assert (await session.navigate(site.at(entry["page"]))).is_ok, entry["page"]
                result = await session.extract(entry["schema"])
                data: Any = thaw(result.require())
                tally.count(entry["page"], data["value"], entry["value"])
                check_sources(result)

    async with FixtureSite.serve(FIXTURES / "site") as site, asyncio.TaskGroup() as group:
        for _ in range(WORKERS):
            group.create_task(work(site))
    precision = tally.right / (tally.right + len(tally.wrong))
    recall = tally.right / (tally.right + len(tally.missed))
    assert precision >= 0.98, tally.wrong
    assert recall >= 0.9, tally.missed
