"""Extraction: what pages state fits by name and type; what does not is said, never guessed."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from browser_agent.logic.extract_match import fit_page
from browser_agent.logic.extract_page import gather_facts
from browser_agent.logic.extract_schema import SchemaRefused, prepare_schema, read_wanted
from browser_agent.models.scripted import ScriptedModel
from browser_agent.ports import Extracted, ExtractionPage
from browser_agent.tools.extraction import Extraction, PageText, leaves, merge

PRODUCT = """<html><head><title>Lamp</title>
<meta property="og:title" content="Storm lamp"><meta property="og:site_name" content="Shop">
<script type="application/ld+json">{"@type": "Product", "name": "Storm lamp", "sku": "L-1",
"brand": {"@type": "Brand", "name": "Halden"},
"offers": {"@type": "Offer", "price": "1,249.50", "priceCurrency": "EUR"}}</script></head>
<body><h1>Storm lamp</h1>
<dl><dt>Burning time</dt><dd>36 hours</dd><dt>Waterproof</dt><dd>yes</dd></dl>
<table><tr><th>Weight</th><td>1.34 kg</td></tr><tr><th>Colour</th><td>red</td></tr></table>
<p>Warranty: 5 years</p></body></html>"""
TABLE = """<table><caption>Tides</caption>
<tr><th>Day</th><th>High water</th><th>Height (m)</th></tr>
<tr><td>1 May 2026</td><td>06:10</td><td>4.2</td></tr>
<tr><td>2 May 2026</td><td>06:58</td><td>4.4</td></tr>
<tr><td>3 May 2026</td><td>07:40</td><td>4.5</td></tr></table>"""


def schema(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def fit(markup: str, wanted: object) -> Any:
    facts = gather_facts(html=markup, markup=markup, title="")
    value, _ = fit_page(facts, read_wanted(prepare_schema(wanted)))
    return value


class Offer(BaseModel):
    name: str
    price: float
    currency: str | None = None
    brand: str | None = None
    burning_time: str | None = None
    weight_kg: float | None = None
    waterproof: bool | None = None
    warranty: str | None = None
    mass: float | None = None


def test_a_model_is_filled_from_every_kind_of_statement() -> None:
    assert fit(PRODUCT, Offer) == {
        "name": "Storm lamp",
        "price": 1249.5,
        "currency": "EUR",
        "brand": "Halden",
        "burning_time": "36 hours",
        "weight_kg": 1.34,
        "waterproof": True,
        "warranty": "5 years",
    }


def test_microdata_and_rdfa_are_read() -> None:
    micro = (
        '<div itemscope itemtype="https://schema.org/Person"><b itemprop="name">Ann</b>'
        '<time itemprop="birthDate" datetime="1901-02-03">1901</time></div>'
    )
    rdfa = '<div typeof="Person"><b property="schema:name">Ann</b></div>'
    person = schema(name={"type": "string"}, born={"type": "string"})
    assert fit(micro, person) == {"name": "Ann", "born": "1901-02-03"}
    assert fit(rdfa, person) == {"name": "Ann"}


def test_all_rows_of_a_table() -> None:
    rows = schema(day={"type": "string", "format": "date"}, height_m={"type": "number"})
    wanted = {"type": "array", "items": rows}
    value = fit(TABLE, wanted)
    assert [row["height_m"] for row in value] == [4.2, 4.4, 4.5]
    assert value[0]["day"] == "2026-05-01"


def test_names_that_mean_something_else_take_nothing() -> None:
    wanted = schema(author={"type": "string"}, height={"type": "number"}, price={"type": "integer"})
    assert fit(PRODUCT, wanted) == {}


NUMBER = {"type": "number"}


@pytest.mark.parametrize(
    ("name", "said", "value", "wanted"),
    [
        ("weight_kg", "Weight", "1.34 kg", 1.34),
        ("weight_kg", "Weight", "154 g", None),
        ("weight_kg", "Weight", "1.5", 1.5),
        ("weight_kg", "Weight (lb)", "3", None),
        ("height_m", "Height (m)", "4.2", 4.2),
        ("span_ft", "Span", "312 m", None),
        ("length_km", "Length", "2,600 m", None),
        ("price_usd", "Price", "€ 3.90", None),
        ("price_eur", "Price", "€ 3.90", 3.9),
        ("up_to_2_kg", "Up to 2 kg", "€ 3.90", 3.9),
        ("burning_time_hours", "Burning time", "22 hours", 22),
        ("area_km2", "Area", "38 km²", 38),
        ("year", "Year", "1908", 1908),
        ("day_ticket", "Week ticket", "12", None),
        ("population", "Population", "23,418", 23418),
    ],
)
def test_a_number_keeps_its_unit(name: str, said: str, value: str, wanted: float | None) -> None:
    found = fit(f"<dl><dt>{said}</dt><dd>{value}</dd></dl>", schema(**{name: NUMBER}))
    assert found.get(name) == wanted


NESTED = {
    "microdata": """<div itemscope itemtype="https://schema.org/Product">
<h1 itemprop="name">Rope</h1>
<p itemprop="offers" itemscope itemtype="https://schema.org/Offer"><b itemprop="price">3.40</b>
<meta itemprop="priceCurrency" content="EUR"></p><i itemprop="color">red</i><i itemprop="color">
blue</i></div>""",
    "rdfa": """<div vocab="https://schema.org/" typeof="Product"><h1 property="name">Rope</h1>
<p property="offers" typeof="Offer"><b property="price">3.40</b>
<meta property="priceCurrency" content="EUR"></p><i property="color">red</i><i property="color">
blue</i></div>""",
}


@pytest.mark.parametrize("markup", NESTED.values(), ids=NESTED)
def test_things_inside_of_things_are_nested_and_flat(markup: str) -> None:
    offers = schema(price=NUMBER, price_currency={"type": "string"})
    colours = {"type": "array", "items": {"type": "string"}}
    wanted = schema(name={"type": "string"}, offers=offers, price=NUMBER, color=colours)
    assert fit(markup, wanted) == {
        "name": "Rope",
        "offers": {"price": 3.4, "price_currency": "EUR"},
        "price": 3.4,
        "color": ["red", "blue"],
    }


def test_emphasis_parts_no_words_and_blocks_do() -> None:
    markup = "<dl><dt>Known <b>for</b></dt><dd><p>songs</p><p>letters</p></dd></dl>"
    assert fit(markup, schema(known_for={"type": "string"})) == {"known_for": "songs letters"}
    markup = "<dl><dt>Known for</dt><dd><i>Estuary</i>, songs</dd></dl>"
    assert fit(markup, schema(known_for={"type": "string"})) == {"known_for": "Estuary, songs"}


HOSTILE: list[tuple[object, str]] = [
    ({"type": "object", "properties": {"a": {"$ref": "#"}}}, "outside"),
    ({"$ref": "https://example.com/schema.json"}, "outside"),
    (
        {
            "type": "object",
            "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}}},
            "properties": {"n": {"$ref": "#/$defs/n"}},
        },
        "recursive",
    ),
    ({"type": "object", "properties": {str(i): {} for i in range(3000)}}, "more than"),
    ({"type": "object", "description": "x" * 200_000}, "larger"),
    ({"type": "objekt"}, "malformed"),
    ({"type": "string"}, "object or an array"),
    (object(), "pydantic model"),
]


@pytest.mark.parametrize(("wanted", "why"), HOSTILE)
def test_hostile_and_malformed_schemas_are_refused(wanted: object, why: str) -> None:
    with pytest.raises(SchemaRefused, match=why):
        prepare_schema(wanted)


def page(text: str, html: str = "") -> ExtractionPage:
    return ExtractionPage(url="http://x/", title="", text=text, html=html, snapshot="", markup=html)


@pytest.mark.anyio
async def test_sources_lead_back_to_the_page() -> None:
    text = "Storm lamp\nBurning time\n36 hours\nWarranty: 5 years"
    found = await Extraction().extract(page(text, PRODUCT), Offer, model=None)
    assert found.code is None
    sources: Any = found.data["sources"]
    assert sources["/price"] == {"in": "json-ld", "block": 0, "span": "/offers/price"}
    span = sources["/burning_time"]["span"]
    assert text[span["start"] : span["end"]] == "36 hours"


@pytest.mark.anyio
async def test_each_item_of_a_list_has_its_own_source() -> None:
    block = '{"@type": "Recipe", "recipeIngredient": ["1 kg flour", "7 g salt"]}'
    html = f'<script type="application/ld+json">{block}</script>'
    wanted = schema(ingredients={"type": "array", "items": {"type": "string"}})
    found = await Extraction().extract(page("", html), wanted, model=None)
    assert found.data["sources"] == {
        "/ingredients/0": {"in": "json-ld", "block": 0, "span": "/recipeIngredient/0"},
        "/ingredients/1": {"in": "json-ld", "block": 0, "span": "/recipeIngredient/1"},
    }


@pytest.mark.anyio
async def test_cells_are_found_in_their_row_and_long_tables_by_row() -> None:
    html = "<table><tr><th>Name</th><th>Tons</th><th>Crew</th></tr>"
    html += "".join(f"<tr><td>Boat {n}</td><td>91</td><td>9</td></tr>" for n in range(300))
    lines = "\n".join(f"Boat {n} | 91 | 9" for n in range(300))
    text = f"Boat 2 was lost with 9 of 91 men.\n{lines}"
    columns: dict[str, Any] = {"name": {"type": "string"}, "crew": {"type": "integer"}}
    wanted = {"type": "array", "items": schema(**columns)}
    short = await Extraction().extract(page(text, html[:200] + "</table>"), wanted, model=None)
    told: Any = short.data["sources"]
    at = told["/2/crew"]["span"]
    assert text[: at["end"]].endswith("Boat 2 | 91 | 9")
    assert PageText("a | | c d\nz").find_cell(("a", "", "c d"), 2) == (6, 9)
    assert at["end"] - at["start"] == 1
    wanted = {"type": "array", "items": schema(**columns, tons={"type": "integer"})}
    long = await Extraction().extract(page(text, html), wanted, model=None)
    spans: Any = long.data["sources"]
    assert set(spans) == {f"/{n}" for n in range(300)}
    assert text[spans["/7"]["span"]["start"] : spans["/7"]["span"]["end"]] == "Boat 7 | 91 | 9"


@pytest.mark.anyio
async def test_a_missing_required_value_is_a_mismatch_with_its_path() -> None:
    wanted = {**schema(title={"type": "string"}, isbn={"type": "string"}), "required": ["isbn"]}
    found = await Extraction().extract(page("", "<h1>Book</h1>"), wanted, model=None)
    assert found.code == "schema_mismatch"
    assert "isbn" in (found.message or "")
    assert found.data["value"] == {"title": "Book"}


async def by_model(text: str, reply: str) -> Extracted:
    model = ScriptedModel([reply])
    wanted = schema(name={"type": "string"}, height={"type": "number"}, year={"type": "integer"})
    return await Extraction().extract(page(text), wanted, model=model)


@pytest.mark.anyio
async def test_what_a_model_invents_is_unsupported() -> None:
    text = "The Skerrow Light is 41 m tall."
    found = await by_model(text, '{"name": "Skerrow Light", "height": 41.0, "year": 1846}')
    assert found.data["unsupported"] == ["/year"]
    sources: Any = found.data["sources"]
    span = sources["/height"]["span"]
    assert text[span["start"] : span["end"]] == "41"


@pytest.mark.anyio
async def test_a_model_that_answers_garbage_gives_a_typed_failure() -> None:
    found = await by_model("text", "no json at all")
    assert found.code == "schema_mismatch"
    assert "no JSON" in (found.message or "")


def test_parts_are_merged() -> None:
    assert merge([{"a": None, "l": [1]}, {"a": "x", "l": [1, 2]}]) == {"a": "x", "l": [1, 2]}
    assert merge([[], [{"a": 1}], [{"a": 1}, {"a": 2}]]) == [{"a": 1}, {"a": 2}]
    assert list(leaves({"a/b": [1, {"c": "x"}]})) == [("/a~1b/0", 1), ("/a~1b/1/c", "x")]


def test_spans_are_code_points_of_the_text() -> None:
    text = "ä  Height:\n41 m"
    span = PageText(text).find("41 m", after="Height:")
    assert span is not None
    assert text[span[0] : span[1]] == "41 m"
    assert PageText(text).find("42 m") is None
    dashed = PageText("34–37 cm, “Bess”")
    assert dashed.find("34–37 cm") == (0, 8)
    assert dashed.find("“Bess”") == (10, 16)
