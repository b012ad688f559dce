"""A remote browser: its address is a secret, its traffic no promise of ours, its life its own."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from typing import cast

import pytest
from playwright.async_api import async_playwright

from browser_agent import Browser, ConfigurationError, Secret, UrlPolicy
from browser_agent.store.journal import SqliteJournal
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
TOKEN = "SENTINELREMOTE77"


async def pages_of(port: int) -> int:
    """How many contexts and pages the remote browser has, asked by a client of its own."""
    async with async_playwright() as playwright:
        other = await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        found = sum(len(context.pages) for context in other.contexts)
        await other.close()
    return found


async def test_close_ends_our_contexts_and_not_the_browser(
    remote_port: int, site: FixtureSite, own_journal: SqliteJournal
) -> None:
    url = site.page("/a", "<title>Remote</title><p>far away")
    before = await pages_of(remote_port)
    address = Secret(f"http://127.0.0.1:{remote_port}")
    async with Browser.launch(None, cdp_url=address, robots=False) as browser:
        browser.admit(url)
        kinds = {
            str(one["kind"])
            for owner in own_journal.owners()
            for one in cast("list[dict[str, object]]", owner["resources"])
        }
        async with browser.session() as session:
            arrived = await session.navigate(url)
            read = await session.read()
            assert session.closing is None
        once = await browser.read(url)
    assert arrived.is_complete
    assert "far away" in str(read.to_dict()["data"])
    assert once.is_complete
    assert "remote_session" in kinds
    assert session.closing is not None
    assert session.closing.is_complete
    assert browser.closing is not None
    assert browser.closing.is_complete
    assert await pages_of(remote_port) == before
    assert own_journal.owners() == []


async def test_result_says_that_nothing_of_a_remote_browser_is_policed(
    remote_port: int, site: FixtureSite
) -> None:
    url = site.page("/a", "<p>a")
    address = f"http://127.0.0.1:{remote_port}"
    async with Browser.launch(None, cdp_url=address, robots=False) as browser:
        browser.admit(url)
        result = await browser.read(url)
    coverage = result.to_dict()["coverage"]
    assert coverage["egress"]["policed"] == []  # pyright: ignore[reportIndexIssue, reportArgumentType, reportCallIssue] - a plain dict
    assert "remote" in json.dumps(coverage)


@pytest.mark.parametrize("policy", [UrlPolicy.public_web(), UrlPolicy.only(["example.com"])])
async def test_policy_that_cannot_be_kept_is_refused_before_a_connection(
    policy: UrlPolicy,
) -> None:
    reached = asyncio.Event()

    def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.set()
        writer.close()

    server = await asyncio.start_server(note, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(ConfigurationError, match="policy=None") as caught:
        async with Browser.launch(policy, cdp_url=f"ws://127.0.0.1:{port}/{TOKEN}"):
            raise AssertionError("must not start")
    server.close()
    assert not reached.is_set()
    assert TOKEN not in str(caught.value)


async def test_address_of_the_remote_browser_is_shown_nowhere(
    remote_port: int, site: FixtureSite, caplog: pytest.LogCaptureFixture
) -> None:
    """A page that knows the address and says it does not get it into a Result."""
    caplog.set_level(logging.DEBUG)
    address = f"http://127.0.0.1:{remote_port}/?token={TOKEN}"
    url = site.page("/a", f"<title>{TOKEN}</title><p>the browser is at {address}")
    async with Browser.launch(None, cdp_url=Secret(address), robots=False) as browser:
        browser.admit(url)
        async with browser.session() as session:
            results = [
                await session.navigate(url),
                await session.read(),
                await session.snapshot(),
                await session.navigate(f"{url}?next={TOKEN}"),
            ]
        results += [session.closing, browser.closing] if session.closing else []
        shown = repr(browser) + repr(session) + repr(browser._setup)
    shown += "".join(result.to_json() for result in results if result is not None)
    ours = [one.getMessage() for one in caplog.records if one.name.startswith("browser_agent")]
    assert TOKEN not in shown + "".join(ours)


async def test_command_line_takes_the_address_from_the_environment_only() -> None:
    """An address on the command line would stand in the process table."""
    told = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "browser_agent", "mcp", "--cdp-env", "NO_SUCH_VARIABLE"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        _, said = await told.communicate()
    assert told.returncode == 2
    assert b"NO_SUCH_VARIABLE" in said
