"""What a call came to, in the form that everybody needs: the model, the record, the guard.

Owns the way from a handler's value or exception to an :class:`Answer`. It executes nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from pydantic_core import PydanticSerializationError, to_jsonable_python

from browser_agent._digest import digest_of
from browser_agent._freeze import FrozenMapping, freeze
from browser_agent._json import dumps
from browser_agent.errors import BrowserAgentError, InvalidInput, retryable
from browser_agent.logic.loop_guard import Observation
from browser_agent.records.codes import ErrorCode, Status
from browser_agent.records.result import Result
from browser_agent.records.run_parts import StopReason
from browser_agent.robot.output import FinalAnswer
from browser_agent.robot.prepare import PreparedCall
from browser_agent.robot.state import RunState, RunStop
from browser_agent.tools.tool import Halt, Tool

ERROR_CHARS = 2_000
_NOTHING_NEW = ("navigated", "new_tabs", "dialog", "downloads")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``text`` is what the model reads, ``result`` what is recorded, ``stop`` what comes next."""

    text: str
    result: object = None
    status: str = "ok"
    error: str | None = None
    number: int | None = None
    stop: RunStop | None = None

    @property
    def failed(self) -> bool:
        """It counts as a tool error."""
        return self.status == "error"


def answer_value(state: RunState, tool: Tool, value: object) -> Answer:
    """What a handler gave back."""
    if isinstance(value, Halt):
        return _halted(state, tool, value.value)
    answer = _shown(state, tool, value)
    if tool.halt and not answer.failed and answer.stop is None:
        return replace(answer, stop=RunStop(StopReason.HALTED, f"{tool.name} ended the run"))
    return answer


def answer_error(state: RunState, tool_name: str, error: Exception, tool: Tool | None) -> Answer:
    """What a handler raised. The model is told, unless the tool wants the run to end."""
    message = error.message if isinstance(error, BrowserAgentError) else str(error)
    message = state.redact(message or type(error).__name__)[:ERROR_CHARS]
    again = retryable(error) or (tool is not None and tool.retryable)
    answer = refuse(tool_name, message, code=None, again=again)
    if tool is not None and tool.raise_on_error:
        return replace(answer, stop=RunStop(StopReason.TOOL_ERROR, f"{tool_name}: {message}"))
    return answer


def refuse(tool_name: str, message: str, *, code: str | None, again: bool = False) -> Answer:
    """A call that failed or was not made, in the words of the contract."""
    return Answer(
        text=f"Error ({tool_name}): {message}" + (" (retryable)" if again else ""),
        status="error",
        error=message if code is None else f"{code}: {message}",
    )


def answer_result(state: RunState, result: Result) -> Answer:
    """A Result: numbered, kept, rendered between markers, and within the bytes of the run."""
    number = state.show(result)
    text = result.render_for_model(secrets.token_hex(8), number)
    size = len(text.encode())
    stop = _stop_of(result)
    limit = state.settings.limits.max_results_bytes
    if state.shown_bytes + size > limit:
        text = text.split("\n", 1)[0] + "\n(not shown: the run's bytes are used up)"
        stop = stop or RunStop(StopReason.BUDGET_BYTES, f"more than {limit} bytes of results")
    else:
        state.shown_bytes += size
    info = result.error
    return Answer(
        text=text,
        result=result,
        status=result.status.value,
        error=None if info is None else f"{info.code}: {info.message}",
        number=number,
        stop=stop,
    )


def observe_answer(prepared: PreparedCall, answer: Answer) -> Observation:
    """What the guard against loops is told."""
    result = answer.result
    arguments = prepared.shown_arguments
    return Observation(
        name=prepared.call.name,
        arguments=arguments if isinstance(arguments, str) else dumps(arguments),
        content=result.digest if isinstance(result, Result) else digest_of(answer.text),
        failed=answer.failed,
        moved=_moved(result),
    )


def _halted(state: RunState, tool: Tool, value: object) -> Answer:
    if isinstance(value, FinalAnswer):
        answer = _shown(state, tool, value.value)
        state.final_text = answer.text
        state.parsed = None if state.settings.output is None else _parse(state, value.value)
        return replace(answer, stop=RunStop(StopReason.COMPLETED))
    answer = _shown(state, tool, value)
    return replace(answer, stop=RunStop(StopReason.HALTED, f"{tool.name} ended the run"))


def _parse(state: RunState, value: object) -> object:
    output = state.settings.output
    return None if output is None else output.parse(value)


def _shown(state: RunState, tool: Tool, value: object) -> Answer:
    if isinstance(value, Result):
        return answer_result(state, value)
    try:
        plain = freeze(state.redactor.redact(to_jsonable_python(value)))
    except (InvalidInput, PydanticSerializationError) as exc:
        return answer_error(state, tool.name, InvalidInput(f"its result is no JSON: {exc}"), tool)
    text = plain if isinstance(plain, str) else dumps(plain)
    text = state.spill.fit(tool.name, text)
    error = _error_of(plain)
    return Answer(text=text, result=plain, status="ok" if error is None else "error", error=error)


def _error_of(value: object) -> str | None:
    """A mapping with a truthy ``error`` says by itself that the call failed."""
    if not isinstance(value, Mapping):
        return None
    error = cast("Mapping[str, object]", value).get("error")
    if not error:
        return None
    return error if isinstance(error, str) else dumps(error)


def _stop_of(result: Result) -> RunStop | None:
    if result.error_code == ErrorCode.RECORDING_MISS:
        return RunStop(StopReason.RECORDING_MISS, result.error_message or "")
    if result.error_code == ErrorCode.BROWSER_DISCONNECTED:
        return RunStop(StopReason.BROWSER_ERROR, result.error_message or "")
    return None


def _moved(result: object) -> bool | None:
    if not isinstance(result, Result) or not isinstance(result.data, FrozenMapping):
        return None
    if result.status is not Status.OK or "changed" not in result.data:
        return None
    return bool(result.data["changed"]) or any(result.data.get(key) for key in _NOTHING_NEW)
