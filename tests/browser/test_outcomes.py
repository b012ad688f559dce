"""The rules of outcome on real pages: what was sent, what was seen, what is only hoped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, cast

import pytest

from browser_agent.browser.session import Session
from browser_agent.records.codes import Effect, Status
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

POST_AND_BLOCK = """<title>Shop</title><button onclick="
  fetch('/order', {method: 'POST', body: 'one'});
  const end = Date.now() + 2500; while (Date.now() < end);
  document.getElementById('done').textContent = 'ordered'">Order</button><p id=done></p>"""

SLOW_SAVE = """<title>Form</title><form id=f><input name=a aria-label=Note value=x>
<button>Save</button></form><p id=state>not saved</p><script>
document.getElementById('f').onsubmit = async (event) => {
  event.preventDefault();
  const state = document.getElementById('state');
  state.textContent = 'saving';
  await fetch('/save', {method: 'POST', body: 'note'});
  state.textContent = 'saved';
}</script>"""

FORM_POST = """<title>Form</title><form method=post action=/save>
<input name=a aria-label=Note value=x><button>Save</button></form>"""


def outcome(result: Result) -> tuple[Status, Effect | None, str | None]:
    """What the rules decide."""
    return result.status, result.effect, result.error_code


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


def take(site: FixtureSite, path: str, *, status: int = 200, held: bool = False) -> asyncio.Event:
    """Let the site take what is sent to ``path``; where held, it answers when the event is set."""
    go_on = asyncio.Event()

    @site.route(path)
    async def _take(_: Request) -> Response:
        if held:
            await go_on.wait()
        return Response(status, {"content-type": "text/html"}, "<title>Thanks</title><p>taken</p>")

    return go_on


OK = (Status.OK, Effect.ACKNOWLEDGED, None)
UNKNOWN = (Status.UNKNOWN, Effect.ACKNOWLEDGED, "outcome_unknown")


async def test_posting_and_then_blocking_is_unknown_and_verify_settles_it(
    hasty: Session, site: FixtureSite, ref: Finder
) -> None:
    take(site, "/order")
    await hasty.navigate(site.page("/", POST_AND_BLOCK))
    clicked = await hasty.click(await ref(hasty, "Order", "button"))
    assert clicked.status is Status.UNKNOWN
    assert clicked.error_code == "outcome_unknown"
    assert clicked.effect in (Effect.DISPATCHED, Effect.ACKNOWLEDGED)
    verified = await hasty.verify(clicked)
    assert outcome(verified) == OK
    assert data_of(verified)["settles"] == clicked.operation_id
    assert {"POST"} == {row["method"] for row in _requests(verified)}
    assert site.count("/order", method="POST") == 1


async def test_a_save_by_script_that_is_answered_late_is_unknown(
    hasty: Session, site: FixtureSite, ref: Finder
) -> None:
    go_on = take(site, "/save", held=True)
    await hasty.navigate(site.page("/", SLOW_SAVE))
    saved = await hasty.click(await ref(hasty, "Save", "button"))
    assert outcome(saved) == UNKNOWN
    go_on.set()
    assert outcome(await hasty.verify(saved)) == OK
    assert site.count("/save", method="POST") == 1


async def test_a_form_that_is_answered_late_is_unknown(
    hasty: Session, site: FixtureSite, ref: Finder
) -> None:
    go_on = take(site, "/save", held=True)
    await hasty.navigate(site.page("/", FORM_POST))
    saved = await hasty.click(await ref(hasty, "Save", "button"))
    assert outcome(saved) == UNKNOWN
    go_on.set()
    verified = await hasty.verify(saved.operation_id or "")
    assert outcome(verified) == OK
    assert any(row["kind"] == "url" for row in data_of(verified)["evidence"])
    assert site.count("/save", method="POST") == 1


async def test_verify_of_an_outcome_that_stays_open_stays_unknown(
    hasty: Session, site: FixtureSite, ref: Finder
) -> None:
    go_on = take(site, "/save", held=True)
    await hasty.navigate(site.page("/", SLOW_SAVE))
    saved = await hasty.click(await ref(hasty, "Save", "button"))
    assert outcome(await hasty.verify(saved)) == UNKNOWN
    go_on.set()
    assert site.count("/save", method="POST") == 1


async def test_verify_reports_what_the_server_refused(
    hasty: Session, site: FixtureSite, ref: Finder
) -> None:
    go_on = take(site, "/save", held=True, status=500)
    await hasty.navigate(site.page("/", SLOW_SAVE))
    saved = await hasty.click(await ref(hasty, "Save", "button"))
    assert saved.status is Status.UNKNOWN
    go_on.set()
    assert outcome(await hasty.verify(saved)) == (Status.ERROR, Effect.ACKNOWLEDGED, "http_error")


async def test_verify_of_what_this_session_did_not_do(session: Session) -> None:
    assert (await session.verify("op_00000000000000000000000000")).error_code == "not_found"


async def test_a_polling_page_does_not_make_every_click_unknown(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    polls = 0

    @site.route("/poll")
    async def _poll(_: Request) -> Response:
        nonlocal polls
        polls += 1
        if polls > 4:
            await asyncio.Event().wait()
        return Response(200, {}, "")

    await session.navigate(
        site.page(
            "/",
            "<p id=o></p><button onclick=\"o.textContent='done'\">Act</button><script>"
            "(async()=>{for(;;)await fetch('/poll',{method:'POST'})})()</script>",
        )
    )
    await site.wait_for("/poll", count=5)
    clicked = await session.click(await ref(session, "Act", "button"))
    assert outcome(clicked) == OK


async def test_a_click_that_changes_nothing_says_so(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(site.page("/", "<button>Nothing</button>"))
    clicked = await session.click(await ref(session, "Nothing", "button"))
    assert outcome(clicked) == OK
    assert data_of(clicked)["changed"] is False
    assert data_of(clicked)["changes"] == {"added": [], "removed": []}


async def test_a_late_change_is_seen(session: Session, site: FixtureSite, ref: Finder) -> None:
    await session.navigate(
        site.page(
            "/",
            "<p id=o>before</p><button onclick=\"setTimeout(()=>o.textContent='after',80)\">"
            "Later</button>",
        )
    )
    clicked = await session.click(await ref(session, "Later", "button"))
    assert data_of(clicked)["changed"] is True
    assert any("after" in line for line in data_of(clicked)["changes"]["added"])


async def test_a_covered_element_fails_at_once_and_names_the_cover(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<title>x</title><button onclick=\"document.title='paid'\">Pay</button>"
            "<div id=cookies role=dialog aria-label='Cookie notice' style='position:fixed;inset:0'"
            " onclick=\"document.title='stolen'\"></div>",
        )
    )
    began = asyncio.get_running_loop().time()
    clicked = await session.click(await ref(session, "Pay", "button"))
    took_s = asyncio.get_running_loop().time() - began
    assert outcome(clicked) == (Status.ERROR, Effect.NOT_DISPATCHED, "not_actionable")
    assert "Cookie notice" in (clicked.error_message or "")
    assert took_s < session.limits.action_timeout_s / 2
    assert data_of(await session.tabs())["items"][0]["title"] == "x"


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<button disabled>Go</button>", "is disabled"),
        ("<fieldset disabled><button>Go</button></fieldset>", "is disabled"),
        ("<button aria-disabled=true>Go</button>", "is disabled"),
        ("<button style='pointer-events:none'>Go</button>", "pointer-events"),
    ],
    ids=["disabled", "fieldset", "aria", "through"],
)
async def test_what_cannot_be_clicked_is_not_clicked(
    hasty: Session, site: FixtureSite, ref: Finder, html: str, words: str
) -> None:
    await hasty.navigate(site.page("/", f"<body onclick=\"document.title='hit'\">{html}"))
    clicked = await hasty.click(await ref(hasty, "Go", "button"))
    assert outcome(clicked) == (Status.ERROR, Effect.NOT_DISPATCHED, "not_actionable")
    assert words in (clicked.error_message or "")
    tab = hasty._core.tabs.current
    assert tab is not None
    assert await tab.page.title() != "hit"


async def test_an_element_that_becomes_usable_is_waited_for(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<button id=b disabled onclick=\"document.title='hit'\">Go</button><p id=p></p>"
            "<script>setTimeout(()=>{b.disabled=false},400)</script>",
        )
    )
    clicked = await session.click(await ref(session, "Go", "button"))
    assert outcome(clicked) == OK


async def test_a_blocked_page_before_the_dispatch_gets_no_late_click(
    hasty: Session, site: FixtureSite, ref: Finder
) -> None:
    """T-H3: an action that timed out before it was sent does not land afterwards."""
    take(site, "/hit")
    take(site, "/block")
    await hasty.navigate(
        site.page(
            "/",
            "<button onclick=\"fetch('/hit',{method:'POST'})\">Go</button>"
            "<button onclick=\"setTimeout(async()=>{await fetch('/block');"
            'const e=Date.now()+2500;while(Date.now()<e);},200)">Block</button>',
        )
    )
    go = await ref(hasty, "Go", "button")
    await hasty.click(await ref(hasty, "Block", "button"))
    await site.wait_for("/block")
    await asyncio.wait_for(_until_blocked(hasty), 5)
    clicked = await hasty.click(go)
    assert outcome(clicked) == (Status.ERROR, Effect.NOT_DISPATCHED, "action_timeout")
    waited = await hasty.wait_for(text="Go")
    while not waited.is_ok:
        waited = await hasty.wait_for(text="Go")
    assert site.count("/hit") == 0


async def _until_blocked(session: Session) -> None:
    """Return once the page stops answering."""
    while (await session.wait_for(text="Go")).is_ok:
        pass


async def test_an_input_that_rewrites_what_was_typed_is_no_effect(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(site.page("/", "<input aria-label=Code oninput=\"this.value='evil'\">"))
    filled = await session.fill(await ref(session, "Code"), "abc")
    assert outcome(filled) == (Status.ERROR, Effect.ACKNOWLEDGED, "no_effect")
    assert data_of(filled)["value"] == "evil"


async def test_an_input_that_refuses_focus_and_keys_is_no_effect(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            '<input aria-label=Trap onfocus="this.blur()" onkeydown="return false">',
        )
    )
    for slowly in (False, True):
        typed = await session.type(await ref(session, "Trap"), "abc", slowly=slowly)
        assert typed.status is Status.ERROR
        assert typed.error_code in ("no_effect", "not_actionable")


async def test_a_click_that_leads_to_an_error_page_is_an_http_error(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(site.page("/", "<a href=/errors/503>Broken</a>"))
    clicked = await session.click(await ref(session, "Broken", "link"))
    assert outcome(clicked) == (Status.ERROR, Effect.ACKNOWLEDGED, "http_error")
    assert data_of(clicked)["http_status"] == 503
    assert data_of(clicked)["navigated"] is True


async def test_a_link_is_followed_until_the_new_page_is_there(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    site.page("/next", "<title>Next</title><p>arrived</p>")
    await session.navigate(site.page("/", "<a href=/next>Go on</a>"))
    clicked = await session.click(await ref(session, "Go on", "link"))
    assert outcome(clicked) == OK
    assert clicked.final_url == site.at("/next")
    assert data_of(clicked)["navigated"] is True


async def test_a_page_that_closes_itself_is_ok_and_the_opener_comes_back(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    site.page("/popup", "<button onclick='window.close()'>Close me</button>")
    await session.navigate(site.page("/", "<a href=/popup target=_blank rel=opener>Open</a>"))
    opened = await session.click(await ref(session, "Open", "link"))
    (new,) = data_of(opened)["new_tabs"]
    await session.select_tab(new["id"])
    closed = await session.click(await ref(session, "Close me", "button"))
    assert outcome(closed) == OK
    assert data_of(closed)["page_closed"] is True
    assert (await session.read()).is_ok


async def test_a_crash_after_the_input_is_unknown(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    go_on = take(site, "/save", held=True)
    await session.navigate(site.page("/", SLOW_SAVE))
    saving = asyncio.ensure_future(session.click(await ref(session, "Save", "button")))
    await site.wait_for("/save")
    await crash(session)
    clicked = await saving
    assert (clicked.status, clicked.error_code) == (Status.UNKNOWN, "page_crashed")
    go_on.set()
    after = await session.navigate(site.page("/after", "<p>fine</p>"))
    assert after.is_ok


async def crash(session: Session) -> None:
    """Let the renderer of the current page crash."""
    tab = session._core.tabs.current
    assert tab is not None
    devtools = await session._core.context.new_cdp_session(tab.page)
    crash = cast("Coroutine[object, object, object]", devtools.send("Page.crash"))  # pyright: ignore[reportUnknownMemberType]
    crashing = asyncio.ensure_future(crash)
    await asyncio.wait({crashing}, timeout=2)
    crashing.cancel()


def _requests(result: Result) -> list[dict[str, Any]]:
    return [row for row in data_of(result)["evidence"] if row["kind"] == "request"]
