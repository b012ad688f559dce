"""Budgets: what may be spent, what is reserved, what was spent; and estimates before a call.

A call reserves its estimate first, then settles with what it really cost. Refusal comes before
the call. Safe under threads and concurrent runs; share a Budget by passing the same object. Owns
arithmetic only: no clock, no model.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

from browser_agent.errors import BudgetExceeded, InvalidInput

_NANO = 1_000_000_000
"""Dollars are kept as whole nano-dollars, so that sums are exact."""


@dataclass(frozen=True, slots=True, eq=False)
class Reservation:
    """What one call may spend. Settled exactly once, by reconcile or release."""

    tokens: int
    nano_usd: int


class Budget:
    """What a robot may spend over all its runs, in tokens and US dollars; None means no limit.

    ``allow_unknown_cost`` lets models run whose price nobody knows; their calls count no dollars.
    """

    def __init__(
        self,
        tokens: int | None = None,
        cost_usd: float | None = None,
        allow_unknown_cost: bool = False,
    ) -> None:
        for name, value in (("tokens", tokens), ("cost_usd", cost_usd)):
            if value is not None and not (_is_number(value) and 0 <= value < math.inf):
                raise InvalidInput(f"{name} of a Budget must be a number that is not negative")
        if tokens is not None and int(tokens) != tokens:
            raise InvalidInput("tokens of a Budget must be a whole number")
        self.allow_unknown_cost = allow_unknown_cost
        self._tokens = None if tokens is None else int(tokens)
        self._nano = None if cost_usd is None else _to_nano(cost_usd)
        self._used_tokens = self._used_nano = 0
        self._open: set[Reservation] = set()
        self._lock = threading.Lock()

    @property
    def tokens(self) -> int | None:
        """The limit in tokens."""
        return self._tokens

    @property
    def cost_usd(self) -> float | None:
        """The limit in US dollars."""
        return None if self._nano is None else self._nano / _NANO

    @property
    def used_tokens(self) -> int:
        """Tokens spent so far, reservations not counted."""
        return self._used_tokens

    @property
    def used_cost_usd(self) -> float:
        """Dollars spent so far, reservations not counted."""
        return self._used_nano / _NANO

    @property
    def remaining_tokens(self) -> int | None:
        """Tokens neither spent nor reserved, at least 0; None without a limit."""
        if self._tokens is None:
            return None
        with self._lock:
            return max(0, self._tokens - self._used_tokens - self._reserved_tokens())

    @property
    def remaining_cost_usd(self) -> float | None:
        """Dollars neither spent nor reserved, at least 0; None without a limit."""
        if self._nano is None:
            return None
        with self._lock:
            return max(0, self._nano - self._used_nano - self._reserved_nano()) / _NANO

    def reserve(self, *, tokens: int, cost_usd: float | None = 0.0) -> Reservation:
        """Set aside an estimate, at least one token; BudgetExceeded when it does not fit.

        ``cost_usd`` None: nobody knows the price; admitted while any dollars are left. The
        error's ``code`` is ``budget_tokens`` or ``budget_cost``.
        """
        wanted = Reservation(max(1, tokens), _to_nano(cost_usd or 0.0))
        with self._lock:
            self._check_tokens(wanted)
            self._check_cost(wanted, free=cost_usd == 0)
            self._open.add(wanted)
        return wanted

    def _check_tokens(self, wanted: Reservation) -> None:
        total = self._used_tokens + self._reserved_tokens() + wanted.tokens
        if self._tokens is not None and total > self._tokens:
            raise _refusal("tokens", total, self._tokens)

    def _check_cost(self, wanted: Reservation, *, free: bool) -> None:
        if self._nano is None or free:
            return
        total = self._used_nano + self._reserved_nano() + max(1, wanted.nano_usd)
        if total > self._nano:
            raise _refusal("cost", total / _NANO, self._nano / _NANO)

    def reconcile(
        self, reservation: Reservation, *, tokens: int | None, cost_usd: float | None
    ) -> None:
        """Settle with what was really spent; None counts what was reserved."""
        with self._lock:
            self._close(reservation)
            self._used_tokens += reservation.tokens if tokens is None else max(0, tokens)
            self._used_nano += reservation.nano_usd if cost_usd is None else _to_nano(cost_usd)

    def release(self, reservation: Reservation) -> None:
        """Give a reservation back: the call was never made."""
        with self._lock:
            self._close(reservation)

    def check_overspent(self) -> None:
        """Raise BudgetExceeded when more was spent than the limit; ``code`` as in reserve."""
        with self._lock:
            tokens, nano = self._used_tokens, self._used_nano
        if self._tokens is not None and tokens > self._tokens:
            raise BudgetExceeded(
                f"Token budget exceeded: {tokens} tokens used, budget is {self._tokens}",
                code="budget_tokens",
            )
        if self._nano is not None and nano > self._nano:
            raise BudgetExceeded(
                f"Cost budget exceeded: ${nano / _NANO:.6f} used,"
                f" budget is ${self._nano / _NANO:.6f}",
                code="budget_cost",
            )

    def _close(self, reservation: Reservation) -> None:
        if reservation not in self._open:
            raise InvalidInput("a reservation is settled exactly once, by the budget that made it")
        self._open.remove(reservation)

    def _reserved_tokens(self) -> int:
        return sum(item.tokens for item in self._open)

    def _reserved_nano(self) -> int:
        return sum(item.nano_usd for item in self._open)

    def __repr__(self) -> str:
        return (
            f"Budget(tokens={self._tokens}, cost_usd={self.cost_usd},"
            f" used_tokens={self._used_tokens}, used_cost_usd={self.used_cost_usd})"
        )


def _refusal(dimension: str, wanted: float, limit: float) -> BudgetExceeded:
    return BudgetExceeded(
        f"budget exceeded for {dimension}: {_show(wanted)} > {_show(limit)}",
        code=f"budget_{dimension}",
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _to_nano(dollars: float) -> int:
    return max(0, round(dollars * _NANO))


def _show(value: float) -> str:
    if value == int(value):
        return str(int(value))
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return text if float(text) else f"{value:g}"
