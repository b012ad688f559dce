"""Which parts of a long conversation stay, shrink or go.

Recent turns stay as they are. Of what is older, long tool results (old snapshots) shrink first, to
a one-line note that keeps their status line with its digest; then texts are judged by how much they
share with the recent ones. System messages, calls and their pairing with answers always stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from browser_agent.errors import InvalidInput
from browser_agent.logic.convergence import Terms, cosine, mean_terms, terms_of
from browser_agent.records.message import Message, TextMessage, ToolResultMessage

SHORT_CHARS = 20
"""Shorter texts are kept: judging them costs more than they do."""
NOTE_CHARS = 300

Action = Literal["keep", "note", "summarise", "drop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """``recent_turns`` user turns stay; at least ``keep`` alike stays, below ``drop`` goes."""

    recent_turns: int = 3
    keep: float = 0.6
    drop: float = 0.2

    def __post_init__(self) -> None:
        if not 0 <= self.drop < self.keep <= 1:
            raise InvalidInput("thresholds must be 0 <= drop < keep <= 1")
        if self.recent_turns < 1:
            raise InvalidInput("recent_turns must be at least 1")


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one message."""

    message: Message
    action: Action


def plan_compression(
    messages: Sequence[Message], thresholds: Thresholds, *, pinned: Message | None = None
) -> tuple[Step, ...]:
    """One step for each message, in order. ``pinned`` (the task at hand) stays in any case."""
    border = _recent_start(messages, thresholds.recent_turns * 2)
    recent = mean_terms(message.text for message in messages[border:] if _is_scored(message))
    steps = [
        Step(message, "keep" if message is pinned else _judge(message, recent, thresholds))
        for message in messages[:border]
    ]
    return (*steps, *(Step(message, "keep") for message in messages[border:]))


def note_of(message: ToolResultMessage) -> ToolResultMessage:
    """A tool result as one line: its status line, which holds URL and digest."""
    first = message.text.split("\n", 1)[0]
    return replace(message, content=f"{first[:NOTE_CHARS]} (text dropped; read it again if needed)")


def drop_old_results(messages: Sequence[Message], *, keep_last: int = 2) -> tuple[Message, ...]:
    """Shrink every long tool result but the last ones: the cheapest way to make room."""
    long = [i for i, m in enumerate(messages) if _is_long_result(m)]
    old = set(long[: max(0, len(long) - keep_last)])
    return tuple(
        note_of(m) if i in old and isinstance(m, ToolResultMessage) else m
        for i, m in enumerate(messages)
    )


def _is_long_result(message: Message) -> bool:
    return isinstance(message, ToolResultMessage) and len(message.text) > 2 * NOTE_CHARS


def _is_scored(message: Message) -> bool:
    return isinstance(message, TextMessage) and message.role != "system" and bool(message.text)


def _recent_start(messages: Sequence[Message], wanted: int) -> int:
    """Where the last ``wanted`` texts begin; never between a call and its answer."""
    seen = 0
    for index in range(len(messages) - 1, -1, -1):
        if _is_scored(messages[index]):
            seen += 1
            if seen == wanted:
                return index
    return 0


def _judge(message: Message, recent: Terms, thresholds: Thresholds) -> Action:
    if _is_long_result(message):
        return "note"
    if not _is_scored(message) or len(message.text) < SHORT_CHARS:
        return "keep"
    score = cosine(terms_of(message.text), recent)
    if score >= thresholds.keep:
        return "keep"
    return "drop" if score < thresholds.drop else "summarise"
