"""Fitting facts of a page to a schema: by name and type, without guessing.

Pure. A field takes a fact only when their names mean the same words; what does not fit its type is
left out. Every value keeps its source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from browser_agent._freeze import list_of, mapping_of
from browser_agent.logic.extract_page import Entity, Fact, PageFacts, Table
from browser_agent.logic.extract_schema import Wanted
from browser_agent.logic.extract_units import UNIT_WORDS, has_other_unit
from browser_agent.logic.extract_values import coerce, plain_value, split_items

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")
_FILLERS = frozenset(
    {"n", "no", "num", "count", "number", "total", "of", "the", "a", "an", "in"}
) | {
    "value",
    "amount",
    "text",
}
_SAME: tuple[frozenset[str], ...] = (
    frozenset({"name", "title", "headline", "heading"}),
    frozenset({"description", "summary", "abstract"}),
    frozenset({"author", "writer", "by", "creator"}),
    frozenset({"published", "date", "datepublished", "publication", "publicationdate", "posted"}),
    frozenset({"price", "cost", "pricing"}),
    frozenset({"currency", "pricecurrency"}),
    frozenset({"url", "link", "href"}),
    frozenset({"image", "picture", "photo"}),
    frozenset({"brand", "maker", "manufacturer"}),
    frozenset({"sku", "article", "itemnumber"}),
    frozenset({"built", "completed", "constructed", "construction"}),
    frozenset({"tall", "height"}),
    frozenset({"long", "length"}),
    frozenset({"wide", "width"}),
    frozenset({"born", "birth", "birthdate"}),
    frozenset({"died", "death", "deathdate"}),
    frozenset({"ingredients", "recipeingredient", "ingredient"}),
    frozenset({"servings", "yield", "recipeyield", "serves"}),
    frozenset({"instructions", "steps", "method", "directions"}),
)
_RANK = {
    name: rank
    for rank, name in enumerate(
        ("json-ld", "microdata", "rdfa", "definition", "table", "label", "heading", "opengraph")
    )
}
_GENERIC = frozenset(
    ["name", "title", "headline", "description", "url", "image", "text", "type", "value", "id"]
)


_OWN = frozenset(["name", "title", "headline", "description", "url", "image"])


@dataclass(slots=True)
class Found:
    """A value under construction: what was fitted, where it came from, rows that were seen."""

    sources: dict[str, Fact] = field(default_factory=dict[str, Fact])
    rows_seen: int = 0
    rows_taken: int = 0


def fit_page(facts: PageFacts, wanted: Wanted) -> tuple[object, Found]:
    """The value that fits the schema as far as the page says it, and its sources."""
    found = Found()
    if wanted.kind == "array":
        return _fit_list(facts, wanted, "", found), found
    return _fit_object(facts, _best_entity(facts.entities, wanted), wanted, "", found), found


def _fit_object(
    facts: PageFacts, entity: Entity | None, wanted: Wanted, pointer: str, found: Found
) -> dict[str, object]:
    own = entity.facts if entity is not None else ()
    pool = [*own, *_inner_facts(own, 0), *facts.facts]
    value: dict[str, object] = {}
    for name, part in wanted.fields:
        place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
        fitted = _fit_field(facts, pool, part, place, found)
        if fitted is not None:
            value[name] = fitted
    return value


def _inner_facts(facts: Sequence[Fact], depth: int) -> list[Fact]:
    """Facts of nested things (the price of an offer), but none that would name the outer thing."""
    found: list[Fact] = []
    for fact in facts:
        nested = mapping_of(fact.value)
        if nested is not None and depth < 3:
            inner = _facts_of(nested, fact)
            kept = [one for one in inner if not _is_generic(one.name)]
            found += [*kept, *_inner_facts(kept, depth + 1)]
    return found


def _is_generic(name: str) -> bool:
    """A name that says nothing without the thing that it belongs to."""
    words = _words(name)
    return bool(words & _OWN) or words <= _GENERIC


def _fit_field(
    facts: PageFacts, pool: Sequence[Fact], wanted: Wanted, pointer: str, found: Found
) -> object:
    named = sorted(
        (fact for fact in pool if _means_same(fact.name, wanted.names)),
        key=lambda fact: (not _is_exact(fact.name, wanted.names), _RANK.get(fact.kind, 9)),
    )
    if wanted.kind == "array":
        return _fit_array(facts, named, wanted, pointer, found)
    if wanted.kind == "object":
        return _fit_nested(facts, named, wanted, pointer, found)
    for fact in named:
        value = _fitted(fact.value, wanted, fact.name)
        if value is not None:
            found.sources[pointer] = fact
            return value
    return None


def _fitted(value: object, wanted: Wanted, said_name: str) -> object:
    """The value in the wanted type; none where a unit is named and the page has another."""
    if wanted.kind in ("number", "integer") and has_other_unit(value, said_name, wanted.names):
        return None
    return coerce(plain_value(value, wanted), wanted)


def _fit_nested(
    facts: PageFacts, named: Sequence[Fact], wanted: Wanted, pointer: str, found: Found
) -> object:
    for fact in named:
        nested = mapping_of(fact.value)
        if nested is not None:
            inner = _facts_of(nested, fact)
            return _fit_object(PageFacts(), Entity("", inner), wanted, pointer, found) or None
    entity = next((e for e in facts.entities if _means_same(e.type, wanted.names)), None)
    if entity is None:
        return None
    return _fit_object(PageFacts(), entity, wanted, pointer, found) or None


def _fit_array(
    facts: PageFacts, named: Sequence[Fact], wanted: Wanted, pointer: str, found: Found
) -> object:
    items = wanted.items or Wanted("string")
    if items.kind == "object":
        for fact in named:
            rows = list_of(fact.value)
            if rows is not None:
                made = _fit_items(rows, items, pointer, found, fact)
                if made:
                    return made
        return _fit_list(facts, wanted, pointer, found) or None
    for fact in named:
        listed = list_of(fact.value)
        parts = split_items(str(plain_value(fact.value, items))) if listed is None else listed
        made = [_fitted(part, items, fact.name) for part in parts]
        kept = [at for at, value in enumerate(made) if value is not None]
        for index, at in enumerate(kept):
            inside = None if fact.pointer is None else _item_pointer(fact, listed, at)
            origin = replace(fact, value=parts[at], pointer=inside)
            found.sources[f"{pointer}/{index}"] = origin
        if kept:
            return [made[at] for at in kept]
    return None


def _item_pointer(fact: Fact, listed: Sequence[object] | None, at: int) -> str | None:
    return fact.pointer if listed is None else f"{fact.pointer}/{at}"


def _fit_items(
    rows: Sequence[object], items: Wanted, pointer: str, found: Found, origin: Fact
) -> list[object]:
    made: list[object] = []
    for index, row in enumerate(rows):
        fields = mapping_of(row)
        if fields is not None:
            place = f"{origin.pointer or ''}/{index}"
            step = Fact(origin.name, fields, origin.kind, place, origin.block)
            inner = _facts_of(fields, step)
            entity = Entity("", inner)
            made.append(_fit_object(PageFacts(), entity, items, f"{pointer}/{index}", found))
    kept = [value for value in made if value]
    if kept:
        found.rows_seen += len(rows)
        found.rows_taken += len(kept)
    return kept


def _facts_of(value: Mapping[str, object], origin: Fact) -> tuple[Fact, ...]:
    return tuple(
        Fact(name, item, origin.kind, f"{origin.pointer or ''}/{name}", origin.block)
        for name, item in value.items()
        if not name.startswith("@")
    )


def _fit_list(facts: PageFacts, wanted: Wanted, pointer: str, found: Found) -> list[object]:
    """Rows of the table, or things of one type, that the items of an array describe best."""
    items = wanted.items or Wanted("string")
    if items.kind != "object":
        return []
    scored = [(len(_columns(table, items)), table) for table in facts.tables]
    best = max((score for score, _ in scored), default=0)
    needed = max(1, (len(items.fields) + 1) // 2)
    if best >= needed:
        table = next(table for score, table in scored if score == best)
        return _fit_rows(table, items, pointer, found)
    return _fit_entities(facts.entities, items, pointer, found)


def _fit_rows(table: Table, items: Wanted, pointer: str, found: Found) -> list[object]:
    columns = _columns(table, items)
    made: list[object] = []
    for index, row in enumerate(table.rows):
        value: dict[str, object] = {}
        for name, part in items.fields:
            at = columns.get(name)
            if at is None or at >= len(row):
                continue
            fitted = _fitted(row[at], part, table.headers[at])
            if fitted is not None:
                value[name] = fitted
                fact = Fact(table.headers[at], row[at], "row", row=row, column=at)
                found.sources[f"{pointer}/{index}/{name}"] = fact
        made.append(value)
    found.rows_seen += len(table.rows) + int(table.cut)
    found.rows_taken += len(made)
    return made


def _columns(table: Table, items: Wanted) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, part in items.fields:
        exact = [i for i, head in enumerate(table.headers) if _is_exact(head, part.names)]
        close = [i for i, head in enumerate(table.headers) if _means_same(head, part.names)]
        for at in (*exact, *close):
            if at not in found.values():
                found[name] = at
                break
    return found


def _fit_entities(
    entities: Sequence[Entity], items: Wanted, pointer: str, found: Found
) -> list[object]:
    by_type: dict[str, list[Entity]] = {}
    for entity in entities:
        by_type.setdefault(entity.type, []).append(entity)
    groups = [group for group in by_type.values() if len(group) > 1]
    if not groups:
        return []
    group = max(groups, key=lambda one: (_score(one[0], items), len(one)))
    if _score(group[0], items) < max(1, (len(items.fields) + 1) // 2):
        return []
    made = [
        _fit_object(PageFacts(), entity, items, f"{pointer}/{index}", found)
        for index, entity in enumerate(group)
    ]
    found.rows_seen += len(group)
    found.rows_taken += len(made)
    return cast("list[object]", made)


def _best_entity(entities: Sequence[Entity], wanted: Wanted) -> Entity | None:
    scored = [(entity, _score(entity, wanted)) for entity in entities]
    best = max((score for _, score in scored), default=0)
    return next((entity for entity, score in scored if score == best), None) if best else None


def _score(entity: Entity, wanted: Wanted) -> int:
    return sum(
        any(_means_same(fact.name, part.names) for fact in entity.facts)
        for _, part in wanted.fields
    )


def _words(name: str) -> frozenset[str]:
    flat = _CAMEL.sub(" ", name)
    return frozenset(_stem(word.lower()) for word in _WORD.findall(flat))


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _core(name: str) -> frozenset[str]:
    return frozenset(_meaning(name))


def _meaning(name: str) -> list[str]:
    """The words that say what a value is: without fillers and without a unit at the end."""
    words = [_stem(word.lower()) for word in _WORD.findall(_CAMEL.sub(" ", name))]
    kept = [word for word in words if word not in _FILLERS]
    if len(kept) > 1 and kept[-1] in _UNITS:
        kept.pop()
    return kept or words


def _is_exact(name: str, wanted: Iterable[str]) -> bool:
    return any(_words(name) == _words(other) for other in wanted)


def _means_same(name: str, wanted: Iterable[str]) -> bool:
    core = _core(name)
    for other in wanted:
        mine = _core(other)
        if core == mine or "".join(sorted(core)) == "".join(sorted(mine)):
            return True
        left, right = _joined(name), _joined(other)
        if any(left in same and right in same for same in _STEMMED):
            return True
    return False


def _joined(name: str) -> str:
    """The words of a name as one: ``birthDate`` and ``birth date`` are the same."""
    return "".join(_meaning(name))


_UNITS = frozenset(_stem(word) for word in UNIT_WORDS)
_STEMMED = tuple(frozenset(_stem(word) for word in same) for same in _SAME)
