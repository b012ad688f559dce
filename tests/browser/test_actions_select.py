"""Choosing: native selects, listboxes, comboboxes; what is not there is listed, never guessed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from browser_agent.browser.session import Session
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import Effect, Status
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

PAGE = """<title>Choose</title><style>[role=option]{cursor:pointer}</style>
<label>Sea <select id=sea><option value=n>North</option><option value=b>Baltic Sea</option>
<option value=x disabled>Dead</option><optgroup label=Far><option value=p>Pacific</option>
</optgroup><optgroup label=Shut disabled><option value=a>Arctic</option></optgroup></select></label>
<label>Fish <select id=fish multiple size=4><option>Cod</option><option selected>Herring</option>
<option>Plaice</option></select></label>
<div id=box role=combobox tabindex=0 aria-expanded=false aria-controls=list aria-label=Colour>Pick
</div><ul id=list role=listbox hidden></ul>
<label>City <input id=city role=combobox aria-controls=hits autocomplete=off></label>
<ul id=hits role=listbox hidden></ul>
<ul role=listbox aria-label=Sizes aria-multiselectable=true tabindex=0>
<li role=option aria-selected=false>Small<li role=option aria-selected=false>Large
<li role=option aria-selected=false aria-disabled=true>Sold out</ul>
<button>Plain</button><p id=o>none</p><script>
const say = (text) => { o.textContent = text };
for (const field of [sea, fish]) field.onchange = () =>
  say(field.id + ' ' + [...field.selectedOptions].map((one) => one.value).join('+'));
box.onclick = () => { list.hidden = !list.hidden;
  list.replaceChildren(...['Red', 'Green', 'Dark green'].map((name) => {
    const one = document.createElement('li'); one.setAttribute('role', 'option');
    one.textContent = name;
    one.onclick = () => { box.textContent = name; list.hidden = true; say('colour ' + name) };
    return one })) };
city.oninput = () => setTimeout(() => { hits.hidden = false;
  hits.replaceChildren(...['Bergen', 'Bremen', 'Berlin']
    .filter((name) => name.toLowerCase().startsWith(city.value.toLowerCase())).map((name) => {
    const one = document.createElement('li'); one.setAttribute('role', 'option');
    one.textContent = name;
    one.onclick = () => { city.value = name; hits.hidden = true; say('city ' + name) };
    return one })) }, 60);
for (const one of document.querySelectorAll('[aria-label=Sizes] li')) one.onclick = () => {
  one.setAttribute('aria-selected', one.getAttribute('aria-selected') !== 'true');
  say('sizes ' + [...document.querySelectorAll('[aria-label=Sizes] [aria-selected=true]')]
    .map((each) => each.textContent.trim()).join('+')) };
</script>"""


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


async def says(session: Session) -> str:
    """The last line of the page: what it took."""
    return str(data_of(await session.read())["text"]).strip().splitlines()[-1]


@pytest.fixture
async def choosing(session: Session, site: FixtureSite) -> Session:
    """A session on the page above."""
    await session.navigate(site.page("/", PAGE))
    return session


async def test_what_is_chosen_is_what_the_page_takes(choosing: Session, ref: Finder) -> None:
    """Each row: whose list, what is asked for, what the page says then."""
    rows: list[tuple[str, str, list[str], str]] = [
        ("Sea", "combobox", ["Baltic Sea"], "sea b"),
        ("Sea", "combobox", ["p"], "sea p"),
        ("Sea", "combobox", ["  north "], "sea n"),
        ("Sea", "combobox", ["baltic"], "sea b"),
        ("Fish", "listbox", ["Cod", "Plaice"], "fish Cod+Plaice"),
        ("Colour", "combobox", ["Green"], "colour Green"),
        ("City", "combobox", ["Berlin"], "city Berlin"),
        ("Sizes", "listbox", ["Small", "Large"], "sizes Small+Large"),
    ]
    for name, role, values, told in rows:
        chosen = await choosing.select(await ref(choosing, name, role), values)
        case = (name, values, chosen.to_dict())
        assert (chosen.status, chosen.effect) == (Status.OK, Effect.ACKNOWLEDGED), case
        assert data_of(chosen)["changed"] is True, case
        assert await says(choosing) == told, case


async def test_options_of_a_native_select_are_chosen_by_their_own_refs(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page("/", "<select size=3 aria-label=Few><option>One<option>Two<option>Three</select>")
    )
    chosen = await session.select(await ref(session, "Few"), ["Two"])
    assert data_of(chosen)["value"] == "Two"
    again = await session.select(await ref(session, "Few"), ["Two"])
    assert (again.status, data_of(again)["changed"]) == (Status.OK, False)


async def test_what_is_not_there_lists_the_options_and_chooses_nothing(
    choosing: Session, ref: Finder
) -> None:
    rows = [
        ("Sea", "combobox", "Caspian", "'North', 'Baltic Sea', 'Dead', 'Pacific', 'Arctic'"),
        ("Colour", "combobox", "Blue", "'Red', 'Green', 'Dark green'"),
        ("Colour", "combobox", "gree", "'Red', 'Green', 'Dark green'"),
        ("Sizes", "listbox", "Medium", "'Small', 'Large', 'Sold out'"),
    ]
    for name, role, wanted, listed in rows:
        missed = await choosing.select(await ref(choosing, name, role), [wanted])
        assert (missed.status, missed.error_code) == (Status.ERROR, "not_found"), name
        assert listed in (missed.error_message or ""), missed.error_message
        assert data_of(missed)["options"] == [one.strip("' ") for one in listed.split(",")]
    assert await says(choosing) == "none"
    assert (await choosing.select(await ref(choosing, "Colour"), ["Red"])).is_ok, "it was closed"


async def test_what_cannot_be_chosen_says_why(choosing: Session, ref: Finder) -> None:
    rows: list[tuple[str, str, list[str], str, str]] = [
        ("Sea", "combobox", ["Dead"], "not_actionable", "'Dead'"),
        ("Sea", "combobox", ["Arctic"], "not_actionable", "disabled"),
        ("Sea", "combobox", ["North", "Pacific"], "invalid_input", "one value"),
        ("Sea", "combobox", [], "invalid_input", "at least one"),
        ("Sizes", "listbox", ["Sold out"], "not_actionable", "disabled"),
        ("Plain", "button", ["North"], "not_found", "no option"),
    ]
    for name, role, values, code, words in rows:
        refused = await choosing.select(await ref(choosing, name, role), values)
        assert (refused.status, refused.error_code) == (Status.ERROR, code), (name, values)
        assert words in (refused.error_message or ""), refused.error_message
    assert await says(choosing) == "none"
    for wrong in ("North", [7]):
        with pytest.raises(InvalidInput):
            await choosing.select("e1", cast("list[str]", wrong))


REPLACED = """<title>List</title><ul id=l role=listbox aria-label=Days></ul>
<button onclick="draw()">Redraw</button><p id=o>none</p><script>
const draw = () => l.replaceChildren(...['Mon', 'Tue'].map((name) => {
  const one = document.createElement('li'); one.setAttribute('role', 'option');
  one.tabIndex = 0; one.textContent = name; one.onclick = () => { o.textContent = 'took ' + name };
  return one }));
draw()</script>"""


async def test_a_list_that_was_drawn_anew_is_never_a_silent_no_op(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    """T-B5: the old option's ref is stale; the list's own ref finds the new option."""
    await session.navigate(site.page("/", REPLACED))
    old, days = await ref(session, "Tue", "option"), await ref(session, "Days", "listbox")
    await session.click(await ref(session, "Redraw", "button"))
    for result in (await session.click(old), await session.select(old, [])):
        told = (result.status, result.error_code, result.effect)
        assert told == (Status.ERROR, "ref_stale", Effect.NOT_DISPATCHED)
    assert await says(session) == "none"
    assert (await session.select(days, ["Tue"])).is_ok
    assert await says(session) == "took Tue"


async def test_a_select_that_takes_its_choice_back_is_no_effect(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<select aria-label=Fixed onchange=\"this.value='a'\"><option>a<option>b</select>",
        )
    )
    chosen = await session.select(await ref(session, "Fixed"), ["b"])
    assert (chosen.status, chosen.error_code) == (Status.ERROR, "no_effect")
