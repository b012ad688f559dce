"""The sample site that comes with the package: six pages and one question for the demo."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from urllib.parse import urlsplit

import httpx
import pytest

from browser_agent.testing import FixtureSite

SAMPLE = files("browser_agent.testing") / "sample_site"


def read(name: str) -> str:
    return (SAMPLE / name).read_text(encoding="utf-8")


def test_the_sample_has_six_pages_and_a_question() -> None:
    pages = [file.name for file in SAMPLE.iterdir() if file.name.endswith(".html")]
    asked = json.loads(read("demo.json"))
    assert len(pages) == 6
    assert sorted(asked) == ["question", "start"]
    assert asked["question"].endswith("?")


def test_the_answer_is_two_links_from_the_start_and_fits_three_quotes() -> None:
    assert 'href="/history.html"' in read("index.html")
    assert 'href="/move.html"' not in read("index.html")
    assert 'href="/move.html"' in read("history.html")
    sentences = re.findall(r"<p>([^<]*?\.)(?: |</p>)", read("move.html"))
    quotes = [sentence for sentence in sentences if "lighthouse" in sentence]
    assert len(quotes) == 3
    assert sum(map(len, quotes)) <= 600


@pytest.mark.anyio
async def test_every_link_and_the_sitemap_resolve() -> None:
    asked = json.loads(read("demo.json"))
    async with FixtureSite.serve(str(SAMPLE)) as site, httpx.AsyncClient() as client:
        waiting, seen = {site.at(asked["start"])}, set[str]()
        while waiting:
            url = waiting.pop()
            seen.add(url)
            answer = await client.get(url)
            assert answer.status_code == 200, url
            found = re.findall(r'(?:href="|<loc>)([^"<]+)', answer.text)
            waiting |= {str(httpx.URL(url).join(link)) for link in found} - seen
            waiting |= {site.at("/sitemap.xml"), site.at("/robots.txt")} - seen
        assert {urlsplit(url).path for url in seen if url.endswith((".html", "/"))} == {
            *("/", "/history.html", "/move.html", "/press.html", "/keepers.html", "/visit.html"),
        }
