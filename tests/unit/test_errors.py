"""The exception tree: who is whose child, what may be retried, what messages say."""

from __future__ import annotations

import copy
import pickle

import pytest

from browser_agent import Result, errors
from browser_agent.errors import BrowserAgentError

PARENTS: dict[str, tuple[type[Exception], ...]] = {
    "ConfigurationError": (BrowserAgentError,),
    "DependencyError": (errors.ConfigurationError,),
    "InvalidInput": (BrowserAgentError, ValueError),
    "InferenceError": (BrowserAgentError,),
    "ToolLoopError": (errors.InferenceError,),
    "RunStopped": (BrowserAgentError,),
    "ToolNotFoundError": (BrowserAgentError, LookupError),
    "ToolError": (BrowserAgentError,),
    "BudgetExceeded": (BrowserAgentError,),
    "BrowserError": (BrowserAgentError,),
    "ResultDeliveryError": (BrowserAgentError,),
    "RecordingError": (BrowserAgentError,),
    "IntegrityError": (BrowserAgentError,),
}


@pytest.mark.parametrize("name", PARENTS)
def test_each_error_has_its_place_and_its_attributes(name: str) -> None:
    kind: type[BrowserAgentError] = getattr(errors, name)
    assert kind.__bases__ == PARENTS[name]
    error = kind("what happened")
    assert (str(error), error.message) == ("what happened", "what happened")
    assert error.code
    assert (error.hint, error.result) == (None, None)


@pytest.mark.parametrize("name", PARENTS)
def test_copies_keep_every_attribute(name: str) -> None:
    error: BrowserAgentError = getattr(errors, name)("what happened", result=Result.ok({"a": 1}))
    error.hint, error.retryable, error.code = "try this", True, "of_its_own"
    for same in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(same) is type(error)
        assert same.args == error.args
        assert vars(same) == vars(error)


def test_what_may_be_retried() -> None:
    class Overloaded(errors.InferenceError):
        """A subclass of a user's."""

    assert list(errors.RETRYABLE_CLASSES) == [errors.InferenceError]
    for error in (
        errors.InferenceError("x"),
        Overloaded("x"),
        errors.ToolError("x", retryable=True),
    ):
        assert errors.retryable(error)
    for error in (
        errors.ToolLoopError("x"),
        errors.ToolLoopError("x", retryable=True),
        errors.ToolError("x"),
        errors.BudgetExceeded("x"),
        errors.BudgetExceeded("x", retryable=True),
        errors.BrowserError("x", retryable=True),
        TimeoutError("x"),
        ValueError("x"),
    ):
        assert not errors.retryable(error)


def test_messages_are_the_same_words_everywhere() -> None:
    assert str(errors.ToolLoopError.exceeded(10)) == (
        "Circuit breaker triggered: 11 tool calls exceeded max_tool_rounds (10)"
    )
    assert str(errors.DependencyError.for_extra("MCP", "mcp")) == (
        "MCP support needs the 'mcp' extra: pip install 'browser-agent-kit[mcp]'"
    )
    assert str(errors.ToolNotFoundError.unknown("fly", ["walk", "run"])) == (
        "Unknown tool 'fly'. Available tools: run, walk"
    )
    stopped = errors.RunStopped("x", stop_reason="max_turns")
    assert stopped.stop_reason == "max_turns"
    assert errors.ResultDeliveryError("x", operation="read").operation == "read"
