"""What a run may spend on model calls: planned before each call, settled after it.

Two ledgers take part in every call, the run's own limits and the robot's Budget. Owns the
arithmetic of one run; it makes no call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from browser_agent.errors import BudgetExceeded, ConfigurationError
from browser_agent.logic.budget import Budget, Reservation
from browser_agent.logic.estimate import (
    CallPlan,
    Observed,
    cost_of_plan,
    estimate_input,
    fit_price,
    observe,
    plan_output,
    reply_tokens,
    request_bytes,
)
from browser_agent.ports import Model, PricedModel
from browser_agent.records.limits import RunLimits
from browser_agent.records.model import ModelReply, ModelRequest, Usage

_TRIES = 3
"""Other runs may take from a shared budget between looking and reserving."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """A request that is paid for: its reservations are open until it is settled."""

    request: ModelRequest
    plan: CallPlan
    size_bytes: int
    reservations: tuple[tuple[Budget, Reservation], ...]


class Spend:
    """The ledgers of one run. BudgetExceeded comes before a call, or after one that overran."""

    def __init__(self, limits: RunLimits, budget: Budget, model: Model) -> None:
        own = Budget(limits.max_tokens, limits.max_cost_usd, budget.allow_unknown_cost)
        self._ledgers = (own, budget)
        self._price = model.price() if isinstance(model, PricedModel) else None
        self._observed: Observed | None = None
        self._dearest: float | None = None
        if isinstance(model, PricedModel) and self._price is None:
            self._check_price_needed()

    def plan(self, request: ModelRequest) -> PlannedCall:
        """Reserve what the call may take, its output bounded by what is left."""
        size = request_bytes(request)
        refused: BudgetExceeded | None = None
        for _ in range(_TRIES):
            plan = self._plan_once(request, size)
            try:
                reservations = self._reserve(plan)
            except BudgetExceeded as exc:
                refused = exc
                continue
            bounded = replace(request, max_output_tokens=self._bound(request, plan))
            return PlannedCall(
                request=bounded, plan=plan, size_bytes=size, reservations=reservations
            )
        raise refused or BudgetExceeded("budget exceeded")

    def settle(self, call: PlannedCall, reply: ModelReply) -> Usage:
        """Count what the call really took; gives the usage with its cost where it is known.

        Tokens that the provider did not tell are judged from the sizes of request and reply.
        """
        usage = reply.usage
        cost = usage.cost_usd
        if cost is None and self._price is not None:
            cost = self._price.cost_of(usage)
        tokens = _known(usage.input_tokens, call.plan.input_tokens)
        tokens += _known(usage.output_tokens, reply_tokens(reply))
        for ledger, reservation in call.reservations:
            ledger.reconcile(reservation, tokens=tokens, cost_usd=cost)
        self._observed = observe(self._observed, call.size_bytes, usage)
        if cost is not None:
            self._dearest = max(cost, self._dearest or 0.0)
        return replace(usage, cost_usd=cost)

    def check(self, usage: Usage) -> None:
        """Raise BudgetExceeded when a limit is overrun, or when dollars cannot be counted."""
        for ledger in self._ledgers:
            ledger.check_overspent()
            if ledger.cost_usd is not None and not ledger.allow_unknown_cost and _cost_less(usage):
                raise BudgetExceeded(
                    "the model did not say what its call cost: give it a price or set"
                    " allow_unknown_cost",
                    code="budget_cost",
                )

    def fail(self, call: PlannedCall) -> None:
        """Count a call that gave no reply: all that was reserved may have been spent."""
        cost = None if self._price is None else cost_of_plan(call.plan, self._price)
        for ledger, reservation in call.reservations:
            ledger.reconcile(reservation, tokens=call.plan.tokens, cost_usd=cost)

    def release(self, call: PlannedCall) -> None:
        """The call was never made."""
        for ledger, reservation in call.reservations:
            ledger.release(reservation)

    def _plan_once(self, request: ModelRequest, size: int) -> CallPlan:
        wanted = request.max_output_tokens or request.settings.max_output_tokens
        tokens = [left for ledger in self._ledgers if (left := ledger.remaining_tokens) is not None]
        plan = plan_output(
            input_tokens=estimate_input(size, self._observed),
            wanted=wanted,
            remaining_tokens=min(tokens, default=None),
        )
        dollars = [
            left for ledger in self._ledgers if (left := ledger.remaining_cost_usd) is not None
        ]
        return (
            plan
            if self._price is None
            else fit_price(plan, self._price, min(dollars, default=None))
        )

    def _reserve(self, plan: CallPlan) -> tuple[tuple[Budget, Reservation], ...]:
        held: list[tuple[Budget, Reservation]] = []
        try:
            for ledger in self._ledgers:
                cost = self._cost_of(plan, ledger)
                held.append((ledger, ledger.reserve(tokens=plan.tokens, cost_usd=cost)))
        except BudgetExceeded:
            for ledger, reservation in held:
                ledger.release(reservation)
            raise
        return tuple(held)

    def _cost_of(self, plan: CallPlan, ledger: Budget) -> float | None:
        if self._price is not None:
            return cost_of_plan(plan, self._price)
        return 0.0 if ledger.allow_unknown_cost else self._dearest

    def _bound(self, request: ModelRequest, plan: CallPlan) -> int | None:
        """Ask for a bounded output only where somebody set a bound."""
        limited = any(
            ledger.tokens is not None or ledger.cost_usd is not None for ledger in self._ledgers
        )
        wanted = request.max_output_tokens or request.settings.max_output_tokens
        return plan.output_tokens if limited else wanted

    def _check_price_needed(self) -> None:
        if any(
            ledger.cost_usd is not None and not ledger.allow_unknown_cost
            for ledger in self._ledgers
        ):
            raise ConfigurationError(
                "the price of this model is not known, so a budget in dollars cannot hold:"
                " give the model a price or set allow_unknown_cost"
            )


def _known(told: int | None, judged: int) -> int:
    return judged if told is None else told


def _cost_less(usage: Usage) -> bool:
    return usage.cost_usd is None
