"""Recordings for tests: a run that is recorded once and replayed from then on, without network.

Owns the four modes and where the files are. What is recorded is what any run records.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, cast

from browser_agent._json import dumps, loads
from browser_agent.browser.browser import Browser, Launching
from browser_agent.errors import RecordingError
from browser_agent.logic.recorded import Normalise
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.models.recorded import RecordedModel
from browser_agent.models.scripted import Entry, ScriptedModel
from browser_agent.ports import Model
from browser_agent.records.run import RobotResult
from browser_agent.replay import launch_for, load_result, replay_run
from browser_agent.robot.robot import Robot
from browser_agent.store.recording import load_recording
from browser_agent.testing.asserting import assert_same_run

_KEPT = ("result.json", "recording")
_PACKED = "network.har.zip"


def launch_local(**settings: Any) -> Launching:
    """A browser that may visit this host's sites and no others."""
    policy = UrlPolicy.only(["http://127.0.0.1:*", "http://localhost:*"])
    given: dict[str, Any] = {"policy": policy, "robots": False, **settings}
    return Browser.launch(**given)


def build_robot(browser: object, model: object, **settings: Any) -> Robot:
    """A robot named ``tested`` over a browser; a list in place of a model is a script."""
    name = settings.pop("name", "tested")
    made = ScriptedModel(cast("Iterable[Entry]", model)) if isinstance(model, list) else model
    return Robot(name, model=cast("Model", made), browser=cast("Any", browser), **settings)


class TestRecording:
    """One recorded run of a test. ``mode``: once, none, rewrite or live.

    ``query`` and ``patterns`` declare what differs from run to run and means nothing.
    """

    __test__ = False  # pytest: no class of tests

    def __init__(
        self, folder: Path, *, mode: str, query: Sequence[str] = (), patterns: Sequence[str] = ()
    ) -> None:
        self.folder = folder
        self.mode = mode
        self._normalise = Normalise(tuple(query), tuple(patterns))
        self._used = False
        self._unused = 0

    @property
    def exists(self) -> bool:
        """Whether it was recorded."""
        return (self.folder / "result.json").is_file()

    @property
    def replays(self) -> bool:
        """Whether this test runs from the recording, without network."""
        return self.mode == "none" or (self.mode == "once" and self.exists)

    async def run(
        self,
        task: str,
        *,
        model: object = None,
        start: Iterable[str] = (),
        browser: Browser | None = None,
        **settings: Any,
    ) -> RobotResult:
        """Run the task as recorded, or record it with ``model`` and the settings of a Robot.

        A replay asks neither the model nor the network; RecordingError where nothing was recorded,
        AssertionError with a diff where the replay differs. ``browser`` is recorded from; without
        one a browser for sites of this host is launched.
        """
        self._used = True
        if self.replays:
            return await self._replay()
        async with self._launched(browser) as running:
            robot = build_robot(running, model, **settings)
            if self.mode == "live":
                return await robot.run(task, start=start)
            return await self._record(robot, task, list(start))

    def model(self) -> RecordedModel:
        """The recorded model alone, for a test that drives its own robot."""
        self._used = True
        return RecordedModel(self.folder)

    def browser(self) -> Launching:
        """A browser for :func:`browser_agent.replay.open_tape`, as the recorded one was."""
        return launch_for(load_recording(self.folder))

    def check_used(self) -> None:
        """AssertionError for a recording that was asked for and not run, or not used up."""
        if not self._used:
            raise AssertionError(f"recording {self.folder.name!r} was opened and never run")
        if self._unused:
            raise AssertionError(
                f"recording {self.folder.name!r} holds {self._unused} replies that were not used"
            )

    async def _replay(self) -> RobotResult:
        if not self.exists:
            raise RecordingError(
                f"there is no recording {self.folder.name!r}: run pytest with"
                " --browser-agent-record=once"
            )
        again = await replay_run(self.folder)
        assert again.result is not None
        self._unused = again.unused
        if not again.same:
            assert_same_run(load_result(self.folder), again.result, misses=again.misses)
        return again.result

    async def _record(self, robot: Robot, task: str, start: list[str]) -> RobotResult:
        fresh = self.folder.with_name(f".{self.folder.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.parent.mkdir(parents=True, exist_ok=True)
        try:
            result = await robot.run(task, start=start, run_dir=fresh, record=True)
            self._declare(fresh / "recording" / "meta.json")
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir()
            for name in _KEPT:
                shutil.move(fresh / name, self.folder / name)
            (self.folder / "recording" / _PACKED).unlink(missing_ok=True)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        return result

    def _declare(self, path: Path) -> None:
        meta = cast("dict[str, object]", dict(cast("Any", loads(path.read_bytes()))))
        meta["normalise"] = self._normalise.to_dict()
        path.write_text(dumps(meta, indent=True) + "\n", encoding="utf-8")

    def _launched(self, browser: Browser | None) -> AbstractAsyncContextManager[Browser]:
        return launch_local() if browser is None else _Given(browser)


class _Given(AbstractAsyncContextManager[Browser]):
    """A browser that somebody else closes."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    async def __aenter__(self) -> Browser:
        return self._browser

    async def __aexit__(self, *_: object) -> None:
        return
