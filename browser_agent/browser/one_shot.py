"""One page in a session of its own: open, go, look, close, and only then the Result.

``ok`` of such an operation also means that closing was confirmed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from browser_agent.browser.core import SessionOptions
from browser_agent.browser.operation import Kind, Operation
from browser_agent.browser.outcome import OperationFailed, Outcome
from browser_agent.errors import BrowserError, InvalidInput
from browser_agent.records.codes import ErrorCode, Status, parse_code

if TYPE_CHECKING:
    from browser_agent.browser.browser import Browser
    from browser_agent.browser.session import Session
    from browser_agent.ports import Model
    from browser_agent.records.result import Result

FORMATS = ("markdown", "text", "snapshot")
Look = Callable[["Session", Operation], Awaitable[Outcome]]


class OneShot:
    """One-shot operations of a browser."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    async def read(self, url: str, form: str) -> Result:
        """Navigate and read."""
        _check_url(url)
        if not isinstance(form, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without a checker
            raise InvalidInput(f"format must be a string, got {type(form).__name__}")
        wrong = form not in FORMATS
        if wrong:
            op = self._browser.prepare(self._kind("read"))
            message = f"format must be one of {', '.join(FORMATS)}."
            failure = Outcome(status=Status.ERROR, code=ErrorCode.INVALID_INPUT, message=message)
            return await self._browser.finish(op, failure)
        return await self._run(url, "read", lambda session, op: session.look(op, form))

    async def extract(self, url: str, schema: object, model: Model | None) -> Result:
        """Navigate and extract."""
        _check_url(url)
        return await self._run(
            url, "extract", lambda session, op: session.extract_now(op, schema, model)
        )

    def _kind(self, name: str) -> Kind:
        limits = self._browser.limits
        return Kind(
            name,
            limits.navigation_timeout_s + limits.observation_timeout_s,
            ErrorCode.NAVIGATION_TIMEOUT,
            effectful=True,
            fresh_page=True,
        )

    async def _run(self, url: str, name: str, look: Look) -> Result:
        op = self._browser.prepare(self._kind(name))
        try:
            session = await self._browser.open(SessionOptions(), delivers=False)
        except BrowserError as error:
            outcome = Outcome(status=Status.ERROR, code=parse_code(error.code))
            return await self._browser.finish(op, outcome)
        try:
            outcome = await session.perform(op, lambda op: _go_and_look(session, op, url, look))
            url_there = session.current_url(op)
        finally:
            left = await session.end()
        if outcome.final_url is None:
            outcome = replace(outcome, final_url=url_there)
        return await self._browser.finish(op, _with_cleanup(outcome, left))


async def _go_and_look(session: Session, op: Operation, url: str, look: Look) -> Outcome:
    """The navigation's outcome and the look's in one; the navigation's failure wins."""
    try:
        gone = await session.go(op, url)
    except OperationFailed as error:
        return error.outcome
    seen = await look(session, op)
    data = {**(seen.data or {}), **(gone.data or {})}
    data.pop("text", None)
    merged = replace(
        seen,
        data=data,
        truncated=seen.truncated or gone.truncated,
        coverage={**gone.coverage, **seen.coverage},
        final_url=seen.final_url or gone.final_url,
    )
    if gone.status is Status.OK or seen.status is not Status.OK:
        return merged
    return replace(
        merged,
        status=gone.status,
        code=gone.code,
        message=gone.message,
        retryable=gone.retryable,
        hint=gone.hint,
    )


def _with_cleanup(outcome: Outcome, left: list[str]) -> Outcome:
    """Unconfirmed closing: it stands in coverage, and in the status where that was a success."""
    if not left:
        return outcome
    coverage = {**outcome.coverage, "cleanup": {"confirmed": False, "left": left}}
    if outcome.status is not Status.OK:
        return replace(outcome, coverage=coverage)
    return replace(
        outcome,
        status=Status.CLEANUP_PENDING,
        code=ErrorCode.CLEANUP_UNCONFIRMED,
        coverage=coverage,
    )


def _check_url(url: object) -> None:
    if not isinstance(url, str):
        raise InvalidInput(f"url must be a string, got {type(url).__name__}")
