"""Scrolling: page, parts, to an element, to a text, endless lists; what was moved is said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from browser_agent.browser.actions_scroll import MOST_STEPS
from browser_agent.browser.session import Session
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import Effect, Status
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

PAGE = """<title>Tall</title><button>Top</button>
<div id=outer style="height:200px;overflow:auto"><div style="height:600px">
<div id=inner style="height:100px;overflow:auto;scroll-behavior:smooth"><div style="height:500px">
<button>Inner first</button></div><button>Inner last</button></div></div>
<button>Outer last</button></div>
<div style="height:4000px"></div><button>Bottom</button><p>the very end</p>"""

ENDLESS = """<title>Feed</title><ul id=l></ul><script>
let n = 0;
const more = () => { for (let i = 0; i < 20; i++) {
  const one = document.createElement('li'); one.style.height = '60px';
  one.textContent = 'item ' + ++n; l.append(one) } };
more();
addEventListener('scroll', () => {
  if (scrollY + innerHeight > document.documentElement.scrollHeight - 200) more() });
</script>"""


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


def moved(result: Result) -> bool:
    """Whether a scroll that was confirmed moved anything."""
    assert (result.status, result.effect) == (Status.OK, Effect.ACKNOWLEDGED), result.to_dict()
    return bool(data_of(result)["changed"])


async def test_a_page_is_scrolled_by_steps_amounts_and_to_its_edges(
    session: Session, site: FixtureSite
) -> None:
    await session.navigate(site.page("/", PAGE))
    down = await session.scroll()
    assert moved(down)
    assert data_of(down)["position"][1] > 100
    assert data_of(await session.scroll(amount=50))["position"][1] == pytest.approx(
        data_of(down)["position"][1] + 50, abs=1
    )
    bottom = await session.scroll("bottom")
    assert data_of(bottom)["position"][1] == pytest.approx(data_of(bottom)["room"], abs=1)
    assert not moved(await session.scroll("down")), "there is nothing below"
    assert data_of(await session.scroll("top"))["position"][1] == 0
    assert not moved(await session.scroll("up"))
    assert not moved(await session.scroll("right"))


async def test_the_nearest_part_that_scrolls_is_scrolled(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(site.page("/", PAGE))
    first = await ref(session, "Inner first", "button")
    inner = await session.scroll("down", ref=first, amount=60)
    assert moved(inner)
    assert (data_of(inner)["position"][1], data_of(inner)["room"]) == (
        60,
        pytest.approx(421, abs=9),
    )
    outer = await session.scroll("bottom", ref=await ref(session, "Outer last", "button"))
    assert moved(outer)
    assert data_of(outer)["room"] > 400
    assert (await session.scroll("top", ref=first)).is_ok


async def test_an_element_and_a_text_are_brought_into_view(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(site.page("/", PAGE))
    bottom = await ref(session, "Bottom", "button")
    assert moved(await session.scroll(ref=bottom))
    shown = data_of(await session.snapshot("viewport"))["text"]
    assert "Bottom" in shown
    assert '"Top"' not in shown
    found = await session.scroll(to_text="Inner last")
    assert moved(found)
    assert data_of(found)["found"] is True
    assert "Inner last" in data_of(await session.snapshot("viewport"))["text"]


async def test_an_endless_list_is_scrolled_until_the_text_comes_or_the_bound(
    session: Session, site: FixtureSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    await session.navigate(site.page("/", ENDLESS))
    found = await session.scroll(to_text="item 75")
    assert moved(found)
    assert 0 < data_of(found)["steps"] <= MOST_STEPS
    monkeypatch.setattr("browser_agent.browser.actions_scroll.MOST_STEPS", 4)
    missed = await session.scroll(to_text="item of gold")
    assert (missed.status, missed.error_code) == (Status.ERROR, "not_found")
    assert data_of(missed)["steps"] == 4
    assert data_of(missed)["changed"] is True


async def test_nothing_to_scroll_is_said_and_is_no_error(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(site.page("/", "<button>Only</button>"))
    assert not moved(await session.scroll())
    assert not moved(await session.scroll(ref=await ref(session, "Only", "button")))
    assert not moved(await session.scroll(to_text="Only"))
    assert (await session.scroll(to_text="nowhere")).error_code == "not_found"


async def test_wrong_arguments(session: Session, site: FixtureSite) -> None:
    await session.navigate(site.page("/", PAGE))
    aside = await session.scroll("aside")
    assert (aside.error_code, aside.effect) == ("invalid_input", Effect.NOT_DISPATCHED)
    assert (await session.scroll(ref="e999")).error_code == "ref_not_found"
    for wrong in ({"amount": "far"}, {"direction": 7}, {"to_text": 7}, {"ref": 7}):
        with pytest.raises(InvalidInput):
            await session.scroll(**cast("dict[str, Any]", wrong))
