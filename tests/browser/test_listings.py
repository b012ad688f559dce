"""Console and network listings: bounded, redacted, without credentials."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from browser_agent.browser.listings import CONSOLE_KEPT, LISTED, TEXT_CHARS
from browser_agent.browser.session import Session
from browser_agent.errors import InvalidInput
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

KEY = "AKIA" + "Q4Z7WJ2N5R8T3V6X"
COOKIE = "c00kie-91b2f3d4e5a6"

PAGE = """<title>Log</title><p>ready</p><input type=password aria-label=Pin><script>
console.log('plain words'); console.warn('careful'); console.error('key %s');
setTimeout(() => { throw new Error('uncaught words') });
const told = Promise.all([fetch('/api?token=tok-4f3e2d1c0b9a8877', {method: 'POST',
  headers: {'authorization': 'Bearer abc.def.ghi-0123456789', 'x-kind': 'plain'},
  body: '{"note": "hello"}'}), fetch('/none'), fetch('http://127.0.0.1:1/').catch(() => 0)]);
told.then(() => { document.title = 'told' })</script>"""


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


@pytest.fixture
async def logged(session: Session, site: FixtureSite) -> Session:
    """A session whose page wrote to the console and asked its server for things."""

    @site.route("/api")
    async def _api(_: Request) -> Response:
        headers = {"set-cookie": f"sid={COOKIE}", "content-type": "application/json"}
        return Response(200, headers, '{"answer": "yes"}')

    await session.navigate(site.page("/", PAGE.replace("%s", KEY)))
    await session.wait_for(load="networkidle")
    return session


async def test_the_console_is_listed_with_errors_and_without_secrets(logged: Session) -> None:
    listed = await logged.console()
    rows = data_of(listed)["items"]
    assert ("log", "plain words") in [(row["type"], row["text"]) for row in rows]
    assert any(row["type"] == "uncaught" and "uncaught words" in row["text"] for row in rows)
    assert {row["type"] for row in rows} >= {"log", "warning", "error", "uncaught"}
    assert KEY not in listed.to_json()
    assert data_of(listed)["dropped"] == 0


async def test_requests_are_listed_and_told_in_parts_without_credentials(
    logged: Session, site: FixtureSite
) -> None:
    listed = await logged.requests()
    rows = {row["url"].partition("?")[0]: row for row in data_of(listed)["items"]}
    api = rows[site.at("/api")]
    assert (api["method"], api["status"]) == ("POST", 200)
    assert rows[site.at("/none")]["status"] == 404
    assert "failed" in rows["http://127.0.0.1:1/"]
    whole = await logged.request(api["index"])
    assert data_of(whole)["request_headers"]["x-kind"] == "plain"
    assert data_of(whole)["request_body"] == '{"note": "hello"}'
    body = await logged.request(api["index"], part="response-body")
    assert data_of(body)["response_body"] == '{"answer": "yes"}'
    told = "".join(one.to_json() for one in (listed, whole, body))
    for secret in ("tok-4f3e2d1c0b9a8877", "abc.def.ghi", COOKIE):
        assert secret not in told


async def test_a_typed_password_stays_out_of_the_console(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    """T-S3: the page itself writes what was typed."""
    password = "tall-giraffe-4471"
    await session.navigate(
        site.page("/", "<input type=password aria-label=Pin oninput='console.log(this.value)'>")
    )
    await session.fill(await ref(session, "Pin"), password)
    listed = await session.console()
    assert len(data_of(listed)["items"]) >= 1
    assert password not in listed.to_json()


async def test_floods_are_bounded_and_counted(session: Session, site: FixtureSite) -> None:
    flood = """<script>for (let i = 0; i < 230; i++) console.log(i + ' ' + 'x'.repeat(1500));
    Promise.all([...Array(210)].map((_, i) => fetch('/n?' + i))).then(() => {
      document.body.append('all asked') })</script>"""
    site.page("/n", "n")
    await session.navigate(site.page("/", flood))
    assert (await session.wait_for(text="all asked")).is_ok
    console = data_of(await session.console())
    assert len(console["items"]) <= CONSOLE_KEPT
    assert len(console["items"]) + console["dropped"] >= 230
    assert any(row["text"].startswith("229 ") for row in console["items"]), "the newest are kept"
    assert all(len(row["text"]) <= TEXT_CHARS for row in console["items"])
    listed = await session.requests()
    assert len(data_of(listed)["items"]) <= LISTED
    assert len(data_of(listed)["items"]) + data_of(listed)["dropped"] >= 210
    assert len(listed.to_json().encode()) <= session.limits.result_bytes


async def test_wrong_arguments(logged: Session) -> None:
    assert (await logged.request(9_999)).error_code == "not_found"
    assert (await logged.request(0, part="everything")).error_code == "invalid_input"
    for wrong in ("0", True, None):
        with pytest.raises(InvalidInput):
            await logged.request(cast("int", wrong))
