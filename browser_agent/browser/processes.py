"""Processes by pid and start time: found by what is ours alone, ended, and seen to be gone.

Owns no policy of what to end: callers name an owner token or a private folder, which stand on the
command line of the browser. Functions here look at the process table and may take some tens of
milliseconds: call them off the event loop.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass

import psutil

OWNER_SWITCH = "--browser-agent-owner="
_SLACK_S = 1.0
"""Start times are read in clock ticks; two readings of one process differ by less."""


@dataclass(frozen=True, slots=True)
class Proc:
    """One process for as long as it lives: a pid alone may be given to another."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> Proc | None:
        """The process that has this pid now, or None."""
        try:
            return cls(pid, psutil.Process(pid).create_time())
        except psutil.Error:
            return None

    def is_alive(self) -> bool:
        """Whether this very process still runs (a zombie does not)."""
        try:
            found = psutil.Process(self.pid)
            same = abs(found.create_time() - self.started) < _SLACK_S
            return same and found.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False
        except psutil.Error:
            return True

    def kill(self) -> None:
        """SIGKILL, if it is still this process."""
        try:
            found = psutil.Process(self.pid)
            if abs(found.create_time() - self.started) < _SLACK_S:
                found.kill()
        except psutil.Error:
            return


def own_process() -> Proc:
    """This process."""
    return Proc(os.getpid(), psutil.Process().create_time())


def children_of(pid: int) -> list[Proc]:
    """All descendants of a process; none when it is gone."""
    try:
        found = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []
    return [proc for child in found if (proc := Proc.of(child.pid)) is not None]


def command_of(pid: int) -> list[str]:
    """The command line of a process; empty when it is gone or not ours to read."""
    try:
        return psutil.Process(pid).cmdline()
    except psutil.Error:
        return []


def find_marked(marks: Iterable[str]) -> list[Proc]:
    """Processes whose command line holds one of ``marks`` (owner tokens, private folders).

    This process and those of other users are left out.
    """
    wanted = tuple(mark for mark in marks if mark)
    if not wanted:
        return []
    mine = os.getuid()
    found: list[Proc] = []
    for process in psutil.process_iter():
        try:
            if process.pid == os.getpid() or process.uids().real != mine:
                continue
            words = "\0".join(process.cmdline())
        except psutil.Error:
            continue
        if any(mark in words for mark in wanted):
            proc = Proc.of(process.pid)
            if proc is not None:
                found.append(proc)
    return found


def find_driver(parent: int, folder: str) -> Proc | None:
    """The child of ``parent`` whose TMPDIR is our private folder: the Playwright driver."""
    try:
        children = psutil.Process(parent).children()
    except psutil.Error:
        return None
    for child in children:
        try:
            if child.environ().get("TMPDIR") == folder:
                return Proc(child.pid, child.create_time())
        except psutil.Error:
            continue
    return None


def end_all(processes: Iterable[Proc], *, within_s: float) -> list[Proc]:
    """Kill processes and wait until they are gone; those that are not are given back."""
    left = [proc for proc in processes if proc.is_alive()]
    for proc in left:
        proc.kill()
    return wait_gone(left, within_s=within_s)


def wait_gone(processes: Iterable[Proc], *, within_s: float) -> list[Proc]:
    """Wait until processes are gone; those that are not in time are given back."""
    deadline = time.monotonic() + within_s
    left = [proc for proc in processes if proc.is_alive()]
    while left and time.monotonic() < deadline:
        time.sleep(0.01)
        left = [proc for proc in left if proc.is_alive()]
    return left
