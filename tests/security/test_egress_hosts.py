"""Our parser and Chromium read the same host out of every URL that a policy could admit.

Claims: P1.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator
from urllib.parse import quote, unquote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, sync_playwright

from browser_agent.logic.url_parts import DEFAULT_PORTS, UrlParts, parse_url

BATCH = 50
PIECES = [
    "http:", "https:", "ws:", "HTTPS:", "ht\ttp:", "ftp:", "file:", "//", "/", "\\", "\\\\", "///",
    "example.com", "EXAMPLE", "evil.test", "127.0.0.1", "127.1", "0x7f", "0177", "2130706433",
    "1e3", "0", "256", "08", "[::1]", "[::ffff:7f00:1]", "[fe80::1%25eth0]", "[::1", "]",
    "[1:2:3:4:5:6:7.8.9.10]", "xn--bcher-kva", "xn--a", "xn--", "bücher", "例え.テスト",
    "ｅｘ", "ⓛ",
    "。", "．",
    "｡", "\u00ad", "\u200b", "\u200d", "\u0301", "ß", "ς", "İ", "ﬁ", "①", "۱",
    "🦄",
    "／", "＃", "＠", "．．", ".", "..", "-", "_", "~", "!", "$", "&", "'", "(", ")", "*", "+", ",",
    ";", "=", ":", ":80", ":443", ":8080", ":0", ":65536", ":8o", "@", "%", "%40", "%2e", "%2F",
    "%00", "%31", "%C3%BC", "%zz", "?", "#", "a", "b.c", "localhost", "^", "|", "<", ">", "`", "{",
    " ", "\t", "\n", "\r", "\x00", "\x7f", "\u2028", "\ufeff", "\ud800", "\ufffe", "é",
]  # fmt: skip
HOSTILE = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=9).map("".join)
URLS = st.one_of(
    HOSTILE,
    HOSTILE.map(lambda host: f"http://{host}/"),
    HOSTILE.map(lambda host: f"https://{host}.test:81/x"),
    HOSTILE.map(lambda text: f"http://example.com{text}"),
    HOSTILE.map(lambda text: f"http://user{text}@example.com/"),
    st.text().map(lambda text: f"https://{quote(text)}/"),
)
Reader = Callable[[str], UrlParts | None]
READ = """urls => urls.map(text => {
    try {
        const url = new URL(text);
        return [url.protocol, url.hostname, url.port, url.href];
    } catch { return null; }
})"""


@pytest.fixture(scope="module")
def page() -> Generator[Page]:
    path = os.environ.get("BROWSER_AGENT_BROWSER_PATH") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser.new_page()
        browser.close()


def check_same_reading(page: Page, urls: list[str], ours: Reader = parse_url) -> None:
    """Where we read a URL of the web, Chromium reads the same scheme, host and port."""
    texts = [url.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for url in urls]
    parsed = [ours(url) for url in urls]
    theirs = page.evaluate(READ, texts)
    again = page.evaluate(READ, [parts.href if parts else "" for parts in parsed])
    for url, parts, read, reread in zip(urls, parsed, theirs, again, strict=True):
        if parts is None or parts.scheme not in {"http", "https"}:
            continue  # refused: safe whatever Chromium would make of it
        assert read is not None, ascii(url)
        for protocol, hostname, port, _ in (read, reread):
            scheme = str(protocol).removesuffix(":").replace("ws", "http")
            host = hostname.removeprefix("[").removesuffix("]").removesuffix(".")
            effective = int(port) if port else DEFAULT_PORTS.get(scheme)
            assert (scheme, host, effective) == (parts.scheme, parts.host, parts.port), ascii(url)
        # Chromium encodes "|" in a path where the standard does not: the same path all the same
        assert unquote(reread[3]) == unquote(parts.href), ascii(url)


def run_examples(page: Page, count: int) -> None:
    @settings(
        max_examples=max(1, count // BATCH),
        deadline=None,
        phases=[Phase.generate],  # the message names the one URL, nothing is left to shrink
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(st.lists(URLS, min_size=BATCH, max_size=BATCH))
    def check(urls: list[str]) -> None:
        check_same_reading(page, urls)

    check()


def test_we_and_chromium_read_the_same_host(page: Page, long_run: bool) -> None:
    run_examples(page, 10_000 if long_run else 1_000)


def test_the_web_schemes_are_read_at_all(page: Page) -> None:
    """The comparison above is not empty: ordinary and odd URLs get through to it."""
    urls = ["http:example.com", "https://１２７.1/", "ws://bücher.test:8080/", "http://a@b/"]
    assert all(parse_url(url) for url in urls)
    check_same_reading(page, urls)


def test_the_comparison_sees_a_difference(page: Page) -> None:
    with pytest.raises(AssertionError, match="example"):
        check_same_reading(page, ["http://example.com/"], lambda _: parse_url("http://b.test/"))
