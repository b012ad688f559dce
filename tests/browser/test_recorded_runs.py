"""The recorded runs of fixtures/recordings replay with their servers gone, again and again."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from browser_agent import RobotResult
from browser_agent.browser.browser import Browser
from browser_agent.logic.comparing import Comparison
from browser_agent.replay import launch_for, load_result, replay_run
from browser_agent.store.recording import load_recording

pytestmark = pytest.mark.anyio
FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "recordings"
RUNS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
WANTED = {
    "research": "completed",
    "login": "completed",
    "unknown-form": "completed",
    "pagination": "completed",
    "popup": "completed",
    "download": "completed",
    "crash": "completed",
    "pdf": "completed",
    "injection": "completed",
    "budget": "budget_tokens",
    "redirects": "completed",
}
OTHER_LIMITS = {"unknown-form", "crash"}
"""What was recorded with limits of its own is replayed by a browser of its own."""
SLOW = "crash"
"""A renderer takes seconds to crash: once by default."""
LIMIT_BYTES = 200_000
PASSWORD = b"brass-lantern-7"


@dataclass
class Played:
    """What became of the replays: comparisons of each run, in order."""

    of: dict[str, list[Comparison]] = field(default_factory=dict[str, list[Comparison]])


@pytest.fixture(scope="module")
async def played(anyio_backend: str, long_run: bool) -> Played:
    """Every run, three times (twenty with --long), by two browsers at once."""
    assert anyio_backend == "asyncio"
    found = Played({name: [] for name in RUNS})
    waiting = [name for name in RUNS for _ in range(times(name, long_run=long_run))]
    async with asyncio.TaskGroup() as group:
        for _ in range(2):
            group.create_task(_play(waiting, found))
    return found


def times(name: str, *, long_run: bool) -> int:
    """How often a run is replayed."""
    if long_run:
        return 20
    return 1 if name == SLOW else 3


async def _play(waiting: list[str], found: Played) -> None:
    async with launch_for(load_recording(FOLDER / "login")) as browser:
        while waiting:
            name = waiting.pop(0)
            own = None if name in OTHER_LIMITS else browser
            found.of[name].append(await replay_run(FOLDER / name, browser=own))


@pytest.mark.parametrize("name", RUNS)
def test_each_replays_the_same_every_time(played: Played, name: str, long_run: bool) -> None:
    recorded = load_result(FOLDER / name)
    comparisons = played.of[name]
    assert len(comparisons) == times(name, long_run=long_run)
    for again in comparisons:
        assert again.same, f"{name} at step {again.step}: {again.difference}"
        assert again.result is not None
        assert again.result.checksum == recorded.checksum
        assert digests(again.result) == digests(recorded)


def digests(result: RobotResult) -> list[str]:
    return [one.digest for one in result.results if "op_" not in str(one.data)]


async def test_a_replay_has_more_time_than_the_recorded_run() -> None:
    recording = load_recording(FOLDER / "unknown-form")
    recorded = cast("Any", recording.meta["plan"])["browser"]["limits"]
    async with launch_for(recording) as browser:
        for name in ("navigation_timeout_s", "action_timeout_s", "observation_timeout_s"):
            assert getattr(browser.limits, name) == 3 * recorded[name]
        assert browser.limits.result_bytes == recorded["result_bytes"]


def test_they_are_of_the_kinds_that_matter() -> None:
    assert {name: load_result(FOLDER / name).stop_reason.value for name in RUNS} == WANTED
    codes = {
        name: [one.error_code for one in load_result(FOLDER / name).results if one.error_code]
        for name in ("unknown-form", "crash", "injection", "redirects")
    }
    assert codes == {
        "unknown-form": ["outcome_unknown"],
        "crash": ["page_crashed"],
        "injection": ["policy_denied"],
        "redirects": ["http_error"],
    }


@pytest.mark.parametrize("name", RUNS)
def test_they_are_small_and_hold_no_secret(name: str) -> None:
    files = [path for path in (FOLDER / name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < LIMIT_BYTES
    for path in files:
        assert PASSWORD not in path.read_bytes(), path


@pytest.fixture(scope="module")
async def player(anyio_backend: str) -> AsyncIterator[Browser]:
    """A browser for replays of changed recordings."""
    assert anyio_backend == "asyncio"
    async with launch_for(load_recording(FOLDER / "login")) as browser:
        yield browser


def copy_of(name: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER / name, tmp_path / name))


def entries_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path: Path, entries: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))


async def test_a_changed_byte_of_a_page_is_found_at_the_step_that_shows_it(
    player: Browser, tmp_path: Path
) -> None:
    folder = copy_of("pagination", tmp_path) / "recording"
    third = next(
        entry for entry in entries_of(folder / "network.jsonl") if "page=3" in entry["url"]
    )
    name = third["body"].removeprefix("sha256:")
    body = folder / "bodies" / name[:2] / name
    body.write_bytes(body.read_bytes().replace(b"page 3 of", b"page 7 of"))
    again = await replay_run(folder.parent, browser=player)
    assert (again.same, again.step) == (False, 6)
    assert "page 7 of" in (again.difference or "")


async def test_a_changed_byte_of_a_reply_is_found_at_the_call_that_it_asks_for(
    player: Browser, tmp_path: Path
) -> None:
    folder = copy_of("popup", tmp_path)
    path = folder / "recording" / "model.jsonl"
    entries = entries_of(path)
    for entry in entries:
        for call in entry["reply"].get("tool_calls") or ():
            call["arguments"] = call["arguments"].replace('"index": 1', '"index": 0')
    write(path, entries)
    again = await replay_run(folder, browser=player)
    assert (again.same, again.step) == (False, 5)
    last = copy_of("download", tmp_path)
    path = last / "recording" / "model.jsonl"
    entries = entries_of(path)
    entries[-1]["reply"]["text"] = "The file has four lines."
    write(path, entries)
    again = await replay_run(last, browser=player)
    assert (again.same, again.step) == (False, None)
    assert "four lines" in (again.difference or "")


async def test_a_changed_tool_result_is_found_at_its_step(player: Browser, tmp_path: Path) -> None:
    folder = copy_of("download", tmp_path)
    path = folder / "recording" / "tools.jsonl"
    path.write_text(path.read_text().replace('"lines":3', '"lines":4'))
    again = await replay_run(folder, browser=player)
    assert (again.same, again.step) == (False, 4)
    assert "count_lines: another result" in (again.difference or "")
