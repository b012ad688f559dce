"""Files that go to pages: uploads by input or file chooser, and drops of files or data.

Owns the pending file chooser of each tab and what is sent. Only files of allowed folders go out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, cast

from browser_agent.browser.actions_pointer import PRESSES
from browser_agent.browser.aim import Aim, find_spot, take_aim
from browser_agent.browser.failures import is_playwright_error
from browser_agent.browser.hand import Answer, ask, exists, go
from browser_agent.browser.mouse import click_at
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.paths import allowed_uploads
from browser_agent.browser.stage import check_type
from browser_agent.browser.verdict import ValueCheck
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import Effect, ErrorCode

if TYPE_CHECKING:
    from playwright.async_api import FileChooser, Locator

    from browser_agent.browser.operation import Operation
    from browser_agent.browser.stage import Stage
    from browser_agent.browser.tab import Tab
    from browser_agent.browser.trace import Trace
    from browser_agent.records.result import Result

MOST_FILES = 20
_NOT_TAKEN = "did not accept the drop"
CHOOSER = "file_chooser"
DROPS = ("drop", "dragover", "dragenter")


class Sending:
    """Uploads and drops of one session."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        stage.core.tabs.on_tab(_catch_choosers)
        for tab in stage.core.tabs.all:
            _catch_choosers(tab)

    async def upload(self, paths: Sequence[str | PathLike[str]], *, ref: str | None) -> Result:
        """Give files to a file input, to what opens a file chooser, or to the open chooser.

        Inputs may be hidden; without ``ref`` the chooser that the page opened last is served.
        """
        names = _names(paths)
        if ref is not None:
            check_type(ref, str, "ref")

        async def act(op: Operation) -> Outcome:
            files = self._files(names)
            if ref is None:
                return await self._to_chooser(op, files)
            aim = await take_aim(op, self._stage.core, ref)
            return await self._to_element(op, aim, files)

        return await self._stage.run("upload", act)

    async def drop(
        self, ref: str, *, paths: Sequence[str | PathLike[str]], data: Mapping[str, str] | None
    ) -> Result:
        """Drop files, or data by MIME type, on an element."""
        check_type(ref, str, "ref")
        names = _names(paths)

        async def act(op: Operation) -> Outcome:
            if not names and not data:
                fail(ErrorCode.INVALID_INPUT, "Give paths or data to drop.")
            files = self._files(names) if names else []
            aim = await take_aim(op, self._stage.core, ref)
            await find_spot(op, self._stage.core, aim)
            trace = await self._stage.witness.begin(op, aim=aim, kinds=DROPS)
            return await self._stage.perform(op, trace, _drop(op, trace, aim, files, data))

        return await self._stage.run("drop", act)

    def _files(self, paths: Sequence[str]) -> list[Path]:
        if not 1 <= len(paths) <= MOST_FILES:
            fail(ErrorCode.INVALID_INPUT, f"Give 1 to {MOST_FILES} paths.")
        return allowed_uploads(paths, self._stage.core.shared.upload_dirs)

    async def _to_element(self, op: Operation, aim: Aim, files: Sequence[Path]) -> Outcome:
        field = go(aim.place, "file")
        if await exists(op, field):
            target = replace(aim, place=field)
            facts = await ask(op, field, "read")
            _check_input(target, facts, files)
            trace = await self._stage.witness.begin(op, aim=aim, kinds=("input", "change"))
            locator = field.frame.locator(field.selector)
            return await self._stage.perform(op, trace, _give(op, trace, target, locator, files))
        spot = await find_spot(op, self._stage.core, aim)
        op.tab.notes.pop(CHOOSER, None)
        trace = await self._stage.witness.begin(op, aim=aim, kinds=PRESSES)
        await self._stage.perform(op, trace, click_at(op.tab, spot.x, spot.y))
        if CHOOSER not in op.tab.notes:
            fail(
                ErrorCode.NOT_ACTIONABLE,
                f"{aim.shown} is no file input and opened no file chooser.",
                data=trace.data(changed=trace.has_changed),
            )
        return await self._to_chooser(op, files)

    async def _to_chooser(self, op: Operation, files: Sequence[Path]) -> Outcome:
        chooser = cast("FileChooser | None", op.tab.notes.pop(CHOOSER, None))
        if chooser is None:
            fail(ErrorCode.NOT_FOUND, "No file chooser is open.", hint="Give the ref of the input.")
        if len(files) > 1 and not chooser.is_multiple():
            fail(ErrorCode.INVALID_INPUT, "The file chooser takes one file.")
        trace = await self._stage.witness.begin(op)
        return await self._stage.perform(op, trace, _choose(op, trace, chooser, files))


def _catch_choosers(tab: Tab) -> None:
    """Keep the newest file chooser of a tab; listening keeps the browser from showing one."""
    tab.page.on("filechooser", lambda chooser: tab.notes.__setitem__(CHOOSER, chooser))


def _names(paths: Sequence[str | PathLike[str]]) -> list[str]:
    if isinstance(paths, str | PathLike):
        raise InvalidInput("paths must be a list of paths")
    names = [fspath(path) if isinstance(path, PathLike) else path for path in paths]
    for name in names:
        check_type(name, str, "a path")
    return names


def _check_input(aim: Aim, facts: Answer, files: Sequence[Path]) -> None:
    if facts["disabled"]:
        fail(ErrorCode.NOT_ACTIONABLE, f"{aim.shown} is disabled.")
    if len(files) > 1 and not facts["multiple"]:
        fail(ErrorCode.INVALID_INPUT, f"{aim.shown} takes one file, not {len(files)}.")


async def _give(
    op: Operation, trace: Trace, aim: Aim, locator: Locator, files: Sequence[Path]
) -> None:
    await locator.set_input_files(list(files), timeout=op.remaining_ms())
    held = await ask(op, aim.place, "files")
    names = [file.name for file in files]
    if held["names"] == names:
        trace.value_check = ValueCheck.MATCHES
    trace.value_changed = True
    trace.extra = {"value": names}


async def _choose(op: Operation, trace: Trace, chooser: FileChooser, files: Sequence[Path]) -> None:
    await chooser.set_files(list(files), timeout=op.remaining_ms())
    trace.value_check = ValueCheck.MATCHES
    trace.value_changed = True
    trace.extra = {"value": [file.name for file in files]}


async def _drop(
    op: Operation, trace: Trace, aim: Aim, files: Sequence[Path], data: Mapping[str, str] | None
) -> None:
    locator = aim.place.frame.locator(aim.place.selector)
    try:
        if files:
            await locator.drop({"files": list(files)}, timeout=op.remaining_ms())
        else:
            await locator.drop({"data": dict(data or {})}, timeout=op.remaining_ms())
    except Exception as error:
        if not is_playwright_error(error) or _NOT_TAKEN not in str(error):
            raise
        fail(
            ErrorCode.NO_EFFECT,
            f"{aim.shown} does not take drops of this kind.",
            effect=Effect.DISPATCHED,
        )
    trace.value_check = ValueCheck.MATCHES
