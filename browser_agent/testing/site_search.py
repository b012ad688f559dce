"""Full-text search over a folder of HTML files: what a small site's own search box would do.

Owns reading text out of the files and counting words. It ranks by plain counts on purpose: the
fixture site's search is ordinary, not clever.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from browser_agent.testing.site_files import PRIVATE_FOLDER

SKIPPED_TAGS = frozenset({"script", "style", "nav", "header", "footer", "template"})
WORD = re.compile(r"\w+")
SNIPPET_CHARACTERS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePage:
    """One searchable page: its path from the root, its title, its visible text."""

    path: str
    title: str
    text: str


class _TextParser(HTMLParser):
    """Collects the title and the text outside navigation and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.title: list[str] = []
        self.text: list[str] = []
        self._skipped = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._skipped += tag in SKIPPED_TAGS
        self._in_title = self._in_title or tag == "title"

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in SKIPPED_TAGS and self._skipped > 0
        self._in_title = self._in_title and tag != "title"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not self._skipped and data.strip():
            self.text.append(data)


def load_pages(folder: Path, *, hidden: tuple[str, ...] = ()) -> tuple[SitePage, ...]:
    """Every HTML page below `folder` but those whose path starts with a `hidden` prefix."""
    found: list[SitePage] = []
    for file in sorted(folder.rglob("*.html")):
        relative = file.relative_to(folder).as_posix()
        path = "/" + relative.removesuffix("index.html")
        if relative.startswith(f"{PRIVATE_FOLDER}/") or path.startswith(hidden):
            continue
        found.append(parse_page(path, file.read_text(encoding="utf-8")))
    return tuple(found)


def parse_page(path: str, html: str) -> SitePage:
    """The title and the text of one page, white space folded."""
    parser = _TextParser()
    parser.feed(html)
    text = " ".join(" ".join(parser.text).split())
    return SitePage(path=path, title="".join(parser.title).strip(), text=text)


def search_pages(pages: tuple[SitePage, ...], query: str, limit: int = 10) -> tuple[SitePage, ...]:
    """Pages that hold the most of the query's words, title words first, at most `limit`."""
    words = set(WORD.findall(query.lower()))
    scored = [(_score(page, words), page) for page in pages]
    ranked = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    return tuple(page for _, page in ranked[:limit])


def snippet(page: SitePage, query: str) -> str:
    """A stretch of the page's text around the first word of the query that it holds."""
    text = page.text.lower()
    places = [text.find(word) for word in WORD.findall(query.lower()) if word in text]
    start = max(0, min(places, default=0) - SNIPPET_CHARACTERS // 3)
    return page.text[start : start + SNIPPET_CHARACTERS].strip()


def _score(page: SitePage, words: set[str]) -> int:
    title = set(WORD.findall(page.title.lower()))
    text = set(WORD.findall(page.text.lower()))
    return sum((word in text) + 2 * (word in title) for word in words)
