"""LLM robots that drive a real browser and hand back evidence that can be checked.

The one public door. Names are loaded when first used, so importing the package is cheap: no
browser driver, no model library, no server is imported before it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from browser_agent.assembly import wire as _wire

if TYPE_CHECKING:
    from browser_agent import errors as errors
    from browser_agent._digest import digest_of as digest_of
    from browser_agent.browser.browser import Browser as Browser
    from browser_agent.browser.session import Session as Session
    from browser_agent.convenience import extract_sync as extract_sync
    from browser_agent.convenience import read_sync as read_sync
    from browser_agent.convenience import run_sync as run_sync
    from browser_agent.errors import BrowserAgentError as BrowserAgentError
    from browser_agent.errors import BrowserError as BrowserError
    from browser_agent.errors import BudgetExceeded as BudgetExceeded
    from browser_agent.errors import ConfigurationError as ConfigurationError
    from browser_agent.errors import DependencyError as DependencyError
    from browser_agent.errors import InferenceError as InferenceError
    from browser_agent.errors import IntegrityError as IntegrityError
    from browser_agent.errors import InvalidInput as InvalidInput
    from browser_agent.errors import RecordingError as RecordingError
    from browser_agent.errors import ResultDeliveryError as ResultDeliveryError
    from browser_agent.errors import RunStopped as RunStopped
    from browser_agent.errors import ToolError as ToolError
    from browser_agent.errors import ToolLoopError as ToolLoopError
    from browser_agent.errors import ToolNotFoundError as ToolNotFoundError
    from browser_agent.logic.budget import Budget as Budget
    from browser_agent.logic.redact import Redactor as Redactor
    from browser_agent.logic.url_policy import UrlPolicy as UrlPolicy
    from browser_agent.models.extractive import ExtractiveModel as ExtractiveModel
    from browser_agent.models.litellm_model import LiteLLMModel as LiteLLMModel
    from browser_agent.models.recorded import RecordedModel as RecordedModel
    from browser_agent.models.scripted import ScriptedModel as ScriptedModel
    from browser_agent.records.approval import ActionPolicy as ActionPolicy
    from browser_agent.records.approval import ActionRule as ActionRule
    from browser_agent.records.approval import Approval as Approval
    from browser_agent.records.approval import ApprovalRequest as ApprovalRequest
    from browser_agent.records.approval import Purpose as Purpose
    from browser_agent.records.approval import Ruling as Ruling
    from browser_agent.records.citation import Citation as Citation
    from browser_agent.records.codes import Effect as Effect
    from browser_agent.records.codes import ErrorCode as ErrorCode
    from browser_agent.records.codes import Status as Status
    from browser_agent.records.events import ApprovalAsked as ApprovalAsked
    from browser_agent.records.events import Compacted as Compacted
    from browser_agent.records.events import Event as Event
    from browser_agent.records.events import ReasoningDelta as ReasoningDelta
    from browser_agent.records.events import Restarted as Restarted
    from browser_agent.records.events import RunEnded as RunEnded
    from browser_agent.records.events import RunStarted as RunStarted
    from browser_agent.records.events import TextDelta as TextDelta
    from browser_agent.records.events import ToolArgumentsDelta as ToolArgumentsDelta
    from browser_agent.records.events import ToolCallEnded as ToolCallEnded
    from browser_agent.records.events import ToolCallStarted as ToolCallStarted
    from browser_agent.records.events import TurnEnded as TurnEnded
    from browser_agent.records.events import TurnStarted as TurnStarted
    from browser_agent.records.events import UsageUpdated as UsageUpdated
    from browser_agent.records.events import Warned as Warned
    from browser_agent.records.limits import BrowserLimits as BrowserLimits
    from browser_agent.records.limits import RunLimits as RunLimits
    from browser_agent.records.message import Message as Message
    from browser_agent.records.message import TextMessage as TextMessage
    from browser_agent.records.message import ToolCallMessage as ToolCallMessage
    from browser_agent.records.message import ToolMessage as ToolMessage
    from browser_agent.records.message import ToolResultMessage as ToolResultMessage
    from browser_agent.records.model import ModelDelta as ModelDelta
    from browser_agent.records.model import ModelReply as ModelReply
    from browser_agent.records.model import ModelRequest as ModelRequest
    from browser_agent.records.model import ModelSettings as ModelSettings
    from browser_agent.records.model import ToolCall as ToolCall
    from browser_agent.records.model import Usage as Usage
    from browser_agent.records.policy import Decision as Decision
    from browser_agent.records.policy import Secret as Secret
    from browser_agent.records.result import Result as Result
    from browser_agent.records.run import RobotResult as RobotResult
    from browser_agent.records.run_parts import StopReason as StopReason
    from browser_agent.records.run_parts import ToolCallRecord as ToolCallRecord
    from browser_agent.records.run_parts import ToolFailure as ToolFailure
    from browser_agent.records.verification import Verification as Verification
    from browser_agent.robot.compaction import Compaction as Compaction
    from browser_agent.robot.hooks import CompactionContext as CompactionContext
    from browser_agent.robot.hooks import HookContext as HookContext
    from browser_agent.robot.hooks import ModelCallContext as ModelCallContext
    from browser_agent.robot.hooks import RunContext as RunContext
    from browser_agent.robot.hooks import ToolCallContext as ToolCallContext
    from browser_agent.robot.hooks import hook as hook
    from browser_agent.robot.hooks import register_hooks as register_hooks
    from browser_agent.robot.hooks import use_hooks as use_hooks
    from browser_agent.robot.narrator import Narrator as Narrator
    from browser_agent.robot.robot import Robot as Robot
    from browser_agent.store.verify import verify_run as verify_run
    from browser_agent.tools.manifest import ToolManifest as ToolManifest
    from browser_agent.tools.spill import SpillLimits as SpillLimits
    from browser_agent.tools.tool import Halt as Halt
    from browser_agent.tools.tool import Tool as Tool
    from browser_agent.tools.tool import ToolContext as ToolContext
    from browser_agent.tools.tool import tool as tool

__version__ = "0.1.0"

_ERRORS = [
    "BrowserAgentError",
    "BrowserError",
    "BudgetExceeded",
    "ConfigurationError",
    "DependencyError",
    "InferenceError",
    "IntegrityError",
    "InvalidInput",
    "RecordingError",
    "ResultDeliveryError",
    "RunStopped",
    "ToolError",
    "ToolLoopError",
    "ToolNotFoundError",
]

_EVENTS = [
    "Event",
    "RunStarted",
    "TurnStarted",
    "TextDelta",
    "ReasoningDelta",
    "ToolArgumentsDelta",
    "Restarted",
    "TurnEnded",
    "UsageUpdated",
    "ToolCallStarted",
    "ApprovalAsked",
    "ToolCallEnded",
    "Warned",
    "Compacted",
    "RunEnded",
]

_HOOKS = [
    "HookContext",
    "RunContext",
    "ModelCallContext",
    "ToolCallContext",
    "CompactionContext",
    "hook",
    "register_hooks",
    "use_hooks",
]

_HOME = {
    **dict.fromkeys(_EVENTS, "records.events"),
    **dict.fromkeys(_HOOKS, "robot.hooks"),
    "Approval": "records.approval",
    "Purpose": "records.approval",
    "Ruling": "records.approval",
    "Compaction": "robot.compaction",
    "Narrator": "robot.narrator",
    "Halt": "tools.tool",
    "SpillLimits": "tools.spill",
    "ActionPolicy": "records.approval",
    "ActionRule": "records.approval",
    "ApprovalRequest": "records.approval",
    **dict.fromkeys(_ERRORS, "errors"),
    "digest_of": "_digest",
    "Browser": "browser.browser",
    "Session": "browser.session",
    "extract_sync": "convenience",
    "read_sync": "convenience",
    "run_sync": "convenience",
    "Budget": "logic.budget",
    "Redactor": "logic.redact",
    "UrlPolicy": "logic.url_policy",
    "ExtractiveModel": "models.extractive",
    "LiteLLMModel": "models.litellm_model",
    "RecordedModel": "models.recorded",
    "ScriptedModel": "models.scripted",
    "Citation": "records.citation",
    "Effect": "records.codes",
    "ErrorCode": "records.codes",
    "Status": "records.codes",
    "BrowserLimits": "records.limits",
    "RunLimits": "records.limits",
    "Message": "records.message",
    "TextMessage": "records.message",
    "ToolCallMessage": "records.message",
    "ToolMessage": "records.message",
    "ToolResultMessage": "records.message",
    "ModelDelta": "records.model",
    "ModelReply": "records.model",
    "ModelRequest": "records.model",
    "ModelSettings": "records.model",
    "ToolCall": "records.model",
    "Usage": "records.model",
    "Decision": "records.policy",
    "Secret": "records.policy",
    "Result": "records.result",
    "RobotResult": "records.run",
    "StopReason": "records.run_parts",
    "ToolCallRecord": "records.run_parts",
    "ToolFailure": "records.run_parts",
    "Verification": "records.verification",
    "Robot": "robot.robot",
    "verify_run": "store.verify",
    "ToolManifest": "tools.manifest",
    "Tool": "tools.tool",
    "ToolContext": "tools.tool",
    "tool": "tools.tool",
}

__all__ = sorted([*_HOME, "__version__", "errors"])  # noqa: PLE0605 - built from the one table  # pyright: ignore[reportUnsupportedDunderAll] - built from the one table

_wire()


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    if name == "errors":
        return import_module("browser_agent.errors")
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'browser_agent' has no attribute {name!r}")
    value = getattr(import_module(f"browser_agent.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
