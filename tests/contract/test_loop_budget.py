"""No run ever spends above its cap, alone or with others on one Budget."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from browser_agent.errors import BudgetExceeded, ConfigurationError, InferenceError
from browser_agent.logic.budget import Budget
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.limits import RunLimits
from browser_agent.records.model import (
    ModelPrice,
    ModelReply,
    ModelRequest,
    ModelSettings,
    ToolCall,
    Usage,
)
from browser_agent.records.run import RobotResult
from browser_agent.robot.robot import Robot
from browser_agent.tools.tool import tool

numbers = iter(range(10**9))


@tool
def look(size: int) -> str:
    """Look."""
    return f"{next(numbers)} " + "word " * size


@dataclass
class Priced:
    """A model with a price: it takes what the request is worth and writes within its bound.

    ``plan`` says for each call how much it wants to write, and how it ends.
    """

    plan: list[tuple[int, str]]
    rate: ModelPrice | None = field(
        default_factory=lambda: ModelPrice(input_usd=2e-6, output_usd=1e-5)
    )
    spent: list[float] = field(default_factory=list[float])
    tokens: int = 0
    most: int = 0

    def price(self) -> ModelPrice | None:
        return self.rate

    async def complete(self, request: ModelRequest) -> ModelReply:
        wanted, ending = self.plan[len(self.spent) % len(self.plan)]
        usage = self._spend(request, wanted)
        await asyncio.sleep(0)
        if ending == "fail":
            raise InferenceError("the provider failed after the call was made")
        if ending == "hang":
            await asyncio.Event().wait()
        if ending == "answer":
            return ModelReply(text="done", usage=usage)
        arguments = json.dumps({"size": wanted % 50})
        call = ToolCall(id="", name="look", arguments=arguments)
        return ModelReply(tool_calls=(call,), usage=usage)

    def _spend(self, request: ModelRequest, wanted: int) -> Usage:
        size = len(json.dumps([*map(dict, request.messages)], default=dict))
        used = Usage(
            input_tokens=size // 4, output_tokens=min(wanted, request.max_output_tokens or wanted)
        )
        cost = (self.rate or ModelPrice(input_usd=0, output_usd=0)).cost_of(used) or 0.0
        total = (used.input_tokens or 0) + (used.output_tokens or 0)
        self.spent.append(cost)
        self.tokens += total
        self.most = max(self.most, total)
        return used


Plans = st.lists(
    st.tuples(st.integers(1, 3000), st.sampled_from(["call"] * 6 + ["answer", "fail", "hang"])),
    min_size=1,
    max_size=5,
)
PROPERTY = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MANY = settings(PROPERTY, max_examples=500)


async def attempt(robot: Robot) -> RobotResult | None:
    """The result of a run, whatever came out of it."""
    try:
        return await robot.run("Go.")
    except (BudgetExceeded, InferenceError) as exc:
        return exc.result if isinstance(exc.result, RobotResult) else None


def build(model: Priced, budget: Budget, **limits: Any) -> Robot:
    run_limits = RunLimits(model_timeout_s=0.005, max_turns=4, **limits)
    return Robot("r", model=model, tools=[look], budget=budget, limits=run_limits)


async def spend_concurrently(plans: list[list[tuple[int, str]]], budget: Budget) -> list[Priced]:
    models = [Priced(plan) for plan in plans]
    robots = [build(model, budget) for model in models]
    async with asyncio.timeout(60):
        await asyncio.gather(*(attempt(robot) for robot in (*robots, robots[0])))
    return models


def check_schedule(plans: list[list[tuple[int, str]]], dollars: float, tokens: int) -> None:
    budget = Budget(tokens=tokens, cost_usd=dollars)
    models = asyncio.run(spend_concurrently(plans, budget))
    assert sum(sum(model.spent) for model in models) <= dollars + 1e-9
    assert sum(model.tokens for model in models) <= tokens
    assert budget.used_tokens <= tokens
    assert budget.remaining_tokens == tokens - budget.used_tokens, "nothing stays reserved"


@given(st.lists(Plans, min_size=1, max_size=3), st.floats(0, 0.05), st.integers(0, 20_000))
@PROPERTY
def test_runs_that_share_a_budget_never_spend_above_it(
    plans: list[list[tuple[int, str]]], dollars: float, tokens: int
) -> None:
    check_schedule(plans, dollars, tokens)


@pytest.mark.long
def test_runs_that_share_a_budget_never_spend_above_it_in_five_hundred_schedules(
    long_run: bool,
) -> None:
    @given(st.lists(Plans, min_size=1, max_size=4), st.floats(0, 0.1), st.integers(0, 40_000))
    @(MANY if long_run else settings(PROPERTY, max_examples=20))
    def check(plans: list[list[tuple[int, str]]], dollars: float, tokens: int) -> None:
        check_schedule(plans, dollars, tokens)

    check()


@given(Plans, st.floats(0, 0.02))
@settings(PROPERTY, max_examples=60)
def test_a_run_never_spends_above_its_own_limit(
    plan: list[tuple[int, str]], dollars: float
) -> None:
    model = Priced(plan)
    robot = build(model, Budget(), max_cost_usd=dollars)
    result = asyncio.run(attempt(robot))
    assert sum(model.spent) <= dollars + 1e-9
    assert result is not None
    if result.usage.cost_usd is not None:
        assert result.usage.cost_usd <= sum(model.spent) + 1e-9


@pytest.mark.anyio
async def test_a_budget_that_is_too_small_refuses_before_anything_is_done() -> None:
    model = Priced([(10, "answer")])
    robot = build(model, Budget(cost_usd=0.000001))
    with pytest.raises(
        BudgetExceeded, match=r"^budget exceeded for cost: [\d.e-]+ > 0\.000001$"
    ) as caught:
        await robot.run("Go.")
    assert model.spent == []
    assert isinstance(caught.value.result, RobotResult)
    assert (caught.value.result.stop_reason, caught.value.result.turns_used) == ("budget_cost", 0)
    tokens = build(model, Budget(tokens=3))
    with pytest.raises(BudgetExceeded, match=r"^budget exceeded for tokens: \d+ > 3$"):
        await tokens.run("Go.")
    assert model.spent == []


@pytest.mark.anyio
async def test_a_budget_lasts_over_runs_and_robots() -> None:
    budget = Budget(tokens=1000)
    first = Robot(
        "a",
        model=ScriptedModel(["hi"], usage=Usage(input_tokens=600, output_tokens=100)),
        tools=[],
        budget=budget,
    )
    assert (await first.run("Hello.")).stop_reason == "completed"
    assert budget.used_tokens == 700
    second = first.fork(
        name="b", model=ScriptedModel(["hi"], usage=Usage(input_tokens=600, output_tokens=0))
    )
    result = await second.run("Hello again.")
    assert (result.stop_reason, result.reply) == ("budget_tokens", "hi")
    assert budget.used_tokens == 1300
    with pytest.raises(BudgetExceeded):
        await first.run("And again.")


@pytest.mark.anyio
async def test_the_output_of_a_call_is_bounded_by_what_is_left() -> None:
    model = ScriptedModel(["hi"], usage=Usage(input_tokens=10, output_tokens=10))
    settings_ = ModelSettings(max_output_tokens=500)
    robot = Robot("r", model=model, tools=[], budget=Budget(tokens=300), model_settings=settings_)
    await robot.run("Hello.")
    bound = model.requests[0].max_output_tokens
    assert bound is not None
    assert 200 < bound < 300
    free = ScriptedModel(["hi"])
    await Robot("r", model=free, tools=[], model_settings=settings_).run("Hello.")
    assert free.requests[0].max_output_tokens == 500
    open_ended = ScriptedModel(["hi"])
    await Robot("r", model=open_ended, tools=[]).run("Hello.")
    assert open_ended.requests[0].max_output_tokens is None


@pytest.mark.anyio
async def test_unknown_prices_need_a_price_or_a_permission() -> None:
    nameless = Priced([(10, "answer")], rate=None)
    with pytest.raises(ConfigurationError, match="price"):
        await build(nameless, Budget(cost_usd=1)).run("Go.")
    assert nameless.spent == []
    allowed = build(nameless, Budget(cost_usd=1, allow_unknown_cost=True))
    assert (await allowed.run("Go.")).stop_reason == "completed"
    silent = Robot("r", model=ScriptedModel(["hi"]), tools=[], budget=Budget(cost_usd=1))
    result = await silent.run("Go.")
    assert (result.stop_reason, result.reply) == ("budget_cost", "hi")


@pytest.mark.anyio
async def test_calls_that_fail_or_never_end_are_counted() -> None:
    for ending in ("fail", "hang"):
        model = Priced([(100, ending)])
        budget = Budget(tokens=50_000, cost_usd=10)
        with pytest.raises(InferenceError):
            await build(model, budget).run("Go.")
        assert budget.used_tokens > 0
        assert budget.used_cost_usd > 0


@pytest.mark.anyio
async def test_a_call_that_a_hook_answers_costs_nothing() -> None:
    class Canned:
        async def around_model_call(self, context: Any, _: Any) -> None:
            context.reply = ModelReply(text="canned", usage=Usage(input_tokens=10**6))

    budget = Budget(tokens=50_000)
    robot = build(Priced([(1, "answer")]), budget)
    result = await robot.run("Go.", hooks=[Canned()])
    assert (result.reply, budget.used_tokens, result.usage) == ("canned", 0, Usage())
