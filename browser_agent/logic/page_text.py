"""A page's text cut into blocks that can answer: paragraphs, list items and table rows, each with
its headings and the line that introduces it. And its links, out of Markdown.

Pure. It sees text that was read, never a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin, urlsplit

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*<?([^\s)>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_MARKUP = re.compile(r"(?<!\\)(?:\*\*|__|[*_`~](?=\S)|(?<=\S)[*_`~])|\\(?=[^\w\s])")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_LOCATION = re.compile(r"<loc>\s*([^<\s]+)\s*</loc>")
_CELL = " | "
_ABBREVIATED = re.compile(
    r"(?:\b[A-Z]|\b(?:dr|mr|mrs|ms|st|no|vol|fig|ca|approx|e\.g|i\.e|vs|jr|sr|prof|inc|ltd|etc|cf"
    r"|resp|min|max|sec|ch|pp|ed))\.$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9À-Þ_`])")
MAX_BLOCK_CHARS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One line of a page's text. ``part`` is the R number it was read in."""

    text: str
    part: int
    headings: tuple[str, ...] = ()
    context: str = ""

    @property
    def is_row(self) -> bool:
        """A table row."""
        return _CELL in self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of a page: absolute address without fragment, its words, the line it stands in."""

    url: str
    text: str
    context: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a page and its level, 1 to 6."""

    level: int
    text: str


def strip_markup(markdown: str) -> str:
    """A Markdown line as a reader sees it."""
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", markdown)).split())


def strip_bullet(line: str) -> str:
    """A line without the mark of a list item."""
    return _BULLET.sub("", line)


def _prose(markdown: str) -> Iterator[str]:
    """The lines outside fenced code, where ``#`` begins a comment and brackets make no link."""
    is_code = False
    for line in markdown.split("\n"):
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code:
            yield line


def read_headings(markdown: str) -> tuple[Heading, ...]:
    """The headings of a Markdown text in order."""
    found: list[Heading] = []
    for line in _prose(markdown):
        match = _HEADING.match(line)
        if match and (text := strip_markup(match[2]).strip(" ¶")):
            found.append(Heading(len(match[1]), text))
    return tuple(found)


def read_links(markdown: str, base_url: str) -> tuple[Link, ...]:
    """Every http link of a Markdown text, once for each address (without fragment) and wording."""
    found: dict[tuple[str, str], Link] = {}
    heading = ""
    for line in _prose(markdown):
        match = _HEADING.match(line)
        heading = strip_markup(match[2]) if match else heading
        for link in _LINK.finditer(line):
            url = urldefrag(urljoin(base_url, link[2])).url
            if link[0].startswith("!") or not url.startswith(("http://", "https://")):
                continue
            text = strip_markup(link[1])
            context = strip_markup(line)[:300]
            made = Link(url=url, text=text, context=context, heading=heading)
            found.setdefault((url, text), made)
    return tuple(found.values())


def read_sitemap(text: str, base_url: str) -> tuple[Link, ...]:
    """The addresses of an XML sitemap, named by their paths; none where it is no sitemap."""
    head = text[:500]
    if "<urlset" not in head and "<sitemapindex" not in head:
        return ()
    urls = dict.fromkeys(urldefrag(urljoin(base_url, found)).url for found in _found_in(text))
    return tuple(Link(url=url, text=_path_words(url)) for url in urls)


def _found_in(text: str) -> Iterator[str]:
    return (found[1].replace("&amp;", "&") for found in _LOCATION.finditer(text))


def _path_words(url: str) -> str:
    path = urlsplit(url).path.rpartition(".")[0] or urlsplit(url).path
    return " ".join(re.findall(r"[^\W_]+", path))


def cut_blocks(text: str, part: int, headings: Sequence[Heading] = ()) -> list[Block]:
    """The blocks of one part of a page's plain text.

    ``headings`` are those of the whole page; a line that is one of them opens its section.
    """
    levels = {heading.text: heading.level for heading in headings}
    stack: list[Heading] = []
    blocks: list[Block] = []
    intro = ""
    for raw in text.split("\n"):
        line = raw.strip()
        if not line:
            continue
        title = " ".join(line.split()).strip(" ¶#")
        level = levels.get(title)
        if level is not None:
            stack = [kept for kept in stack if kept.level < level]
            stack.append(Heading(level, title))
            intro = ""
            continue
        path = tuple(kept.text for kept in stack)
        blocks.extend(
            Block(text=piece, part=part, headings=path, context=intro) for piece in _pieces(line)
        )
        if _introduces(line, intro):
            intro = line[:200]
        elif _CELL in intro and _CELL not in line:
            intro = ""
    return blocks


def _pieces(line: str) -> Iterator[str]:
    for start in range(0, len(line), MAX_BLOCK_CHARS):
        yield line[start : start + MAX_BLOCK_CHARS]


def _introduces(line: str, intro: str) -> bool:
    """A first row heads its table, a colon its list; a term heads the definition below it."""
    if _CELL in line:
        return _CELL not in intro
    return len(line) < 200 and not _BULLET.match(line) and not line.endswith((".", "!"))


def cut_sentences(text: str) -> list[str]:
    """The sentences of a block, exactly as they stand in it; a table row is one."""
    if _CELL in text:
        return [text]
    found: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _ABBREVIATED.search(text[start : match.start() + 1]):
            continue
        found.append(text[start : match.end()].strip())
        start = match.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]
