"""Conversations that stay valid: every tool call has exactly one answer, in the right place.

Also what is carried from one run into the next: older tool results shrink to a line, because
their R numbers belong to a run that is over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from browser_agent.errors import InvalidInput
from browser_agent.records.message import (
    Message,
    ToolCallMessage,
    ToolMessage,
    ToolResultMessage,
)

_NUMBER = re.compile(r"\AR\d+ ")
CARRIED_CHARS = 400
"""A tool result of an earlier run keeps its first line, cut to this."""


def find_dangling(messages: Iterable[Message]) -> tuple[ToolMessage, ...]:
    """The calls that have no answer, in order."""
    return tuple(call for turn in _turns(messages) for call in turn.dangling)


def close_dangling(
    messages: Sequence[Message], answer: Callable[[ToolMessage], str]
) -> tuple[Message, ...]:
    """The same conversation with ``answer(call)`` behind every call that had none."""
    closed: list[Message] = []
    for turn in _turns(messages):
        closed += turn.messages
        closed += [ToolResultMessage(tool=call, content=answer(call)) for call in turn.dangling]
        closed += turn.rest
    return tuple(closed)


def check_conversation(messages: Sequence[Message]) -> None:
    """InvalidInput when a model would refuse this: orphans, dangling or doubly answered calls."""
    for turn in _turns(messages):
        if turn.dangling:
            raise InvalidInput(f"the call {turn.dangling[0].id!r} has no answer")
        stray = [m for m in turn.rest if isinstance(m, ToolResultMessage)]
        if stray:
            raise InvalidInput(f"an answer to {stray[0].tool.id!r} stands where no call awaits it")


def carry_over(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Messages of a finished run as the next one sees them; system messages are left out."""
    return tuple(_shrink(message) for message in messages if message.role != "system")


def _shrink(message: Message) -> Message:
    if not isinstance(message, ToolResultMessage):
        return message
    first = message.text.split("\n", 1)[0]
    if first == message.text and len(first) <= CARRIED_CHARS:
        return message
    plain = _NUMBER.sub("", first)[:CARRIED_CHARS]
    return replace(message, content=f"(earlier run) {plain}; its text was dropped")


@dataclass(frozen=True, slots=True)
class _Turn:
    """A stretch that begins with calls (or with none): the calls, their answers, what follows."""

    messages: tuple[Message, ...]
    dangling: tuple[ToolMessage, ...]
    rest: tuple[Message, ...]


def _turns(messages: Iterable[Message]) -> list[_Turn]:
    stretches: list[list[Message]] = [[]]
    for message in messages:
        if isinstance(message, ToolCallMessage):
            stretches.append([])
        stretches[-1].append(message)
    return [_split(stretch) for stretch in stretches if stretch]


def _split(stretch: list[Message]) -> _Turn:
    first = stretch[0]
    waiting = list(first.tools) if isinstance(first, ToolCallMessage) else []
    end = 1 if waiting else 0
    while end < len(stretch):
        message = stretch[end]
        answered = next((c for c in waiting if _answers(message, c)), None)
        if answered is None:
            break
        waiting.remove(answered)
        end += 1
    return _Turn(tuple(stretch[:end]), tuple(waiting), tuple(stretch[end:]))


def _answers(message: Message, call: ToolMessage) -> bool:
    return isinstance(message, ToolResultMessage) and message.tool.id == call.id
