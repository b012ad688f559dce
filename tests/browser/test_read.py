"""Reading: text, Markdown, snapshots, finds and changes, in bounded parts with provenance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pytest

from browser_agent import Browser, BrowserLimits, InvalidInput, Result, Session, UrlPolicy
from browser_agent._freeze import mapping_of
from browser_agent.records.codes import Status
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio

LONG = "".join(f"<p>Paragraph {number} tells of boat {number * 7}.</p>" for number in range(2_000))


def data_of(result: Result) -> Mapping[str, object]:
    data = mapping_of(result.data)
    assert data is not None, result.to_json()
    return data


def text_of(result: Result) -> str:
    return str(data_of(result)["text"])


def file(site: FixtureSite, path: str, body: bytes, kind: str) -> str:
    async def answer(_: Request) -> Response:
        return Response(200, {"content-type": kind}, body)

    site.route(path)(answer)
    return site.at(path)


async def test_text_markdown_and_snapshot_of_one_page(site: FixtureSite, session: Session) -> None:
    html = (
        "<html lang=en><title>Boats</title><h1>Boats</h1><p>See <a href=/x>the list</a>.</p>"
        "<p style='display:none'>HIDDENWORD</p><ul><li>one<li>two</ul><button>Go</button>"
    )
    await session.navigate(site.page("/boats", html))
    text, markdown = await session.read(), await session.read(format="markdown")
    snapshot = await session.snapshot()
    assert {**data_of(text), "text": ""} == {
        "text": "",
        "format": "text",
        "title": "Boats",
        "language": "en",
        "http_status": 200,
        "total_bytes": len(text_of(text).encode()),
    }
    assert "# Boats" in text_of(markdown)
    assert "- one" in text_of(markdown)
    assert "the list](" in text_of(markdown)
    assert {"mode", "title", "refs_shown", "total_bytes", "tabs", "dialog", "attributes"} <= set(
        data_of(snapshot)
    )
    assert len(cast("tuple[str, ...]", data_of(snapshot)["refs_shown"])) == 2
    for result in (text, markdown, snapshot):
        assert result.status is Status.OK
        assert "HIDDENWORD" not in result.to_json()
        assert result.final_url == site.at("/boats")
        assert Result.from_json(result.to_json(), verify=True) == result


@pytest.mark.parametrize("form", ["text", "markdown", "snapshot"])
async def test_long_pages_come_in_parts_that_add_up(
    form: str, site: FixtureSite, session: Session
) -> None:
    await session.navigate(site.page("/long", LONG))
    first = await (session.snapshot() if form == "snapshot" else session.read(format=form))
    assert first.status is Status.TRUNCATED
    parts = [first]
    while (cursor := parts[-1].cursor) is not None:
        following = (
            session.snapshot(cursor=cursor) if form == "snapshot" else session.read(cursor=cursor)
        )
        parts.append(await following)
    whole = "\n".join(text_of(part) for part in parts)
    assert all(f"Paragraph {number} tells" in whole for number in range(2_000))
    assert len({part.capture_digest for part in parts}) == 1
    assert all(len(part.to_json().encode()) <= session.limits.result_bytes for part in parts)
    assert parts[-1].status is Status.OK


async def test_cursor_reads_on_after_a_navigation_and_unknown_ones_expired(
    site: FixtureSite, session: Session
) -> None:
    url = site.page("/long", LONG)
    await session.navigate(url)
    first = await session.read()
    await session.navigate(site.page("/other", "<p>other"))
    second = await session.read(cursor=first.cursor)
    assert second.is_ok
    assert second.final_url == url
    assert "other" not in text_of(second)
    expired = await session.read(cursor="cur_00000000000000000000000000")
    assert (expired.status, expired.error_code) == (Status.ERROR, "cursor_expired")


async def test_capture_bound_is_said(site: FixtureSite, local_web: UrlPolicy) -> None:
    limits = BrowserLimits(capture_bytes=20_000)
    async with Browser.launch(local_web, limits) as browser, browser.session() as session:
        await session.navigate(site.page("/long", LONG))
        first = await session.read()
        second = await session.read(cursor=first.cursor) if first.cursor else first
    assert first.status is second.status is Status.TRUNCATED
    assert first.coverage is not None
    assert cast("int", first.coverage["bytes_not_captured"]) > 0


async def test_one_element_is_read_by_its_ref(site: FixtureSite, session: Session) -> None:
    await session.navigate(site.page("/e", "<p>outside</p><button>inside words</button>"))
    (ref,) = cast("tuple[str, ...]", data_of(await session.snapshot())["refs_shown"])
    result = await session.read(ref=ref)
    assert text_of(result).strip() == "inside words"
    assert result.to_dict()["locator"] == {"scope": "element", "ref": ref}
    missing = await session.read(ref="e99999")
    assert missing.error_code == "ref_not_found"


async def test_a_field_is_read_by_what_it_holds(site: FixtureSite, session: Session) -> None:
    lines = "\n".join(f"line {number} <b>" for number in range(300))
    fields = "<input value='in a row'><input type=password value=hunter2>"
    await session.navigate(site.page("/fields", f"<textarea>{lines}</textarea>{fields}"))
    await session.snapshot()
    area = await session.read(ref="e1")
    assert text_of(area).split("\n") == lines.split("\n")
    assert "line 299" in text_of(await session.read(ref="e1", format="markdown"))
    assert text_of(await session.read(ref="e2")) == "in a row"
    secret = await session.read(ref="e3")
    assert secret.is_ok
    assert "hunter2" not in secret.to_json()


@pytest.mark.parametrize("mode", ["full", "interactive", "viewport", "outline"])
async def test_every_mode_says_which_it_is(mode: str, site: FixtureSite, session: Session) -> None:
    await session.navigate(site.page("/m", "<h1>Head</h1><a href=/a>Link</a><p>words"))
    result = await session.snapshot(mode=mode)
    assert (result.status, data_of(result)["mode"]) == (Status.OK, mode)


async def test_wrong_words_are_results_and_wrong_types_raise(session: Session) -> None:
    for result in (
        await session.read(format="pdf"),
        await session.snapshot(mode="everything"),
        await session.find(),
        await session.find(regex="(unclosed"),
    ):
        assert (result.status, result.error_code) == (Status.ERROR, "invalid_input")
    wrong: object = 3
    for call in (session.read, session.snapshot, session.find, session.changes):
        with pytest.raises(InvalidInput):
            await call(wrong)  # pyright: ignore[reportArgumentType] - wrong on purpose


async def test_find_gives_refs_and_says_when_there_is_nothing(
    site: FixtureSite, session: Session
) -> None:
    await session.navigate(site.page("/f", "<button>Pay now</button><p>Pay later by post"))
    found = data_of(await session.find("pay"))
    buttons = data_of(await session.find("Pay now", role="button"))
    nothing = await session.find("zeppelin")
    assert found["total"] == 2
    (match,) = cast("tuple[Mapping[str, object], ...]", buttons["matches"])
    assert (match["role"], match["name"]) == ("button", "Pay now")
    assert str(match["ref"]).startswith("e")
    assert (nothing.status, data_of(nothing)["total"]) == (Status.OK, 0)
    assert nothing.coverage is not None
    assert nothing.coverage["frames_inspected"] == 1


async def test_changes_since_a_snapshot(site: FixtureSite, session: Session) -> None:
    html = "<button onclick=\"out.textContent = 'done'\">Go</button><p id=out>waiting</p>"
    await session.navigate(site.page("/c", html))
    before = await session.snapshot()
    same = await session.changes(before)
    (ref,) = cast("tuple[str, ...]", data_of(before)["refs_shown"])
    await session.click(ref)
    after = await session.changes(before)
    assert data_of(same)["changed"] is False
    assert data_of(after)["changed"] is True
    changes = cast("Mapping[str, tuple[str, ...]]", data_of(after)["changes"])
    assert any("done" in line for line in changes["added"])
    assert any("waiting" in line for line in changes["removed"])
    unknown = await session.changes("op_00000000000000000000000000")
    assert unknown.error_code == "not_found"


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (b'{"boats": ["Ann", "Bo"]}', "application/json", '{"boats": ["Ann", "Bo"]}'),
        (b"name,tons\nAnn,12\nBo,9\n", "text/csv", "Ann,12"),
        (b"plain words\nsecond line", "text/plain", "second line"),
        (
            b"<?xml version='1.0' encoding='ISO-8859-1'?><rss><title>F\xe4hre</title></rss>",
            "application/rss+xml",
            "<title>F\xe4hre</title>",
        ),
        (
            "<p>gr\u00f6\u00dfer".encode("latin-1"),
            "text/html; charset=iso-8859-1",
            "gr\u00f6\u00dfer",
        ),
    ],
    ids=["json", "csv", "plain", "feed", "charset"],
)
async def test_texts_that_are_no_html_are_read_as_text(
    body: bytes, kind: str, words: str, site: FixtureSite, session: Session
) -> None:
    url = file(site, "/data", body, kind)
    arrived = await session.navigate(url)
    assert arrived.status is Status.OK, arrived.to_json()
    assert arrived.final_url == url
    for result in (
        await session.read(),
        await session.read(format="markdown"),
        await session.snapshot(),
    ):
        assert result.status is Status.OK
        assert result.final_url == url
        assert words in text_of(result) or "text/html" in kind
    await session.navigate(site.page("/next", "<p>next page"))
    assert words not in text_of(await session.read())


async def test_one_shot_read_has_the_keys_of_both_and_its_own_closing(
    site: FixtureSite, browser: Browser
) -> None:
    url = site.page("/one", "<title>One</title><h1>One</h1><p>words")
    for form in ("markdown", "text", "snapshot"):
        result = await browser.read(url, format=form)
        assert result.status is Status.OK, result.to_json()
        assert {"text", "title", "http_status", "content_type", "redirects", "settled"} <= set(
            data_of(result)
        )
        assert "One" in text_of(result)
        assert result.final_url == url
        assert Result.from_json(result.to_json(), verify=True) == result


async def test_one_shot_read_of_an_error_page_keeps_its_text(
    site: FixtureSite, browser: Browser
) -> None:
    url = site.page("/gone", "<h1>Gone</h1><p>moved to the attic", status=410)
    result = await browser.read(url)
    assert (result.status, result.error_code) == (Status.ERROR, "http_error")
    assert "attic" in text_of(result)


async def test_one_shot_read_never_raises_for_what_a_url_is(browser: Browser) -> None:
    for url, code in (("nonsense", "invalid_url"), ("http://10.1.1.1/", "policy_denied")):
        assert (await browser.read(url)).error_code == code
    assert (await browser.read("http://x.test/", format="pdf")).error_code == "invalid_input"
    with pytest.raises(InvalidInput):
        await browser.read(None)  # pyright: ignore[reportArgumentType] - wrong on purpose


async def test_fetch_text_reads_small_files_by_the_same_policy(
    site: FixtureSite, browser: Browser
) -> None:
    url = file(site, "/sitemap.xml", b"<urlset>" + b"x" * 30_000 + b"</urlset>", "text/xml")
    whole = await browser.fetch_text(url, max_bytes=60_000)
    cut = await browser.fetch_text(url, max_bytes=1_000)
    denied = await browser.fetch_text("http://10.0.0.1/robots.txt", max_bytes=1_000)
    missing = await browser.fetch_text(site.at("/none.txt"), max_bytes=1_000)
    assert (whole.status, len(text_of(whole))) == (Status.OK, 30_017)
    assert (cut.status, len(text_of(cut))) == (Status.TRUNCATED, 1_000)
    assert denied.error_code == "policy_denied"
    assert (missing.error_code, data_of(missing)["http_status"]) == ("http_error", 404)


async def test_secret_on_a_page_is_masked_everywhere(
    site: FixtureSite, local_web: UrlPolicy
) -> None:
    html = "<title>hunter2-battery</title><p>key hunter2-battery <button>hunter2-battery</button>"
    async with (
        Browser.launch(local_web, secrets=["hunter2-battery"]) as browser,
        browser.session() as session,
    ):
        url = site.page("/s", html)
        results = [
            await session.navigate(url),
            await session.read(),
            await session.read(format="markdown"),
            await session.snapshot(),
            await session.find("key"),
        ]
    for result in results:
        assert "hunter2-battery" not in result.to_json()
        assert "REDACTED" in result.to_json()


async def test_huge_title_is_bounded(site: FixtureSite, session: Session) -> None:
    result = await session.navigate(site.page("/t", f"<title>{'t' * 300_000}</title><p>x"))
    assert len(str(data_of(result)["title"])) <= 1_100
    assert len(result.to_json()) < 10_000
