"""The pages of a trail as the extractive model sees them: blocks with headings, links, evidence.

Owns turning visits into pages and asking the ranker. Everything is computed from what was read; long
texts are cut up once and remembered by their content.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from browser_agent.logic.evidence import (
    Candidate,
    PageFrame,
    best_of,
    find_candidates,
    frame_page,
)
from browser_agent.logic.page_text import (
    Block,
    Heading,
    Link,
    cut_blocks,
    read_headings,
    read_links,
)
from browser_agent.logic.question import Question
from browser_agent.models.ranking import rank_rows
from browser_agent.models.trail import Visit

BLOCK_WEIGHTS = (2.0, 2.0, 1.0, 1.0)
"""Title, headings, context, text."""

CANDIDATE_BLOCKS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page that was read."""

    url: str
    title: str
    blocks: tuple[Block, ...]
    links: tuple[Link, ...]
    frame: PageFrame
    is_search: bool


def read_page(visit: Visit) -> Page:
    """Take a visit's parts together."""
    markdown = "\n".join(step.text("text") for step in visit.markdown)
    headings = _headings(markdown)
    blocks: list[Block] = []
    for step in visit.texts or visit.markdown:
        blocks.extend(_blocks(step.text("text"), step.number, headings))
    url, title = visit.url, visit.title
    return Page(
        url=url,
        title=title,
        blocks=tuple(blocks),
        links=_links(markdown, url),
        frame=_frame(url, title, tuple(blocks)),
        is_search=visit.query is not None,
    )


_headings = lru_cache(maxsize=128)(read_headings)
_links = lru_cache(maxsize=128)(read_links)
_frame = lru_cache(maxsize=128)(frame_page)


@lru_cache(maxsize=256)
def _blocks(text: str, part: int, headings: tuple[Heading, ...]) -> tuple[Block, ...]:
    return tuple(cut_blocks(text, part, headings))


def find_answers(question: Question, pages: Sequence[Page]) -> list[Candidate]:
    """The sentences of what was read that may answer, best first. Search pages only point."""
    places = [(page, block) for page in pages if not page.is_search for block in page.blocks]
    rows = [
        (page.title, " ".join(block.headings), block.context, block.text) for page, block in places
    ]
    ranked = rank_rows(question, rows, weights=BLOCK_WEIGHTS, limit=CANDIDATE_BLOCKS)
    found: list[Candidate] = []
    for index, _score in ranked:
        page, block = places[index]
        found.extend(find_candidates(question, block, page.frame))
    return best_of(found)


def link_rows(pages: Sequence[Page]) -> Iterator[tuple[Page, Link, tuple[str, str, str, str]]]:
    """Every link with the texts it is judged by: words, line, heading, words of the address."""
    for page in pages:
        for link in page.links:
            path = urlsplit(link.url).path
            slug = path.replace("/", " ").replace("-", " ").replace("_", " ").replace(".", " ")
            yield page, link, (link.text, link.context, link.heading, slug)
