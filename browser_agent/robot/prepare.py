"""A call as the model wrote it, checked: the tool, its arguments, or why it cannot be made.

Nothing here executes anything. Every refusal is a sentence that the model can act on.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from browser_agent._freeze import FrozenMapping
from browser_agent.errors import InvalidInput, ToolNotFoundError
from browser_agent.logic.repair_args import read_arguments
from browser_agent.records.message import ToolMessage
from browser_agent.records.model import ToolCall
from browser_agent.records.result import Result
from browser_agent.records.run import ToolCallRecord
from browser_agent.records.run_parts import open_operations
from browser_agent.tools.manifest import ToolManifest
from browser_agent.tools.tool import Tool

RAW_CHARS = 500
"""So much of unreadable arguments goes back to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCall:
    """A call with its tool and arguments, or with the ``code`` and ``problem`` that refuse it."""

    call: ToolCall
    tool: Tool | None = None
    arguments: FrozenMapping | None = None
    mended: str | None = None
    code: str | None = None
    problem: str | None = None

    @property
    def shown_arguments(self) -> FrozenMapping | str:
        """The arguments, or the text that was written in their place."""
        return str(self.call.arguments) if self.arguments is None else self.arguments

    @property
    def message(self) -> ToolMessage:
        """The call as it stands in the conversation: always with a JSON object."""
        arguments = self.arguments
        if arguments is None:
            arguments = FrozenMapping({"malformed": str(self.call.arguments)[:RAW_CHARS]})
        return ToolMessage(id=self.call.id, name=self.call.name, input=arguments)


def prepare_call(call: ToolCall, tools: ToolManifest) -> PreparedCall:
    """Find the tool, read the arguments, check them."""
    tool = tools.get(call.name)
    needs_any = tool is None or bool(tool.parameters.get("required"))
    try:
        read = read_arguments(call.arguments, needs_any=needs_any)
    except InvalidInput as exc:
        problem = _unknown(call.name, tools) if tool is None else exc.message
        code = "unknown_tool" if tool is None else "invalid_input"
        return PreparedCall(call=call, tool=tool, code=code, problem=problem)
    arguments = FrozenMapping(read.value)
    if tool is None:
        problem = _unknown(call.name, tools)
        return PreparedCall(call=call, arguments=arguments, code="unknown_tool", problem=problem)
    problem = _misfit(tool, read.value)
    return PreparedCall(
        call=call,
        tool=tool,
        arguments=arguments,
        mended=read.mended,
        code=None if problem is None else "invalid_input",
        problem=problem,
    )


def find_repeated_unknown(
    prepared: PreparedCall, calls: Sequence[ToolCallRecord], results: Sequence[Result]
) -> str | None:
    """Why an action must not be made again: the same one was sent and nobody knows its outcome."""
    if prepared.tool is None or not prepared.tool.side_effect:
        return None
    unsettled = set(open_operations(results))
    for record in calls:
        result = record.result
        same = record.name == prepared.call.name and record.arguments == prepared.arguments
        if same and isinstance(result, Result) and result.operation_id in unsettled:
            return (
                "the same action was sent before and its outcome is not known, so it is not"
                f" repeated; look with browser_verify(operation={result.operation_id!r})"
            )
    return None


def _unknown(name: str, tools: ToolManifest) -> str:
    message = ToolNotFoundError.unknown(name[:64], tools.names).message
    near = difflib.get_close_matches(name, tools.names, n=1)
    return f"{message}. Did you mean '{near[0]}'?" if near else message


def _misfit(tool: Tool, arguments: dict[str, object]) -> str | None:
    problems = tool.find_problems(arguments)
    if problems:
        return "; ".join(problems)
    if tool.check is None:
        return None
    try:
        tool.check(arguments)
    except InvalidInput as exc:
        return exc.message
    return None
