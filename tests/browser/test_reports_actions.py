"""Faults that users of such tools report, each reproduced on a page with the right status asserted.

Ids are those of the list of reports: B refs, C frames, D cleanup, G hangs, H outcomes, J files.
Covered elsewhere: T-B5 in test_actions_select; T-D1 and T-D6 in test_reaper and test_launch; T-D3
in test_mcp; T-D4 in test_session_close; T-G2 in test_dialogs; T-H1 and T-H3 in test_outcomes and
test_verify; T-J2 in test_actions_files; T-C4 needs a replay and stands in test_recording.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.codes import Effect, Status
from browser_agent.records.limits import BrowserLimits
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]
STALE = (Status.ERROR, "ref_stale", Effect.NOT_DISPATCHED)


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


def told(result: Result) -> tuple[Status, str | None, Effect | None]:
    """Status, code and effect."""
    return result.status, result.error_code, result.effect


async def test_b1_refs_of_a_fresh_snapshot_work_after_going_back(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    site.page("/b", "<title>B</title><a href=/a>to a</a>")
    await session.navigate(site.at("/b"))
    await session.navigate(site.page("/a", "<title>A</title><a href=/b>to b</a>"))
    old = await ref(session, "to b", "link")
    assert (await session.click(old)).final_url == site.at("/b")
    assert (await session.back()).final_url == site.at("/a")
    assert (await session.snapshot()).is_ok
    again = await session.click(await ref(session, "to b", "link"))
    assert (again.status, again.final_url) == (Status.OK, site.at("/b"))


async def test_b2_a_ref_of_another_page_is_stale_whatever_it_would_hit(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    page = "<title>-</title><button onclick=\"document.title = 'hit'\">%s</button>"
    await session.navigate(site.page("/one", page % "Save"))
    old = await ref(session, "Save", "button")
    await session.navigate(site.page("/two", page % "Delete"))
    await session.snapshot()
    for result in (
        await session.click(old),
        await session.fill(old, "x"),
        await session.hover(old),
        await session.check(old),
        await session.select(old, ["x"]),
    ):
        assert told(result) == STALE
    assert data_of(await session.tabs())["items"][0]["title"] == "-"


async def test_b3_a_ref_means_its_element_although_others_came_before_it(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<title>-</title><button onclick=\"for (const n of ['de', 'fr', 'it']) { "
            "const b = document.createElement('button'); b.textContent = n; "
            'b.onclick = () => { document.title = n }; this.before(b) }">Language</button>'
            "<button onclick=\"document.title = 'sent'\">Send</button>",
        )
    )
    language, send = await ref(session, "Language"), await ref(session, "Send")
    assert (await session.click(language)).is_ok
    assert (await session.click(send)).is_ok
    assert data_of(await session.tabs())["items"][0]["title"] == "sent"
    assert await ref(session, "Send") == send


async def test_b7_a_ref_of_another_tab_is_refused(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    page = site.page(
        "/", "<title>-</title><button onclick=\"document.title='hit'\">Submit</button>"
    )
    await session.navigate(page)
    first = await ref(session, "Submit", "button")
    await session.new_tab(page)
    await session.snapshot()
    assert told(await session.click(first)) == STALE
    assert [row["title"] for row in data_of(await session.tabs())["items"]] == ["-", "-"]
    await session.select_tab("t1")
    assert (await session.click(first)).is_ok
    assert [row["title"] for row in data_of(await session.tabs())["items"]] == ["hit", "-"]


async def test_c1_c2_controls_of_nested_frames_of_other_sites_are_listed_and_clicked(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    other = site.url.replace("127.0.0.1", "localhost")
    site.page(
        "/leaf",
        "<button onclick=\"this.after('button hit')\">Deep</button>"
        "<div style='cursor:pointer' id=d>Tile</div><p id=o></p><script>"
        "d.addEventListener('click', () => { o.textContent = 'tile hit' })</script>",
    )
    site.page("/middle", f"<p>middle</p><iframe src='{site.at('/leaf')}' height=150></iframe>")
    await session.navigate(
        site.page("/", f"<p>top</p><iframe src='{other}/middle' height=300></iframe>")
    )
    for name, hit in (("Deep", "button hit"), ("Tile", "tile hit")):
        clicked = await session.click(await ref(session, name))
        assert told(clicked) == (Status.OK, None, Effect.ACKNOWLEDGED), clicked.to_dict()
        assert any(hit in line for line in data_of(clicked)["changes"]["added"])
        frame = cast("dict[str, str]", clicked.to_dict()["locator"])["frame"]
        assert frame == site.at("/leaf")


@pytest.fixture
async def patient(local_web: UrlPolicy) -> AsyncIterator[Session]:
    """A session with so much time that a slow machine decides nothing."""
    limits = BrowserLimits(navigation_timeout_s=90, action_timeout_s=90, observation_timeout_s=90)
    async with (
        Browser.launch(policy=local_web, limits=limits, robots=False) as browser,
        browser.session() as opened,
    ):
        yield opened


async def test_c5_frames_that_come_and_go_and_many_of_them_break_nothing(
    patient: Session, site: FixtureSite, ref: Finder
) -> None:
    session = patient
    site.page("/inner", "<button>inner</button>")
    await session.navigate(
        site.page(
            "/",
            "<title>-</title><button onclick=\"document.title = 'hit'\">Steady</button>"
            + "<iframe srcdoc='<button>in</button>' width=90 height=40></iframe>" * 30
            + "<div id=d></div><script>setInterval(() => { const f = document.createElement("
            "'iframe'); f.src = '/inner'; d.replaceChildren(f) }, 120)</script>",
        )
    )
    assert (await session.snapshot()).status in (Status.OK, Status.TRUNCATED)
    assert (await session.find("in")).status in (Status.OK, Status.TRUNCATED)
    assert (await session.click(await ref(session, "Steady", "button"))).is_ok
    assert data_of(await session.tabs())["items"][0]["title"] == "hit"


async def test_h4_every_call_that_fails_has_an_error_status_and_a_code(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(site.page("/", "<button disabled>Off</button><p>x</p>"))
    off = await ref(session, "Off", "button")
    failures = [
        await session.click(off),
        await session.click("e999"),
        await session.fill(off, "x"),
        await session.check(off),
        await session.select(off, ["x"]),
        await session.press("NoSuchKey"),
        await session.upload(["/etc/passwd"]),
        await session.answer_dialog(accept=True),
        await session.select_tab("t9"),
        await session.scroll(to_text="nowhere"),
        await session.navigate("http://nowhere.invalid/"),
    ]
    for result in failures:
        assert result.status is Status.ERROR, result.to_dict()
        assert result.error_code
        assert not result.is_ok
