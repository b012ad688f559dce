"""A robot with a model behind real HTTP: whatever a provider does, the run ends in a typed way."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
import stamina

from browser_agent.errors import BudgetExceeded, InferenceError
from browser_agent.logic.budget import Budget
from browser_agent.logic.history import check_conversation
from browser_agent.models.litellm_model import LiteLLMModel
from browser_agent.records.events import RunEnded, TextDelta
from browser_agent.records.limits import RunLimits
from browser_agent.records.model import ModelPrice
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.robot.robot import Robot
from browser_agent.testing.openai_server import (
    Answer,
    Call,
    Entry,
    Failure,
    OpenAIServer,
    Raw,
    Stall,
)
from browser_agent.tools.tool import tool

pytestmark = pytest.mark.anyio

KEY = "sk-test-0123456789abcdef"
QUOTE = "The old mill of Rowan was closed for good in 1962."


@tool
def look(at: str) -> Result:
    """Look at a page."""
    return Result.ok({"text": QUOTE}, final_url=at)


LOOK = Call(name="look", arguments='{"at": "https://mill.example/"}')


@pytest.fixture(autouse=True)
def fast_retries() -> Iterator[None]:
    """Backoff without waiting."""
    with stamina.set_testing(True, attempts=2, cap=True):
        yield


@contextlib.asynccontextmanager
async def served(
    *script: Entry, model: dict[str, Any] | None = None, **settings: Any
) -> AsyncGenerator[tuple[Robot, OpenAIServer]]:
    async with OpenAIServer.serve(script, api_key=KEY) as server:
        given: dict[str, Any] = {"api_base": server.base_url, "api_key": KEY, **(model or {})}
        inner = LiteLLMModel("openai/test-model", **given)
        try:
            yield Robot("r", model=inner, tools=[look], **settings), server
        finally:
            await inner.aclose()


async def test_tools_are_called_and_the_answer_streams_over_http() -> None:
    final = Answer(text=f'It closed in 1962 [1].\n[1] R1 "{QUOTE}"')
    async with served(Answer(text="Let me look.", calls=(LOOK,), reasoning="Hm."), final) as (
        robot,
        server,
    ):
        events = [event async for event in robot.stream("When did it close?")]
        sent: Any = server.calls[1]["messages"]
    last = events[-1]
    assert isinstance(last, RunEnded)
    result = last.result
    assert (result.status, result.citations[0].verified) == ("ok", True)
    assert result.reasoning_per_turn == ("Hm.", None)
    assert result.usage.input_tokens == 22
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text == f"Let me look.{final.text}"
    assert [message["role"] for message in sent] == ["user", "assistant", "tool"]
    assert sent[2]["tool_call_id"] == sent[1]["tool_calls"][0]["id"]


ENDS: list[tuple[str, list[Entry], str]] = [
    ("refusal", [Answer(refusal="I will not.")] * 2, "refused"),
    ("content filter", [Answer(text="", finish_reason="content_filter")], "content_filter"),
    ("length", [Answer(text="It closed in", finish_reason="length")], "length"),
    ("empty", [Answer(text="")] * 9, "output_invalid"),
    ("blanks", [Answer(text=" \n" * 2000)] * 9, "output_invalid"),
]


@pytest.mark.parametrize(("script", "reason"), [e[1:] for e in ENDS], ids=[e[0] for e in ENDS])
async def test_ends_that_a_provider_gives_are_stops(script: list[Entry], reason: str) -> None:
    async with served(Answer(calls=(LOOK,)), *script) as (robot, _):
        result = await robot.run("When did it close?")
    assert result.stop_reason == reason
    assert len(result.results) == 1


FAULTS: list[tuple[str, Entry]] = [
    ("429", Failure(status=429, message="slow down", headers={"retry-after": "0"})),
    ("500", Failure(status=500, message="oops")),
    ("401", Failure(status=401, message="bad key")),
    ("garbage", Raw(body="<html>not a model</html>")),
    ("no choices", Raw(body='{"id": "x", "object": "chat.completion", "choices": []}')),
    ("cut stream", Answer(text="It closed in the year of", hang_up_after=2)),
    ("stall", Stall()),
]


@pytest.mark.parametrize("fault", [f[1] for f in FAULTS], ids=[f[0] for f in FAULTS])
async def test_a_fault_that_lasts_raises_with_what_was_gathered(fault: Entry) -> None:
    model = {"timeout_s": 1.0} if isinstance(fault, Stall) else {}
    async with (
        asyncio.timeout(60),
        served(Answer(calls=(LOOK,)), *[fault] * 6, model=model) as (robot, server),
    ):
        with pytest.raises(InferenceError) as caught:
            await robot.run("When did it close?")
        assert len(server.calls) <= 7
    assert KEY not in str(caught.value)
    result = caught.value.result
    assert isinstance(result, RobotResult)
    assert (result.stop_reason, len(result.results)) == ("model_error", 1)
    check_conversation([m for m in result.messages if m.role != "system"])


BROKEN = [
    Call(name="look", arguments='{"at": "https://mill.exam'),
    Call(name="look", arguments=""),
    Call(name="look", arguments="null"),
    Call(name="Look_at", arguments="{}"),
    Call(name="", arguments="{}"),
]


@pytest.mark.parametrize("call", BROKEN, ids=["cut", "nothing", "null", "unknown", "nameless"])
async def test_broken_calls_are_told_and_the_run_goes_on(call: Call) -> None:
    script = [Answer(calls=(call,)), Answer(calls=(LOOK,)), Answer(text="Closed.")]
    async with served(*script) as (robot, server):
        result = await robot.run("When did it close?")
        told: Any = server.calls[-1]["messages"]
    assert result.reply == "Closed."
    assert len(result.results) == 1, "the broken call was never made"
    assert len(result.tool_errors) <= 1
    assert all(isinstance(message["content"], str) for message in told)


async def test_a_priced_model_is_stopped_before_the_call_that_would_cross_the_cap() -> None:
    price = ModelPrice(input_usd=0.001, output_usd=0.001)
    script = [Answer(calls=(LOOK,))] * 20
    async with served(
        *script,
        model={"price": price},
        limits=RunLimits(max_cost_usd=1.0),
    ) as (robot, server):
        result = await robot.run("When did it close?")
        calls = len(server.calls)
    assert result.stop_reason == "budget_cost"
    assert 1 <= calls < 20
    assert result.usage.cost_usd == pytest.approx(calls * 18 * 0.001)
    assert calls * 18 * 0.001 <= 1.0
    async with served(Answer(text="x"), model={"price": price}, budget=Budget(cost_usd=0.01)) as (
        robot,
        server,
    ):
        with pytest.raises(BudgetExceeded, match=r"budget exceeded for cost: [\d.]+ > 0\.01"):
            await robot.run("When did it close?")
        assert server.calls == ()


async def test_leaving_a_stream_early_ends_the_call_and_the_robot_serves_on() -> None:
    async with served(Stall(), Answer(text="Hello.")) as (robot, server):
        async with asyncio.timeout(30):
            events = robot.stream("Wait.")
            async for event in events:
                if event.kind == "turn_started":
                    await server.wait_for_call()
                    break
            await events.aclose()
            assert (await robot.run("Hello?")).reply == "Hello."
