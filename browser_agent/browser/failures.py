"""From whatever was raised to a typed outcome. Pure: words in, outcome out.

Exception texts of Playwright hold typed values and full URLs, so no text of a foreign exception
is passed on: the message comes from the code table or from a short list of known reasons.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from typing import TYPE_CHECKING

from browser_agent.browser.observer_types import ObserverError
from browser_agent.browser.outcome import Outcome
from browser_agent.records.codes import Effect, ErrorCode, Status, parse_code

if TYPE_CHECKING:
    from browser_agent.browser.operation import Operation

_logger = logging.getLogger("browser_agent.operation")
_LOST = (Effect.DISPATCHED, Effect.ACKNOWLEDGED)
_CLOSED_WORDS = ("has been closed", "Connection closed", "Browser has been closed")


def is_playwright_error(error: BaseException, name: str = "Error") -> bool:
    """Whether an exception is Playwright's (its module is not imported here)."""
    return any(
        cls.__name__ == name and cls.__module__.startswith("playwright")
        for cls in type(error).__mro__
    )


def is_timeout(error: BaseException) -> bool:
    """Playwright's TimeoutError or our own."""
    return isinstance(error, TimeoutError) or is_playwright_error(error, "TimeoutError")


def outcome_of_error(error: BaseException, op: Operation, gone: ErrorCode | None) -> Outcome:
    """Type an exception that ended an operation's body.

    Once the effect was dispatched the status is `unknown`. ``gone`` says that the page or browser
    is not there any more, which then is the cause.
    """
    code = _code_of(error, op, gone)
    dispatched = op.effect in _LOST
    if dispatched and code is op.kind.timeout_code:
        code = ErrorCode.OUTCOME_UNKNOWN
    message = None
    if code is ErrorCode.INTERNAL:
        _log_place(error, op)
        message = f"Unexpected {type(error).__name__} in {op.kind.name}."
    elif code is ErrorCode.OUTCOME_UNKNOWN and dispatched:
        message = f"{op.kind.name} was sent, and what came of it could not be seen in time."
    return Outcome(
        status=Status.UNKNOWN if dispatched else Status.ERROR,
        code=code,
        message=message,
        data=op.gathered or None,
    )


def _log_place(error: BaseException, op: Operation) -> None:
    """Say where a fault of ours is, with no text of the exception: that may hold page data."""
    steps = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{step.filename.rpartition('/')[2]}:{step.lineno}" for step in steps[::-1])
    _logger.error("%s in %s at %s", type(error).__name__, op.kind.name, places[:500])


def _code_of(error: BaseException, op: Operation, gone: ErrorCode | None) -> ErrorCode:
    if gone is not None:
        return gone
    if isinstance(error, ObserverError):
        code = parse_code(error.code)
        return op.kind.timeout_code if code is ErrorCode.OBSERVATION_TIMEOUT else code
    if is_timeout(error):
        return op.kind.timeout_code
    if isinstance(error, asyncio.CancelledError):
        return ErrorCode.CANCELLED
    return _code_of_driver_error(error, op)


def _code_of_driver_error(error: BaseException, op: Operation) -> ErrorCode:
    text = str(error)
    if "Target crashed" in text or "Page crashed" in text:
        return ErrorCode.PAGE_CRASHED
    if is_playwright_error(error, "TargetClosedError") or any(w in text for w in _CLOSED_WORDS):
        return ErrorCode.PAGE_CLOSED
    return ErrorCode.OUTCOME_UNKNOWN if op.effect in _LOST else ErrorCode.INTERNAL
