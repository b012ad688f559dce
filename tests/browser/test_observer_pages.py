"""Frames, shadow trees, changes, finds, bounds and hostile pages."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import Page

from browser_agent import Browser, UrlPolicy
from browser_agent._json import dumps
from browser_agent.browser.observer import Observer, RefTable
from browser_agent.browser.observer_types import ObserverError, ObserverLimits
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio


async def test_frames_stand_in_their_place(
    page: Page, observer: Observer, site: FixtureSite
) -> None:
    far = site.url.replace("127.0.0.1", "localhost")
    site.page("/in", "<p>inside</p><button>In</button><iframe src='/deep'></iframe>")
    site.page("/deep", "<button>Deep</button>")
    await page.goto(
        site.page(
            "/top",
            f"<p>before</p><iframe title=Near src='/in'></iframe><p>between</p>"
            f"<iframe src='{far}/in'></iframe><p>after</p>",
        )
    )
    view = await observer.snapshot()
    shape = re.sub(r"e\d+", "e", view.text)
    inner = ' "inside"\n e button "In"\n frame\n  e button "Deep"'
    other = f"frame from {far.rstrip('/')}"
    assert shape == f'"before"\nframe ~"Near"\n{inner}\n"between"\n{other}\n{inner}\n"after"'
    assert len(view.coverage.frames_inspected) == 5
    for ref in view.refs:
        target = await observer.resolve(ref)
        assert target.frame is not None
        await target.frame.locator(target.selector).click(trial=True)
    assert "inside" in (await observer.text()).text


async def test_a_frame_in_a_shadow_tree(page: Page, observer: Observer, site: FixtureSite) -> None:
    site.page("/in", "<button>In</button>")
    await page.goto(
        site.page(
            "/top",
            "<div id=h></div><iframe src='/other'></iframe><script>h.attachShadow({mode:'open'})"
            ".innerHTML = '<iframe src=/in></iframe><p>end</p>'</script>",
        )
    )
    site.page("/other", "<button>Other</button>")
    view = await observer.snapshot()
    assert re.search(r'frame\n e\d+ button "In"\n"end"\nframe', view.text)


async def test_frames_that_come_and_go_are_never_an_error(page: Page, observer: Observer) -> None:
    await page.set_content(
        "<h1>Stays</h1><div id=d></div><script>setInterval(() => {"
        "d.innerHTML = ''; for (let i = 0; i < 4; i++) {"
        "const f = document.createElement('iframe'); f.srcdoc = '<p>' + i; d.append(f) }"
        "}, 40)</script>"
    )
    for _ in range(6):
        assert "# Stays" in (await observer.snapshot()).text
    assert (await observer.find("Stays")).total == 1


async def test_thirty_frames(page: Page, observer: Observer) -> None:
    await page.set_content(
        "".join(f"<iframe srcdoc='<p>frame {i}</p>'></iframe>" for i in range(30))
    )
    view = await observer.snapshot()
    assert [f"frame {i}" in view.text for i in range(30)] == [True] * 30


async def test_a_frame_that_hangs_is_said_and_the_rest_is_read(
    page: Page, site: FixtureSite
) -> None:
    observer = Observer(
        page, refs=RefTable(), limits=ObserverLimits(timeout_s=120, frame_timeout_s=1.0)
    )
    far = site.url.replace("127.0.0.1", "localhost")
    site.page("/busy", "<p>busy</p><script>onmessage = () => { for (;;); }</script>")
    await page.goto(site.page("/top", f"<h1>Top</h1><iframe src='{far}/busy'></iframe>"))
    await page.evaluate("frames[0].postMessage(1, '*')")
    view = await observer.snapshot()
    assert "# Top" in view.text
    assert "frame (not inspected)" in view.text
    assert [note.reason for note in view.coverage.frames_not_inspected] == ["timeout"]
    observer.close()


async def test_a_hidden_frame_is_not_read(page: Page, observer: Observer) -> None:
    await page.set_content("<p>Top</p><iframe hidden srcdoc='<p>secret</p>'></iframe>")
    view = await observer.snapshot()
    assert view.text == '"Top"'
    assert [note.reason for note in view.coverage.frames_not_inspected] == ["not visible"]
    assert (await observer.find("secret")).total == 0


async def test_closed_shadow_trees_are_named(page: Page, observer: Observer) -> None:
    await page.set_content(
        "<x-card style='display:block;width:90px;height:40px'></x-card><x-plain>seen</x-plain>"
        "<script>document.querySelector('x-card').attachShadow({mode:'closed'})"
        ".innerHTML = '<p>unseen</p>'</script>"
    )
    view = await observer.snapshot()
    assert view.text == '"seen"'
    assert view.coverage.possibly_closed == ("x-card",)


async def test_changes_are_the_lines_that_came_and_went(page: Page, observer: Observer) -> None:
    rows = "".join(f"<li>row {i}</li>" for i in range(300))
    await page.set_content(f"<h2>Part</h2><p id=p>clicks: 0</p><ul>{rows}</ul>")
    since = await observer.baseline()
    assert not (await observer.changes(since)).changed
    await page.evaluate("p.textContent = 'clicks: 1'; document.querySelectorAll('li')[5].remove()")
    changes = await observer.changes(since)
    assert changes.added == ('## Part: "clicks: 1"',)
    assert changes.removed == ('## Part: "clicks: 0"', '## Part: "row 5"')
    later = await observer.changes(changes.baseline)
    assert not later.changed


async def test_changes_see_values_order_and_bounds(page: Page, observer: Observer) -> None:
    await page.set_content("<input aria-label=A><ul><li>a<li>b<li>c</ul><div id=d></div>")
    since = await observer.baseline()
    await page.fill("input", "typed")
    changes = await observer.changes(since)
    assert changes.added == ('e1 textbox ~"A" = typed',)
    await page.evaluate("const u = document.querySelector('ul'); u.append(u.children[0])")
    changes = await observer.changes(changes.baseline)
    assert changes.added == changes.removed == ('"a"',)
    await page.evaluate(
        "for (let i = 0; i < 500; i++) d.append(Object.assign("
        "document.createElement('p'), {textContent: 'line ' + i}))"
    )
    changes = await observer.changes(changes.baseline, limit_bytes=1_000)
    assert len("".join(changes.added)) < 1_200
    assert changes.cut + len(changes.added) == 500


async def test_changes_over_a_navigation_are_lost(page: Page, observer: Observer) -> None:
    since = await observer.baseline()
    await page.goto("http://page.test/other")
    changes = await observer.changes(since)
    assert changes.lost
    assert changes.changed


async def test_find_gives_the_best_match_first(page: Page, observer: Observer) -> None:
    await page.set_content(
        "<p>You may save here</p><a href='#'>Save all</a><button>Save</button>"
        "<h2>Saved</h2><label>Save as <input></label>"
    )
    found = await observer.find("  SAVE ")
    assert [(match.role, match.name) for match in found.matches] == [
        ("button", "Save"),
        ("link", "Save all"),
        ("textbox", "Save as"),
        ("text", "You may save here"),
        ("heading", "## Saved"),
    ]
    assert found.total == 5
    assert (await observer.find("save", role="link")).matches[0].name == "Save all"
    assert (await observer.find("", role="textbox")).total == 1
    assert (await observer.find("save", limit=1)).total == 5
    assert (await observer.find(r"Save a(ll|s)", regex=True)).total == 2
    with pytest.raises(ObserverError) as raised:
        await observer.find("(", regex=True)
    assert raised.value.code == "invalid_input"


async def test_what_leaves_a_page_is_bounded(page: Page, observer: Observer) -> None:
    await page.set_content(
        "<p>first</p>"
        + "<p>words of a line, ünïcödé 日本</p>" * 4_000
        + "<iframe srcdoc='"
        + "<p>more words</p>" * 2_000
        + "'></iframe>"
    )
    for look in (observer.snapshot, observer.text, observer.html):
        view = await look(capture_bytes=20_000)
        assert len(view.text.encode()) <= 20_000
        assert view.coverage.bytes_captured <= 24_000  # with the heads of both frames
        assert view.coverage.bytes_not_captured > 50_000
    view = await observer.snapshot(capture_bytes=20_000)
    lines = view.text.split("\n")
    assert lines[0] == '"first"'
    assert set(lines[1:-2]) <= {'"words of a line, ünïcödé 日本"', "frame", ' "more words"'}


async def test_huge_text_and_title_are_cut_in_the_page(
    page: Page, observer: Observer, long_run: bool
) -> None:
    size = 50_000_000 if long_run else 6_000_000
    await page.evaluate(
        "n => { document.title = 'T'.repeat(5e6);"
        "document.body.textContent = '\\ud83d' + 'wörds '.repeat(n / 6) }",
        size,
    )
    view = await observer.snapshot(capture_bytes=100_000)
    assert len(view.title) <= 500
    assert 90_000 < len(view.text.encode()) <= 100_000
    assert view.coverage.bytes_not_captured > size / 2
    assert view.text.encode().decode() == view.text


async def test_wide_and_deep_pages_are_bounded(
    page: Page, observer: Observer, long_run: bool
) -> None:
    wide = 300_000 if long_run else 40_000
    await page.evaluate("n => { document.body.innerHTML = '<b>x</b><i></i>'.repeat(n / 2) }", wide)
    view = await observer.snapshot(capture_bytes=50_000)
    assert len(view.text.encode()) <= 50_000
    await page.evaluate(
        "() => { document.body.innerHTML = ''; let at = document.body;"
        "for (let i = 0; i < 1500; i++) { at.append('t'); at = at.appendChild("
        "document.createElement(i % 3 ? 'div' : 'ul')) } at.innerHTML = '<button>Deep</button>' }"
    )
    view = await observer.snapshot()
    assert 'button "Deep"' in view.text


async def test_the_walk_stops_at_its_bound_and_says_so(page: Page) -> None:
    observer = Observer(
        page, refs=RefTable(), limits=ObserverLimits(timeout_s=120, max_nodes=1_000)
    )
    await page.set_content("<p>a <b>b</b></p>" * 2_000)
    view = await observer.snapshot()
    assert view.coverage.nodes_not_inspected > 1_000
    assert view.text.startswith('"a b"')
    observer.close()


async def test_a_page_that_hangs_times_out(page: Page) -> None:
    observer = Observer(page, refs=RefTable(), limits=ObserverLimits(timeout_s=0.5))
    await page.evaluate("() => { setTimeout(() => { for (;;); }, 0) }")
    with pytest.raises(ObserverError) as raised:
        await observer.snapshot()
    assert raised.value.code == "observation_timeout"
    observer.close()


async def test_a_closed_page_says_so(page: Page, observer: Observer) -> None:
    await page.close()
    with pytest.raises(ObserverError) as raised:
        await observer.text()
    assert raised.value.code == "page_closed"


async def test_a_page_that_broke_its_own_world_is_read(page: Page, observer: Observer) -> None:
    await page.set_content(
        "<script>for (const of of [Node, Element, Document, Array, JSON, Map, String])"
        "for (const key of Object.getOwnPropertyNames(of.prototype || of)) { try {"
        "Object.defineProperty(of.prototype || of, key, {get() { throw 1 }, value: undefined}) "
        "} catch { } }</script><form><input name=children><input name=tagName>"
        "<input name=attributes><input name=style><button>Works</button></form>"
    )
    assert 'button "Works"' in (await observer.snapshot()).text


async def test_settling_waits_for_the_page_and_is_bounded(page: Page, observer: Observer) -> None:
    await page.set_content(
        "<p id=p>0</p><script>let n = 0; const t = setInterval(() => {"
        "p.textContent = ++n; if (n > 8) clearInterval(t) }, 20)</script>"
    )
    settled = await observer.settle(quiet_ms=150, limit_s=20)
    assert settled.quiet
    assert (await observer.text()).text == "9"
    await page.evaluate("() => { setInterval(() => { p.textContent = ++n }, 5) }")
    restless = await observer.settle(quiet_ms=60_000, limit_s=0.3)
    assert not restless.quiet


async def test_settling_waits_for_answers(
    page: Page, observer: Observer, site: FixtureSite
) -> None:
    await page.goto(site.page("/top", "<p id=p>waiting</p>"))
    released = asyncio.Event()

    @site.route("/slow")
    async def slow(_: Request) -> Response:
        await released.wait()
        return Response.html("ok")

    await page.evaluate("() => { fetch('/slow').then(() => { p.textContent = 'done' }) }")
    await site.wait_for("/slow")
    assert not (await observer.settle(quiet_ms=20, limit_s=0.3)).quiet
    released.set()
    assert (await observer.settle(quiet_ms=60, limit_s=20)).quiet
    assert (await observer.text()).text == "done"


async def test_a_frame_of_another_origin_is_named() -> None:
    async with FixtureSite.serve() as site, FixtureSite.serve() as other:
        inner = other.page("/in", "<p>words of others<iframe srcdoc='<p>deep'></iframe>")
        same = site.page("/same", "<p>own words")
        url = site.page("/", f"<p>top<iframe src={inner}></iframe><iframe src={same}></iframe>")
        policy = UrlPolicy.public_web(allow_local=[site.url, other.url])
        async with Browser.launch(policy=policy) as browser, browser.session() as session:
            await session.navigate(url)
            shown = dumps((await session.snapshot()).to_dict()["data"])
            read = dumps((await session.read()).to_dict()["data"])
    origin = other.url.rstrip("/")
    assert shown.count(" from ") == 1
    assert f'frame from {origin}\\n  \\"words of others' in shown
    lines = [f"[frame from {origin}]", "words of others", "deep", "[end of frame]", "own words"]
    assert "\\n".join(lines) in read
