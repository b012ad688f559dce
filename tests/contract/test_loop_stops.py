"""Every way in which a run ends: what was gathered is there, and the robot can be used at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from browser_agent._json import loads
from browser_agent.errors import (
    BrowserError,
    BudgetExceeded,
    ConfigurationError,
    InferenceError,
    RecordingError,
    RunStopped,
    ToolLoopError,
)
from browser_agent.logic.history import check_conversation
from browser_agent.logic.loop_guard import STALE_CALLS
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.approval import Approval, ApprovalRequest
from browser_agent.records.limits import RunLimits
from browser_agent.records.model import ModelReply, ToolCall, Usage
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.records.run_parts import StopReason
from browser_agent.robot.robot import Robot
from browser_agent.store.verify import verify_run
from browser_agent.tools.tool import Halt, Tool, ToolContext, tool

pytestmark = pytest.mark.anyio

CALL = [("look", {"at": 1})]
MANY = [("look", {"at": n}) for n in range(1, 21)]


@tool
def look(at: int) -> Result:
    """Look at a page."""
    return Result.ok({"text": f"page {at} says {at * 7}"}, operation_id=f"op_{at}")


@tool
def same() -> Result:
    """Give the same page always."""
    return Result.ok({"text": "nothing new"})


@tool
def fail() -> str:
    """Fail always."""
    raise ValueError("no")


@tool(raise_on_error=True)
def fatal() -> str:
    """Fail for good."""
    raise ValueError("no")


@tool(side_effect=True)
def act() -> Result:
    """Act."""
    return Result.ok({"changed": True}, effect="acknowledged")


@tool
def lost() -> Result:
    """Lose the browser."""
    return Result.failure("error", code="browser_disconnected")


@tool
def missing() -> Result:
    """Miss in a recording."""
    return Result.failure("error", code="recording_miss", message="no such page")


@tool
def submit() -> object:
    """Submit."""
    return Halt("submitted")


class Waits:
    """A model that never answers; ``waiting`` is set when it was asked."""

    def __init__(self) -> None:
        self.waiting = asyncio.Event()
        self.calls = 0

    async def complete(self, request: object) -> ModelReply:
        self.calls += 1
        if self.calls == 1:
            return ModelReply(tool_calls=(ToolCall(id="1", name="look", arguments='{"at": 1}'),))
        self.waiting.set()
        await asyncio.Event().wait()
        raise AssertionError("never")


class NoSession:
    """A browser that cannot open a session."""

    closing = None

    def session(self, **_: object) -> Any:
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[None]:
        raise BrowserError("the browser is gone")
        yield


def spent(**usage: Any) -> ModelReply:
    calls = (ToolCall(id="", name="look", arguments='{"at": 1}'),)
    return ModelReply(tool_calls=calls, usage=Usage(**usage))


def ended(finish_reason: str) -> ModelReply:
    return ModelReply(text="as far as it", finish_reason=finish_reason)


async def deny(_: ApprovalRequest) -> bool:
    return False


STOPS: dict[StopReason, tuple[list[Any], dict[str, Any]]] = {
    StopReason.COMPLETED: ([CALL, "done"], {}),
    StopReason.MAX_TURNS: ([CALL, CALL], {"limits": RunLimits(max_turns=2)}),
    StopReason.MAX_TOOL_ROUNDS: ([MANY], {"limits": RunLimits(max_tool_rounds=10)}),
    StopReason.BUDGET_TOKENS: (
        [spent(input_tokens=1100, output_tokens=100)],
        {"limits": RunLimits(max_tokens=1000)},
    ),
    StopReason.BUDGET_COST: (
        [spent(cost_usd=0.3), spent(cost_usd=0.2)],
        {"limits": RunLimits(max_cost_usd=0.5)},
    ),
    StopReason.BUDGET_BYTES: ([MANY], {"limits": RunLimits(max_results_bytes=700)}),
    StopReason.NO_PROGRESS: ([[("same", {})]] * 6, {}),
    StopReason.HALTED: ([CALL, [("submit", {})]], {}),
    StopReason.APPROVAL_PENDING: (
        [CALL, [("act", {}), ("look", {"at": 2})]],
        {"approve": lambda _: "pending"},  # pyright: ignore[reportUnknownLambdaType] - any request
    ),
    StopReason.OUTPUT_INVALID: ([CALL, "", "  ", ModelReply()], {}),
    StopReason.RECORDING_MISS: ([CALL, [("missing", {})]], {}),
    StopReason.REFUSED: ([CALL, ended("refusal")], {}),
    StopReason.CONTENT_FILTER: ([CALL, ended("content_filter")], {}),
    StopReason.LENGTH: ([CALL, ended("length")], {}),
    StopReason.TOOL_ERROR: ([CALL, [("fatal", {}), ("look", {"at": 2})]], {}),
    StopReason.BROWSER_ERROR: ([CALL, [("lost", {})]], {}),
}
STATUS = {
    StopReason.COMPLETED: "ok",
    **dict.fromkeys(
        ["refused", "content_filter", "browser_error", "tool_error", "recording_miss"], "error"
    ),
}
TOOLS = [look, same, fail, fatal, act, lost, missing, submit]


def robot(script: list[Any], **settings: Any) -> Robot:
    given: dict[str, Any] = {"tools": TOOLS, **settings}
    return Robot("scout", model=ScriptedModel(script), **given)


@pytest.mark.parametrize("reason", STOPS, ids=str)
async def test_whatever_ends_a_run_its_result_holds_all_and_the_robot_goes_on(
    reason: StopReason,
) -> None:
    script, settings = STOPS[reason]
    one = robot(script, **settings)
    result = await one.run("Find out.")
    assert result.stop_reason is reason
    assert result.status == STATUS.get(reason, "truncated")
    assert result.finished_naturally is (reason is StopReason.COMPLETED)
    if reason is not StopReason.BUDGET_TOKENS:
        assert len(result.results) >= 1
        assert len(result.tool_calls) >= 1
    assert len(result.reasoning_per_turn) == result.turns_used
    check_conversation([m for m in result.messages if m.role != "system"])
    check_conversation(one.messages)
    assert RobotResult.from_dict(result.to_dict()) == result
    again = one.fork(model=ScriptedModel(["I go on."]), limits=None)
    assert (await again.run("Go on.")).reply == "I go on."


@pytest.mark.parametrize(
    ("reason", "error", "says"),
    [
        (
            StopReason.MAX_TOOL_ROUNDS,
            ToolLoopError,
            r"^Circuit breaker triggered: 11 tool calls exceeded max_tool_rounds \(10\)$",
        ),
        (
            StopReason.BUDGET_TOKENS,
            BudgetExceeded,
            "^Token budget exceeded: 1200 tokens used, budget is 1000$",
        ),
        (StopReason.BUDGET_COST, BudgetExceeded, r"^budget exceeded for cost: 0\.6 > 0\.5$"),
        (StopReason.HALTED, RunStopped, "submit"),
        (StopReason.MAX_TURNS, RunStopped, "2 turns"),
    ],
    ids=str,
)
async def test_an_early_stop_raises_when_asked_to(
    reason: StopReason, error: type[Exception], says: str
) -> None:
    script, settings = STOPS[reason]
    with pytest.raises(error, match=says) as caught:
        await robot(script, **settings).run("Find out.", raise_on_stop=True)
    assert isinstance(caught.value, ToolLoopError | BudgetExceeded | RunStopped)
    assert isinstance(caught.value.result, RobotResult)
    assert caught.value.result.stop_reason is reason


async def test_the_call_after_the_last_allowed_is_not_executed() -> None:
    script, settings = STOPS[StopReason.MAX_TOOL_ROUNDS]
    result = await robot(script, **settings).run("Find out.")
    assert len(result.tool_calls) == 10
    texts = [m.text for m in result.messages if m.is_tool_result]
    assert len(texts) == 20
    assert texts[10:] == ["Not executed: the run stopped (max_tool_rounds)."] * 10


async def test_two_hundred_calls_in_one_turn_end_at_the_limit() -> None:
    result = await robot([[("look", {"at": n}) for n in range(200)]]).run("Find out.")
    assert (result.stop_reason, len(result.tool_calls)) == ("max_tool_rounds", 60)
    check_conversation([m for m in result.messages if m.role != "system"])


async def test_loops_are_warned_about_before_they_stop_the_run() -> None:
    warned: list[str] = []

    def heed(request: Any) -> str:
        warned.append(str(request.messages[-1]["content"]))
        return "Then I stop."

    script: list[Any] = [[("same", {})]] * 3
    result = await robot([*script, heed]).run("Look.")
    assert result.stop_reason == "completed"
    assert "The same call gave the same result 3 times" in warned[0]


async def test_failures_and_standing_still_end_a_run_too() -> None:
    failing: list[Any] = [[("fail", {})], [("look", {"at": "x"})], [("gone", {})]] * 4
    result = await robot(failing).run("Try.")
    assert (result.stop_reason, len(result.tool_errors)) == ("no_progress", 10)

    @tool
    def scroll(amount: int) -> Result:
        """Scroll."""
        return Result.ok({"changed": False, "navigated": False}, locator={"amount": amount})

    scrolling = [[("scroll", {"amount": n})] for n in range(2 * STALE_CALLS)]
    result = await robot(scrolling, tools=[scroll]).run("Scroll.")
    assert (result.stop_reason, result.turns_used) == ("no_progress", 2 * STALE_CALLS)


async def test_the_wall_clock_ends_a_run_with_what_was_gathered() -> None:
    one = Robot("r", model=Waits(), tools=TOOLS, limits=RunLimits(max_time_s=0.2))
    async with asyncio.timeout(10):
        result = await one.run("Wait.")
    assert (result.stop_reason, result.status) == ("budget_time", "truncated")
    assert len(result.results) == 1


async def test_a_model_and_tools_that_never_wait_do_not_outlive_the_deadline() -> None:
    class Busy:
        async def complete(self, request: object) -> ModelReply:
            return ModelReply(tool_calls=(ToolCall(id="", name="count", arguments="{}"),))

    numbers = iter(range(10**9))

    async def count(_: dict[str, object], __: ToolContext) -> object:
        return next(numbers)

    counting = Tool(
        name="count", description="Count.", parameters={"type": "object"}, handler=count
    )
    limits = RunLimits(max_time_s=0.2, max_turns=10**9, max_tool_rounds=10**9)
    one = Robot("r", model=Busy(), tools=[counting], limits=limits)
    async with asyncio.timeout(10):
        assert (await one.run("Count.")).stop_reason == "budget_time"


async def test_cancel_stops_every_run_under_way_with_its_result() -> None:
    model = Waits()
    one = Robot("r", model=model, tools=TOOLS)
    run = asyncio.create_task(one.run("Wait."))
    async with asyncio.timeout(10):
        await model.waiting.wait()
        one.cancel()
        result = await run
    assert (result.stop_reason, result.status, len(result.results)) == ("cancelled", "error", 1)
    one.cancel()


async def test_cancel_works_from_another_thread() -> None:
    model = Waits()
    one = Robot("r", model=model, tools=TOOLS)
    run = asyncio.create_task(one.run("Wait."))
    async with asyncio.timeout(10):
        await model.waiting.wait()
        await asyncio.to_thread(one.cancel)
        assert (await run).stop_reason == "cancelled"


async def test_cancelling_the_task_propagates_and_writes_the_result_first(tmp_path: Path) -> None:
    model = Waits()
    one = Robot("r", model=model, tools=TOOLS)
    kept: list[RobotResult] = []

    class Watch:
        def on_error_run(self, context: Any) -> None:
            kept.append(context.error)

    run = asyncio.create_task(one.run("Wait.", hooks=[Watch()], run_dir=tmp_path / "run"))
    async with asyncio.timeout(10):
        await model.waiting.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    assert isinstance(kept[0], asyncio.CancelledError)
    written = loads((tmp_path / "run" / "result.json").read_text())
    assert isinstance(written, dict)
    assert written["stop_reason"] == "cancelled"
    assert verify_run(tmp_path / "run").ok


async def test_an_action_that_was_cut_off_is_unknown_and_said_so() -> None:
    begun = asyncio.Event()

    async def pay(_: dict[str, object], __: ToolContext) -> object:
        begun.set()
        await asyncio.Event().wait()
        return None

    paying = Tool(
        name="pay",
        description="Pay.",
        parameters={"type": "object"},
        handler=pay,
        side_effect=True,
    )
    limits = RunLimits(max_time_s=0.2)
    one = robot([[("pay", {}), ("look", {"at": 1})]], tools=[paying, look], limits=limits)
    async with asyncio.timeout(10):
        result = await one.run("Pay.")
    assert (result.stop_reason, result.status) == ("budget_time", "unknown")
    (record,) = result.tool_calls
    assert (record.status, result.results[0].effect) == ("unknown", "dispatched")
    check_conversation([m for m in result.messages if m.role != "system"])


async def test_a_look_that_was_cut_off_is_no_doubt_about_the_world() -> None:
    async def gaze(_: dict[str, object], __: ToolContext) -> object:
        await asyncio.Event().wait()
        return None

    gazing = Tool(name="gaze", description="Gaze.", parameters={"type": "object"}, handler=gaze)
    limits = RunLimits(max_time_s=0.1)
    one = robot([[("gaze", {})]], tools=[gazing], limits=limits)
    async with asyncio.timeout(10):
        result = await one.run("Gaze.")
    assert (result.stop_reason, result.status) == ("budget_time", "truncated")
    assert (result.tool_calls[0].status, result.results) == ("error", ())


@tool(side_effect=True)
def buy(item: str) -> Result:
    """Buy."""
    return Result.failure(
        "unknown", code="outcome_unknown", operation_id=f"op_{item}", effect="dispatched"
    )


@tool
def verify(operation: str) -> Result:
    """Verify."""
    return Result.ok({"evidence": ["the order is there"], "settles": operation})


async def test_an_action_of_unknown_outcome_is_not_repeated_until_it_is_verified() -> None:
    again = [("buy", {"item": "soap"})]
    script = [
        again,
        again,
        [("buy", {"item": "rice"})],
        [("verify", {"operation": "op_soap"})],
        again,
        "x",
    ]
    result = await robot(script, tools=[buy, verify]).run("Buy.")
    assert [call.status for call in result.tool_calls] == [
        "unknown",
        "error",
        "unknown",
        "ok",
        "unknown",
    ]
    assert "outcome_unknown" in (result.tool_calls[1].error or "")
    assert "browser_verify(operation='op_soap')" in (result.tool_calls[1].error or "")
    assert result.status == "unknown"
    settled = [[("buy", {"item": "soap"})], [("verify", {"operation": "op_soap"})], "bought"]
    assert (await robot(settled, tools=[buy, verify]).run("Buy.")).status == "ok"


async def test_approvals_allow_deny_or_wait() -> None:
    asked: list[ApprovalRequest] = []

    def ask(request: ApprovalRequest) -> str:
        asked.append(request)
        return "allow"

    script: list[Any] = [[("act", {}), ("look", {"at": 1})], "done"]
    result = await robot(script, approve=ask).run("Act.")
    assert [(a.tool, a.robot_name) for a in asked] == [("act", "scout")]
    assert result.results[0].is_ok
    result = await robot(script, approve=deny).run("Act.")
    assert result.results[0].error_code == "approval_denied"
    assert result.results[0].effect == "not_dispatched"
    assert result.tool_calls[0].status == "error"
    result = await robot(script[:1], approve=lambda _: Approval.PENDING).run("Act.")  # pyright: ignore[reportUnknownLambdaType] - any request
    assert result.stop_reason == "approval_pending"
    assert [call.name for call in result.tool_calls] == ["act"]


async def test_a_model_that_fails_raises_with_everything_attached() -> None:
    with pytest.raises(InferenceError, match="overloaded") as caught:
        await robot([CALL, InferenceError("the provider is overloaded")]).run("Find out.")
    result = caught.value.result
    assert isinstance(result, RobotResult)
    assert (result.stop_reason, result.status) == ("model_error", "error")
    assert len(result.results) == 1
    assert result.turns_used == len(result.reasoning_per_turn)


async def test_what_else_a_model_raises_becomes_an_inference_error_without_its_context() -> None:
    secret = "sk-ant-api03-" + "a1B2c3D4" * 12
    with pytest.raises(InferenceError) as caught:
        await robot([ValueError(f"no {secret}")]).run("Find out.")
    assert secret not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


async def test_a_model_that_does_not_answer_in_time_is_an_inference_error() -> None:
    one = Robot("r", model=Waits(), tools=TOOLS, limits=RunLimits(model_timeout_s=0.05))
    async with asyncio.timeout(10):
        with pytest.raises(InferenceError, match=r"did not answer within 0\.05 s"):
            await one.run("Wait.")


async def test_a_recording_that_misses_a_reply_stops_the_run() -> None:
    result = await robot([CALL, RecordingError("no such request")]).run("Replay.")
    assert (result.stop_reason, len(result.results)) == ("recording_miss", 1)


async def test_a_browser_that_cannot_open_a_session_is_a_stop() -> None:
    one = Robot("r", model=ScriptedModel([]), browser=NoSession(), tools=[])  # pyright: ignore[reportArgumentType] - only opens
    result = await one.run("Look.")
    assert (result.stop_reason, result.status, result.turns_used) == ("browser_error", "error", 0)


async def test_hooks_end_a_run_when_they_raise_and_block_or_answer_calls() -> None:
    class Refuse:
        def before_tool_call(self, _: Any) -> None:
            raise PermissionError("not today")

    with pytest.raises(PermissionError):
        await robot([CALL]).run("Find out.", hooks=[Refuse()])

    class Block:
        async def around_tool_call(self, context: Any, call_next: Any) -> None:
            if context.arguments["at"] == 1:
                context.answer("from a hook")
            elif context.arguments["at"] == 2:
                await call_next()

    script = [[("look", {"at": 1}), ("look", {"at": 2}), ("look", {"at": 3})], "done"]
    result = await robot(script, hooks=[Block()]).run("Find out.")
    assert [call.status for call in result.tool_calls] == ["ok", "ok", "error"]
    assert result.tool_calls[0].result == "from a hook"
    assert "blocked" in (result.tool_calls[2].error or "")

    class Rewrite:
        def before_run(self, context: Any) -> None:
            context.task = "Another task."

    assert (await robot(["hi"]).run("A task.", hooks=[Rewrite()])).task == "Another task."

    class Never:
        async def around_run(self, _: Any, __: Any) -> None:
            return None

    with pytest.raises(ConfigurationError, match="never ran"):
        await robot([]).run("Find out.", hooks=[Never()])
