"""The rules of outcome: from what was seen after a dispatch to a status, an effect and a reason.

Pure: it reads no page and no clock. The one rule behind all others: ``ok`` needs an acknowledged
input and a page that answered afterwards; whatever was sent and lacks either is ``unknown``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from browser_agent.records.codes import Effect, ErrorCode, Status


class Seen(StrEnum):
    """Where the trusted input events of a dispatch were seen."""

    TARGET = "target"
    ELSEWHERE = "elsewhere"
    NOWHERE = "nowhere"
    UNREAD = "unread"
    """The page did not answer, or it is another document by now: nothing can be said."""


class ValueCheck(StrEnum):
    """How the value read back compares with the value that was asked for."""

    NOT_ASKED = "not_asked"
    MATCHES = "matches"
    DIFFERS = "differs"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known after a dispatch.

    ``state_read``: the page answered after the input, or a dialog, a closed tab or a download
    explains why it cannot. ``requests``, ``downloads``, ``new_tabs`` count what began since the
    dispatch. ``landed_on`` describes the element that took the input instead of the target.
    """

    event: Seen = Seen.UNREAD
    value: ValueCheck = ValueCheck.NOT_ASKED
    state_read: bool = False
    navigated: bool = False
    requests: int = 0
    downloads: int = 0
    new_tabs: int = 0
    dialogs: int = 0
    page_closed: bool = False
    crashed: bool = False
    browser_gone: bool = False
    changed: bool = False
    landed_on: str = ""
    expected: str = ""
    actual: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Status, effect and, for failures, code and message of an action."""

    status: Status
    effect: Effect
    code: ErrorCode | None = None
    message: str = ""


def is_acknowledged(evidence: Evidence) -> bool:
    """The page took the input: an event, a value, or something that it began because of it."""
    return (
        evidence.event is Seen.TARGET
        or evidence.value is ValueCheck.MATCHES
        or has_reacted(evidence)
    )


def has_reacted(evidence: Evidence) -> bool:
    """Something outside the page's text began after the dispatch."""
    began = evidence.requests + evidence.downloads + evidence.new_tabs + evidence.dialogs
    return bool(began) or evidence.navigated or evidence.page_closed


def judge(evidence: Evidence) -> Verdict:
    """The verdict on an action whose input was dispatched."""
    acknowledged = is_acknowledged(evidence)
    effect = Effect.ACKNOWLEDGED if acknowledged else Effect.DISPATCHED
    if evidence.browser_gone or evidence.crashed:
        return _lost(effect, evidence)
    if not evidence.state_read:
        return _unknown(effect, ErrorCode.OUTCOME_UNKNOWN, _why_unknown(acknowledged=acknowledged))
    if evidence.value is ValueCheck.DIFFERS:
        return _no_effect(effect, value_message(evidence))
    if acknowledged:
        return Verdict(status=Status.OK, effect=effect)
    if evidence.event is Seen.UNREAD:
        message = "The input was sent, and nothing shows whether the element took it."
        return _unknown(effect, ErrorCode.OUTCOME_UNKNOWN, message)
    return _no_effect(effect, _miss_message(evidence))


def changed(evidence: Evidence) -> bool:
    """Whether anything at all is different since before the input."""
    reacted = evidence.downloads + evidence.new_tabs + evidence.dialogs
    return evidence.changed or evidence.navigated or evidence.page_closed or bool(reacted)


def value_message(evidence: Evidence) -> str:
    """What a field holds instead of what was asked for."""
    actual = f"'{evidence.actual}'" if evidence.actual else "nothing"
    return f"The field holds {actual} instead of '{evidence.expected}'."


def _miss_message(evidence: Evidence) -> str:
    if evidence.event is Seen.ELSEWHERE:
        where = evidence.landed_on or "another element"
        return f"The input landed on {where}, not on the target."
    return "The target got no event of the input."


def _why_unknown(*, acknowledged: bool) -> str:
    if acknowledged:
        return "The page took the input and did not answer in time; its effect is not known."
    return "The input was sent and the page did not answer in time; its effect is not known."


def _lost(effect: Effect, evidence: Evidence) -> Verdict:
    if evidence.browser_gone:
        message = "The browser ended after the input."
        return _unknown(effect, ErrorCode.BROWSER_DISCONNECTED, message)
    return _unknown(effect, ErrorCode.PAGE_CRASHED, "The page crashed after the input.")


def _unknown(effect: Effect, code: ErrorCode, message: str) -> Verdict:
    return Verdict(status=Status.UNKNOWN, effect=effect, code=code, message=message)


def _no_effect(effect: Effect, message: str) -> Verdict:
    return Verdict(status=Status.ERROR, effect=effect, code=ErrorCode.NO_EFFECT, message=message)
