"""Where to go next: the links that were seen and not opened, best first.

Owns the worth of a link: how well its words, its line, its address and the page it stands on cover
the question. BM25 orders links of equal cover.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from browser_agent.logic.nearness import bases_of, nearest
from browser_agent.logic.page_text import Link
from browser_agent.logic.question import Kind, Question
from browser_agent.models.library import Page, link_rows
from browser_agent.models.ranking import rank_rows

LINK_WEIGHTS = (3.0, 1.0, 0.5, 2.0)
MAX_RANKED = 60

_NO_PAGE = re.compile(
    r"\.(?:css|js|mjs|json|xml|txt|svg|png|jpe?g|gif|webp|avif|ico|pdf|zip|gz|bz2|xz|tar|tgz|7z|deb|rpm"
    r"|exe|dmg|iso|mp[34]|webm|ogg|wav|woff2?|ttf|rss|atom|ics|csv|py|c|h)$",
    re.IGNORECASE,
)
_NO_CONTENT = re.compile(
    r"(?:^|/)(?:log-?(?:in|out)|sign-?(?:in|up|out)|register|account|cart|basket|checkout|admin|private"
    r"|feed|rss|print|share|edit|privacy|terms|imprint|cookies?)(?:[./_-]|$)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:about|introduction|preface|history|authors?|credits?|colophon|copyright|appendix|faq"
    r"|frequently asked|who we are|general)\b",
    re.IGNORECASE,
)
_ABOUT_WORTH, _FEW_TERMS = 0.35, 3
_GENERAL_KINDS = frozenset({Kind.TIME, Kind.PERSON, Kind.REASON, Kind.PLACE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A link worth ``worth`` (about 0 to 1.3), from the page at ``source``."""

    url: str
    text: str
    worth: float
    source: str


def find_leads(
    question: Question, pages: Sequence[Page], *, seen: Iterable[str], hosts: Iterable[str]
) -> list[Lead]:
    """Every link not yet seen, best first. Links to other hosts than ``hosts`` are worth less."""
    known, own = {normal_url(url) for url in seen}, set(hosts)
    rows = [row for row in link_rows(pages) if normal_url(row[1].url) not in known]
    rows = [row for row in rows if _is_page(row[1].url)]
    ranked = dict(rank_rows(question, [r[2] for r in rows], weights=LINK_WEIGHTS, limit=MAX_RANKED))
    top = max(ranked.values(), default=1.0) or 1.0
    is_general = _is_general(question)
    leads: dict[str, Lead] = {}
    for index, (page, link, texts) in enumerate(rows):
        worth = _base_worth(link, page, order=index, own=own)
        if index in ranked:
            worth += _coverage(question, texts) + 0.15 * ranked[index] / top
        worth += 0.15 * _page_cover(question, page)
        worth += _ABOUT_WORTH if is_general and _ABOUT.search(link.text) else 0.0
        key = normal_url(link.url)
        if key not in leads or leads[key].worth < worth:
            leads[key] = Lead(url=link.url, text=link.text, worth=worth, source=page.url)
    return sorted(leads.values(), key=lambda lead: -lead.worth)


def _is_general(question: Question) -> bool:
    """It asks about the whole of what the site is about: who made it, when, why."""
    names = [term for term in question.terms if term.is_name or term.is_given]
    is_short = len(question.terms) - len(names) <= _FEW_TERMS
    return is_short and all(term.is_given for term in names) and question.kind in _GENERAL_KINDS


def normal_url(url: str) -> str:
    """An address for comparing: no fragment, no index file, no slash at the end."""
    bare = url.partition("#")[0]
    bare = re.sub(r"/(?:index(?:\.[a-z]{2})?\.html?)?$", "", bare)
    return re.sub(r"^https?://", "", bare)


def _is_page(url: str) -> bool:
    parts = urlsplit(url)
    return not _NO_PAGE.search(parts.path) and not _NO_CONTENT.search(parts.path)


def _base_worth(link: Link, page: Page, *, order: int, own: set[str]) -> float:
    parts = urlsplit(link.url)
    worth = 0.05 - 0.0001 * min(order, 300)
    worth -= 0.15 if parts.query else 0.0
    worth -= 0.6 if parts.netloc not in own and not page.is_search else 0.0
    return worth + (0.15 if page.is_search else 0.0)


def _coverage(question: Question, texts: Sequence[str]) -> float:
    fields = [(bases_of(text), w) for text, w in zip(texts, (1.0, 0.8, 0.3, 0.9), strict=True)]
    covered = sum(
        term.weight * max(weight * nearest(term, words) for words, weight in fields)
        for term in question.terms
    )
    return covered / question.total


def _page_cover(question: Question, page: Page) -> float:
    words = page.frame.words
    return sum(term.weight * nearest(term, words) for term in question.terms) / question.total
