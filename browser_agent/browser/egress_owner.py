"""Who is at the other end of a loopback connection (Linux): only our own browser may come in.

Owns the look-up socket -> inode -> process. It starts, signals and remembers nothing but process
ids that answered before. Where the kernel's tables cannot be read, a credential is used instead.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["OwnerCheck", "descends_from", "is_supported"]

_TCP_TABLE = Path("/proc/net/tcp")
_LOOPBACK = f"{int.from_bytes(bytes([127, 0, 0, 1]), sys.byteorder):08X}"
_DEPTH = 32
"""A browser's processes hang closer together than this."""
_REMEMBERED = 4


def is_supported() -> bool:
    """Whether owners of sockets can be looked up on this system."""
    return sys.platform == "linux" and os.access(_TCP_TABLE, os.R_OK)


def descends_from(root: Callable[[], int | None]) -> Callable[[int], bool]:
    """A predicate: is this process ``root()`` or one of its descendants.

    ``root`` is asked each time, since the proxy runs before the browser does; None matches nothing.
    """

    def is_ours(pid: int) -> bool:
        ancestor = root()
        if ancestor is None:
            return False
        for _ in range(_DEPTH):
            if pid == ancestor:
                return True
            if pid <= 1:
                return False
            pid = _parent_of(pid)
        return False

    return is_ours


class OwnerCheck:
    """Says whether a loopback client belongs to this process or to a process that ``owner`` knows.

    The process that answered last is asked first: all of a browser's connections come from one.
    """

    def __init__(self, owner: Callable[[int], bool], port: int) -> None:
        self._owner = owner
        self._port = port
        self._known: list[int] = [os.getpid()]

    def admits(self, client_port: int) -> bool:
        """Whether the peer of our connection from ``client_port`` may use the proxy."""
        inode = _inode_of(client_port, self._port)
        if inode is None:
            return False
        if any(_holds(pid, inode) and self._is_ours(pid) for pid in self._known):
            return True
        for pid in _processes():
            if self._is_ours(pid) and _holds(pid, inode):
                self._known = [pid, *self._known][:_REMEMBERED]
                return True
        return False

    def _is_ours(self, pid: int) -> bool:
        return pid == os.getpid() or self._owner(pid)


def _inode_of(client_port: int, proxy_port: int) -> str | None:
    """The inode of the client's end, which the table lists with its ports the other way round."""
    wanted = f" {_LOOPBACK}:{client_port:04X} {_LOOPBACK}:{proxy_port:04X} "
    try:
        table = _TCP_TABLE.read_text("ascii")
    except OSError:
        return None
    start = table.find(wanted)
    if start < 0:
        return None
    fields = table[start : table.find("\n", start)].split()
    return fields[8] if fields[8] != "0" else None


def _processes() -> Iterator[int]:
    with os.scandir("/proc") as found:
        for process in found:
            if process.name.isdecimal():
                yield int(process.name)


def _holds(pid: int, inode: str) -> bool:
    wanted = f"socket:[{inode}]"
    try:
        with os.scandir(f"/proc/{pid}/fd") as found:
            return any(_link(descriptor.path) == wanted for descriptor in found)
    except OSError:
        return False


def _link(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - a Path per descriptor would double the cost
    except OSError:
        return ""


def _parent_of(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[1])
