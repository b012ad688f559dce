"""Assertions on Results and runs, with messages that show what came instead.

Owns wording alone; a Result is compared as its digest compares it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from browser_agent._freeze import thaw
from browser_agent._json import dumps
from browser_agent.logic.comparing import compare, line_diff
from browser_agent.records.ids import ordinalise
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult

_SHOWN_CHARS = 2_000


def assert_ok(result: Result) -> Mapping[str, object]:
    """The data of a Result that is ok or truncated; AssertionError says what it was instead."""
    if not result.is_ok:
        raise AssertionError(
            f"{result.status}: {result.error_code}: {result.error_message}\n{_shown(result)}"
        )
    return cast("Mapping[str, object]", result.data)


def assert_failed(result: Result, code: str) -> None:
    """A Result failed with this error code."""
    if result.error_code != code:
        found = result.error_code or result.status
        raise AssertionError(f"expected {code}, got {found}\n{_shown(result)}")


def assert_shows(result: Result, *texts: str) -> None:
    """Every text stands in the data of a Result."""
    assert_ok(result)
    data = _data(result)
    missing = [text for text in texts if text not in data]
    if missing:
        raise AssertionError(f"not shown: {missing}\n{_shown(result)}")


def assert_same_result(result: Result, expected: Result) -> None:
    """Both say the same of the same place; the difference is shown line by line."""
    left, right = (ordinalise(_data(one), {}) for one in (expected, result))
    if left != right or result.status != expected.status:
        head = f"{result.status}, expected {expected.status}"
        raise AssertionError(f"{head}\n{line_diff(left, right, ('expected', 'got'))}")


def assert_same_run(
    recorded: RobotResult, again: RobotResult, *, misses: Sequence[str] = ()
) -> None:
    """A run went as another did, step by step."""
    found = compare(recorded, again, misses)
    if not found.same:
        place = "" if found.step is None else f" at step {found.step} of {found.steps}"
        raise AssertionError(f"the run differs from the recorded one{place}: {found.difference}")


def _data(result: Result) -> str:
    """Data and place as lines, texts as they stand."""
    data: object = thaw(result.data)
    text = ""
    if isinstance(data, dict):
        fields = cast("dict[str, object]", data)
        text = str(fields.pop("text", ""))
        data = fields
    place: dict[str, object] = {"data": data, "final_url": result.final_url}
    return f"{dumps(place, indent=True)}\n{text}"


def _shown(result: Result) -> str:
    return _data(result)[:_SHOWN_CHARS]
