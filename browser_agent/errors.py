"""Every exception of the package, as one tree.

::

    BrowserAgentError                       .code .retryable .hint .result
    ├── ConfigurationError                  wrong or missing settings, before anything starts
    │   └── DependencyError                 an extra is not installed
    ├── InvalidInput (also ValueError)      a value of the wrong shape
    ├── InferenceError                      the model call failed, after our retries
    │   └── ToolLoopError                   more tool calls than max_tool_rounds
    ├── RunStopped                          a run that ended early; .stop_reason
    ├── ToolNotFoundError (also LookupError)
    ├── ToolError                           raised by tools
    ├── BudgetExceeded                      a budget is or would be overspent
    ├── BrowserError                        the browser could not be launched
    ├── ResultDeliveryError                 an ``on_result`` callback failed; .result .operation
    ├── RecordingError                      a recording is missing, damaged or lacks a request
    └── IntegrityError                      digest, checksum, integrity or chain does not match

Owns types and messages only. It must not import anything of the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DISTRIBUTION = "browser-agent-kit"
"""The name to install; the import name is ``browser_agent``."""


class BrowserAgentError(Exception):
    """Base of all errors of this package.

    ``code`` is a stable word, ``retryable`` says whether the same call may succeed later,
    ``hint`` says what to do, ``result`` carries the Result or RobotResult gathered so far.
    """

    code: str = "internal"
    retryable: bool = False

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        retryable: bool | None = None,
        hint: str | None = None,
        result: object | None = None,
    ) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        if retryable is not None:
            self.retryable = retryable
        self.hint = hint
        self.result = result

    @property
    def message(self) -> str:
        """The message without class name."""
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[object, ...]:
        """Keep every attribute over pickling, keyword-only ones too."""
        return (_rebuild, (type(self), self.args, dict(self.__dict__)))


def _rebuild(
    cls: type[BrowserAgentError], args: tuple[object, ...], state: dict[str, object]
) -> BrowserAgentError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ConfigurationError(BrowserAgentError):
    """Settings are wrong or missing; raised before anything starts."""

    code = "configuration"


class DependencyError(ConfigurationError):
    """An optional part needs an extra that is not installed."""

    code = "dependency_missing"

    @classmethod
    def for_extra(cls, feature: str, extra: str) -> DependencyError:
        """Say which extra brings ``feature`` and the command that installs it."""
        return cls(
            f"{feature} support needs the '{extra}' extra: pip install '{DISTRIBUTION}[{extra}]'"
        )


class InvalidInput(BrowserAgentError, ValueError):  # noqa: N818 - the contract's name
    """A value has the wrong type, shape or size."""

    code = "invalid_input"


class InferenceError(BrowserAgentError):
    """The model call failed (API, timeout, rate limit) after our retries."""

    code = "model_error"
    retryable = True


class ToolLoopError(InferenceError):
    """More tool calls were asked for than ``max_tool_rounds`` allows; the last was not executed."""

    code = "max_tool_rounds"
    retryable = False

    @classmethod
    def exceeded(cls, limit: int) -> ToolLoopError:
        """Build the error for ``limit`` rounds; the count is always limit + 1."""
        return cls(
            f"Circuit breaker triggered: {limit + 1} tool calls exceeded max_tool_rounds ({limit})"
        )


class RunStopped(BrowserAgentError):  # noqa: N818 - the contract's name
    """A run ended early and was asked to raise. ``stop_reason`` says why."""

    code = "run_stopped"

    def __init__(
        self,
        message: str = "",
        *,
        stop_reason: str = "",
        code: str | None = None,
        retryable: bool | None = None,
        hint: str | None = None,
        result: object = None,
    ) -> None:
        super().__init__(message, code=code, retryable=retryable, hint=hint, result=result)
        self.stop_reason = stop_reason or self.code


class ToolNotFoundError(BrowserAgentError, LookupError):
    """No tool of that name; the message names the known ones."""

    code = "unknown_tool"

    @classmethod
    def unknown(cls, name: str, known: Iterable[str]) -> ToolNotFoundError:
        """Name the wanted tool and all known ones, sorted."""
        return cls(f"Unknown tool '{name}'. Available tools: {', '.join(sorted(known)) or 'none'}")


class ToolError(BrowserAgentError):
    """Raised by a tool; ``retryable=True`` marks it as safe to call again."""

    code = "tool_failed"


class BudgetExceeded(BrowserAgentError):  # noqa: N818 - the contract's name
    """A budget would be overspent (before a call) or was (after one)."""

    code = "budget_exceeded"


class BrowserError(BrowserAgentError):
    """The browser could not be found or launched."""

    code = "browser_launch_failed"


class ResultDeliveryError(BrowserAgentError):
    """An ``on_result`` callback failed; ``result`` and ``operation`` keep what it was given."""

    code = "result_delivery"

    def __init__(
        self, message: str = "", *, result: object = None, operation: str | None = None
    ) -> None:
        super().__init__(message, result=result)
        self.operation = operation


class RecordingError(BrowserAgentError):
    """A recording is missing or damaged, or does not hold what a replay asked for."""

    code = "recording_miss"


class IntegrityError(BrowserAgentError):
    """A digest, checksum, integrity value or chain link does not match its content."""

    code = "integrity"


RETRYABLE_CLASSES: tuple[type[BrowserAgentError], ...] = (InferenceError,)
"""Classes whose instances may be retried (:class:`ToolLoopError` excepted)."""


def retryable(error: BaseException) -> bool:
    """Say whether the call that raised ``error`` may be made again.

    InferenceError and subclasses: yes, except ToolLoopError. ToolError: only when raised with
    ``retryable=True``. Everything else, foreign exceptions included: no.
    """
    if isinstance(error, ToolLoopError):
        return False
    if isinstance(error, RETRYABLE_CLASSES):
        return True
    return isinstance(error, ToolError) and error.retryable
