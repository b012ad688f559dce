"""The closed table of error codes: statuses, retryability, hint, exception.

One table serves Results, exceptions and documentation. Owns words only.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from browser_agent import errors
from browser_agent.errors import InvalidInput


class Status(StrEnum):
    """How an operation ended. The set is closed."""

    OK = "ok"
    TRUNCATED = "truncated"
    ERROR = "error"
    UNKNOWN = "unknown"
    CLEANUP_PENDING = "cleanup_pending"


PRECEDENCE = (
    Status.ERROR,
    Status.UNKNOWN,
    Status.CLEANUP_PENDING,
    Status.TRUNCATED,
    Status.OK,
)


def parse_status(value: object) -> Status:
    """Turn a word into a Status; anything else, None too, raises InvalidInput."""
    if isinstance(value, str):
        try:
            return Status(value)
        except ValueError:
            pass
    raise InvalidInput(f"unknown result status: {value!r}")


def worst_status(*statuses: Status) -> Status:
    """The status that wins by precedence; ok when none is given."""
    return next((status for status in PRECEDENCE if status in statuses), Status.OK)


class Effect(StrEnum):
    """How far an action's side effect got."""

    NONE = "none"
    NOT_DISPATCHED = "not_dispatched"
    DISPATCHED = "dispatched"
    ACKNOWLEDGED = "acknowledged"


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """What a code means: statuses that may carry it, whether to retry, what to do."""

    message: str
    retryable: bool = False
    hint: str | None = None
    statuses: frozenset[Status] = frozenset({Status.ERROR})
    raises: type[errors.BrowserAgentError] = errors.BrowserError


_UNSURE = frozenset({Status.ERROR, Status.UNKNOWN})
_ANY_FAILURE = frozenset({Status.ERROR, Status.UNKNOWN, Status.CLEANUP_PENDING})
_INPUT = errors.InvalidInput


class ErrorCode(StrEnum):
    """Every code that a Result can carry. The set is closed; :data:`CODES` explains each."""

    INVALID_INPUT = "invalid_input"
    INVALID_URL = "invalid_url"
    POLICY_DENIED = "policy_denied"
    ROBOTS_DENIED = "robots_denied"
    APPROVAL_DENIED = "approval_denied"
    SECRET_DENIED = "secret_denied"  # noqa: S105 - a code, not a secret
    DNS_FAILED = "dns_failed"
    CONNECT_FAILED = "connect_failed"
    TLS_FAILED = "tls_failed"
    HTTP_ERROR = "http_error"
    NAVIGATION_TIMEOUT = "navigation_timeout"
    NAVIGATION_FAILED = "navigation_failed"
    BLOCKED_BY_SITE = "blocked_by_site"
    DOWNLOAD_STARTED = "download_started"
    REF_STALE = "ref_stale"
    REF_NOT_FOUND = "ref_not_found"
    NOT_FOUND = "not_found"
    NOT_ACTIONABLE = "not_actionable"
    ACTION_TIMEOUT = "action_timeout"
    OBSERVATION_TIMEOUT = "observation_timeout"
    WAIT_TIMEOUT = "wait_timeout"
    NO_EFFECT = "no_effect"
    OUTCOME_UNKNOWN = "outcome_unknown"
    PAGE_CRASHED = "page_crashed"
    PAGE_CLOSED = "page_closed"
    SESSION_CLOSED = "session_closed"
    BROWSER_DISCONNECTED = "browser_disconnected"
    BROWSER_LAUNCH_FAILED = "browser_launch_failed"
    PROFILE_LOCKED = "profile_locked"
    DIALOG_OPEN = "dialog_open"
    DOWNLOAD_FAILED = "download_failed"
    UPLOAD_DENIED = "upload_denied"
    TOO_LARGE = "too_large"
    CURSOR_EXPIRED = "cursor_expired"
    SCHEMA_INVALID = "schema_invalid"
    SCHEMA_MISMATCH = "schema_mismatch"
    RECORDING_MISS = "recording_miss"
    BUDGET_EXCEEDED = "budget_exceeded"
    UNKNOWN_TOOL = "unknown_tool"
    TOOL_FAILED = "tool_failed"
    UNSUPPORTED = "unsupported"
    CANCELLED = "cancelled"
    CLEANUP_UNCONFIRMED = "cleanup_unconfirmed"
    INTERNAL = "internal"


_E = ErrorCode
CODES: dict[ErrorCode, CodeInfo] = {
    _E.INVALID_INPUT: CodeInfo(
        "An argument has the wrong type, shape or size.",
        hint="Correct the argument that the message names.",
        raises=_INPUT,
    ),
    _E.INVALID_URL: CodeInfo(
        "The URL is not an absolute http or https URL.",
        hint="Give a full URL such as https://example.com/page.",
        raises=_INPUT,
    ),
    _E.POLICY_DENIED: CodeInfo(
        "The URL policy does not admit this address.",
        hint="Choose another page; only the operator can widen the policy.",
    ),
    _E.ROBOTS_DENIED: CodeInfo(
        "The site's robots.txt forbids this address.", hint="Choose another page."
    ),
    _E.APPROVAL_DENIED: CodeInfo(
        "The action was not approved.", hint="Do not try it again; go on without it or stop."
    ),
    _E.SECRET_DENIED: CodeInfo(
        "A secret would have gone where it is not bound to.",
        hint="Use a secret only at the origins it is bound to.",
    ),
    _E.DNS_FAILED: CodeInfo(
        "The host name could not be resolved.", retryable=True, hint="Check the host name."
    ),
    _E.CONNECT_FAILED: CodeInfo(
        "No connection to the server.", retryable=True, hint="Check host and port, or try later."
    ),
    _E.TLS_FAILED: CodeInfo("The secure connection could not be set up."),
    _E.HTTP_ERROR: CodeInfo(
        "The server answered with an error status.",
        hint="The page of the error is in data; try another address.",
    ),
    _E.NAVIGATION_TIMEOUT: CodeInfo(
        "The page did not load in time.", retryable=True, statuses=_UNSURE
    ),
    _E.NAVIGATION_FAILED: CodeInfo("The page could not be loaded."),
    _E.BLOCKED_BY_SITE: CodeInfo(
        "The site asks for a captcha, login or bot check.", hint="Use another source."
    ),
    _E.DOWNLOAD_STARTED: CodeInfo(
        "The address gives a file and no page.", hint="Look at the downloads of the session."
    ),
    _E.REF_STALE: CodeInfo(
        "The element of this ref is gone.", hint="Take a new snapshot and use its refs."
    ),
    _E.REF_NOT_FOUND: CodeInfo(
        "No snapshot showed this ref.", hint="Use a ref such as e12 from the last snapshot."
    ),
    _E.NOT_FOUND: CodeInfo("Nothing matches.", hint="See coverage for what was looked at."),
    _E.NOT_ACTIONABLE: CodeInfo(
        "The element cannot be used like this now.", hint="The message says why."
    ),
    _E.ACTION_TIMEOUT: CodeInfo(
        "The action did not finish in time.", retryable=True, statuses=_UNSURE
    ),
    _E.OBSERVATION_TIMEOUT: CodeInfo(
        "The page could not be read in time.", retryable=True, statuses=_UNSURE
    ),
    _E.WAIT_TIMEOUT: CodeInfo("What was waited for did not come in time.", retryable=True),
    _E.NO_EFFECT: CodeInfo(
        "The element did not take the input.", hint="Look at the page before trying another way."
    ),
    _E.OUTCOME_UNKNOWN: CodeInfo(
        "The action was sent and its outcome is not known.",
        hint="Do not repeat it; use browser_verify to look.",
        statuses=_UNSURE,
    ),
    _E.PAGE_CRASHED: CodeInfo(
        "The page crashed; the session goes on with a fresh one.",
        hint="Navigate again.",
        statuses=_UNSURE,
    ),
    _E.PAGE_CLOSED: CodeInfo(
        "The page was closed.", hint="Open or select another tab.", statuses=_UNSURE
    ),
    _E.SESSION_CLOSED: CodeInfo("The session is closed.", hint="Open a new session."),
    _E.BROWSER_DISCONNECTED: CodeInfo(
        "The browser is gone.", hint="Launch a new browser.", statuses=_UNSURE
    ),
    _E.BROWSER_LAUNCH_FAILED: CodeInfo(
        "The browser could not be started.", hint="Run browser-agent doctor."
    ),
    _E.PROFILE_LOCKED: CodeInfo("Another browser uses this profile."),
    _E.DIALOG_OPEN: CodeInfo(
        "A dialog of the page waits for an answer.", hint="Answer it with browser_handle_dialog."
    ),
    _E.DOWNLOAD_FAILED: CodeInfo("The file could not be saved.", statuses=_UNSURE),
    _E.UPLOAD_DENIED: CodeInfo(
        "The file is not below an allowed folder.", hint="Only files of upload_dirs can be sent."
    ),
    _E.TOO_LARGE: CodeInfo("The content is larger than the limit."),
    _E.CURSOR_EXPIRED: CodeInfo("The capture of this cursor is gone.", hint="Read the page again."),
    _E.SCHEMA_INVALID: CodeInfo(
        "The schema is malformed or not allowed.", hint="Give a self-contained JSON Schema."
    ),
    _E.SCHEMA_MISMATCH: CodeInfo("The page's content does not fit the schema."),
    _E.RECORDING_MISS: CodeInfo(
        "The recording does not hold this request.", raises=errors.RecordingError
    ),
    _E.BUDGET_EXCEEDED: CodeInfo("A budget is used up.", raises=errors.BudgetExceeded),
    _E.UNKNOWN_TOOL: CodeInfo("No tool has this name.", raises=errors.ToolNotFoundError),
    _E.TOOL_FAILED: CodeInfo("The tool failed.", raises=errors.ToolError, statuses=_UNSURE),
    _E.UNSUPPORTED: CodeInfo("This browser or page cannot do that."),
    _E.CANCELLED: CodeInfo(
        "The operation was cancelled.", statuses=_ANY_FAILURE, raises=errors.RunStopped
    ),
    _E.CLEANUP_UNCONFIRMED: CodeInfo(
        "Closing could not be confirmed.",
        hint="Run browser-agent reap.",
        statuses=frozenset({Status.CLEANUP_PENDING, Status.ERROR}),
    ),
    _E.INTERNAL: CodeInfo("A fault of the toolkit.", hint="Please report it.", statuses=_UNSURE),
}

RETRYABLE_HTTP = frozenset({429, 502, 503, 504})
"""HTTP statuses that make ``http_error`` retryable."""


def parse_code(value: object) -> ErrorCode:
    """Turn a word into an ErrorCode; anything else raises InvalidInput."""
    if isinstance(value, str):
        try:
            return ErrorCode(value)
        except ValueError:
            pass
    raise InvalidInput(f"unknown error code: {value!r}")
