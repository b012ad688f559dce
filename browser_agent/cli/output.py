"""What commands print and how they exit.

stdout holds the answer (with ``--json`` one document and nothing else), stderr everything said on
the way. Exit codes follow the status of what was done.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from browser_agent._json import dumps
from browser_agent.errors import (
    BrowserAgentError,
    BrowserError,
    BudgetExceeded,
    ConfigurationError,
    IntegrityError,
)
from browser_agent.records.codes import ErrorCode, Status

if TYPE_CHECKING:
    from browser_agent.records.result import Result
    from browser_agent.records.run import RobotResult

EXIT_USAGE = 2
EXIT_PENDING = 5
EXIT_INTEGRITY = 6
EXIT_NOT_FOUND = 7
EXIT_SIGINT = 130
EXIT_SIGTERM = 143

_BY_STATUS = {
    Status.OK: 0,
    Status.ERROR: 1,
    Status.TRUNCATED: 3,
    Status.UNKNOWN: 4,
    Status.CLEANUP_PENDING: EXIT_PENDING,
}


class UsageFault(ConfigurationError):  # noqa: N818 - a fault of the command line
    """The command line itself is wrong."""

    code = "usage"


class Exit(Exception):  # noqa: N818 - a way out, no fault
    """Ends the command with a code after everything was printed."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def exit_code_of_run(result: RobotResult) -> int:
    """The exit code of a run: by status; 7 when it completed and the answer was not found."""
    if result.status is Status.OK and result.answered is False:
        return EXIT_NOT_FOUND
    return _BY_STATUS[result.status]


def exit_code_of(result: Result) -> int:
    """The exit code of one Result: by status; a missing browser is 2."""
    if result.error_code == ErrorCode.BROWSER_LAUNCH_FAILED:
        return EXIT_USAGE
    return _BY_STATUS[result.status]


def exit_code_of_error(error: BrowserAgentError) -> int:
    """The exit code of an exception."""
    if isinstance(error, ConfigurationError | BrowserError):
        return EXIT_USAGE
    if isinstance(error, BudgetExceeded):
        return _BY_STATUS[Status.TRUNCATED]
    return EXIT_INTEGRITY if isinstance(error, IntegrityError) else 1


def print_json(value: object) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(dumps(value) + "\n")
    sys.stdout.flush()


def print_text(text: str) -> None:
    """Plain text on stdout."""
    sys.stdout.write(text.rstrip("\n") + "\n")
    sys.stdout.flush()


def say(text: str) -> None:
    """A line for people, on stderr."""
    sys.stderr.write(text.rstrip("\n") + "\n")
    sys.stderr.flush()


def report_error(code: str, message: str, *, hint: str | None = None, as_json: bool) -> None:
    """Say what went wrong: one sentence on stderr, or one JSON document on stdout."""
    if as_json:
        print_json({"error": {"code": code, "message": message}})
        return
    say(f"browser-agent: {message}")
    if hint:
        say(f"  {hint}")
