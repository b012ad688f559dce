"""The fixture site: its links, its kinds of pages, and what its computed pages answer."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest

from browser_agent.testing import FixtureSite
from browser_agent.testing.site_pages import LOGIN_EMAIL, LOGIN_PASSWORD

SITE = Path(__file__).parents[2] / "fixtures" / "site"
COMPUTED = frozenset({"/search", "/login", "/logout", "/account", "/contact", "/catalogue/"})
STRUCTURED = re.compile(r"application/ld\+json|itemscope|og:type|<table|<dl")


def page_paths() -> list[str]:
    files = sorted(file.relative_to(SITE).as_posix() for file in SITE.rglob("*.html"))
    return [f"/{name}" for name in files if not name.startswith("_site/")]


class LinkParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, text in attrs:
            if text is not None and name in {"href", "src", "action"}:
                self.links.append(text)
            if text is not None and name == "id":
                self.anchors.add(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    targets: frozenset[str]
    anchors: frozenset[str]


def links_of(path: str) -> Links:
    parser = LinkParser()
    parser.feed((SITE / path.lstrip("/")).read_text(encoding="utf-8"))
    targets = (urljoin(f"http://site{path}", link) for link in parser.links)
    local = frozenset(target for target in targets if urlsplit(target).netloc == "site")
    return Links(targets=local, anchors=frozenset(parser.anchors))


def file_of(target: str) -> str:
    path = urlsplit(target).path
    return f"{path}index.html" if path.endswith("/") and path not in COMPUTED else path


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with (
        FixtureSite.serve(SITE) as site,
        httpx.AsyncClient(base_url=site.url, follow_redirects=True) as client,
    ):
        yield client


def test_the_site_has_pages_of_many_kinds() -> None:
    paths = page_paths()
    sections = [path.split("/")[1] for path in paths if path.count("/") > 1]
    assert len(paths) >= 80
    assert sections.count("encyclopedia") >= 14
    assert sections.count("catalogue") >= 12
    assert sections.count("docs") >= 10
    assert sections.count("news") >= 8
    assert (sections.count("de"), sections.count("es")) == (4, 4)


def test_many_pages_carry_structure_that_can_be_extracted() -> None:
    texts = [(SITE / path[1:]).read_text(encoding="utf-8") for path in page_paths()]
    assert sum(bool(STRUCTURED.search(text)) for text in texts) >= 50
    assert sum("application/ld+json" in text for text in texts) >= 25
    assert sum("itemscope" in text for text in texts) >= 8


def test_one_page_is_longer_than_a_result_may_be() -> None:
    text = (SITE / "harbour" / "chronicle.html").read_text(encoding="utf-8")
    assert len(re.sub(r"<[^>]+>", "", text).encode()) > 65_536


@pytest.mark.parametrize("path", page_paths())
def test_every_internal_link_resolves(path: str) -> None:
    for target in links_of(path).targets:
        name = file_of(target)
        assert name in COMPUTED or (SITE / name.lstrip("/")).is_file(), target
        fragment = urlsplit(target).fragment
        assert not fragment or fragment in links_of(name).anchors, target


def test_every_page_but_frames_is_at_most_three_links_from_the_start() -> None:
    products = {path for path in page_paths() if path.startswith("/catalogue/")}
    seen = {"/index.html"}
    frontier = seen
    for _ in range(3):
        reached = {file_of(target) for path in frontier for target in links_of(path).targets}
        if "/catalogue/" in reached:
            reached |= products
        frontier = {path for path in reached if path in page_paths()} - seen
        seen = seen | frontier
    assert set(page_paths()) - seen == set()


def test_the_start_page_links_sections_and_not_everything() -> None:
    assert len(links_of("/index.html").targets) < 25


@pytest.mark.anyio
async def test_robots_and_sitemap(client: httpx.AsyncClient) -> None:
    robots = (await client.get("/robots.txt")).text
    sitemap = (await client.get("/sitemap.xml")).text
    origin = str(client.base_url).rstrip("/")
    assert "Disallow: /private/" in robots
    assert f"Sitemap: {origin}/sitemap.xml" in robots
    listed = re.findall(r"<loc>(.*?)</loc>", sitemap)
    assert len(listed) == 80
    assert not [url for url in listed if "/private/" in url]
    for url in listed:
        assert url.startswith(origin)
        assert (await client.get(url)).status_code == 200


@pytest.mark.anyio
async def test_login_reveals_the_account(client: httpx.AsyncClient) -> None:
    outside = await client.get("/account")
    assert outside.url.path == "/login.html"
    wrong = await client.post("/login", data={"email": LOGIN_EMAIL, "password": "guess"})
    assert (wrong.status_code, "wrong" in wrong.text) == (403, True)
    inside = await client.post("/login", data={"email": LOGIN_EMAIL, "password": LOGIN_PASSWORD})
    assert inside.url.path == "/account"
    assert "KB-1204" in inside.text
    await client.get("/logout")
    assert "KB-1204" not in (await client.get("/account")).text


@pytest.mark.anyio
async def test_the_contact_form_says_what_is_missing_and_escapes(client: httpx.AsyncClient) -> None:
    incomplete = await client.post("/contact", data={"name": "Ada", "email": "a@b.example"})
    assert (incomplete.status_code, "fill in: message" in incomplete.text) == (422, True)
    fields = {"name": "<b>Ada", "email": "a@b.example", "message": "Hello", "topic": "Tidewatch"}
    sent = await client.post("/contact", data=fields)
    assert "Thank you, &lt;b&gt;Ada" in sent.text
    assert (await client.get("/contact")).url.path == "/contact.html"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("double stars astronomer", "/encyclopedia/tobias-quell.html"),
        ("kelp kiln", "/encyclopedia/kelp-burning.html"),
        ("Fähre Gepäck", "/de/faehre.html"),
    ],
)
async def test_search_finds_pages(client: httpx.AsyncClient, query: str, first: str) -> None:
    page = (await client.get("/search", params={"q": query})).text
    assert re.findall(r'<li><a href="([^"]+)"', page)[0] == first


@pytest.mark.anyio
async def test_search_hides_private_pages_and_escapes(client: httpx.AsyncClient) -> None:
    page = (await client.get("/search", params={"q": "minutes treasurer kettle <script>"})).text
    assert "/private/minutes" not in page
    assert "<script>" not in page
    assert "0 pages found" in (await client.get("/search", params={"q": "zzyzx"})).text


@pytest.mark.anyio
async def test_the_catalogue_pages_through_all_products(client: httpx.AsyncClient) -> None:
    found: list[str] = []
    url = "/catalogue/"
    for _ in range(3):
        page = (await client.get(url)).text
        found += re.findall(r'<li><a href="([^"]+)"', page)
        following = re.search(r'href="([^"]+)">Next page', page)
        url = following[1].replace("&amp;", "&") if following else ""
    assert url == ""
    assert len(found) == len(set(found)) == 12
    assert {f"{path}" for path in found} <= set(page_paths())


@pytest.mark.anyio
async def test_the_catalogue_filters_and_sorts(client: httpx.AsyncClient) -> None:
    query = {"category": "instruments", "max_price": "200", "sort": "price-desc"}
    page = (await client.get("/catalogue/", params=query)).text
    prices = [float(price) for price in re.findall(r"€ ([\d.]+)</span>", page)]
    assert prices == [189.0, 94.0, 78.0]
    beyond = (await client.get("/catalogue/", params={"page": "99"})).text
    assert "page 3 of 3" in beyond
    assert (
        "0 articles, page 1 of 1"
        in (await client.get("/catalogue/", params={"category": "submarines"})).text
    )
