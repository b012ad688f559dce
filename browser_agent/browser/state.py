"""The session's cookies and local storage as a file to start another session with.

Owns that file: it holds credentials, so it is private (0600) and nothing of it is in a Result.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.paths import private_folder, safe_name, write_private
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.operation import Operation
    from browser_agent.records.result import Result

FILE_NAME = "storage_state.json"


class StateSaver:
    """Writes the state of one session."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def save(self, path: str | PathLike[str] | None) -> Result:
        """Write to ``path``, in place of what is there, or a new file of the artifact folder.

        The Result names the file and counts cookies and origins. A digest is left out: of a short
        secret it would be a way to guess.
        """
        target = _target(path)

        async def act(op: Operation) -> Outcome:
            state = await op.call(self._core.context.storage_state())
            content = json.dumps(state, ensure_ascii=False, indent=1).encode()
            try:
                name = await asyncio.to_thread(self._write, target, content)
            except OSError:
                fail(
                    ErrorCode.INVALID_INPUT,
                    "The state cannot be written there.",
                    hint="Give a path in a folder that exists and may be written to.",
                )
            artifact = {"name": name, "media_type": "application/json", "bytes": len(content)}
            counts = {
                "cookies": len(state.get("cookies", ())),
                "origins": len(state.get("origins", ())),
            }
            return Outcome(data={"artifact": artifact, **counts})

        kind = Kind(
            "storage_state",
            self._core.limits.action_timeout_s,
            ErrorCode.OBSERVATION_TIMEOUT,
            on_page=False,
        )
        return await self._core.run(kind, act)

    def _write(self, target: Path | None, content: bytes) -> str:
        if target is None:
            shared = self._core.shared
            shared.artifact_dir = private_folder(shared.artifact_dir)
            return write_private(shared.artifact_dir, FILE_NAME, [content]).name
        _replace(target, content)
        return safe_name(target.name)


def _target(path: object) -> Path | None:
    if path is None:
        return None
    if not isinstance(path, str | PathLike) or path == "":
        raise InvalidInput("path must be a path of a file or None")
    return Path(cast("str | PathLike[str]", path))


def _replace(target: Path, content: bytes) -> None:
    """Write beside the target, private from the first byte on, and put it in place at once."""
    handle, written = tempfile.mkstemp(prefix=".storage-state-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(written).replace(target)
    except OSError:
        Path(written).unlink(missing_ok=True)
        raise
