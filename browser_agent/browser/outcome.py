"""What the body of an operation hands to the door, and how it says that it failed.

Plain values only: the door alone makes Results of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from browser_agent.browser.capture import Continued, Extras
from browser_agent.records.codes import Effect, ErrorCode, Status

PAGE: Mapping[str, object] = {"scope": "page"}
"""The locator of an operation that looks at a whole page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """A long text that a Result shows in part: it is kept whole (redacted) behind a cursor.

    ``key`` names the key of ``data`` that shows it; ``total_bytes`` is set beside it by the door.
    ``mode`` is what a cursor must be used with again (``text``, ``markdown``, ``full`` …).
    ``not_captured_bytes`` did not leave the page. ``extras`` gives, for the part that is shown,
    further keys of ``data``. ``shown_bytes`` bounds a part instead of ``snapshot_bytes``.
    """

    key: str
    text: str
    mode: str
    not_captured_bytes: int = 0
    extras: Extras | None = None
    shown_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Raw result of an operation, not yet bounded, redacted, frozen or digested.

    ``status`` is ok, error or unknown; the door turns ok into truncated where data was cut or
    ``truncated`` is set. ``code`` is required for error and unknown. ``message``, ``hint`` and
    ``retryable`` default to the code table. None for ``locator``, ``effect`` and ``final_url``
    means: what the operation and its tab say.
    """

    data: Mapping[str, object] | None = None
    display: Display | Continued | None = None
    status: Status = Status.OK
    code: ErrorCode | None = None
    message: str | None = None
    hint: str | None = None
    retryable: bool | None = None
    truncated: bool = False
    locator: Mapping[str, object] | None = None
    effect: Effect | None = None
    coverage: Mapping[str, object] = field(default_factory=dict[str, object])
    final_url: str | None = None


class OperationFailed(Exception):  # noqa: N818 - it ends an operation, it is no error of the program
    """Ends an operation's body with a failure. Carries the Outcome; never leaves the runner."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(str(outcome.code))
        self.outcome = outcome


def fail(
    code: ErrorCode,
    message: str | None = None,
    *,
    status: Status = Status.ERROR,
    hint: str | None = None,
    retryable: bool | None = None,
    data: Mapping[str, object] | None = None,
    locator: Mapping[str, object] | None = None,
    effect: Effect | None = None,
    coverage: Mapping[str, object] | None = None,
) -> NoReturn:
    """End the running operation as a typed failure (data may carry what was gathered)."""
    raise OperationFailed(
        Outcome(
            status=status,
            code=code,
            message=message,
            hint=hint,
            retryable=retryable,
            data=data,
            locator=locator,
            effect=effect,
            coverage=coverage or {},
        )
    )
