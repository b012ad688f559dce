"""The loop of a run: ask the model, answer its calls, until something ends it.

Data flows one way: a reply comes in, calls are answered in order, records grow. The one way out is
:class:`RunStop`, raised where the reason is known and caught by the caller.
"""

from __future__ import annotations

import asyncio
from typing import NoReturn

from browser_agent.records.run_parts import StopReason
from browser_agent.robot.calls import answer_calls
from browser_agent.robot.judge import judge_reply
from browser_agent.robot.state import RunState, RunStop
from browser_agent.robot.turn import ask_model


async def run_turns(state: RunState) -> NoReturn:
    """Take turns until RunStop."""
    while True:
        await _take_turn(state)
        await asyncio.sleep(0)  # a model and tools that never wait must not outlive the deadline


async def _take_turn(state: RunState) -> None:
    limit = state.settings.limits.max_turns
    if state.turns >= limit:
        raise RunStop(StopReason.MAX_TURNS, f"no answer after {limit} turns")
    reply = await ask_model(state)
    if not reply.tool_calls:
        judge_reply(state, reply)
        return
    await answer_calls(state, reply)
    state.repairs.pop("empty", None)
