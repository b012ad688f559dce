"""An owner that is killed while it works: ``browser-agent reap`` leaves nothing of it."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import psutil
import pytest

from browser_agent.browser.cleanup import folder_of
from browser_agent.browser.processes import find_marked
from browser_agent.store.journal import SqliteJournal, open_journal
from browser_agent.testing.site import FixtureSite

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_journal")]
HANG_S = 120.0
PAGE = """<title>Work</title><p id=o>0</p><button onclick="fetch('/did', {method: 'POST'});
o.textContent = Number(o.textContent) + 1">Act</button>"""

OWNER = """
import asyncio, sys
from browser_agent import Browser, UrlPolicy
async def work(session):
    while True:
        await session.navigate(sys.argv[1])
        found = (await session.find("Act", role="button")).to_dict()
        for match in found.get("data", {}).get("matches", []):
            await session.click(match["ref"])
async def main():
    print("begin", flush=True)
    policy = UrlPolicy.public_web(allow_local=["http://127.0.0.1:*"])
    async with Browser.launch(policy, robots=False) as browser:
        async with browser.session() as one, browser.session() as two:
            await asyncio.gather(work(one), work(two))
asyncio.run(main())
"""


async def start_owner(url: str) -> asyncio.subprocess.Process:
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OWNER, url, stdout=asyncio.subprocess.PIPE, cwd=Path.cwd()
    )
    assert owner.stdout is not None
    async with asyncio.timeout(HANG_S):
        assert (await owner.stdout.readline()).strip() == b"begin"
    return owner


async def reap() -> dict[str, object]:
    """What the command says."""
    command = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "browser_agent", "reap", "--json"),
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(HANG_S):
        said, _ = await command.communicate()
    assert command.returncode == 0
    return cast("dict[str, object]", json.loads(said))


def in_flight(journal: SqliteJournal) -> set[object]:
    return {
        operation["id"]
        for owner in journal.owners()
        for operation in cast("Sequence[Mapping[str, object]]", owner["operations"])
    }


async def test_reap_leaves_nothing_of_an_owner_killed_at_any_moment(
    site: FixtureSite, long_run: bool
) -> None:
    journal, url = open_journal(), site.page("/", PAGE)
    site.page("/did", "taken")
    for number in range(20 if long_run else 3):
        owner = await start_owner(url)
        if number % 3 == 0:  # later than any launch takes: in the middle of its work
            await site.wait_for("/did", count=site.count("/did") + 3, timeout_s=HANG_S)
        await asyncio.sleep(random.Random(number).uniform(0, 1.5))
        below = psutil.Process(owner.pid).children(recursive=True)
        owner.send_signal(signal.SIGKILL)
        await owner.wait()
        tokens = {str(one["token"]) for one in journal.owners()}
        open_ones = in_flight(journal)
        done = await reap()
        assert done["left"] == []
        assert set(cast("list[object]", done["operations"])) == open_ones
        assert open_ones <= {one["id"] for one in journal.unknown_operations()}
        assert find_marked(tokens) == []
        assert [one for one in below if one.is_running() and one.status() != "zombie"] == []
        assert [token for token in tokens if folder_of(token).exists()] == []
        assert journal.owners() == []
    assert journal.unknown_operations()
