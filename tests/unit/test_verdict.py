"""The rules of outcome, case by case."""

from __future__ import annotations

import pytest

from browser_agent.browser.verdict import Evidence, Seen, ValueCheck, changed, judge
from browser_agent.records.codes import Effect, ErrorCode, Status

OK = (Status.OK, Effect.ACKNOWLEDGED, None)
UNKNOWN = (Status.UNKNOWN, Effect.DISPATCHED, ErrorCode.OUTCOME_UNKNOWN)
UNKNOWN_TAKEN = (Status.UNKNOWN, Effect.ACKNOWLEDGED, ErrorCode.OUTCOME_UNKNOWN)
NO_EFFECT = (Status.ERROR, Effect.DISPATCHED, ErrorCode.NO_EFFECT)
NO_EFFECT_TAKEN = (Status.ERROR, Effect.ACKNOWLEDGED, ErrorCode.NO_EFFECT)
CRASHED = (Status.UNKNOWN, Effect.DISPATCHED, ErrorCode.PAGE_CRASHED)

CASES = {
    "event and state": (Evidence(event=Seen.TARGET, state_read=True), OK),
    "value and state": (Evidence(value=ValueCheck.MATCHES, state_read=True), OK),
    "navigation and state": (Evidence(navigated=True, state_read=True), OK),
    "request and state": (Evidence(requests=1, event=Seen.NOWHERE, state_read=True), OK),
    "download and state": (Evidence(downloads=1, state_read=True), OK),
    "tab and state": (Evidence(new_tabs=1, state_read=True), OK),
    "dialog and state": (Evidence(dialogs=1, state_read=True), OK),
    "closed page": (Evidence(page_closed=True, state_read=True), OK),
    "nothing known": (Evidence(), UNKNOWN),
    "event but no state": (Evidence(event=Seen.TARGET), UNKNOWN_TAKEN),
    "request but no state": (Evidence(requests=1), UNKNOWN_TAKEN),
    "value but no state": (Evidence(value=ValueCheck.MATCHES), UNKNOWN_TAKEN),
    "state but nothing to see the event by": (Evidence(state_read=True), UNKNOWN),
    "no event": (Evidence(event=Seen.NOWHERE, state_read=True), NO_EFFECT),
    "event elsewhere": (Evidence(event=Seen.ELSEWHERE, state_read=True), NO_EFFECT),
    "other value": (
        Evidence(event=Seen.TARGET, value=ValueCheck.DIFFERS, state_read=True),
        NO_EFFECT_TAKEN,
    ),
    "other value, no event": (
        Evidence(event=Seen.NOWHERE, value=ValueCheck.DIFFERS, state_read=True),
        NO_EFFECT,
    ),
    "crash": (Evidence(crashed=True), CRASHED),
}


@pytest.mark.parametrize(("evidence", "wanted"), CASES.values(), ids=CASES.keys())
def test_judge(evidence: Evidence, wanted: tuple[Status, Effect, ErrorCode | None]) -> None:
    found = judge(evidence)
    assert (found.status, found.effect, found.code) == wanted
    assert bool(found.message) is (found.code is not None)


def test_ok_needs_both_for_every_combination() -> None:
    for event in Seen:
        for value in ValueCheck:
            for state_read in (False, True):
                for requests in (0, 1):
                    evidence = Evidence(
                        event=event, value=value, state_read=state_read, requests=requests
                    )
                    if judge(evidence).status is Status.OK:
                        assert state_read
                        assert value is not ValueCheck.DIFFERS
                        assert event is Seen.TARGET or value is ValueCheck.MATCHES or requests


def test_a_differing_value_is_named() -> None:
    evidence = Evidence(value=ValueCheck.DIFFERS, state_read=True, expected="abc", actual="ab")
    assert judge(evidence).message == "The field holds 'ab' instead of 'abc'."


def test_an_input_that_landed_elsewhere_names_where() -> None:
    evidence = Evidence(event=Seen.ELSEWHERE, state_read=True, landed_on="button 'Buy'")
    assert "button 'Buy'" in judge(evidence).message


@pytest.mark.parametrize(
    ("evidence", "wanted"),
    [
        (Evidence(event=Seen.TARGET, state_read=True), False),
        (Evidence(event=Seen.TARGET, requests=2, state_read=True), False),
        (Evidence(changed=True), True),
        (Evidence(navigated=True), True),
        (Evidence(downloads=1), True),
        (Evidence(new_tabs=1), True),
    ],
)
def test_changed(evidence: Evidence, wanted: bool) -> None:
    assert changed(evidence) is wanted
