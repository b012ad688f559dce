"""What a page says in structured ways: JSON-LD, microdata, RDFa, OpenGraph, tables, lists, labels.

Pure: HTML in, facts out. A fact is a name, a value and where it stands. Visible facts come from the
filtered HTML, facts of the markup (JSON-LD, meta) from the raw one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from selectolax.lexbor import LexborHTMLParser, LexborNode

from browser_agent._freeze import list_of, mapping_of
from browser_agent._json import loads
from browser_agent.errors import InvalidInput

MAX_ROWS = 5_000
MAX_DEPTH = 12
_SPACE = re.compile(r"\s+")
_LABEL = re.compile(r"^\s*([A-Za-z\u00c0-\u024f][\w .()/%&'\u2019-]{0,58}?)\s*[:\uff1a]\s+(\S.*)$")


_BLOCKS = "br,p,div,li,td,th,dt,dd,h1,h2,h3,h4,h5,h6,blockquote,pre,section,article,figcaption"


@dataclass(frozen=True, slots=True)
class Fact:
    """A named value. ``kind`` says where it stands; JSON-LD has block and JSON pointer.

    ``row`` and ``column``: the cells of its row in a table, and which of them it is.
    """

    name: str
    value: object
    kind: str
    pointer: str | None = None
    block: int | None = None
    label: str | None = None
    row: tuple[str, ...] = ()
    column: int = 0


@dataclass(frozen=True, slots=True)
class Entity:
    """Facts that belong together (one thing of JSON-LD, microdata or RDFa)."""

    type: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headers. ``rows`` are complete; ``cut`` says that more were there."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class PageFacts:
    """All that a page says in structured ways, best kinds first."""

    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    tables: tuple[Table, ...] = ()
    lists: tuple[tuple[Fact, ...], ...] = field(default=())


def gather_facts(*, html: str, markup: str, title: str) -> PageFacts:
    """Facts of one page. ``html`` is what is visible, ``markup`` the raw page (may be empty)."""
    raw = LexborHTMLParser(markup) if markup else None
    seen = LexborHTMLParser(html) if html else None
    entities: list[Entity] = []
    facts: list[Fact] = []
    if raw is not None:
        entities += [*_json_ld(raw), *_marked(raw, _MICRODATA), *_marked(raw, _RDFA)]
        facts += _meta(raw)
    tables: list[Table] = []
    if seen is not None:
        for node in seen.css("table"):
            table = _table(node)
            if table is not None and _is_pairs(table):
                facts += _pairs(table)
            elif table is not None:
                tables.append(table)
        facts += [*_definitions(seen), *_labels(seen), *_headings(seen)]
    if title:
        facts.append(Fact("title", title, "title"))
    return PageFacts(tuple(entities), tuple(facts), tuple(tables))


def _json_ld(page: LexborHTMLParser) -> Iterator[Entity]:
    for block, node in enumerate(page.css('script[type="application/ld+json"]')):
        try:
            value = loads(node.text(deep=True).strip())
        except InvalidInput:
            continue
        yield from _linked(value, "", block, 0)


def _linked(value: object, pointer: str, block: int, depth: int) -> Iterator[Entity]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for index, item in enumerate(cast("list[object]", value)):
            yield from _linked(item, f"{pointer}/{index}", block, depth + 1)
    if not isinstance(value, Mapping):
        return
    fields = cast("Mapping[str, object]", value)
    facts = [
        Fact(name, item, "json-ld", f"{pointer}/{_escape(name)}", block)
        for name, item in fields.items()
        if not name.startswith("@")
    ]
    if "@type" in fields:
        yield _entity(fields["@type"], facts)
    for name, item in fields.items():
        if mapping_of(item) is not None or list_of(item) is not None:
            yield from _linked(item, f"{pointer}/{_escape(name)}", block, depth + 1)


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _type_of(value: object) -> str:
    listed = list_of(value)
    first = listed[0] if listed else value
    return re.split(r"[/#:]", str(first))[-1]


@dataclass(frozen=True, slots=True)
class _Syntax:
    """How things are marked in attributes: microdata or RDFa."""

    kind: str
    scope: str
    type: str
    name: str


_MICRODATA = _Syntax("microdata", "itemscope", "itemtype", "itemprop")
_RDFA = _Syntax("rdfa", "typeof", "typeof", "property")


def _marked(page: LexborHTMLParser, syntax: _Syntax) -> Iterator[Entity]:
    """Things marked in attributes; a thing inside of one is a mapping there, and its own too."""
    owned: dict[int | None, list[LexborNode]] = {}
    for node in page.css(f"[{syntax.name}]"):
        owned.setdefault(_owner(node, syntax.scope), []).append(node)
    for scope in page.css(f"[{syntax.scope}]"):
        fields = _fields(scope, syntax, owned, 0)
        facts = [Fact(name, value, syntax.kind) for name, value in fields.items()]
        yield _entity(str(scope.attributes.get(syntax.type) or ""), facts)


def _fields(
    scope: LexborNode, syntax: _Syntax, owned: Mapping[int | None, list[LexborNode]], depth: int
) -> dict[str, object]:
    found: dict[str, list[object]] = {}
    for node in owned.get(scope.mem_id, ()):
        nested = syntax.scope in node.attributes and depth < MAX_DEPTH
        value = _fields(node, syntax, owned, depth + 1) if nested else {}
        for name in str(node.attributes.get(syntax.name) or "").split():
            found.setdefault(name.rpartition(":")[2], []).append(value or _item_value(node))
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _owner(node: LexborNode, attribute: str) -> int | None:
    here = node.parent
    while here is not None:
        if attribute in here.attributes:
            return here.mem_id
        here = here.parent
    return None


def _item_value(node: LexborNode) -> object:
    attributes = node.attributes
    for name in ("content", "datetime"):
        if attributes.get(name):
            return str(attributes[name])
    if node.tag in ("a", "link", "area") and attributes.get("href") and not _text(node):
        return str(attributes["href"])
    if node.tag in ("img", "audio", "video", "embed", "iframe", "source"):
        return str(attributes.get("src") or "")
    if node.tag in ("data", "meter") and attributes.get("value"):
        return str(attributes["value"])
    return _text(node)


def _entity(type_: object, facts: Sequence[Fact]) -> Entity:
    """A thing, its facts also under names without its type: ``recipeYield`` is its yield."""
    name = _type_of(type_)
    short = [
        replace(fact, name=rest)
        for fact in facts
        if (rest := fact.name[len(name) :]) and name and fact.name.lower().startswith(name.lower())
    ]
    return Entity(name, (*facts, *short))


def _meta(page: LexborHTMLParser) -> Iterator[Fact]:
    for node in page.css("meta[content]"):
        name = str(node.attributes.get("property") or node.attributes.get("name") or "")
        content = _clean(str(node.attributes.get("content") or ""))
        prefix, _, rest = name.partition(":")
        if (
            content
            and prefix in ("og", "article", "product", "book", "profile", "twitter")
            and rest
        ):
            yield Fact(rest.replace(":", "_"), content, "opengraph", label=name)
        elif content and name in ("description", "author", "keywords", "date"):
            yield Fact(name, content, "meta", label=name)


def _table(node: LexborNode) -> Table | None:
    rows: list[tuple[str, ...]] = []
    headers: tuple[str, ...] = ()
    for row in node.css("tr"):
        cells = [cell for cell in row.iter() if cell.tag in ("td", "th")]
        texts = tuple(_text(cell) for cell in cells)
        if not any(texts):
            continue
        if not headers and not rows and cells and all(cell.tag == "th" for cell in cells):
            headers = texts
        else:
            rows.append(texts)
    caption = node.css_first("caption")
    if not rows:
        return None
    name = "" if caption is None else _text(caption)
    return Table(headers, tuple(rows[:MAX_ROWS]), name, cut=len(rows) > MAX_ROWS)


def _is_pairs(table: Table) -> bool:
    """Two columns, a name in the first: facts of one thing rather than rows of many."""
    if not all(len(row) == 2 for row in table.rows):
        return False
    generic = {
        "field",
        "property",
        "value",
        "key",
        "name",
        "detail",
        "fact",
        "item",
        "attribute",
        "",
    }
    return not table.headers or (
        len(table.headers) == 2 and all(head.lower() in generic for head in table.headers)
    )


def _pairs(table: Table) -> Iterator[Fact]:
    for name, value in table.rows:
        if name and value:
            yield Fact(name.rstrip(":"), value, "table", label=name)


def _definitions(page: LexborHTMLParser) -> Iterator[Fact]:
    for listing in page.css("dl"):
        name: str | None = None
        for node in listing.css("dt,dd"):
            if node.tag == "dt":
                name = _text(node).rstrip(":")
            elif name:
                yield Fact(name, _text(node), "definition", label=name)


def _labels(page: LexborHTMLParser) -> Iterator[Fact]:
    for node in page.css("p,li,div,span,td"):
        if any(inner.mem_id != node.mem_id for inner in node.css("p,li,div,table,dl,ul")):
            continue
        found = _LABEL.match(_text(node))
        if found and len(found.group(2)) <= 300:
            yield Fact(found.group(1), found.group(2), "label", label=found.group(1))


def _headings(page: LexborHTMLParser) -> Iterator[Fact]:
    first = page.css_first("h1")
    if first is not None and _text(first):
        yield Fact("title", _text(first), "heading")


def _text(node: LexborNode) -> str:
    """The text of an element; only blocks part words, marks of emphasis do not."""
    parted = any(inner.mem_id != node.mem_id for inner in node.css(_BLOCKS))
    return _clean(node.text(deep=True, separator=" " if parted else ""))


def _clean(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
