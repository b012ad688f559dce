"""One model call: room made, paid for, hooked, streamed, bounded in time, and its reply checked.

Gives a reply that the loop can rely on: ids are unique, text is a string or None. Whatever a model
raises becomes one typed error here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

from browser_agent._freeze import repair
from browser_agent.errors import BrowserAgentError, BudgetExceeded, InferenceError, RecordingError
from browser_agent.ports import DescribedModel, StreamingModel
from browser_agent.records.events import Compacted, TurnEnded, TurnStarted, UsageUpdated
from browser_agent.records.message import TextMessage
from browser_agent.records.model import ModelDelta, ModelReply, ModelRequest, ToolCall
from browser_agent.records.run_parts import StopReason
from browser_agent.robot.compaction import make_room, size_of
from browser_agent.robot.hooks import CompactionContext, ModelCallContext
from browser_agent.robot.spend import PlannedCall
from browser_agent.robot.state import RunState, RunStop

MAX_CALLS = 1_000
"""More tool calls in one reply are cut off; the limit of calls of a run stops it long before."""


async def ask_model(state: RunState) -> ModelReply:
    """Make the next model call and note what came back."""
    await _make_room(state)
    call = _plan(state)
    state.turns += 1
    state.events.turn = state.turns
    state.reasoning.append(None)
    state.events.emit(TurnStarted)
    reply = await _exchange(state, call)
    _note(state, reply)
    _check_spent(state, reply)
    return reply


def _plan(state: RunState) -> PlannedCall:
    try:
        return state.spend.plan(_build_request(state))
    except BudgetExceeded as exc:
        raise RunStop(StopReason(exc.code), exc.message) from None


def _build_request(state: RunState) -> ModelRequest:
    settings = state.settings
    system = [{"role": "system", "content": state.system}] if state.system else []
    said = [message.to_openai() for message in state.view]
    schema = None if settings.output is None else settings.output.schema
    return ModelRequest(
        messages=(*system, *said),
        tools=tuple(tool.to_openai() for tool in state.tools),
        output_schema=schema if state.native_schema else None,
        max_output_tokens=settings.model_settings.max_output_tokens,
        settings=settings.model_settings,
        results=tuple(state.results),
    )


async def _exchange(state: RunState, call: PlannedCall) -> ModelReply:
    """Ask through the hooks, and settle the reservation whatever happens."""
    context = ModelCallContext(
        run_id=state.id, robot_name=state.settings.name, turn=state.turns, request=call.request
    )
    asked = False

    async def core(inner: ModelCallContext) -> None:
        nonlocal asked
        asked = True
        inner.reply = await _ask(state, inner.request)

    gave_reply = False
    try:
        await state.hooks.around("model_call", context, core)
        reply = _checked(context.reply, state)
        gave_reply = True
    except RecordingError as exc:
        raise RunStop(StopReason.RECORDING_MISS, state.redact(exc.message)) from None
    finally:
        if not asked:
            state.spend.release(call)
        elif not gave_reply:
            state.spend.fail(call)
    return _settle(state, call, reply) if asked else reply


def _settle(state: RunState, call: PlannedCall, reply: ModelReply) -> ModelReply:
    usage = state.spend.settle(call, reply)
    state.usage += usage
    state.events.emit(UsageUpdated, usage=usage, total=state.usage)
    return replace(reply, usage=usage)


async def _ask(state: RunState, request: ModelRequest) -> ModelReply:
    failure: BrowserAgentError
    limit_s = state.settings.limits.model_timeout_s
    try:
        async with asyncio.timeout(limit_s):
            return await _complete(state, request)
    except TimeoutError:
        failure = InferenceError(f"the model did not answer within {limit_s:g} s")
    except (AssertionError, BudgetExceeded):
        raise
    except BrowserAgentError as exc:
        failure = exc
    except Exception as exc:  # noqa: BLE001 - the boundary to models of others
        text = state.redact(f"{type(exc).__name__}: {exc}")
        failure = InferenceError(f"the model failed with {text}"[:2000])
    # outside of the handler, so that no context carries what the provider raised
    raise failure


async def _complete(state: RunState, request: ModelRequest) -> ModelReply:
    model = state.model
    if not (state.events.is_watched and isinstance(model, StreamingModel)):
        return await model.complete(request)
    reply: ModelReply | None = None
    pieces = model.stream(request)
    try:
        async for piece in pieces:
            if isinstance(piece, ModelDelta):
                await state.events.emit_piece(piece)
            else:
                reply = piece
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()
    if reply is None:
        raise InferenceError("the model's stream ended without a reply")
    await state.events.end_pieces()
    return reply


def _checked(reply: object, state: RunState) -> ModelReply:
    """A reply with texts that can be written and calls whose ids are unique in the conversation."""
    if not isinstance(reply, ModelReply):
        raise InferenceError(f"the model gave {type(reply).__name__} and no ModelReply")
    calls: list[ToolCall] = []
    for index, call in enumerate((reply.tool_calls or ())[:MAX_CALLS], start=1):
        if not isinstance(call, ToolCall):  # pyright: ignore[reportUnnecessaryIsInstance] - models of users
            raise InferenceError(f"the model gave {type(call).__name__} and no ToolCall")
        fresh = call.id if call.id and call.id not in state.ids else f"call_{state.turns}_{index}"
        state.ids.add(fresh)
        arguments = repair(call.arguments) if _is_text(call.arguments) else call.arguments
        calls.append(replace(call, id=fresh, name=repair(str(call.name)), arguments=arguments))
    return replace(
        reply,
        tool_calls=tuple(calls),
        text=None if reply.text is None else repair(str(reply.text)),
        reasoning=repair(reply.reasoning) if reply.reasoning else None,
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _note(state: RunState, reply: ModelReply) -> None:
    state.last = reply
    reasoning = None if reply.reasoning is None else state.redact(reply.reasoning)
    state.reasoning[-1] = reasoning
    state.events.emit(
        TurnEnded,
        text=None if reply.text is None else state.redact(reply.text),
        reasoning=reasoning,
        tools=tuple(call.name for call in reply.tool_calls),
        finish_reason=reply.finish_reason,
    )
    _keep_text(state, reply)


def _keep_text(state: RunState, reply: ModelReply) -> None:
    """A reply without calls is said at once: whatever comes next, it was the last word."""
    if reply.tool_calls or not (reply.text or "").strip():
        return
    state.final_text = reply.text
    state.say(
        TextMessage(
            role="assistant", content=reply.text, stop_reason="stop", reasoning=reply.reasoning
        )
    )


def _check_spent(state: RunState, reply: ModelReply) -> None:
    try:
        state.spend.check(reply.usage)
    except BudgetExceeded as exc:
        raise RunStop(StopReason(exc.code), exc.message) from None


async def _make_room(state: RunState) -> None:
    """Shorten the conversation when it comes near the model's window."""
    model, settings = state.settings.model, state.settings.compaction
    window = model.context_window() if isinstance(model, DescribedModel) else None
    limit = settings.limit_bytes(window)
    before = tuple(state.view)
    if limit is None or size_of(before) <= limit:
        return
    context = CompactionContext(
        run_id=state.id, robot_name=state.settings.name, turn=state.turns, messages_before=before
    )

    async def core(inner: CompactionContext) -> None:
        if inner.messages_after is None:
            pinned = state.messages[0]
            inner.messages_after = await make_room(before, limit, settings, pinned=pinned)

    await state.hooks.around("compaction", context, core)
    after = context.messages_after or before
    state.view = list(after)
    state.events.emit(Compacted, before=len(before), after=len(after))
