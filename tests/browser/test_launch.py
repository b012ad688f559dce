"""A launch is found, recorded, and typed when it fails; a failed one leaves nothing."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from browser_agent import (
    Browser,
    BrowserError,
    BrowserLimits,
    ConfigurationError,
    InvalidInput,
    Secret,
    UrlPolicy,
)
from browser_agent.browser.cleanup import FOLDER_PREFIX, folder_of
from browser_agent.browser.processes import OWNER_SWITCH
from browser_agent.store.journal import open_journal

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_journal")]


@dataclass(frozen=True)
class Around:
    """What was there before a test: other browsers of this test run."""

    folders: frozenset[str]
    children: frozenset[int]

    def nothing_new(self) -> bool:
        return (
            frozenset(folders()) == self.folders
            and children() <= self.children
            and open_journal().owners() == []
        )


@pytest.fixture
def around() -> Around:
    return Around(frozenset(folders()), frozenset(children()))


def folders() -> set[str]:
    """Private folders of owners: the prefix and the owner's token."""
    found = Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*")
    return {path.name for path in found if re.fullmatch(r"[0-9a-f]{16}", path.name[-16:])}


def children() -> set[int]:
    return {
        child.pid
        for child in psutil.Process().children(recursive=True)
        if child.status() != psutil.STATUS_ZOMBIE and is_main(child)
    }


def is_main(process: psutil.Process) -> bool:
    """A browser or a driver; renderers of other tests' browsers come and go."""
    try:
        line = " ".join(process.cmdline())
    except psutil.Error:
        return False
    return "--browser-agent-owner=" in line or "run-driver" in line


def program(tmp_path: Path, script: str) -> str:
    file = tmp_path / "no-browser"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return str(file)


async def test_running_browser_is_recorded_and_everything_is_struck_off_afterwards(
    around: Around,
) -> None:
    async with Browser.launch() as browser:
        (owner,) = open_journal().owners()
        kinds = sorted(str(one["kind"]) for one in owner["resources"])  # pyright: ignore[reportIndexIssue, reportUnknownVariableType, reportGeneralTypeIssues, reportUnknownArgumentType] - a list of mappings
        (made,) = folders() - around.folders
        profiles = [
            word.partition("=")[2]
            for pid in children() - around.children
            for word in psutil.Process(pid).cmdline()
            if word.startswith("--user-data-dir=")
        ]
        assert made == folder_of(str(owner["token"])).name
        assert kinds == ["folder", "port", "process", "process", "profile"]
        assert profiles
        assert all(Path(profile).parent.name == made for profile in profiles)
        marked = [
            pid
            for pid in children() - around.children
            if f"{OWNER_SWITCH}{owner['token']}" in psutil.Process(pid).cmdline()
        ]
        assert len(marked) == 1
    assert browser.closing is not None
    assert browser.closing.is_complete
    assert around.nothing_new()


async def test_features_that_playwright_switches_off_stay_off_and_no_window_loads_popups(
    around: Around,
) -> None:
    async with Browser.launch() as browser, browser.session() as session:
        await session.snapshot()
        new = [psutil.Process(pid) for pid in children() - around.children]
        (main,) = [one for one in new if OWNER_SWITCH in " ".join(one.cmdline())]
        given = [
            set(word.partition("=")[2].split(","))
            for word in main.cmdline()
            if word.startswith("--disable-features=")
        ]
        processes = [" ".join(one.cmdline()) for one in main.children(recursive=True)]
    assert len(given) > 1
    assert set().union(*given) == given[-1], "the last one is the one that counts"
    assert processes
    assert not [line for line in processes if "--top-chrome-webui" in line]


async def test_environment_of_the_browser_holds_no_key(
    monkeypatch: pytest.MonkeyPatch, around: Around
) -> None:
    monkeypatch.setenv("SOME_PROVIDER_API_KEY", "sk-very-secret")
    async with Browser.launch():
        chromium = [
            psutil.Process(pid)
            for pid in children() - around.children
            if any(OWNER_SWITCH in word for word in psutil.Process(pid).cmdline())
        ]
        assert len(chromium) == 1
        assert "SOME_PROVIDER_API_KEY" not in chromium[0].environ()
    assert "TMPDIR" not in os.environ or FOLDER_PREFIX not in os.environ["TMPDIR"]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 1", "could not be started"),
        ("echo 'No usable sandbox!' >&2; exit 1", "user namespaces"),
        ("echo 'no display'; kill -9 $$", "could not be started"),
    ],
    ids=["exits", "sandbox", "killed"],
)
async def test_failed_launch_is_typed_and_leaves_nothing(
    script: str, words: str, tmp_path: Path, around: Around
) -> None:
    with pytest.raises(BrowserError, match=words) as caught:
        async with Browser.launch(executable_path=program(tmp_path, script)):
            raise AssertionError("must not start")
    assert caught.value.__context__ is None
    assert str(tmp_path) not in str(caught.value)
    assert around.nothing_new()


async def test_many_failed_launches_leave_nothing(
    tmp_path: Path, long_run: bool, around: Around
) -> None:
    path = program(tmp_path, "exit 3")
    for _ in range(20 if long_run else 2):
        with pytest.raises(BrowserError):
            async with Browser.launch(executable_path=path):
                raise AssertionError("must not start")
    assert around.nothing_new()


async def test_cancelled_launch_leaves_nothing(tmp_path: Path, around: Around) -> None:
    path = program(tmp_path, "echo started > " + str(tmp_path / "mark") + "; exec sleep 60")

    async def start() -> None:
        async with Browser.launch(executable_path=path):
            raise AssertionError("must not start")

    task = asyncio.create_task(start())
    async with asyncio.timeout(60):
        while not (tmp_path / "mark").exists():
            await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert around.nothing_new()


async def test_named_program_that_is_missing_is_named_with_what_helps() -> None:
    with pytest.raises(BrowserError, match="playwright install chromium"):
        async with Browser.launch(executable_path="/nowhere/chromium"):
            raise AssertionError("must not start")


async def test_no_browser_at_all_names_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_AGENT_BROWSER_PATH", raising=False)
    with pytest.raises(BrowserError, match="apt-get install chromium"):
        async with Browser.launch():
            raise AssertionError("must not start")


async def test_environment_variable_names_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER_AGENT_BROWSER_PATH", program(tmp_path, "exit 1"))
    with pytest.raises(BrowserError, match="could not be started"):
        async with Browser.launch():
            raise AssertionError("must not start")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cdp_url": "ws://127.0.0.1:1/x"}, "policy=None"),
        ({"cdp_url": "ws://127.0.0.1:1/x", "policy": None, "channel": "chrome"}, "channel"),
        ({"cdp_url": "ws://127.0.0.1:1/x", "policy": None, "proxy": "http://h:1"}, "proxy"),
        ({"cdp_url": "file:///x", "policy": None}, "cdp_url must be"),
        ({"policy": None}, "cdp_url only"),
        ({"channel": "netscape"}, "unknown channel"),
        ({"search_url": "https://x.test/?q="}, "query"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else str(value),
)
async def test_settings_that_cannot_be_kept_are_refused_before_anything_starts(
    options: dict[str, object], words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        async with Browser.launch(**options):  # pyright: ignore[reportArgumentType] - wrong on purpose
            raise AssertionError("must not start")


@pytest.mark.parametrize(
    "options",
    [{"policy": "example.com"}, {"secrets": "word"}, {"secrets": {"a": 3}}, {"user_agent": 7}],
    ids=str,
)
async def test_wrong_types_are_invalid_input(options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        async with Browser.launch(**options):  # pyright: ignore[reportArgumentType] - wrong on purpose
            raise AssertionError("must not start")


async def test_failed_connection_to_a_remote_browser_tells_no_secret() -> None:
    url = "ws://user:hunter2pass@127.0.0.1:9/devtools/browser/abc?token=SENTINELTOKEN99"
    with pytest.raises(BrowserError, match="remote browser") as caught:
        async with Browser.launch(cdp_url=Secret(url), policy=None):
            raise AssertionError("must not start")
    shown = "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    assert "SENTINELTOKEN99" not in shown + repr(caught.value)
    assert "hunter2pass" not in shown
    assert open_journal().owners() == []


async def test_two_browsers_at_once_have_folders_and_tokens_of_their_own() -> None:
    policy, limits = UrlPolicy.public_web(), BrowserLimits()
    async with Browser.launch(policy, limits) as one, Browser.launch(policy, limits) as two:
        owners = open_journal().owners()
        assert len({owner["token"] for owner in owners}) == 2
    for browser in (one, two):
        assert browser.closing is not None
        assert browser.closing.is_complete


async def test_a_long_path_for_temporary_files_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("long-" * 20)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    async with Browser.launch() as browser:
        assert browser.is_connected
    assert browser.closing is not None
    assert browser.closing.is_ok
    assert list(folder.iterdir()) == []
