"""The public door: every name of the contract is there, and leads somewhere."""

from __future__ import annotations

import pytest

import browser_agent

CONTRACT = [
    "Result",
    "RobotResult",
    "Browser",
    "Robot",
    "UrlPolicy",
    "Secret",
    "Redactor",
    "BrowserLimits",
    "RunLimits",
    "Budget",
    "ModelSettings",
    "Usage",
    "Status",
    "Effect",
    "ErrorCode",
    "Decision",
    "Citation",
    "ToolCallRecord",
    "ToolFailure",
    "StopReason",
    "Message",
    "TextMessage",
    "ToolCallMessage",
    "ToolResultMessage",
    "ToolMessage",
    "ModelRequest",
    "ModelReply",
    "ModelDelta",
    "ToolCall",
    "LiteLLMModel",
    "ExtractiveModel",
    "ScriptedModel",
    "RecordedModel",
    "tool",
    "Tool",
    "ToolManifest",
    "ToolContext",
    "digest_of",
    "verify_run",
    "Verification",
    "run_sync",
    "read_sync",
    "extract_sync",
    "Session",
    "errors",
    "BrowserAgentError",
    "ConfigurationError",
    "DependencyError",
    "InvalidInput",
    "InferenceError",
    "ToolLoopError",
    "RunStopped",
    "ToolNotFoundError",
    "ToolError",
    "BudgetExceeded",
    "BrowserError",
    "ResultDeliveryError",
    "RecordingError",
    "IntegrityError",
]


@pytest.mark.parametrize("name", CONTRACT)
def test_contract_name_can_be_imported(name: str) -> None:
    assert getattr(browser_agent, name) is not None
    assert name in browser_agent.__all__
    assert name in dir(browser_agent)


@pytest.mark.parametrize("name", sorted(browser_agent.__all__))
def test_every_listed_name_exists(name: str) -> None:
    assert getattr(browser_agent, name) is not None


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        browser_agent.no_such_name  # noqa: B018
