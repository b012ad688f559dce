"""Navigations: what their Results say, and the typed code of everything that can go wrong."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import cast

import pytest

from browser_agent import Browser, InvalidInput, Result, Secret, Session, UrlPolicy
from browser_agent._freeze import list_of, mapping_of
from browser_agent.records.codes import Status
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Hangup, Request, Response

pytestmark = pytest.mark.anyio


def data_of(result: Result) -> Mapping[str, object]:
    data = mapping_of(result.data)
    assert data is not None, result.to_json()
    return data


def raw(site: FixtureSite, path: str, body: bytes, kind: str, status: int = 200) -> str:
    async def answer(_: Request) -> Response:
        return Response(status, {"content-type": kind}, body)

    site.route(path)(answer)
    return site.at(path)


@asynccontextmanager
async def speaking(data: bytes, *, hold: bool = False) -> AsyncGenerator[str]:
    """A server that sends ``data`` to whoever connects, then closes (or holds the line)."""
    over = asyncio.Event()

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(data)
        await writer.drain()
        if hold:
            await over.wait()
        writer.close()

    server = await asyncio.start_server(speak, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    over.set()
    server.close()


async def test_navigate_says_title_status_type_and_where_it_is(
    site: FixtureSite, session: Session
) -> None:
    url = site.page("/a", "<title>Harbour</title><h1>Harbour</h1><p>Boats.")
    result = await session.navigate(f"{url}?token=SENTINEL1234567#part")
    data = data_of(result)
    assert result.status is Status.OK
    assert (data["title"], data["http_status"]) == ("Harbour", 200)
    assert str(data["content_type"]).startswith("text/html")
    assert (data["redirects"], data["blocked"]) == ((), None)
    assert isinstance(data["settled"], bool)
    assert result.final_url == f"{url}?token=[REDACTED:query]#part"
    assert "SENTINEL1234567" not in result.to_json()
    assert result.effect is None


async def test_redirects_are_listed_with_their_statuses(
    site: FixtureSite, session: Session
) -> None:
    end = site.page("/end", "<title>End</title>here")

    async def hop(request: Request) -> Response:
        target = "/two" if request.path == "/one" else "/end"
        return Response(301 if request.path == "/one" else 307, {"location": target})

    site.route("/one")(hop)
    site.route("/two")(hop)
    result = await session.navigate(site.at("/one"))
    assert data_of(result)["redirects"] == (
        {"url": site.at("/one"), "status": 301},
        {"url": site.at("/two"), "status": 307},
    )
    assert result.final_url == end


async def test_back_forward_and_reload(site: FixtureSite, session: Session) -> None:
    first = site.page("/1", "<title>one</title>one")
    second = site.page("/2", "<title>two</title>two")
    await session.navigate(first)
    await session.navigate(second)
    back, forward = await session.back(), await session.forward()
    assert (back.final_url, data_of(back)["title"]) == (first, "one")
    assert (forward.final_url, data_of(forward)["http_status"]) == (second, 200)
    again = await session.reload()
    assert again.final_url == second
    assert site.count("/2") >= 2
    nowhere = await session.forward()
    assert (nowhere.status, nowhere.error_code) == (Status.ERROR, "not_found")


@pytest.mark.parametrize(("status", "retryable"), [(404, False), (403, False), (503, True)])
async def test_http_error_keeps_the_page_in_data(
    status: int, retryable: bool, site: FixtureSite, session: Session
) -> None:
    url = site.page("/gone", "<title>Sorry</title>the page is not here", status=status)
    result = await session.navigate(url)
    assert (result.status, result.error_code) == (Status.ERROR, "http_error")
    assert data_of(result)["http_status"] == status
    assert "not here" in str(data_of(result)["text"])
    assert result.error is not None
    assert result.error.retryable is retryable
    assert result.final_url == url


@pytest.mark.parametrize("status", [404, 500])
async def test_empty_http_error_is_no_page_of_the_browser(
    status: int, site: FixtureSite, session: Session
) -> None:
    url = raw(site, "/empty", b"", "text/html", status)
    result = await session.navigate(url)
    assert (result.error_code, data_of(result)["http_status"]) == ("http_error", status)
    assert "HTTP ERROR" not in result.to_json()


async def test_empty_page_is_ok(site: FixtureSite, session: Session) -> None:
    result = await session.navigate(raw(site, "/void", b"", "text/html"))
    assert result.status is Status.OK
    assert (await session.read()).status is Status.OK


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("no url", "invalid_url"),
        ("", "invalid_url"),
        ("file:///etc/passwd", "policy_denied"),
        ("javascript:alert(1)", "policy_denied"),
        ("data:text/html,<p>x", "policy_denied"),
        ("chrome://settings", "policy_denied"),
        ("http://10.0.0.1/", "policy_denied"),
        ("http://169.254.169.254/latest/meta-data", "policy_denied"),
        ("http://127.0.0.1:25/", "policy_denied"),
    ],
    ids=lambda value: value or "empty",
)
async def test_refused_urls_are_typed_and_never_asked_for(
    url: str, code: str, session: Session
) -> None:
    result = await session.navigate(url)
    assert (result.status, result.error_code) == (Status.ERROR, code)
    assert result.error_message


async def test_redirect_to_a_refused_address_is_denied_and_no_content(
    site: FixtureSite, session: Session
) -> None:
    async def away(_: Request) -> Response:
        return Response(302, {"location": "http://127.0.0.2:9999/secret"})

    site.route("/away")(away)
    result = await session.navigate(site.at("/away"))
    assert (result.status, result.error_code) == (Status.ERROR, "policy_denied")
    assert "127.0.0.2" in str(result.error_message)
    assert data_of(result)["redirects"] == ({"url": site.at("/away"), "status": 302},)
    after = await session.read()
    assert (after.status, after.error_code) == (Status.ERROR, "policy_denied")
    assert after.data is None


async def test_script_that_goes_to_a_refused_address_leaves_no_content(
    site: FixtureSite, session: Session
) -> None:
    site.page("/go", "<p>start<script>location = 'http://127.0.0.3:8/x'</script>")
    await session.navigate(site.at("/go"))
    for look in (session.read(), session.snapshot(), session.find("start")):
        result = await look
        assert result.error_code in ("policy_denied", "connect_failed"), result.to_json()


async def test_unreachable_hosts_are_typed(session: Session) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    refused = await session.navigate(f"http://127.0.0.1:{port}/")
    unknown = await session.navigate("http://no-such-host.invalid/")
    secure = await session.navigate("https://no-such-host.invalid/")
    assert refused.error_code == "connect_failed"
    assert unknown.error_code in ("dns_failed", "policy_denied")
    assert secure.error_code == unknown.error_code
    for result in (refused, unknown, secure):
        assert result.final_url is None
        assert "chrome-error" not in result.to_json()
    read = await session.read()
    assert read.status is Status.ERROR
    assert read.data is None


async def test_certificate_nobody_knows_is_tls_failed(
    session: Session, self_signed: ssl.SSLContext
) -> None:
    async with FixtureSite.serve(tls=self_signed) as secure:
        result = await session.navigate(secure.at("/"))
    assert (result.status, result.error_code) == (Status.ERROR, "tls_failed")


async def test_https_on_a_plain_port_is_typed(impatient: Browser) -> None:
    async with speaking(b"HTTP/1.1 400 no\r\n\r\n") as url, impatient.session() as session:
        result = await session.navigate(url.replace("http:", "https:"))
    assert result.status is Status.ERROR
    assert result.error_code in ("tls_failed", "connect_failed", "navigation_failed")


async def test_hangup_garbage_and_endless_redirects_are_typed(
    site: FixtureSite, session: Session
) -> None:
    async def drop(_: Request) -> Response:
        raise Hangup

    async def loop(_: Request) -> Response:
        return Response(302, {"location": "/loop"})

    site.route("/drop")(drop)
    site.route("/loop")(loop)
    dropped, looped = (
        await session.navigate(site.at("/drop")),
        await session.navigate(site.at("/loop")),
    )
    assert dropped.error_code in ("connect_failed", "navigation_failed")
    assert looped.error_code == "navigation_failed"
    async with speaking(bytes(range(256)) * 4) as url:
        garbage = await session.navigate(url)
    assert garbage.status is Status.ERROR
    assert garbage.error_code in ("navigation_failed", "connect_failed")


async def test_silent_server_times_out_typed_and_the_session_goes_on(
    silent_url: str, impatient: Browser
) -> None:
    async with impatient.session() as session:
        result = await session.navigate(silent_url)
        assert (result.status, result.error_code) == (Status.ERROR, "navigation_timeout")
        again = await session.navigate(silent_url)
        assert again.error_code == "navigation_timeout"


async def test_page_whose_end_never_comes_is_a_part(impatient: Browser) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99999\r\n\r\n"
    body = b"<title>part</title><p>some words are here"
    async with speaking(head + body, hold=True) as url, impatient.session() as session:
        result = await session.navigate(url)
        read = await session.read()
    assert result.status is Status.TRUNCATED, result.to_json()
    assert data_of(result)["settled"] is False
    assert result.coverage is not None
    assert result.coverage["load"] == "cut at the time limit"
    assert "some words" in str(data_of(read)["text"])


async def test_no_content_keeps_the_old_page(site: FixtureSite, session: Session) -> None:
    await session.navigate(site.page("/old", "<p>old words"))
    result = await session.navigate(raw(site, "/none", b"", "text/html", 204))
    assert (result.error_code, data_of(result)["http_status"]) == ("navigation_failed", 204)
    assert "old words" in str(data_of(await session.read())["text"])


async def test_binary_file_is_a_download(site: FixtureSite, session: Session) -> None:
    await session.navigate(site.page("/old", "<p>old words"))
    url = raw(site, "/file.bin", b"\0\1\2" * 100, "application/octet-stream")
    result = await session.navigate(url)
    assert (result.status, result.error_code) == (Status.ERROR, "download_started")
    (item,) = cast("tuple[Mapping[str, object], ...]", data_of(result)["downloads"])
    assert item["name"] == "file.bin"
    assert "old words" in str(data_of(await session.read())["text"])


@pytest.mark.parametrize("kind", ["alert('x')", "confirm('x')", "prompt('x')"])
async def test_dialog_during_load_does_not_block(
    kind: str, site: FixtureSite, session: Session
) -> None:
    url = site.page("/dialog", f"<p>before<script>{kind}</script><p>after")
    result = await session.navigate(url)
    assert result.status is Status.OK
    assert "after" in str(data_of(await session.read())["text"])


async def test_asked_dialog_during_load_is_pending_and_answered(
    site: FixtureSite, browser: Browser
) -> None:
    url = site.page("/ask", "<p>before<script>document.title = confirm('go?')</script><p>after")
    async with browser.session(dialogs="ask") as session:
        result = await session.navigate(url)
        assert result.status is Status.OK
        pending = cast("Mapping[str, object]", data_of(result)["dialog"])
        assert pending["message"] == "go?"
        blocked = await session.read()
        assert (blocked.error_code, "go?" in blocked.to_json()) == ("dialog_open", True)
        assert (await session.answer_dialog(accept=True)).is_ok
        await session.wait_for(text="after")
        assert data_of(await session.read())["title"] == "true"


async def test_beforeunload_blocks_neither_navigation_nor_close(
    site: FixtureSite, browser: Browser
) -> None:
    stay = site.page("/stay", "<button>b</button><script>onbeforeunload = () => 'no'</script>")
    away = site.page("/away", "<p>away")
    async with browser.session() as session:
        await session.navigate(stay)
        found = data_of(await session.find("b", role="button"))
        (match,) = cast("tuple[Mapping[str, str], ...]", found["matches"])
        await session.click(match["ref"])
        assert (await session.navigate(away)).final_url == away
        await session.navigate(stay)
    assert session.closing is not None
    assert session.closing.is_complete


async def test_page_that_goes_elsewhere_while_loading_is_followed(
    site: FixtureSite, session: Session
) -> None:
    end = site.page("/there", "<title>there</title><p>there")
    site.page("/here", "<script>location = '/there'</script>")
    result = await session.navigate(site.at("/here"))
    settled = await session.wait_for(text="there")
    assert settled.is_ok
    assert result.status is Status.OK
    assert settled.final_url == end


@pytest.mark.parametrize(
    ("html", "blocked"),
    [
        ("<title>Just a moment...</title><p>Checking your browser before access", "bot_check"),
        ("<h1>One more step</h1><p>Please complete the CAPTCHA to go on", "captcha"),
        ("<h1>Sign in</h1><form><input name=u><input type=password><button>Go", "login"),
        ("<h1>News</h1><p>Subscribe to continue reading this article.", "paywall"),
        ("<div role=dialog>We value your privacy <button>Accept all</button></div>", "consent"),
        ("<h1>Harbour</h1><p>The captain signs in every boat at eight.", None),
        ("<title>Captchas</title><p>" + "A captcha is a test that tells people. " * 60, None),
    ],
    ids=["bot_check", "captcha", "login", "paywall", "consent", "plain", "article"],
)
async def test_what_stands_in_the_way_is_named(
    html: str, blocked: str | None, site: FixtureSite, session: Session
) -> None:
    result = await session.navigate(site.page("/wall", html))
    assert data_of(result)["blocked"] == blocked
    assert ("blocked_evidence" in data_of(result)) == (blocked is not None)


READABLE = {
    "login form in the header": """<header><form>Sign in <input name=u><input type=password>
<button>Sign in</button></form></header><h1>Harbour</h1><p>The fish market opens at half past
five every weekday morning, and strangers are welcome.""",
    "cookie banner": """<h1>Ferry</h1><p>The ferry sails at ten past nine, and again at twenty to
eleven from Friday to Sunday.</p><div role=dialog>This site uses cookies.
<button>Accept all</button></div>""",
    "article about captchas": "<title>Captcha</title><p>" + "Many sites ask their visitors to "
    "solve a captcha, which keeps out the clumsiest programs and annoys everybody else. " * 4,
}


@pytest.mark.parametrize("html", READABLE.values(), ids=READABLE)
async def test_a_readable_page_is_not_called_blocked(
    html: str, site: FixtureSite, session: Session
) -> None:
    result = await session.navigate(site.page("/open", html))
    assert data_of(result)["blocked"] is None


DATED = """<!doctype html><html lang="de-AT"><head><title>Fähre</title>
<meta property="article:modified_time" content="2024-06-01T10:00:00+02:00">
<script type="application/ld+json">{"@graph": [{"@type": "WebSite", "name": "x"},
{"@type": "NewsArticle", "datePublished": "2024-05-17"}]}</script></head>
<body><p>Sie legt um neun Uhr ab.</p></body></html>"""


async def test_the_record_of_a_navigation_says_what_the_page_and_the_network_said(
    site: FixtureSite, session: Session
) -> None:
    site.page("/dated", DATED)
    site.page("/undated", "<p>plain")
    site.route("/old")(lambda _: _redirect("/older"))
    site.route("/older")(lambda _: _redirect("/dated"))
    result = await session.navigate(site.at("/old"))
    data = data_of(result)
    hops = [{"url": site.at(path), "status": 302} for path in ("/old", "/older")]
    assert [mapping_of(hop) for hop in list_of(data["redirects"]) or ()] == hops
    assert (data["http_status"], data["content_type"]) == (200, "text/html; charset=utf-8")
    assert (data["language"], data["published"]) == ("de-AT", "2024-05-17")
    assert data["modified"] == "2024-06-01T10:00:00+02:00"
    timing = cast("Mapping[str, int]", (result.coverage or {})["timing"])
    assert 0 <= timing["response_ms"] <= timing["total_ms"]
    plain = data_of(await session.navigate(site.at("/undated")))
    assert not {"language", "published", "modified"} & set(plain)
    moved = await session.navigate(site.at("/undated#part"))
    assert "timing" not in (moved.coverage or {})


@pytest.mark.parametrize(
    "linked",
    ['{"@graph": {"datePublished": 1}}', '["datePublished"]', "null", '{"datePublished": {}}', "{"],
)
async def test_linked_data_of_any_shape_states_no_date_and_breaks_nothing(
    linked: str, site: FixtureSite, session: Session
) -> None:
    script = f'<script type="application/ld+json">{linked}</script>'
    note = '<i hidden>"datePublished"</i>'
    result = await session.navigate(site.page("/odd", f"{script}{note}<p>Plain text"))
    assert result.is_ok, result.to_json()
    assert "published" not in data_of(result)


async def _redirect(target: str) -> Response:
    return Response(302, {"location": target}, b"")


async def test_secret_of_another_origin_never_goes_into_a_url(
    site: FixtureSite, local_web: UrlPolicy
) -> None:
    secrets = {"key": Secret("s3cr3t-w0rd-77", origins=["https://elsewhere.test"])}
    async with Browser.launch(local_web, secrets=secrets) as browser, browser.session() as session:
        result = await session.navigate(site.at("/?q=s3cr3t%2Dw0rd%2D77"))
    assert (result.status, result.error_code) == (Status.ERROR, "secret_denied")
    assert site.requests == ()


async def test_url_must_be_a_string(session: Session) -> None:
    with pytest.raises(InvalidInput):
        await session.navigate(7)  # pyright: ignore[reportArgumentType] - wrong on purpose


async def test_robots_txt_binds_what_was_not_given(site: FixtureSite, local_web: UrlPolicy) -> None:
    async def rules(_: Request) -> Response:
        return Response(200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow: /private")

    site.route("/robots.txt")(rules)
    site.page("/private/a", "<p>secret garden")
    site.page("/open", "<p>open")
    async with Browser.launch(local_web) as browser, browser.session(robots=True) as session:
        denied = await session.navigate(site.at("/private/a"))
        allowed = await session.navigate(site.at("/open"))
        browser.admit(site.at("/private/a"))
        admitted = await session.navigate(site.at("/private/a"))
    assert denied.error_code == "robots_denied"
    assert allowed.is_ok
    assert admitted.is_ok
    assert site.count("/private/a") == 1
    assert site.count("/robots.txt") == 1


async def test_chunked_page_that_drips_forever_is_a_part(
    site: FixtureSite, impatient: Browser
) -> None:
    over = asyncio.Event()

    async def drip() -> AsyncIterator[bytes]:
        yield b"<title>drip</title><p>first words "
        await over.wait()
        yield b"end"

    async def answer(_: Request) -> Response:
        return Response(200, {"content-type": "text/html"}, drip())

    site.route("/drip")(answer)
    async with impatient.session() as session:
        result = await session.navigate(site.at("/drip"))
    over.set()
    assert result.status is Status.TRUNCATED
