"""Lines of stdin for the protocol, read so that closing never waits for a client.

A read that is under way in a worker thread cannot be cancelled, and the event loop would wait for
it: here a daemon thread reads, and nothing waits for it. Owns the descriptor's bytes until they
are lines; knows nothing of messages.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator

LINE_BYTES = 33_554_432
"""A longer line is no message that this server could answer: it is handed on as an empty one."""
_READ_BYTES = 65_536


class Lines:
    """``async for line in Lines(fd)``: text lines until the end of the file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()

    async def __aiter__(self) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        thread = threading.Thread(target=self._read, args=(loop,), daemon=True, name="stdin")
        thread.start()
        while (line := await self._queue.get()) is not None:
            yield line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        pending, size = list[bytes](), 0
        while chunk := self._next():
            *whole, rest = chunk.split(b"\n")
            for part in whole:
                line = b"".join(pending) + part if size <= LINE_BYTES else b""
                self._put(loop, line.decode("utf-8", "replace"))
                pending, size = [], 0
            size += len(rest)
            if size <= LINE_BYTES:
                pending.append(rest)
            else:
                pending = []
        self._put(loop, None)

    def _next(self) -> bytes:
        try:
            return os.read(self._descriptor, _READ_BYTES)
        except OSError:
            return b""

    def _put(self, loop: asyncio.AbstractEventLoop, line: str | None) -> None:
        try:
            loop.call_soon_threadsafe(self._queue.put_nowait, line)
        except RuntimeError:
            return  # the loop has ended: nobody listens any more


def take_stdin() -> Lines:
    """The lines of stdin; children of this process find an empty stdin from now on."""
    own = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
    finally:
        os.close(nothing)
    return Lines(own)
