"""Sockets of a replay: the recorded frames, in their order with what the page sends.

Owns no network: a socket that was not recorded is closed with a reason and noted as a miss.
"""

from __future__ import annotations

import base64
from collections import defaultdict, deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

from browser_agent.browser.recorded_answers import RecordedAnswers

if TYPE_CHECKING:
    from playwright.async_api import WebSocketRoute

NOT_RECORDED = 4000
"""The close code of a socket that the recording does not hold."""


class RecordedSockets:
    """Serves the sockets of one recording; repeated connections in order."""

    def __init__(self, answers: RecordedAnswers) -> None:
        self._answers = answers
        self._used: dict[str, int] = defaultdict(int)

    async def serve(self, socket: WebSocketRoute) -> None:
        """Answer one connection."""
        place = self._answers.fold(socket.url)
        recorded = self._answers.sockets.get(place)
        at = self._used[place]
        if recorded is None or at >= len(recorded):
            self._answers.miss(f"WS {place}")
            await socket.close(code=NOT_RECORDED, reason="not recorded")
            return
        self._used[place] += 1
        frames = deque(recorded[at])

        async def go_on() -> None:
            """Everything up to the next frame that the page has to send first."""
            while frames and frames[0].get("way") != "out":
                frame = frames.popleft()
                if frame.get("way") == "end":
                    await socket.close()
                    return
                socket.send(_content(frame))

        async def on_message(_: str | bytes) -> None:
            if frames and frames[0].get("way") == "out":
                frames.popleft()
            await go_on()

        socket.on_message(on_message)  # pyright: ignore[reportArgumentType] - may be async
        await go_on()


def _content(frame: Mapping[str, object]) -> str | bytes:
    if "bytes" in frame:
        return base64.b64decode(str(frame["bytes"]))
    return str(frame.get("text", ""))
