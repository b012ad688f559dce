"""Where the events of a run go: the run folder, whoever watches, the ``on_…`` shortcuts.

Owns numbering and redaction of events. It decides nothing about the run.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from browser_agent.logic.delta_redaction import DeltaRedactor
from browser_agent.ports import Redacts, RunLog
from browser_agent.records.events import (
    Event,
    ReasoningDelta,
    Restarted,
    TextDelta,
    ToolArgumentsDelta,
)
from browser_agent.records.model import ModelDelta

E = TypeVar("E", bound=Event)


class EventStream:
    """The events of one run. ``listen`` gives a queue that gets every event from then on."""

    def __init__(
        self,
        run_id: str,
        redactor: Redacts,
        *,
        log: RunLog | None = None,
        on_content: Callable[[str], object] | None = None,
    ) -> None:
        self.run_id = run_id
        self.turn = 0
        self._redactor = redactor
        self._log = log
        self._on_content = on_content
        self._count = 0
        self._queues: list[asyncio.Queue[Event]] = []
        self._pieces: dict[tuple[str, int], DeltaRedactor] = {}

    @property
    def is_watched(self) -> bool:
        """Whether anybody wants pieces of text."""
        return bool(self._queues) or self._on_content is not None

    def listen(self, queue: asyncio.Queue[Event]) -> None:
        """Send every further event to this queue too."""
        self._queues.append(queue)

    def emit(self, kind: type[E], **values: object) -> E:
        """Number one event, write it down and hand it out."""
        self._count += 1
        make = cast("Callable[..., E]", kind)
        event = make(sequence=self._count, run_id=self.run_id, turn=self.turn, **values)
        if self._log is not None and not event.is_delta:
            fields = event.to_dict()
            self._log.append(str(fields.pop("kind")), fields)
        for queue in self._queues:
            queue.put_nowait(event)
        return event

    async def emit_piece(self, delta: ModelDelta) -> None:
        """Show a piece of a reply as far as it can be told to hold no secret."""
        if delta.kind == "restart":
            self._pieces.clear()
            self.emit(Restarted)
            return
        await self._show(delta, self._pieces_of(delta).add(delta.text))

    async def end_pieces(self) -> None:
        """The reply is whole: show what was held back."""
        for (kind, index), pieces in list(self._pieces.items()):
            await self._show(ModelDelta(kind=kind, text="", index=index), pieces.flush())
        self._pieces.clear()

    def _pieces_of(self, delta: ModelDelta) -> DeltaRedactor:
        key = (delta.kind, delta.index)
        if key not in self._pieces:
            hold = int(getattr(self._redactor, "hold_chars", 0))
            self._pieces[key] = DeltaRedactor(self._redactor.redact_text, hold_chars=hold)
        return self._pieces[key]

    async def _show(self, delta: ModelDelta, text: str) -> None:
        if not text:
            return
        if delta.kind == "text":
            self.emit(TextDelta, text=text)
            if self._on_content is not None:
                await call_back(self._on_content, text)
        elif delta.kind == "reasoning":
            self.emit(ReasoningDelta, text=text)
        elif delta.kind == "tool_arguments":
            self.emit(ToolArgumentsDelta, text=text, index=delta.index, tool_name=delta.tool_name)


async def call_back(function: Callable[..., object], *arguments: object) -> object:
    """Call an operator's function, sync or async; what it raises goes on."""
    answer = function(*arguments)
    return await cast("Awaitable[object]", answer) if inspect.isawaitable(answer) else answer
