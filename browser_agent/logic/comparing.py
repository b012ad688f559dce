"""Comparing two runs step by step: what a replay did against what was recorded. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import cast

from browser_agent._freeze import thaw
from browser_agent._json import dumps
from browser_agent.records.ids import ordinalise
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.records.run_parts import ToolCallRecord

DIFF_LINES = 40
_LINE_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How a replay went. ``same``: every step was as recorded. ``step`` counts from 1.

    ``difference`` names the first one; ``misses`` are requests that the recording lacks, ``unused``
    counts recorded replies that were not asked for.
    """

    same: bool
    steps: int
    step: int | None = None
    difference: str | None = None
    misses: tuple[str, ...] = ()
    unused: int = 0
    result: RobotResult | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain mapping; the result as its export."""
        return {
            "same": self.same,
            "steps": self.steps,
            "step": self.step,
            "difference": self.difference,
            "misses": list(self.misses),
            "unused": self.unused,
            "result": None if self.result is None else self.result.export(),
        }


def compare(recorded: RobotResult, again: RobotResult, misses: Sequence[str] = ()) -> Comparison:
    """Each step's tool call, status and digest, then the end; the first difference is told."""
    found = _first_difference(recorded, again, misses)
    step, difference = (None, None) if found is None else found
    return Comparison(
        same=found is None,
        steps=max(len(recorded.tool_calls), len(again.tool_calls)),
        step=step,
        difference=difference,
        misses=tuple(misses),
        result=again,
    )


def compare_pages(again: RobotResult, misses: Sequence[str]) -> Comparison:
    """Another model on recorded pages: only where it left them counts."""
    steps = len(again.tool_calls)
    return Comparison(
        same=not misses,
        steps=steps,
        step=steps if misses else None,
        difference=misses[0] if misses else None,
        misses=tuple(misses),
        result=again,
    )


def _first_difference(
    recorded: RobotResult, again: RobotResult, misses: Sequence[str]
) -> tuple[int | None, str] | None:
    old, new = recorded.tool_calls, again.tool_calls
    for step, pair in enumerate(zip(old, new, strict=False), start=1):
        text = describe_change(*pair)
        if text is not None:
            return step, text
    if len(old) != len(new):
        counts = f"{len(old)} calls were recorded, {len(new)} were made"
        reason = f" ({misses[0]})" if misses else f" ({again.stop_reason})"
        return min(len(old), len(new)) + 1, counts + reason
    if misses:
        return None, misses[0]
    return _end_difference(recorded, again)


def _end_difference(recorded: RobotResult, again: RobotResult) -> tuple[None, str] | None:
    if recorded.stop_reason != again.stop_reason:
        return None, f"stopped as {again.stop_reason}, recorded was {recorded.stop_reason}"
    if recorded.reply != again.reply:
        lines = line_diff(recorded.reply or "", again.reply or "")
        return None, f"the reply differs:\n{lines}"
    if recorded.checksum != again.checksum:
        return None, "the checksum differs"
    return None


def describe_change(old: ToolCallRecord, new: ToolCallRecord) -> str | None:
    """How a call differs from the recorded one: name, arguments, status, content; None: not."""
    if old.name != new.name:
        return f"called {new.name}, recorded was {old.name}"
    if old.arguments != new.arguments:
        lines = line_diff(_pretty(old.arguments), _pretty(new.arguments))
        return f"{new.name}: other arguments\n{lines}"
    if old.status != new.status:
        error = f" ({new.error})" if new.error else ""
        return f"{new.name}: status {new.status}{error}, recorded was {old.status}"
    change = _changed_result(old.result, new.result)
    return None if change is None else f"{new.name}: {change}"


def _changed_result(old: object, new: object) -> str | None:
    if isinstance(old, Result) and isinstance(new, Result):
        if _content(old) == _content(new):
            return None
        lines = line_diff(_shown(old), _shown(new))
        return f"the digest differs from the recorded one\n{lines}"
    return None if old == new else f"another result\n{line_diff(_pretty(old), _pretty(new))}"


def line_diff(old: str, new: str, names: tuple[str, str] = ("recorded", "replayed")) -> str:
    """A bounded line diff of two texts."""
    lines = list(unified_diff(old.splitlines(), new.splitlines(), *names, lineterm="", n=1))
    if len(lines) > DIFF_LINES:
        lines = [*lines[:DIFF_LINES], f"… {len(lines) - DIFF_LINES} lines more"]
    return "\n".join(line[:_LINE_CHARS] for line in lines)


def _content(result: Result) -> str:
    return ordinalise(result.preimage().decode(), {})


def _shown(result: Result) -> str:
    """Data and place of a Result as lines; texts as they stand."""
    data: object = thaw(result.data)
    text = ""
    if isinstance(data, dict):
        fields = cast("dict[str, object]", data)
        text = str(fields.pop("text", ""))
        data = fields
    place: dict[str, object] = {
        "data": data,
        "final_url": result.final_url,
        "locator": thaw(result.locator),
    }
    return ordinalise(f"{_pretty(place)}\n{text}", {})


def _pretty(value: object) -> str:
    if isinstance(value, str):
        return value
    return dumps(thaw(value), indent=True)
