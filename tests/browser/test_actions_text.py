"""Filling, typing, pressing: values read back, forms of values, secrets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.errors import InvalidInput
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.codes import Effect
from browser_agent.records.policy import Secret
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

FIELDS = """<input aria-label=Text value=old><textarea aria-label=Area></textarea>
<div contenteditable role=textbox aria-label=Rich>old <b>text</b></div>
<input type=email aria-label=Mail><input type=number aria-label=Count>
<input type=date aria-label=Day><input type=time aria-label=Hour>
<input type=color aria-label=Paint><input type=range aria-label=Level min=0 max=100>
<input type=month aria-label=Month><input type=week aria-label=Week>
<input type=datetime-local aria-label=Moment>"""


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


async def test_every_kind_of_field_is_filled_and_read_back(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(site.page("/", FIELDS))
    wanted = {
        "Text": ("new ✓ 😀", "new ✓ 😀"),
        "Area": ("one\r\ntwo", "one\ntwo"),
        "Rich": ("brand new", "brand new"),
        "Mail": ("a@b.example", "a@b.example"),
        "Count": ("-3.5", "-3.5"),
        "Day": ("2026/3/5", "2026-03-05"),
        "Hour": ("9:30 pm", "21:30"),
        "Paint": ("#AA00ff", "#aa00ff"),
        "Level": ("40", "40"),
        "Month": ("2026-03", "2026-03"),
        "Week": ("2026-W09", "2026-W09"),
        "Moment": ("2026-03-05 09:30", "2026-03-05T09:30"),
    }
    for name, (text, held) in wanted.items():
        filled = await session.fill(await ref(session, name), text)
        assert (name, filled.error_message) == (name, None)
        assert (data_of(filled)["value"], data_of(filled)["changed"]) == (held, True)


async def test_an_empty_text_empties_a_field(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(site.page("/", FIELDS))
    filled = await session.fill(await ref(session, "Text"), "")
    assert (filled.is_ok, data_of(filled)["value"]) == (True, "")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [("Day", "03/05/2026", "YYYY-MM-DD"), ("Hour", "noon", "HH:MM"), ("Count", "many", "number")],
)
async def test_a_value_of_another_form_is_refused_with_the_form(
    session: Session, site: FixtureSite, ref: Finder, name: str, text: str, words: str
) -> None:
    await session.navigate(site.page("/", FIELDS))
    filled = await session.fill(await ref(session, name), text)
    assert (filled.error_code, filled.effect) == ("invalid_input", Effect.NOT_DISPATCHED)
    assert words in (filled.error_message or "")


async def test_what_takes_no_text_says_what_would(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<button>Go</button><p><label>Name <input></label><input type=checkbox aria-label=Box>"
            "<select aria-label=Pick><option>1</select><input readonly aria-label=Fixed value=x>"
            "<input disabled aria-label=Off>",
        )
    )
    for name, role, words in (
        ("Box", "checkbox", "use check"),
        ("Pick", "combobox", "use select"),
        ("Fixed", "textbox", "read-only"),
        ("Off", "textbox", "disabled"),
        ("Go", "button", 'textbox "Name"'),
    ):
        filled = await session.fill(await ref(session, name, role), "abc")
        assert (name, filled.error_code) == (name, "not_actionable")
        assert filled.effect is Effect.NOT_DISPATCHED
        assert words in (filled.error_message or "")


async def test_a_text_that_is_too_long_says_the_limit(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(site.page("/", "<input aria-label=Zip maxlength=5>"))
    filled = await session.fill(await ref(session, "Zip"), "1234567")
    assert (filled.error_code, data_of(filled)["value"]) == ("no_effect", "12345")
    assert "at most 5" in (filled.error_message or "")


async def test_typing_slowly_sends_keys_and_submit_sends_enter(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    asked: list[str] = []

    @site.route("/search")
    async def _search(request: Request) -> Response:
        asked.append(request.query["q"])
        return Response.html("<title>Found</title>")

    await session.navigate(
        site.page(
            "/",
            '<form action=/search><input name=q aria-label=Query value=old onkeydown="n.textContent'
            '=+n.textContent+1"></form><p id=n>0</p>',
        )
    )
    query = await ref(session, "Query")
    typed = await session.type(query, "one two", slowly=True)
    assert data_of(typed)["value"] == "one two"
    assert any('"7"' in line for line in data_of(typed)["changes"]["added"])
    sent = await session.type(query, "three", submit=True)
    assert (sent.is_ok, data_of(sent)["navigated"]) == (True, True)
    assert asked == ["three"]


async def test_enter_is_not_pressed_where_the_field_did_not_take_the_text(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<form action=/search><input name=q aria-label=Query oninput=\"this.value='evil'\">"
            "</form>",
        )
    )
    typed = await session.type(await ref(session, "Query"), "abc", submit=True)
    assert typed.error_code == "no_effect"
    assert site.count("/search") == 0


async def test_keys_go_to_the_focus_or_to_an_element(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<p id=o>-</p><input aria-label=A value=abc><div aria-label=Plain role=note>x</div>"
            "<script>onkeydown=(e)=>{o.textContent=(e.ctrlKey?'C':'')+e.key}</script>",
        )
    )
    field = await ref(session, "A")
    for key, shown in (("ctrl+a", "Ca"), ("Escape", "Escape"), ("down", "ArrowDown"), ("x", "x")):
        pressed = await session.press(key, ref=field)
        assert pressed.is_ok
        assert any(shown in line for line in data_of(pressed)["changes"]["added"])
    anywhere = await session.press("F2")
    assert anywhere.is_ok
    assert any("F2" in line for line in data_of(anywhere)["changes"]["added"])
    assert (await session.press("Hyper+x")).error_code == "invalid_input"
    with pytest.raises(InvalidInput):
        await session.press(cast("str", 13))


async def test_a_form_is_filled_in_one_go(session: Session, site: FixtureSite, ref: Finder) -> None:
    await session.navigate(
        site.page(
            "/",
            "<input aria-label=Name><select aria-label=Size><option>S<option>M</select>"
            "<label><input type=checkbox>News</label><input type=date aria-label=Day>",
        )
    )
    fields = [
        {"ref": await ref(session, "Name"), "value": "Ada"},
        {"ref": await ref(session, "Size"), "value": "M"},
        {"target": await ref(session, "News"), "value": True},
    ]
    filled = await session.fill_form(fields)
    assert filled.is_ok
    assert [row["status"] for row in data_of(filled)["fields"]] == ["ok"] * 3
    assert [row["value"] for row in data_of(filled)["fields"]] == ["Ada", "M", "true"]
    fields.append({"ref": await ref(session, "Day"), "value": "soon"})
    failed = await session.fill_form(fields)
    assert (failed.error_code, failed.effect) == ("invalid_input", Effect.ACKNOWLEDGED)
    assert "Field 4" in (failed.error_message or "")
    assert [row["status"] for row in data_of(failed)["fields"]] == ["ok"] * 3 + ["error"]
    with pytest.raises(InvalidInput):
        await session.fill_form([{"value": "no ref"}])


async def test_secrets_are_typed_where_they_are_bound_and_never_shown(
    site: FixtureSite, ref: Finder
) -> None:
    value = "brass-lantern-77"
    policy = UrlPolicy.public_web(allow_local=["http://127.0.0.1:*", "http://localhost:*"])
    secrets = {"login": Secret(value, origins=[site.url])}
    site.page("/", "<input type=password aria-label=Word><input aria-label=Open><p id=o></p>")
    sent: list[bytes] = []

    @site.route("/send")
    async def _send(request: Request) -> Response:
        sent.append(request.body)
        return Response.html(f"<p>you sent {request.form['w']}</p>")

    site.page(
        "/form",
        "<form action=/send method=post><input type=password name=w aria-label=Word></form>",
    )
    async with (
        Browser.launch(policy=policy, robots=False, secrets=secrets) as browser,
        browser.session() as session,
    ):
        await session.navigate(site.at("/"))
        for name in ("Word", "Open"):
            filled = await session.fill(await ref(session, name), "<secret:login>")
            assert filled.is_ok
            assert data_of(filled)["value"] == "[REDACTED:secret]"
        unknown = await session.fill(await ref(session, "Word"), "<secret:other>")
        assert (unknown.error_code, unknown.effect) == ("secret_denied", Effect.NOT_DISPATCHED)
        await session.navigate(site.at("/form"))
        shown = await session.type(await ref(session, "Word"), "<secret:login>", submit=True)
        assert sent == [b"w=" + value.encode()]
        results = [filled, unknown, shown, await session.read(), await session.snapshot()]
        await session.navigate(site.at("/").replace("127.0.0.1", "localhost"))
        for text in ("<secret:login>", value):
            denied = await session.fill(await ref(session, "Open"), text)
            assert (denied.error_code, denied.effect) == ("secret_denied", Effect.NOT_DISPATCHED)
            results.append(denied)
        assert not any(value in result.to_json() for result in results)


async def test_a_typed_password_is_redacted_from_then_on(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    """T-S1: a password that was typed stands in no later Result."""
    value = "correct-horse-9"
    await session.navigate(
        site.page(
            "/",
            '<input type=password aria-label=Word oninput="o.textContent=this.value;'
            'document.title=this.value"><p id=o></p>',
        )
    )
    results = [await session.fill(await ref(session, "Word"), value)]
    results += [await session.read(), await session.snapshot(), await session.tabs()]
    assert all(result.is_ok for result in results)
    assert not any(value in result.to_json() for result in results)
