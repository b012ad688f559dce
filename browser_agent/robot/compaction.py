"""Shortening a conversation when it grows too long for the model, or when asked to.

Owns when and by whom; what goes is decided in ``logic.compress``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from browser_agent.errors import InvalidInput
from browser_agent.logic.compress import (
    Step,
    Thresholds,
    drop_old_results,
    note_of,
    plan_compression,
)
from browser_agent.logic.estimate import BYTES_PER_TOKEN
from browser_agent.records.message import Message, ToolResultMessage

Summariser = Callable[[str], Awaitable[str]]
"""Gives a shorter text; an empty one drops the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """When a run shortens its conversation on its own, and how.

    ``at`` is the share of ``context_window`` (tokens; None asks the model) that may be filled;
    ``auto`` False leaves conversations alone.
    """

    auto: bool = True
    at: float = 0.8
    context_window: int | None = None
    thresholds: Thresholds = field(default_factory=Thresholds)
    summariser: Summariser | None = None

    def __post_init__(self) -> None:
        if not 0 < self.at <= 1:
            raise InvalidInput("at must be above 0 and at most 1")
        if self.context_window is not None and self.context_window < 1:
            raise InvalidInput("context_window must be at least 1")

    def limit_bytes(self, model_window: int | None) -> int | None:
        """Bytes of conversation that fit; None when nobody knows the window."""
        window = self.context_window or model_window
        return None if window is None or not self.auto else int(window * self.at * BYTES_PER_TOKEN)


async def compress(
    messages: Sequence[Message], settings: Compaction, *, pinned: Message | None = None
) -> tuple[Message, ...]:
    """The shortened conversation: old results as notes, unlike texts summarised or dropped."""
    made: list[Message] = []
    for step in plan_compression(messages, settings.thresholds, pinned=pinned):
        kept = await _apply(step, settings.summariser)
        if kept is not None:
            made.append(kept)
    return tuple(made)


async def make_room(
    messages: Sequence[Message],
    limit_bytes: int,
    settings: Compaction,
    *,
    pinned: Message | None = None,
) -> tuple[Message, ...]:
    """Shorten until the conversation fits, the gentlest way first; it may still not fit."""
    shorter = drop_old_results(messages)
    if size_of(shorter) > limit_bytes:
        shorter = await compress(shorter, settings, pinned=pinned)
    if size_of(shorter) > limit_bytes:
        shorter = drop_old_results(shorter, keep_last=1)
    return shorter


def size_of(messages: Sequence[Message]) -> int:
    """UTF-8 bytes of the texts of a conversation."""
    return sum(len(message.text.encode()) for message in messages)


async def _apply(step: Step, summariser: Summariser | None) -> Message | None:
    message = step.message
    if step.action == "keep":
        return message
    if step.action == "note" and isinstance(message, ToolResultMessage):
        return note_of(message)
    if step.action == "summarise" and summariser is not None:
        summary = (await summariser(message.text)).strip()
        return replace(message, content=summary) if summary else None
    return None
