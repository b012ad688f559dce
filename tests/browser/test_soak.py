"""Many sessions in one process leave nothing behind: no process, folder, file or memory."""

from __future__ import annotations

import asyncio
import gc
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import psutil
import pytest

from browser_agent import Browser, BrowserError, UrlPolicy
from browser_agent.store.journal import SqliteJournal
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
AT_ONCE = 4
WARM = 50
PAGE = """<title>Soak</title><p id=o>before</p><script>var big = 'x'.repeat(200000)</script>
<button onclick="o.textContent='after'">Act</button>"""


@dataclass(frozen=True, kw_only=True)
class Held:
    """What is held at one moment. ``memory`` in bytes: this process and the driver."""

    processes: int
    folders: int
    profiles: int
    files: int
    memory: int


@pytest.fixture
def temp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files of this test alone; its path is short, as sockets need it."""
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)
        monkeypatch.undo()


def held(browser: Browser) -> Held:
    """Counted by the system, not by the product."""
    gc.collect()
    me = psutil.Process()
    ledger = browser._running.ledger
    driver, main = (psutil.Process(ledger.processes[role].pid) for role in ("driver", "browser"))
    tree = main.children(recursive=True)
    return Held(
        processes=len([one for one in tree if one.status() != psutil.STATUS_ZOMBIE]),
        folders=len(list(ledger.folder.parent.iterdir())),
        profiles=len(list(ledger.folder.iterdir())),
        files=me.num_fds() + driver.num_fds(),
        memory=me.memory_info().rss + driver.memory_info().rss,
    )


async def use_one(browser: Browser, url: str) -> None:
    """Open, act, close."""
    async with browser.session() as session:
        assert (await session.navigate(url)).is_complete
        found = (await session.find("Act", role="button")).to_dict()
        matches = cast("dict[str, list[dict[str, str]]]", found["data"])["matches"]
        assert (await session.click(matches[0]["ref"])).is_complete
    assert session.closing is not None
    assert session.closing.is_complete


async def use_many(browser: Browser, url: str, count: int) -> None:
    turns = iter(range(count))

    async def work() -> None:
        for _ in turns:
            await use_one(browser, url)

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))


async def until(is_so: Callable[[], bool]) -> None:
    """Renderers of closed pages end a moment after them."""
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.1)


async def test_sessions_leave_nothing_behind(
    temp: Path,
    site: FixtureSite,
    local_web: UrlPolicy,
    own_journal: SqliteJournal,
    long_run: bool,
) -> None:
    url = site.page("/", PAGE)
    async with Browser.launch(local_web, robots=False) as browser:
        await use_many(browser, url, 4)
        first = held(browser)
        await use_many(browser, url, WARM - 4)
        warm = held(browser)
        await use_many(browser, url, (1_000 if long_run else 100) - WARM)
        await until(lambda: held(browser).processes <= first.processes + AT_ONCE)
        last = held(browser)
        assert browser._sessions == []
        assert browser._running.browser.contexts == []
    assert (last.folders, last.profiles) == (first.folders, first.profiles)
    assert last.files <= first.files + AT_ONCE
    assert last.memory <= warm.memory * 1.2, f"{warm} to {last}"
    assert list(temp.iterdir()) == []
    assert own_journal.owners() == []
    assert own_journal.unknown_operations() == []


async def test_twenty_failed_launches_leave_nothing(
    own_journal: SqliteJournal, tmp_path: Path, temp: Path
) -> None:
    broken = tmp_path / "no-browser"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    me = psutil.Process()

    async def fail() -> None:
        with pytest.raises(BrowserError):
            async with Browser.launch(executable_path=broken):
                raise AssertionError("must not start")

    def ours() -> set[int]:
        return {one.pid for one in me.children() if "run-driver" in " ".join(one.cmdline())}

    await fail()
    files, drivers = me.num_fds(), ours()
    for _ in range(5):
        await asyncio.gather(*(fail() for _ in range(4)))
    assert list(temp.iterdir()) == []
    assert ours() <= drivers
    assert me.num_fds() <= files
    assert own_journal.owners() == []
