from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser_agent.errors import BudgetExceeded, InvalidInput
from browser_agent.logic.budget import Budget, Reservation
from browser_agent.logic.estimate import (
    CallPlan,
    Observed,
    cost_of_plan,
    estimate_input,
    fit_price,
    observe,
    plan_output,
    request_bytes,
)
from browser_agent.records.model import ModelPrice, ModelRequest, Usage


def test_a_reservation_that_does_not_fit_is_refused_with_its_estimate() -> None:
    budget = Budget(cost_usd=0.5)
    with pytest.raises(BudgetExceeded, match=r"^budget exceeded for cost: 0\.62 > 0\.5$") as caught:
        budget.reserve(tokens=1, cost_usd=0.62)
    assert caught.value.code == "budget_cost"
    tokens = Budget(tokens=1000)
    with pytest.raises(BudgetExceeded, match=r"^budget exceeded for tokens: 1200 > 1000$"):
        tokens.reserve(tokens=1200)


def test_reserve_reconcile_release_account_for_every_token() -> None:
    budget = Budget(tokens=100)
    first = budget.reserve(tokens=60)
    assert budget.remaining_tokens == 40
    with pytest.raises(BudgetExceeded):
        budget.reserve(tokens=41)
    budget.reconcile(first, tokens=30, cost_usd=None)
    assert (budget.used_tokens, budget.remaining_tokens) == (30, 70)
    second = budget.reserve(tokens=70)
    budget.release(second)
    assert budget.remaining_tokens == 70


def test_a_spent_budget_admits_not_even_an_empty_call() -> None:
    budget = Budget(tokens=10)
    budget.reconcile(budget.reserve(tokens=10), tokens=10, cost_usd=None)
    with pytest.raises(BudgetExceeded, match="tokens: 11 > 10"):
        budget.reserve(tokens=0)


def test_what_was_spent_is_unknown_then_the_whole_reservation_counts() -> None:
    budget = Budget(tokens=100, cost_usd=1)
    budget.reconcile(budget.reserve(tokens=40, cost_usd=0.25), tokens=None, cost_usd=None)
    assert (budget.used_tokens, budget.used_cost_usd) == (40, 0.25)


def test_an_unknown_price_is_admitted_only_while_dollars_are_left() -> None:
    budget = Budget(cost_usd=0.1)
    call = budget.reserve(tokens=5, cost_usd=None)
    budget.reconcile(call, tokens=5, cost_usd=0.1)
    with pytest.raises(BudgetExceeded, match="cost"):
        budget.reserve(tokens=5, cost_usd=None)


def test_a_free_model_runs_under_a_budget_of_no_dollars() -> None:
    budget = Budget(cost_usd=0)
    budget.reconcile(budget.reserve(tokens=5, cost_usd=0.0), tokens=5, cost_usd=0.0)
    with pytest.raises(BudgetExceeded):
        budget.reserve(tokens=5, cost_usd=0.000001)


def test_overspending_is_told_in_the_contracts_words() -> None:
    tokens = Budget(tokens=1000)
    tokens.reconcile(tokens.reserve(tokens=10), tokens=1200, cost_usd=None)
    with pytest.raises(
        BudgetExceeded, match=r"^Token budget exceeded: 1200 tokens used, budget is 1000$"
    ):
        tokens.check_overspent()
    cost = Budget(cost_usd=0.5)
    cost.reconcile(cost.reserve(tokens=1, cost_usd=0.1), tokens=1, cost_usd=0.5231)
    with pytest.raises(
        BudgetExceeded, match=r"^Cost budget exceeded: \$0\.523100 used, budget is \$0\.500000$"
    ):
        cost.check_overspent()
    Budget().check_overspent()


def test_a_budget_shows_what_is_left_to_people() -> None:
    assert repr(Budget(tokens=5)) == (
        "Budget(tokens=5, cost_usd=None, used_tokens=0, used_cost_usd=0.0)"
    )
    assert Budget().remaining_tokens is None
    assert Budget().remaining_cost_usd is None
    assert Budget(cost_usd=0.25).remaining_cost_usd == 0.25


def test_a_reservation_is_settled_once_and_by_its_own_budget() -> None:
    budget = Budget(tokens=10)
    call = budget.reserve(tokens=1)
    budget.release(call)
    for settle in (
        lambda: budget.release(call),
        lambda: budget.reconcile(call, tokens=1, cost_usd=None),
        lambda: Budget().release(Reservation(1, 0)),
    ):
        with pytest.raises(InvalidInput):
            settle()


@pytest.mark.parametrize(
    "wrong",
    [
        {"tokens": -1},
        {"cost_usd": -0.1},
        {"tokens": True},
        {"tokens": 1.5},
        {"cost_usd": float("nan")},
        {"cost_usd": float("inf")},
        {"tokens": "10"},
    ],
    ids=str,
)
def test_a_budget_refuses_what_is_no_amount(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Budget(**wrong)


Schedule = st.lists(st.tuples(st.integers(0, 400), st.floats(0, 0.4), st.booleans()), max_size=40)


@given(st.integers(0, 1000), st.floats(0, 1), Schedule)
@settings(max_examples=200)
def test_calls_within_their_reservation_never_overspend(
    tokens: int, dollars: float, schedule: list[tuple[int, float, bool]]
) -> None:
    budget = Budget(tokens=tokens, cost_usd=dollars)
    held: list[Reservation] = []
    for wanted, cost, settle_late in schedule:
        try:
            held.append(budget.reserve(tokens=wanted, cost_usd=cost))
        except BudgetExceeded:
            continue
        if not settle_late:
            call = held.pop()
            budget.reconcile(call, tokens=call.tokens, cost_usd=cost)
    for call in held:
        budget.reconcile(call, tokens=None, cost_usd=None)
    budget.check_overspent()
    assert budget.used_tokens <= tokens
    assert budget.used_cost_usd <= dollars + 1e-9


def test_threads_that_share_a_budget_never_overspend_it() -> None:
    budget = Budget(tokens=1000)
    start = threading.Barrier(8)

    def spend(_: int) -> int:
        start.wait()
        spent = 0
        while True:
            try:
                call = budget.reserve(tokens=7)
            except BudgetExceeded:
                return spent
            budget.reconcile(call, tokens=7, cost_usd=None)
            spent += 7

    with ThreadPoolExecutor(8) as pool:
        spent = sum(pool.map(spend, range(8)))
    assert spent == budget.used_tokens
    assert 1000 - 7 < spent <= 1000


def test_an_estimate_is_no_less_than_what_such_a_call_took_before() -> None:
    assert estimate_input(300, None) == 100
    seen = observe(None, 300, Usage(input_tokens=500))
    assert seen == Observed(request_bytes=300, input_tokens=500)
    assert estimate_input(300, seen) == 500
    assert estimate_input(400, seen) == 550
    assert estimate_input(9000, seen) == 4850
    assert observe(seen, 10, Usage(input_tokens=3)) is seen
    assert observe(seen, 10, Usage()) is seen


def test_output_is_bounded_by_what_remains_but_not_below_use() -> None:
    assert plan_output(input_tokens=100, wanted=None, remaining_tokens=None).tokens == 4196
    assert plan_output(input_tokens=100, wanted=50, remaining_tokens=120).output_tokens == 20
    assert plan_output(input_tokens=100, wanted=None, remaining_tokens=50).output_tokens == 16
    assert plan_output(input_tokens=1, wanted=4, remaining_tokens=0).output_tokens == 4


@given(st.integers(0, 5000), st.integers(1, 8000), st.floats(0, 1))
def test_the_largest_output_that_can_be_paid_is_chosen(
    input_tokens: int, output: int, left: float
) -> None:
    price = ModelPrice(input_usd=1e-6, output_usd=1e-4)
    plan = fit_price(CallPlan(input_tokens=input_tokens, output_tokens=output), price, left)
    least = min(output, 16)
    assert least <= plan.output_tokens <= output
    if cost_of_plan(plan, price) > left + 1e-9:
        assert plan.output_tokens == least
    elif plan.output_tokens < output:
        more = CallPlan(input_tokens=input_tokens, output_tokens=plan.output_tokens + 1)
        assert cost_of_plan(more, price) > left - 1e-9


def test_without_a_dollar_limit_or_a_price_the_plan_stays() -> None:
    plan = CallPlan(input_tokens=1, output_tokens=100)
    assert fit_price(plan, ModelPrice(input_usd=1, output_usd=1), None) is plan
    assert fit_price(plan, ModelPrice(input_usd=0, output_usd=0), 0.0) is plan


def test_the_size_of_a_request_counts_messages_tools_and_schema() -> None:
    message = {"role": "user", "content": "hé"}
    alone = request_bytes(ModelRequest(messages=(message,)))
    assert alone == len('{"role":"user","content":"hé"}'.encode())
    more = ModelRequest(messages=(message,), tools=({"a": 1},), output_schema={"b": 2})
    assert request_bytes(more) == alone + 14
