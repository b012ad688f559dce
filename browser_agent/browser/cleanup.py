"""The ledger of one browser: what it holds outside this process, struck off when verified gone.

Recorded in the journal before (token, private folder) and after (processes, profile, port) a
launch, so that a reaper finds it when this process dies. It ends by killing what does not close.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from browser_agent.browser.processes import (
    Proc,
    children_of,
    end_all,
    find_marked,
    own_process,
    wait_gone,
)

if TYPE_CHECKING:
    from browser_agent.browser.journaling import OperationJournal

FOLDER_PREFIX = "browser-agent-"
_NAME_DIGITS = 16
_BASE_BYTES = 32
_SHORT_BASE = Path("/tmp")  # noqa: S108 - a folder of our own below it, mode 0700
GRACE_S = 1.0
"""How long processes that were asked to end may take before they are killed."""
_KILL_S = 3.0
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_PID_SPACE = Path("/proc/self/ns/pid")


def new_token() -> str:
    """A random owner token: 32 hex digits."""
    return secrets.token_hex(16)


def host_facts() -> dict[str, object]:
    """What tells whether a pid of a record means a process of this table: host, boot, pid space."""
    facts: dict[str, object] = {"host": socket.gethostname()}
    with contextlib.suppress(OSError):
        facts["boot"] = _BOOT_ID.read_text().strip()
        facts["pids"] = str(_PID_SPACE.readlink())
    return facts


def folder_of(token: str) -> Path:
    """Where the private folder of an owner is: its name begins like its token.

    Chromium's socket lies two levels below it and a socket's path has 107 bytes at most: the name
    is short, and where the folder for temporary files has a long path, /tmp takes its place.
    """
    base = Path(tempfile.gettempdir())
    if len(os.fsencode(base)) > _BASE_BYTES and os.access(_SHORT_BASE, os.W_OK | os.X_OK):
        base = _SHORT_BASE
    return base / f"{FOLDER_PREFIX}{token[:_NAME_DIGITS]}"


def make_folder(token: str) -> Path:
    """The private folder (0700) of an owner."""
    folder = folder_of(token)
    folder.mkdir(mode=0o700)
    return folder


@dataclass(slots=True, eq=False)
class Ledger:
    """What one browser holds. ``folder`` holds every temporary file of driver and browser."""

    token: str
    folder: Path
    journal: OperationJournal
    processes: dict[str, Proc] = field(default_factory=dict[str, Proc])
    seen: set[Proc] = field(default_factory=set[Proc])

    @classmethod
    async def open(cls, token: str, journal: OperationJournal) -> Ledger:
        """Record owner and folder, then make the folder. Nothing runs yet."""
        me = own_process()
        await journal.open({"pid": me.pid, "started": me.started, **host_facts()})
        path = folder_of(token)
        await journal.add("folder", str(path), {})
        return cls(token, make_folder(token), journal)

    async def add_process(self, role: str, proc: Proc | None) -> None:
        """Record a process that was started (``driver``, ``browser``)."""
        if proc is None:
            return
        self.processes[role] = proc
        self.seen.add(proc)
        await self.journal.add("process", str(proc.pid), {"role": role, "started": proc.started})

    async def add(self, kind: str, name: str) -> None:
        """Record something else: ``profile`` (a folder), ``port``, ``remote_session``."""
        await self.journal.add(kind, name, {})

    async def sample(self) -> None:
        """Remember the descendants of our processes now, before they lose their parent."""
        self.seen.update(await asyncio.to_thread(self._descendants))

    def _descendants(self) -> set[Proc]:
        found: set[Proc] = set()
        for proc in self.processes.values():
            if proc.is_alive():
                found.update(children_of(proc.pid))
        return found

    async def finish(self, unconfirmed: Sequence[str] = ()) -> list[str]:
        """End and remove everything, verify it, strike it off. Names what is left.

        ``unconfirmed`` are things elsewhere (contexts of a remote browser) that nobody saw end.
        """
        left = [*unconfirmed, *await asyncio.to_thread(self._finish)]
        await self.journal.close(clean=not left)
        return left

    def _finish(self) -> list[str]:
        known = self.seen | self._descendants()
        slow = wait_gone(known, within_s=GRACE_S)
        end_all([*slow, *self._descendants()], within_s=_KILL_S)
        alive = end_all({*find_marked([self.token]), *known}, within_s=_KILL_S)
        names = [f"process {proc.pid}" for proc in alive]
        if not remove_folder(self.folder):
            names.append(f"folder {self.folder.name}")
        return names


def remove_folder(folder: Path) -> bool:
    """Remove a private folder with all that is in it; whether it is gone."""
    for _ in range(3):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return True
    return False
