from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent.logic.loop_guard import (
    FAILED_CALLS,
    STALE_CALLS,
    LoopGuard,
    Observation,
    Verdict,
    find_cycle,
)


def call(
    name: str = "click", arguments: str = "{}", content: str = "page", **more: bool
) -> Observation:
    return Observation(name=name, arguments=arguments, content=content, **more)


def verdicts(guard: LoopGuard, calls: list[Observation]) -> list[str]:
    found = [guard.observe(one) for one in calls]
    return ["" if verdict is None else verdict.kind for verdict in found]


def test_three_equal_calls_are_warned_about_and_three_more_stop_the_run() -> None:
    assert verdicts(LoopGuard(), [call()] * 6) == ["", "", "warn", "", "", "stop"]


@pytest.mark.parametrize("period", range(1, 11))
def test_a_cycle_of_up_to_ten_calls_is_found(period: int) -> None:
    signatures = [str(index % period) for index in range(period * 3)]
    assert find_cycle(signatures) == period
    assert find_cycle(signatures[:-1]) is None


def test_a_cycle_of_eleven_calls_is_not_looked_for() -> None:
    assert find_cycle([str(index % 11) for index in range(33)]) is None


def test_the_same_name_with_other_arguments_or_results_is_no_loop() -> None:
    scrolling = [call("scroll", content=f"screen {index}") for index in range(30)]
    paging = [
        call("next", arguments=f'{{"page":{index}}}', content=str(index)) for index in range(9)
    ]
    assert not any(verdicts(LoopGuard(), scrolling))
    assert not any(verdicts(LoopGuard(), paging))


def test_scrolling_a_static_page_with_ever_other_arguments_stops_for_lack_of_progress() -> None:
    calls = [call("scroll", arguments=str(index), moved=False) for index in range(2 * STALE_CALLS)]
    found = verdicts(LoopGuard(), calls)
    assert found[STALE_CALLS - 1] == "warn"
    assert found[-1] == "stop"
    assert found.count("stop") == 1


def test_failures_in_a_row_are_warned_about_then_stop_the_run() -> None:
    calls = [
        call(arguments=str(index), content=str(index), failed=True)
        for index in range(2 * FAILED_CALLS)
    ]
    found = verdicts(LoopGuard(), calls)
    assert found[FAILED_CALLS - 1] == "warn"
    assert found[-1] == "stop"


def test_new_content_forgives_an_earlier_warning() -> None:
    guard = LoopGuard()
    assert verdicts(guard, [call()] * 3)[-1] == "warn"
    assert guard.observe(call(content="new")) is None
    assert verdicts(guard, [call()] * 3)[-1] == "warn"


def test_a_verdict_says_what_to_do() -> None:
    guard = LoopGuard()
    guard.observe(call())
    guard.observe(call())
    assert guard.observe(call()) == Verdict(
        "warn",
        "The same call gave the same result 3 times. Repeating will not help: try another way, or"
        " give your answer with what you have.",
    )


@given(st.lists(st.integers(0, 3), max_size=60))
def test_a_run_is_never_stopped_without_a_warning_before(numbers: list[int]) -> None:
    found = verdicts(LoopGuard(), [call(arguments=str(n), content=str(n)) for n in numbers])
    if "stop" in found:
        assert "warn" in found[: found.index("stop")]
