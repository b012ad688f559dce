"""Clicking, hovering, dragging, checking: what the page saw and what the Result says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from browser_agent.browser.session import Session
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import Effect
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

LISTENING = """<title>-</title><button id=b>Target</button><script>
const seen = [];
for (const kind of ['click','dblclick','contextmenu','auxclick'])
  b.addEventListener(kind, (e) => {
    e.preventDefault();
    seen.push(kind + e.button + (e.shiftKey ? 'S' : '') + (e.ctrlKey ? 'C' : '') + e.isTrusted);
    document.title = seen.join(' ');
  });
</script>"""


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


async def title_of(session: Session) -> str:
    """The title of the current page."""
    rows = data_of(await session.tabs())["items"]
    return next(row["title"] for row in rows if row["current"])


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({}, "click0true"),
        ({"count": 2}, "click0true click0true dblclick0true"),
        ({"button": "right"}, "contextmenu2true auxclick2true"),
        ({"button": "middle"}, "auxclick1true"),
        ({"modifiers": ["Shift", "ctrl"]}, "click0SCtrue"),
    ],
    ids=["left", "double", "right", "middle", "modifiers"],
)
async def test_buttons_counts_and_modifiers(
    session: Session, site: FixtureSite, ref: Finder, options: dict[str, Any], title: str
) -> None:
    await session.navigate(site.page("/", LISTENING))
    clicked = await session.click(await ref(session, "Target", "button"), **options)
    assert clicked.is_ok
    assert clicked.to_dict()["locator"] == {
        "scope": "element",
        "ref": await ref(session, "Target", "button"),
        "role": "button",
        "name": "Target",
    }
    assert await title_of(session) == title


async def test_what_the_mouse_moves_is_pressed_where_it_then_is(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    """What hovering does is done before the press, as it is for a person."""
    html = """<title>-</title><div><button id=b style="width:100px"
        onmouseenter="b.style.marginLeft = '300px'" onclick="document.title = 'hit'">Target"""
    await session.navigate(site.page("/", html))
    clicked = await session.click(await ref(session, "Target", "button"))
    assert clicked.is_ok
    assert await title_of(session) == "hit"


async def test_a_list_that_opens_below_the_resting_mouse_keeps_nothing_of_it(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    """Lists wait for the first move after they open, and take it for one on what lay there."""
    html = """<title>-</title><style>li { cursor: pointer; height: 30px }</style>
        <button style="position:absolute;top:20px" onclick="open_()">Open</button><script>
        let active = '';
        function open_() {
          document.body.insertAdjacentHTML('beforeend',
            '<ul style="position:absolute;top:0;background:white"><li>One<li>Two<li>Three</ul>');
          const list = document.querySelector('ul');
          let fresh = true;
          list.addEventListener('mouseover', (event) => {
            if (!fresh) return void (active = event.target.textContent);
            fresh = false;
            const first = event.target.textContent;
            addEventListener('mousemove', () => { active = first }, { once: true });
          });
          list.addEventListener('click', () => { document.title = active });
        }</script>"""
    await session.navigate(site.page("/", html))
    await session.click(await ref(session, "Open", "button"))
    assert (await session.click(await ref(session, "Three"))).is_ok
    assert await title_of(session) == "Three"


async def test_wrong_arguments(session: Session, site: FixtureSite, ref: Finder) -> None:
    await session.navigate(site.page("/", LISTENING))
    target = await ref(session, "Target", "button")
    assert (await session.click(target, button="left-ish")).error_code == "invalid_input"
    assert (await session.click(target, count=9)).error_code == "invalid_input"
    assert (await session.click(target, modifiers=["Hyper"])).error_code == "invalid_input"
    assert (await session.click("e999")).error_code == "ref_not_found"
    assert (await session.click("the button")).error_code == "ref_not_found"
    for wrong in (7, None, ["e1"]):
        with pytest.raises(InvalidInput):
            await session.click(cast("str", wrong))
    assert await title_of(session) == "-"
    assert (await session.click(f"[{target}]")).is_ok
    assert (await session.click(f"ref={target}")).is_ok


async def test_boxes_behind_their_labels_are_checked_there(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<style>input{position:absolute;opacity:0;width:1px;height:1px}</style>"
            "<input type=checkbox id=a><label for=a>Terms</label>"
            "<label><input type=radio name=r value=1>One</label>"
            "<label><input type=radio name=r value=2>Two</label>",
        )
    )
    terms = await ref(session, "Terms", "checkbox")
    checked = await session.check(terms)
    assert (checked.status, checked.effect) == ("ok", Effect.ACKNOWLEDGED)
    assert data_of(checked)["value"] == "true"
    again = await session.check(terms)
    assert (again.effect, data_of(again)["changed"]) == (Effect.NONE, False)
    assert data_of(await session.check(terms, checked=False))["value"] == "false"
    two = await ref(session, "Two", "radio")
    assert data_of(await session.check(two))["value"] == "true"
    assert (await session.check(two, checked=False)).error_code == "not_actionable"


async def test_an_aria_switch_is_read_back(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    flip = "this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')"
    await session.navigate(
        site.page(
            "/",
            f'<div role=switch tabindex=0 aria-checked=false onclick="{flip}">Wifi</div>'
            "<div role=switch tabindex=0 aria-checked=false>Dead</div>"
            "<button>Plain</button>",
        )
    )
    assert data_of(await session.check(await ref(session, "Wifi", "switch")))["value"] == "true"
    dead = await session.check(await ref(session, "Dead", "switch"))
    assert (dead.error_code, dead.effect) == ("no_effect", Effect.ACKNOWLEDGED)
    plain = await session.check(await ref(session, "Plain", "button"))
    assert (plain.error_code, plain.effect) == ("not_actionable", Effect.NOT_DISPATCHED)


async def test_hover_opens_what_opens_on_hover(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<style>ul ul{display:none} li:hover ul{display:block}</style>"
            "<ul><li><a href=#>File</a><ul><li><a href=#save>Save as</a></ul></ul>",
        )
    )
    hovered = await session.hover(await ref(session, "File", "link"))
    assert hovered.is_ok
    assert any("Save as" in line for line in data_of(hovered)["changes"]["added"])
    assert data_of(await session.click(await ref(session, "Save as", "link")))["navigated"] is True


HTML5 = """<div id=a draggable=true tabindex=0 ondragstart="event.dataTransfer.setData('text','A')">
Card</div><div id=z tabindex=0 style="margin-top:40px;padding:20px"
ondragover="event.preventDefault()"
ondrop="this.textContent='Zone got '+event.dataTransfer.getData('text')">Zone</div>"""

POINTER = """<style>#k{width:20px;height:20px;background:red;position:absolute;left:10px;top:10px}
#e{position:absolute;left:210px;top:10px}</style><div id=k role=slider tabindex=0 aria-label=Knob>
</div><button id=e>End</button><p id=o style="margin-top:60px">at 10</p><script>
k.onpointerdown = (down) => {
  k.setPointerCapture(down.pointerId);
  k.onpointermove = (move) => {
    k.style.left = move.clientX + 'px'; o.textContent = 'at ' + Math.round(move.clientX)};
  k.onpointerup = () => { k.onpointermove = null };
}</script>"""


async def test_dragging_by_html5_events(session: Session, site: FixtureSite, ref: Finder) -> None:
    await session.navigate(site.page("/", HTML5))
    dragged = await session.drag(await ref(session, "Card"), await ref(session, "Zone"))
    assert dragged.is_ok
    assert any("Zone got A" in line for line in data_of(dragged)["changes"]["added"])


async def test_dragging_by_pointer_events(session: Session, site: FixtureSite, ref: Finder) -> None:
    await session.navigate(site.page("/", POINTER))
    dragged = await session.drag(await ref(session, "Knob"), await ref(session, "End", "button"))
    assert dragged.is_ok
    (position,) = [line for line in data_of(dragged)["changes"]["added"] if "at " in line]
    assert 200 < int(position.strip('"').split()[-1]) < 280


async def test_a_drag_whose_ends_do_not_fit_in_view_is_not_begun(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    far = HTML5.replace("margin-top:40px", "margin-top:5000px")
    await session.navigate(site.page("/", far))
    dragged = await session.drag(await ref(session, "Card"), await ref(session, "Zone"))
    assert (dragged.error_code, dragged.effect) == ("not_actionable", Effect.NOT_DISPATCHED)


async def test_elements_in_frames_and_shadow_roots_are_clicked(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    site.page(
        "/inner",
        "<body style='margin:80px'><x-card></x-card><script>customElements.define('x-card',class"
        " extends HTMLElement{connectedCallback(){const s=this.attachShadow({mode:'open'});"
        "s.innerHTML='<button>Deep</button><p>no</p>';s.querySelector('button').onclick=()=>"
        "{s.querySelector('p').textContent='yes'}}})</script>",
    )
    await session.navigate(
        site.page("/", "<p style='height:900px'>tall</p><iframe src=/inner width=400></iframe>")
    )
    clicked = await session.click(await ref(session, "Deep", "button"))
    assert clicked.is_ok
    assert any("yes" in line for line in data_of(clicked)["changes"]["added"])
    assert str(clicked.to_dict()["locator"]).count("/inner") == 1


async def test_a_frame_that_the_page_covers_is_not_clicked_through(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    site.page("/inner", "<button onclick=\"document.title='hit'\">Deep</button>")
    await session.navigate(
        site.page(
            "/",
            "<iframe src=/inner></iframe><div id=veil style='position:fixed;inset:0'>Veil</div>",
        )
    )
    clicked = await session.click(await ref(session, "Deep", "button"))
    assert (clicked.error_code, clicked.effect) == ("not_actionable", Effect.NOT_DISPATCHED)
    assert "veil" in (clicked.error_message or "").lower()


async def test_an_element_that_moves_is_followed(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<style>@keyframes go{to{transform:translateX(300px)}}button{animation:go .4s both}"
            "</style><button onclick=\"document.title='hit'\">Runner</button>",
        )
    )
    assert (await session.click(await ref(session, "Runner", "button"))).is_ok
    assert await title_of(session) == "hit"


async def test_resize(session: Session, site: FixtureSite) -> None:
    await session.navigate(
        site.page("/", "<script>onresize=()=>{document.title=innerWidth}</script>")
    )
    assert (await session.resize(777, 500)).is_ok
    await session.wait_for(time_s=0)
    assert (await session.resize(10, 500)).error_code == "invalid_input"
    with pytest.raises(InvalidInput):
        await session.resize(cast("int", "777"), 500)


async def test_describe_says_where_a_form_would_go(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<form action=/pay method=post aria-label=Payment><input name=card>"
            "<input type=password name=pin><button>Pay</button></form><a href=/x>Off</a>",
        )
    )
    about = data_of(await session.describe(await ref(session, "Pay", "button")))
    assert (about["role"], about["name"]) == ("button", "Pay")
    assert about["form"]["action"] == site.at("/pay")
    assert (about["form"]["method"], about["form"]["has_password"]) == ("post", True)
    assert about["form"]["fields"] == ["card", "pin"]
    link = data_of(await session.describe(await ref(session, "Off", "link")))
    assert (link["href"], link["form"]) == (site.at("/x"), None)
