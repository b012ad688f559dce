"""What a killed owner leaves is found by its record and token, ended, and marked unknown."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest

from browser_agent import Browser
from browser_agent.browser.cleanup import folder_of, host_facts, make_folder, new_token
from browser_agent.browser.processes import OWNER_SWITCH, Proc, find_marked, own_process
from browser_agent.browser.reaper import reap
from browser_agent.store.journal import SqliteJournal, open_journal

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_journal")]

OWNER = """
import asyncio, sys
from browser_agent import Browser, UrlPolicy
async def main():
    print("begin", flush=True)
    async with Browser.launch(policy=UrlPolicy.public_web(allow_local=["http://127.0.0.1:*"])) as b:
        print("launched", flush=True)
        async with b.session() as s:
            print("opened", flush=True)
            await s.navigate(sys.argv[1])
            print("arrived", flush=True)
            await asyncio.Event().wait()
asyncio.run(main())
"""


def start_owner(url: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", OWNER, url], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    )


async def read_until(owner: subprocess.Popen[str], word: str) -> None:
    assert owner.stdout is not None
    while (line := await asyncio.to_thread(owner.stdout.readline)) != "":
        if line.strip() == word:
            return
    raise AssertionError(f"the owner ended before it was {word}")


def kill(owner: subprocess.Popen[str]) -> None:
    owner.send_signal(signal.SIGKILL)
    owner.wait(30)
    assert owner.stdout is not None
    owner.stdout.close()


def operations_of(journal: SqliteJournal) -> list[str]:
    return [
        str(operation["name"])
        for owner in journal.owners()
        for operation in cast("Sequence[Mapping[str, object]]", owner["operations"])
    ]


def left_over(tokens: set[str]) -> tuple[list[Proc], list[Path]]:
    processes = find_marked(tokens)
    temp = Path(tempfile.gettempdir())
    return processes, [p for token in tokens for p in temp.glob(folder_of(token).name)]


async def test_browser_of_a_killed_owner_is_ended_and_its_operation_is_unknown(
    silent_url: str,
) -> None:
    journal = open_journal()
    owner = start_owner(silent_url)
    await read_until(owner, "opened")
    async with asyncio.timeout(60):
        while operations_of(journal) != ["navigate"]:
            await asyncio.sleep(0.02)
    tokens = {str(one["token"]) for one in journal.owners()}
    assert find_marked(tokens)
    kill(owner)
    before = len(journal.unknown_operations())
    done = await asyncio.to_thread(reap, journal)
    assert done.owners == 1
    assert done.left == ()
    assert len(done.operations) == 1
    assert left_over(tokens) == ([], [])
    assert journal.owners() == []
    assert len(journal.unknown_operations()) == before + 1
    assert (await asyncio.to_thread(reap, journal)).owners == 0


async def test_killed_at_any_moment_leaves_nothing_after_reap(
    silent_url: str, long_run: bool
) -> None:
    journal = open_journal()
    for number in range(20 if long_run else 1):
        owner = start_owner(silent_url)
        await read_until(owner, "begin")
        await asyncio.sleep(random.Random(number).uniform(0, 4 if long_run else 0.5))
        tokens = {str(one["token"]) for one in journal.owners()}
        kill(owner)
        tokens |= {str(one["token"]) for one in journal.owners()}
        done = await asyncio.to_thread(reap, journal)
        assert done.left == ()
        assert left_over(tokens) == ([], [])
        assert journal.owners() == []


async def test_next_start_reaps_too(silent_url: str) -> None:
    journal = open_journal()
    owner = start_owner(silent_url)
    await read_until(owner, "launched")
    tokens = {str(one["token"]) for one in journal.owners()}
    kill(owner)
    async with Browser.launch():
        pass
    assert left_over(tokens) == ([], [])
    assert journal.owners() == []


async def test_living_owner_is_left_alone() -> None:
    async with Browser.launch() as browser:
        done = await asyncio.to_thread(reap, open_journal())
        assert done.owners == 0
        assert browser.is_connected


def test_owner_of_another_host_or_pid_space_is_left_alone(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.open_owner("far", {"pid": 1, "started": 1.0, **host_facts(), "host": "elsewhere"})
    journal.open_owner("near", {"pid": 1, "started": 1.0, **host_facts(), "pids": "pid:[1]"})
    assert reap(journal).owners == 0
    assert len(journal.owners()) == 2


def test_owner_from_before_a_reboot_is_dead_although_its_pid_lives(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    me = own_process()
    facts = {"pid": me.pid, "started": me.started, **host_facts(), "boot": "another"}
    journal.open_owner(new_token(), facts)
    assert reap(journal).owners == 1
    assert journal.owners() == []


def test_only_processes_with_the_token_or_the_very_record_are_ended(tmp_path: Path) -> None:
    """A pid that was given to another program meanwhile is not ours any more."""
    journal, token = open_journal(tmp_path), new_token()
    stranger = subprocess.Popen(["sleep", "300"])
    waiting = "import time; time.sleep(300)"
    ours = subprocess.Popen([sys.executable, "-c", waiting, f"{OWNER_SWITCH}{token}"])
    make_folder(token)
    journal.open_owner(token, {"pid": 999_999_999, "started": 1.0, **host_facts()})
    journal.add_resource(token, "process", str(stranger.pid), {"role": "browser", "started": 5.0})
    journal.add_resource(token, "folder", str(tmp_path / "precious"), {})
    (tmp_path / "precious").mkdir()
    done = reap(journal)
    assert stranger.poll() is None
    assert ours.wait(10) == -signal.SIGKILL
    assert (tmp_path / "precious").is_dir()
    assert not folder_of(token).exists()
    assert (done.owners, done.left) == (1, ())
    stranger.kill()
    stranger.wait(10)
