"""The pages of a trail as the extractive model sees them: blocks with headings, links, evidence.

Owns turning visits into pages and asking the ranker. Everything is computed from what was read;
long texts are cut up once and remembered by their content.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log
from urllib.parse import urlsplit

from browser_agent.logic.evidence import (
    Candidate,
    PageFrame,
    best_of,
    find_candidates,
    frame_page,
)
from browser_agent.logic.nearness import bases_of
from browser_agent.logic.page_text import (
    Block,
    Heading,
    Link,
    cut_blocks,
    read_headings,
    read_links,
    read_sitemap,
    strip_bullet,
)
from browser_agent.logic.question import Question, Term
from browser_agent.models.ranking import rank_rows
from browser_agent.models.trail import Visit

BLOCK_WEIGHTS = (0.5, 1.5, 1.0, 1.0)
"""Title, headings, context, text."""

CANDIDATE_BLOCKS = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page that was read."""

    url: str
    title: str
    blocks: tuple[Block, ...]
    links: tuple[Link, ...]
    frame: PageFrame
    is_search: bool
    is_sitemap: bool = False


def read_page(visit: Visit) -> Page:
    """Take a visit's parts together."""
    markdown = "\n".join(step.text("text") for step in visit.markdown)
    headings = _headings(markdown)
    blocks: list[Block] = []
    listed = _listed(markdown, visit.url)
    for step in () if listed else visit.texts or visit.markdown:
        blocks.extend(_blocks(step.text("text"), step.number, headings))
    url, title = visit.url, visit.title
    return Page(
        url=url,
        title=title,
        blocks=tuple(blocks),
        links=listed or _links(markdown, url),
        frame=_frame(url, title, tuple(blocks), _topic(title, headings)),
        is_search=visit.query is not None,
        is_sitemap=bool(listed),
    )


def _topic(title: str, headings: tuple[Heading, ...]) -> str:
    """A page's own heading: its first of level 1, else its title without the site's name."""
    first = next((heading.text for heading in headings if heading.level == 1), "")
    return first or re.split(r"\s+[–—|·:-]\s+", title)[0]


_headings = lru_cache(maxsize=128)(read_headings)
_links = lru_cache(maxsize=128)(read_links)
_listed = lru_cache(maxsize=128)(read_sitemap)
_frame = lru_cache(maxsize=128)(frame_page)


@lru_cache(maxsize=256)
def _blocks(text: str, part: int, headings: tuple[Heading, ...]) -> tuple[Block, ...]:
    return tuple(cut_blocks(text, part, headings))


def find_answers(question: Question, pages: Sequence[Page]) -> list[Candidate]:
    """The sentences of what was read that may answer, best first. Search pages only point."""
    places = list(_own_blocks(pages))
    rows = [
        (page.title, " ".join(block.headings), block.context, block.text) for page, block in places
    ]
    ranked = rank_rows(question, rows, weights=BLOCK_WEIGHTS, limit=CANDIDATE_BLOCKS)
    found: list[Candidate] = []
    for index, _score in ranked:
        page, block = places[index]
        found.extend(find_candidates(question, block, page.frame))
    return best_of(found)


def weigh_terms(question: Question, pages: Sequence[Page]) -> Question:
    """The question with less weight for what says little here: the site's own name, words that
    stand on nearly every page that was read.
    """
    read = [page for page in pages if not page.is_search]
    if not read:
        return question
    rarity = _rarity(question, read)
    is_root = urlsplit(read[0].url).path.count("/") <= 1
    own = bases_of(read[0].title if is_root else "")
    terms: list[Term] = []
    for term in question.terms:
        given = term.base in own
        factor = rarity[term.base] * (_OWN_NAME if given else 1.0)
        if len(read) >= _MIN_PAGES:
            share = sum(term.base in page.frame.words for page in read) / len(read)
            factor *= 1 - _MAX_LOSS * max(0.0, (share - _COMMON_SHARE) / (1 - _COMMON_SHARE))
        terms.append(replace(term, weight=term.weight * factor, is_given=given))
    return replace(question, terms=tuple(terms))


def _rarity(question: Question, pages: Sequence[Page]) -> dict[str, float]:
    """For each term 0.5 (in every block) to about 1.5 (in one block); 1 where it stands nowhere."""
    blocks = [bases_of(block.text) for page in pages for block in page.blocks]
    made: dict[str, float] = {}
    for term in question.terms:
        count = sum(term.base in words for words in blocks)
        rare = 1 - log(count or 1) / log(len(blocks) + 1)
        made[term.base] = 1.0 if len(blocks) < _MIN_BLOCKS or not count else 0.5 + rare
    return made


_MIN_PAGES = 3
_MIN_BLOCKS = 40
_COMMON_SHARE = 0.5
_MAX_LOSS = 0.6
_OWN_NAME = 0.25


def _own_blocks(pages: Sequence[Page]) -> Iterator[tuple[Page, Block]]:
    """Blocks of pages without menus: what stands on many pages, lines that are one link or only
    the number of one.
    """
    read = [page for page in pages if not page.is_search]
    counts = Counter(text for page in read for text in {block.text for block in page.blocks})
    limit = max(2, len(read) // 3)
    for page in read:
        entries = {_entry(link.text) for link in page.links} | {""}
        for block in page.blocks:
            repeated = counts[block.text] >= limit and len(read) >= _MIN_PAGES
            if not repeated and _entry(block.text) not in entries:
                yield page, block


def _entry(text: str) -> str:
    """A line of a list of contents without bullet and section number."""
    return _SECTION.sub("", strip_bullet(text)).strip(" .")


_SECTION = re.compile(r"^(?:(?:\d+|[A-Z])\.)+\d*(?:\s+|$)")


def link_rows(pages: Sequence[Page]) -> Iterator[tuple[Page, Link, tuple[str, str, str, str]]]:
    """Every link with the texts it is judged by: words, line, heading, words of the address."""
    for page in pages:
        for link in page.links:
            path = urlsplit(link.url).path
            slug = path.replace("/", " ").replace("-", " ").replace("_", " ").replace(".", " ")
            yield page, link, (link.text, link.context, link.heading, slug)
