"""Refs: stable while an element lives, stale when it is gone, never of another element."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page

from browser_agent.browser.observer import Observer, RefTable
from browser_agent.browser.observer_types import ObserverError

pytestmark = pytest.mark.anyio


async def ref_of(observer: Observer, name: str) -> str:
    found = await observer.find(name)
    assert found.matches[0].ref is not None, found
    return found.matches[0].ref


async def test_refs_stay_with_their_elements(page: Page, observer: Observer) -> None:
    await page.set_content("<button>A</button><button>B</button>")
    first = await observer.snapshot()
    await page.evaluate("document.body.insertAdjacentHTML('afterbegin', '<button>New</button>')")
    second = await observer.snapshot()
    assert first.text == 'e1 button "A"\ne2 button "B"'
    assert second.text == 'e3 button "New"\ne1 button "A"\ne2 button "B"'
    assert second.refs == ("e3", "e1", "e2")


async def test_a_ref_is_exactly_its_element(page: Page, observer: Observer) -> None:
    await page.set_content("<button id=a>Same</button><button id=b>Same</button>")
    await observer.snapshot()
    target = await observer.resolve("[e2]")
    assert target.frame is not None
    located = target.frame.locator(target.selector)
    assert await located.get_attribute("id") == "b"
    assert await located.count() == 1


async def test_a_replaced_element_is_stale(page: Page, observer: Observer) -> None:
    await page.set_content("<ul><li><button>A</button></ul>")
    ref = await ref_of(observer, "A")
    selector = (await observer.resolve(ref)).selector
    await page.evaluate("document.querySelector('ul').innerHTML = '<li><button>A</button>'")
    assert (await observer.resolve(ref)).state == "stale"
    assert (await observer.describe(ref)).state == "stale"
    assert await page.main_frame.locator(selector).count() == 0
    with pytest.raises(ObserverError) as raised:
        await observer.watch(ref, ["click"])
    assert raised.value.code == "ref_stale"
    assert await ref_of(observer, "A") != ref


async def test_a_made_up_ref_is_unknown(page: Page, observer: Observer) -> None:
    await page.set_content("<button>A</button>")
    await observer.snapshot()
    for ref in ("e2", "e0", "e99999999999", "x", "", "e1e2", "e-1"):
        assert (await observer.resolve(ref)).state == "unknown"
    with pytest.raises(ObserverError) as raised:
        await observer.snapshot(root="e77")
    assert raised.value.code == "ref_not_found"


async def test_numbers_never_return_after_a_navigation(page: Page, observer: Observer) -> None:
    await page.goto("http://page.test/a")
    await page.set_content("<button>A</button>")
    old = (await observer.snapshot()).refs
    await page.goto("http://page.test/b")
    await page.set_content("<button>A</button>")
    fresh = await observer.snapshot()
    assert fresh.text == 'e2 button "A"'
    assert (await observer.resolve(old[0])).state == "stale"
    await page.go_back()
    await page.set_content("<button>A</button>")
    again = await observer.snapshot()
    assert not set(again.refs) & {*old, *fresh.refs}
    assert (await observer.resolve(again.refs[0])).state == "ok"


async def test_tabs_share_numbers_and_refuse_each_others_refs(chromium: Browser) -> None:
    context = await chromium.new_context()
    table = RefTable()
    one, two = await context.new_page(), await context.new_page()
    first, second = Observer(one, refs=table), Observer(two, refs=table)
    await one.set_content("<button>Submit</button>")
    await two.set_content("<button>Submit</button>")
    assert (await first.snapshot()).text == 'e1 button "Submit"'
    assert (await second.snapshot()).text == 'e2 button "Submit"'
    assert (await second.resolve("e1")).state == "unknown"
    assert (await first.resolve("e1")).state == "ok"
    await context.close()


async def test_elements_moved_within_the_page_keep_their_ref(
    page: Page, observer: Observer
) -> None:
    await page.set_content("<div id=a><button>A</button></div><div id=b></div>")
    ref = await ref_of(observer, "A")
    await page.evaluate("b.append(document.querySelector('button'))")
    assert await ref_of(observer, "A") == ref
    assert (await observer.resolve(ref)).state == "ok"


async def test_what_only_listens_gets_a_ref(page: Page, observer: Observer) -> None:
    await page.set_content(
        "<p>See <span id=s>here</span> or <a id=a>there</a>.</p><ul id=u><li>x<li>y</ul>"
        "<script>for (const at of [s, a, u]) at.addEventListener('click', () => 0)</script>"
    )
    view = await observer.snapshot()
    assert ' e1 clickable "here"' in view.text
    assert ' e2 link "there"' in view.text
    assert len(view.refs) == 2
    await page.evaluate(
        "u.insertAdjacentHTML('beforeend', '<li id=z>z');z.addEventListener('mousedown', () => 0)"
    )
    assert ' e3 clickable "z"' in (await observer.snapshot()).text


DESCRIBED = """
<style>body { margin: 0 }</style>
<label for=m>Mail</label><input id=m type=email value=a@b.example required pattern='.*'>
<input type=password aria-label=Secret value=hunter2>
<input type=date aria-label=Day min=2024-01-01>
<select aria-label=Size><option value=s>Small<option value=l selected>Large</select>
<button disabled>Off</button>
<div style='position:relative'><button>Under</button>
<div style='position:absolute;inset:0;background:#eee' role=dialog aria-label=Cover></div></div>
<label><input type=checkbox style='display:none'>Agree</label>
<a href='/x?y=1'>Go</a>
"""


async def test_an_element_is_described(page: Page, observer: Observer) -> None:
    await page.set_content(DESCRIBED)
    await observer.snapshot()
    mail = await observer.describe(await ref_of(observer, "Mail"), expect="a@b.example")
    assert (mail.role, mail.name, mail.tag, mail.kind) == ("textbox", "Mail", "input", "email")
    assert (mail.value, mail.matches, mail.editable, mail.visible) == (
        "a@b.example",
        True,
        True,
        True,
    )
    secret = await observer.describe(await ref_of(observer, "Secret"), expect="hunter2")
    assert (secret.value, secret.matches) == ("[masked]", True)
    wrong = await observer.describe(await ref_of(observer, "Secret"), expect="hunter3")
    assert wrong.matches is False
    day = await observer.describe(await ref_of(observer, "Day"))
    assert (day.wants, day.min) == ("yyyy-mm-dd", "2024-01-01")
    size = await observer.describe(await ref_of(observer, "Size"))
    assert size.options == (("s", "Small", False), ("l", "Large", True))
    assert size.value == "Large"
    off = await observer.describe(await ref_of(observer, "Off"))
    assert (off.disabled, off.editable, off.covered_by) == (True, False, "")
    assert off.hint.startswith('textbox "Mail" e')
    agree = await observer.describe(await ref_of(observer, "Agree"))
    assert (agree.role, agree.checked) == ("checkbox", "unchecked")
    link = await observer.describe(await ref_of(observer, "Go"))
    assert link.href == "http://page.test/x?y=1"


async def test_a_covered_element_names_its_cover(page: Page, observer: Observer) -> None:
    await page.set_content(
        "<div style='position:relative'><button aria-label=Under></button>"
        "<div style='position:absolute;inset:0' role=dialog aria-label=Cover></div></div>"
    )
    await observer.snapshot()
    assert (await observer.describe("e1")).covered_by == 'dialog "Cover"'
    await page.evaluate("document.querySelector('[role=dialog]').remove()")
    assert (await observer.describe("e1")).covered_by == ""


async def test_a_password_that_is_shown_stays_masked(page: Page, observer: Observer) -> None:
    await page.set_content("<input type=password aria-label=P value=hunter2>")
    assert "hunter2" not in (await observer.snapshot()).text
    await page.evaluate("document.querySelector('input').type = 'text'")
    view = await observer.snapshot()
    assert view.text == 'e1 textbox ~"P" = [masked]'


async def test_a_watch_sees_trusted_events_at_its_target(page: Page, observer: Observer) -> None:
    await page.set_content(
        "<button onclick='this.textContent += 1'>A</button><button id=b>B</button>"
        "<label id=l>Box <input type=checkbox></label>"
    )
    await observer.snapshot()
    await page.evaluate("() => { EventTarget.prototype.addEventListener = () => { throw 1 } }")
    watch = await observer.watch("e1", ["pointerdown", "click"])
    await page.evaluate("document.querySelector('button').click()")
    seen = await watch.read()
    assert (seen.events, seen.elsewhere, seen.available) == ((), (), True)
    watch = await observer.watch("e1", ["pointerdown", "click"])
    await page.click("button")
    seen = await watch.read()
    assert seen.events == ("pointerdown", "click")
    assert seen.mutations >= 1
    watch = await observer.watch("e1", ["click"])
    await page.click("#b")
    seen = await watch.read()
    assert (seen.events, seen.elsewhere) == ((), ("click",))
    watch = await observer.watch("e3", ["click", "change"])
    await page.click("#l")
    seen = await watch.read()
    assert "change" in seen.events
    assert seen.checked == "checked"


async def test_a_watch_over_a_navigation_says_that_it_cannot_know(
    page: Page, observer: Observer
) -> None:
    await page.set_content("<a href='/next'>Next</a>")
    await observer.snapshot()
    watch = await observer.watch("e1", ["click"])
    async with page.expect_navigation():
        await page.click("a")
    assert not (await watch.read()).available
