"""Options of a session as pages see them, and its state saved as a secret and given again."""

from __future__ import annotations

import base64
import json
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.errors import InvalidInput
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio

ABOUT = """<p id=o></p><script>o.textContent = [innerWidth, innerHeight, navigator.language,
 Intl.DateTimeFormat().resolvedOptions().timeZone, (1234.5).toLocaleString()].join('|')</script>"""
SESSION_ID = "s3ss10n-8f2a77c1d0b94e"
TOKEN = "t0ken-5b1f90aa27cc4d31"


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


async def text_of(session: Session) -> str:
    """The visible text of the current page."""
    return str(data_of(await session.read())["text"]).strip()


async def test_viewport_locale_and_timezone_are_what_pages_see(
    browser: Browser, site: FixtureSite
) -> None:
    url = site.page("/", ABOUT)
    options = {"viewport": (640, 480), "locale": "de-DE", "timezone": "Asia/Tokyo"}
    async with browser.session(**options) as german, browser.session() as plain:
        await german.navigate(url)
        assert await text_of(german) == "640|480|de-DE|Asia/Tokyo|1.234,5"
        assert site.requests[-1].headers["accept-language"].startswith("de-DE")
        await plain.navigate(url)
        assert "Asia/Tokyo" not in await text_of(plain)
        assert data_of(await german.resize(800, 600))["changed"] is True
        await german.reload()
        assert (await text_of(german)).startswith("800|600|")


@pytest.mark.parametrize(
    "options",
    [
        {"viewport": (0, 10)},
        {"viewport": "wide"},
        {"locale": 7},
        {"timezone": ["UTC"]},
        {"storage_state": 7},
        {"storage_state": "/no/such/file"},
        {"http_credentials": {"username": "ada"}},
        {"dialogs": "ignore"},
        {"robots": "yes"},
        {"colour": "red"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_wrong_options_are_invalid_input(browser: Browser, options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as caught:
        browser.session(**options)
    assert "/no/such" not in str(caught.value)


async def test_http_auth_is_answered_for_the_session_that_has_it(
    browser: Browser, site: FixtureSite
) -> None:
    password = "pw-77-correct-horse"
    wanted = "Basic " + base64.b64encode(f"ada:{password}".encode()).decode()

    @site.route("/private")
    async def _private(request: Request) -> Response:
        if request.headers.get("authorization") != wanted:
            return Response(401, {"www-authenticate": 'Basic realm="club"'}, "")
        return Response.html("<title>In</title><p>members only</p>")

    url = site.at("/private")
    async with browser.session(http_credentials=("ada", password)) as member:
        assert (await member.navigate(url)).is_ok
        assert "members only" in await text_of(member)
        told = (await member.requests()).to_json() + (await member.request(0)).to_json()
        assert password not in told
        assert wanted not in told
    async with browser.session(http_credentials=("ada", "wrong-horse")) as stranger:
        assert (await stranger.navigate(url)).status == "error"
    async with browser.session() as nobody:
        assert (await nobody.navigate(url)).status == "error"
        assert "members" not in (await nobody.read()).to_json()


@pytest.fixture
async def signed_in(browser: Browser, site: FixtureSite) -> AsyncIterator[Session]:
    """A session that a site knows by a cookie and by a token of its local storage."""

    @site.route("/in")
    async def _in(_: Request) -> Response:
        page = f"<p>hello</p><script>localStorage.setItem('token', '{TOKEN}')</script>"
        headers = {"set-cookie": f"sid={SESSION_ID}; HttpOnly; Path=/", "content-type": "text/html"}
        return Response(200, headers, page)

    @site.route("/who")
    async def _who(request: Request) -> Response:
        known = request.cookies.get("sid") == SESSION_ID
        return Response.html(
            f"<p>{'known' if known else 'stranger'} <b id=b></b></p><script>"
            f"b.textContent = localStorage.getItem('token') === '{TOKEN}' ? 'with' : 'without'"
            "</script>"
        )

    async with browser.session() as session:
        await session.navigate(site.at("/in"))
        yield session


async def test_a_saved_state_signs_another_session_in(
    browser: Browser, site: FixtureSite, signed_in: Session, tmp_path: Path
) -> None:
    target = tmp_path / "state.json"
    target.write_text("old")
    target.chmod(0o644)
    saved = await signed_in.storage_state(target)
    assert saved.is_ok
    assert data_of(saved)["artifact"]["name"] == "state.json"
    assert data_of(saved)["artifact"]["bytes"] == target.stat().st_size
    assert (data_of(saved)["cookies"], data_of(saved)["origins"]) == (1, 1)
    for secret in (SESSION_ID, TOKEN, str(tmp_path)):
        assert secret not in saved.to_json() + repr(saved)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]
    for given in (target, str(target), json.loads(target.read_text())):
        async with browser.session(storage_state=given) as again:
            await again.navigate(site.at("/who"))
            assert await text_of(again) == "known with"
    async with browser.session() as fresh:
        await fresh.navigate(site.at("/who"))
        assert await text_of(fresh) == "stranger without"


async def test_what_a_state_signs_in_by_is_masked_and_settings_are_not(
    local_web: UrlPolicy, site: FixtureSite, tmp_path: Path
) -> None:
    nested = json.dumps({"access": {"token": "kd82-first-of-may"}, "theme": "midnight"})
    state = {
        "cookies": [
            {"name": "sid", "value": "open-sesame", "domain": "127.0.0.1", "path": "/"},
            {"name": "consent", "value": "accepted", "domain": "127.0.0.1", "path": "/"},
        ],
        "origins": [{"origin": site.url, "localStorage": [{"name": "s", "value": nested}]}],
    }
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state))
    url = site.page("/said", "<p>open-sesame and kd82-first-of-may, accepted at midnight</p>")
    async with (
        Browser.launch(local_web, robots=False) as own,
        own.session(storage_state=path) as session,
    ):
        await session.navigate(url)
        told = await text_of(session)
    assert "sesame" not in told
    assert "kd82" not in told
    assert told.endswith("accepted at midnight")


def test_a_state_file_that_is_no_json_is_invalid_input(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("sid=open-sesame")
    with pytest.raises(InvalidInput, match="no JSON") as caught:
        browser.session(storage_state=path)
    assert "sesame" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


async def test_saving_leaves_the_session_as_it_was(
    signed_in: Session, site: FixtureSite, download_dir: Path
) -> None:
    await signed_in.navigate(site.at("/who"))
    first = data_of(await signed_in.storage_state())["artifact"]["name"]
    second = data_of(await signed_in.storage_state())["artifact"]["name"]
    assert first != second
    for name in (first, second):
        kept = download_dir / name
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert SESSION_ID in kept.read_text()
    assert [row["id"] for row in data_of(await signed_in.tabs())["items"]] == ["t1"]
    assert await text_of(signed_in) == "known with"


async def test_a_state_that_cannot_be_written_is_typed(signed_in: Session, tmp_path: Path) -> None:
    for target in (tmp_path / "missing" / "state.json", tmp_path):
        failed = await signed_in.storage_state(target)
        assert failed.error_code == "invalid_input"
    assert list(tmp_path.iterdir()) == []
    for wrong in (7, "", b"x"):
        with pytest.raises(InvalidInput):
            await signed_in.storage_state(cast("str", wrong))
    await signed_in.close()
    assert (await signed_in.storage_state()).error_code == "session_closed"
