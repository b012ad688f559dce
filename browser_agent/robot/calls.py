"""The tool calls of one turn, in the order of the model: asked for, executed, recorded, answered.

Every call gets an answer. What stops the run is raised after the call that caused it was recorded.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import cast

from browser_agent._freeze import thaw
from browser_agent.errors import RecordingError, ToolError, ToolLoopError
from browser_agent.records.codes import Effect, ErrorCode, Status
from browser_agent.records.events import ToolCallStarted, Warned
from browser_agent.records.ids import new_operation_id
from browser_agent.records.message import ToolCallMessage
from browser_agent.records.model import ModelReply
from browser_agent.records.result import Result
from browser_agent.records.run_parts import StopReason
from browser_agent.robot.answer import (
    Answer,
    answer_error,
    answer_result,
    answer_value,
    observe_answer,
    refuse,
)
from browser_agent.robot.approvals import ask_approval
from browser_agent.robot.hooks import ToolCallContext
from browser_agent.robot.prepare import PreparedCall, find_repeated_unknown, prepare_call
from browser_agent.robot.record import (
    Clock,
    announced_arguments,
    is_result,
    note_outcome,
    record_call,
)
from browser_agent.robot.state import RunState, RunStop
from browser_agent.robot.stream import call_back
from browser_agent.tools.spill import READ_MORE
from browser_agent.tools.tool import Tool


async def answer_calls(state: RunState, reply: ModelReply) -> None:
    """Answer every call of a reply, or raise RunStop behind the last one that was answered."""
    prepared = [prepare_call(call, state.tools) for call in reply.tool_calls]
    state.say(
        ToolCallMessage(
            content=reply.text or None,
            tools=tuple(one.message for one in prepared),
            reasoning=reply.reasoning,
        )
    )
    first = len(state.messages)
    for one in prepared:
        _check_rounds(state)
        await _answer_one(state, one)
    _fit_turn(state, first)


def _check_rounds(state: RunState) -> None:
    limit = state.settings.limits.max_tool_rounds
    if len(state.calls) >= limit:
        raise RunStop(StopReason.MAX_TOOL_ROUNDS, ToolLoopError.exceeded(limit).message)


async def _answer_one(state: RunState, prepared: PreparedCall) -> None:
    clock = Clock.start()
    try:
        answer = await _carry_out(state, prepared)
    except asyncio.CancelledError:
        record_call(state, prepared, _interrupted(state, prepared), clock)
        raise
    record = record_call(state, prepared, answer, clock)
    if state.settings.on_tool_result is not None:
        await call_back(state.settings.on_tool_result, record)
    if answer.stop is not None:
        raise answer.stop
    _guard(state, prepared, answer)


async def _carry_out(state: RunState, prepared: PreparedCall) -> Answer:
    name, tool = prepared.call.name, prepared.tool
    if tool is None or prepared.problem is not None:
        return refuse(name[:64], prepared.problem or "", code=prepared.code)
    repeated = find_repeated_unknown(prepared, state.calls, state.results)
    if repeated is not None:
        return refuse(name, repeated, code=ErrorCode.OUTCOME_UNKNOWN.value)
    refusal = await ask_approval(state, prepared, tool)
    return await _execute(state, prepared, tool) if refusal is None else refusal


async def _execute(state: RunState, prepared: PreparedCall, tool: Tool) -> Answer:
    """Run the handler inside the hooks. A hook's own exception ends the run, a tool's is told."""
    started = state.events.emit(
        ToolCallStarted,
        call_id=prepared.call.id,
        name=tool.name,
        arguments=announced_arguments(state, prepared),
    )
    if state.settings.on_tool_call is not None:
        await call_back(state.settings.on_tool_call, started)
    raised: list[Exception] = []

    async def core(inner: ToolCallContext) -> None:
        try:
            value = await _run_handler(state, tool, inner.arguments)
        except Exception as exc:
            note_outcome(state, tool, error=exc)
            raised.append(exc)
            raise
        note_outcome(state, tool, value=value)
        inner.answer(value)

    context = ToolCallContext(
        run_id=state.id,
        robot_name=state.settings.name,
        turn=state.turns,
        call=prepared.call,
        arguments=cast("dict[str, object]", thaw(prepared.arguments)),
    )
    try:
        await state.hooks.around("tool_call", context, core)
    except RecordingError as exc:
        return replace(
            answer_error(state, tool.name, exc, tool),
            stop=RunStop(StopReason.RECORDING_MISS, state.redact(exc.message)),
        )
    except Exception as exc:
        if exc not in raised:
            raise
        return answer_error(state, tool.name, exc, tool)
    if not context.has_result:
        return refuse(tool.name, "the operator's hook blocked it", code="approval_denied")
    return answer_value(state, tool, context.result)


async def _run_handler(state: RunState, tool: Tool, arguments: dict[str, object]) -> object:
    limit = asyncio.timeout(tool.timeout_s)
    try:
        async with limit:
            return await tool.handler(arguments, state.context)
    except TimeoutError:
        if not limit.expired():
            raise
    doubt = "; it may have taken effect" if tool.side_effect else ""
    raise ToolError(f"timed out after {tool.timeout_s:g} s{doubt}", retryable=tool.retryable)


def _interrupted(state: RunState, prepared: PreparedCall) -> Answer:
    """The run was stopped while the call was under way: what acts may have taken effect."""
    tool = prepared.tool
    if tool is None or not tool.side_effect:
        return refuse(prepared.call.name, "the run was stopped meanwhile", code="cancelled")
    result = Result.failure(
        Status.UNKNOWN,
        code=ErrorCode.CANCELLED,
        message="The run was stopped while this action was under way; it may have taken effect.",
        operation_id=new_operation_id(),
        effect=Effect.DISPATCHED,
    )
    return answer_result(state, result)


def _guard(state: RunState, prepared: PreparedCall, answer: Answer) -> None:
    verdict = state.guard.observe(observe_answer(prepared, answer))
    if verdict is None:
        return
    if verdict.kind == "stop":
        raise RunStop(StopReason.NO_PROGRESS, verdict.message)
    last = state.messages[-1]
    state.amend(-1, f"{last.text}\n\n\u26a0\ufe0f {verdict.message}")
    state.events.emit(Warned, message=verdict.message)


def _fit_turn(state: RunState, first: int) -> None:
    """Bound what the own tools of a robot show in one turn; browser Results are bounded already."""
    answered = state.calls[first - len(state.messages) :]
    own = [index - len(answered) for index, call in enumerate(answered) if not is_result(call)]
    shown = [(answered[index].name, state.messages[index].text) for index in own]
    for index, text in zip(own, state.spill.fit_turn(shown), strict=True):
        if text != state.messages[index].text:
            state.amend(index, text)
    if state.spill.has_kept and READ_MORE.name not in state.tools:
        state.tools = state.tools.add(READ_MORE)
