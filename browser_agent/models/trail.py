"""What an extractive run has done so far, read back from a request: pages, parts, searches.

The model keeps nothing between calls: every fact here comes from the request's messages and
Results, so the same request always gives the same trail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from browser_agent.records.model import JsonDict, ModelRequest
from browser_agent.records.result import Result

START = "Start: "
"""Begins a line of the task for each address that the operator gave."""

_NUMBER = re.compile(r"^R(\d+) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One tool call that was answered; ``number`` is the R number of its Result, 0 without one."""

    tool: str
    arguments: JsonDict
    number: int = 0
    result: Result | None = None

    def text(self, key: str) -> str:
        """A string of the Result's data; empty when it is not there."""
        value = self.data.get(key)
        return value if isinstance(value, str) else ""

    @property
    def data(self) -> JsonDict:
        """The Result's data; empty without one."""
        data = None if self.result is None else self.result.data
        return cast("JsonDict", data) if isinstance(data, Mapping) else {}

    @property
    def is_ok(self) -> bool:
        """The call gave a Result that is usable."""
        return self.result is not None and self.result.is_ok


@dataclass(slots=True, kw_only=True)
class Visit:
    """One page that was opened: by address, or by a search (then ``query`` says for what)."""

    step: Step
    query: str | None = None
    markdown: list[Step] = field(default_factory=list[Step])
    texts: list[Step] = field(default_factory=list[Step])
    snapshot: Step | None = None

    @property
    def requested(self) -> str:
        """The address that was asked for; empty for a search form."""
        return str(self.step.arguments.get("url", ""))

    @property
    def url(self) -> str:
        """Where the page really was."""
        for step in (*self.texts, *self.markdown, self.step):
            if step.result is not None and step.result.final_url:
                return step.result.final_url
        return self.requested

    @property
    def title(self) -> str:
        """The page's title; empty when it has none."""
        return next((s.text("title") for s in (*self.texts, self.step) if s.text("title")), "")

    @property
    def is_ok(self) -> bool:
        """The page is there and was read."""
        return self.step.is_ok and bool(self.texts or self.markdown)

    @staticmethod
    def next_of(parts: Sequence[Step]) -> str | None:
        """The cursor behind the last of the parts that were read; None at the end of the page."""
        last = parts[-1].result if parts else None
        return None if last is None else last.cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """A run so far. ``starts`` are the operator's addresses, ``visits`` in order."""

    task: str
    starts: tuple[str, ...]
    visits: tuple[Visit, ...]
    turns: int

    @property
    def queries(self) -> tuple[str, ...]:
        """What was searched for."""
        return tuple(visit.query for visit in self.visits if visit.query is not None)


def read_trail(request: ModelRequest) -> Trail:
    """Read the run back from a request."""
    messages = _own_messages(request)
    task, starts = _split_task(str(messages[0].get("content") or "") if messages else "")
    visits: list[Visit] = []
    for step in _read_steps(messages[1:], request.results):
        _add_step(visits, step)
    turns = sum(message.get("role") == "assistant" for message in messages)
    return Trail(task=task, starts=starts, visits=tuple(visits), turns=turns)


def _own_messages(request: ModelRequest) -> Sequence[JsonDict]:
    """The messages of this run: from the latest user message behind which all its Results stand."""
    shown = 0
    for index in range(len(request.messages) - 1, -1, -1):
        message = request.messages[index]
        shown += message.get("role") == "tool" and _number_of(message) > 0
        if message.get("role") == "user" and shown >= len(request.results):
            return request.messages[index:]
    users = [i for i, m in enumerate(request.messages) if m.get("role") == "user"]
    return request.messages[users[0] :] if users else ()


def _split_task(text: str) -> tuple[str, tuple[str, ...]]:
    lines = text.split("\n")
    starts = tuple(line[len(START) :].strip() for line in lines if line.startswith(START))
    return "\n".join(line for line in lines if not line.startswith(START)).strip(), starts


def _read_steps(messages: Sequence[JsonDict], results: Sequence[Result]) -> list[Step]:
    answers = {str(m.get("tool_call_id")): m for m in messages if m.get("role") == "tool"}
    steps: list[Step] = []
    for message in messages:
        for call in cast("Sequence[JsonDict]", message.get("tool_calls") or ()):
            number = _number_of(answers.get(str(call.get("id")), {}))
            function = cast("JsonDict", call.get("function") or {})
            steps.append(
                Step(
                    tool=str(function.get("name")),
                    arguments=_read_arguments(function.get("arguments")),
                    number=number,
                    result=results[number - 1] if 0 < number <= len(results) else None,
                )
            )
    return steps


def _number_of(message: JsonDict) -> int:
    found = _NUMBER.match(str(message.get("content") or ""))
    return int(found[1]) if found else 0


def _read_arguments(value: object) -> JsonDict:
    try:
        parsed: object = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return {}
    return cast("JsonDict", parsed) if isinstance(parsed, Mapping) else {}


def _add_step(visits: list[Visit], step: Step) -> None:
    match step.tool:
        case "browser_navigate":
            visits.append(Visit(step=step))
        case "browser_search":
            visits.append(Visit(step=step, query=str(step.arguments.get("query", ""))))
        case "browser_type" if step.arguments.get("submit"):
            visits.append(Visit(step=step, query=str(step.arguments.get("text", ""))))
        case "browser_read" if visits and visits[-1].step.is_ok and step.is_ok:
            is_text = step.text("format") == "text" or step.arguments.get("format") == "text"
            (visits[-1].texts if is_text else visits[-1].markdown).append(step)
        case "browser_snapshot" if visits and step.is_ok:
            visits[-1].snapshot = step
        case _:
            pass
