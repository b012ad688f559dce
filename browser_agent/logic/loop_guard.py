"""Guards against runs that go nowhere: repeated calls, no new content, failure after failure.

Each guard warns once, in words that the model sees, and stops the run when the warning did not
help. Names, arguments and what came back count together, so paging through a list is no loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from browser_agent._digest import digest_of

THRESHOLD = 3
"""A cycle repeated this often is a loop."""
MAX_PERIOD = 10
"""Cycles of up to this many calls are looked for."""
STALE_CALLS = 8
"""Calls in a row that brought nothing new before the warning, and again before the stop."""
FAILED_CALLS = 5
"""Failed calls in a row before the warning, and again before the stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One finished call: ``content`` is the digest of what it showed, ``moved`` whether it is
    known to have changed something (None: not said).
    """

    name: str
    arguments: str
    content: str
    failed: bool = False
    moved: bool | None = None

    @property
    def signature(self) -> str:
        """One word for the whole call."""
        return digest_of([self.name, self.arguments, self.content])


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a guard found: ``kind`` warn or stop, and a sentence for the model and the log."""

    kind: Literal["warn", "stop"]
    message: str


def find_cycle(
    signatures: list[str], *, threshold: int = THRESHOLD, max_period: int = MAX_PERIOD
) -> int | None:
    """The shortest period whose last ``threshold`` repetitions end the list, or None."""
    for period in range(1, min(max_period, len(signatures) // threshold) + 1):
        tail = signatures[-period * threshold :]
        if all(tail[index] == tail[index % period] for index in range(len(tail))):
            return period
    return None


@dataclass(slots=True)
class LoopGuard:
    """The guards of one run; :meth:`observe` is told of every call in order."""

    threshold: int = THRESHOLD
    _signatures: list[str] = field(default_factory=list[str])
    _seen: set[str] = field(default_factory=set[str])
    _stale: int = 0
    _failures: int = 0
    _warned: set[str] = field(default_factory=set[str])

    def observe(self, call: Observation) -> Verdict | None:
        """What to do after this call; None for nothing."""
        self._signatures.append(call.signature)
        self._count(call)
        return self._cycle() or self._failed() or self._stuck()

    def _count(self, call: Observation) -> None:
        new = call.content not in self._seen and call.moved is not False and not call.failed
        self._seen.add(call.content)
        self._stale = 0 if new else self._stale + 1
        self._failures = self._failures + 1 if call.failed else 0
        if new:
            self._warned.clear()

    def _cycle(self) -> Verdict | None:
        period = find_cycle(self._signatures, threshold=self.threshold)
        if period is None:
            return None
        self._signatures.clear()
        what = "The same call" if period == 1 else f"The same {period} calls"
        return self._judge(
            "cycle",
            f"{what} gave the same result {self.threshold} times. Repeating will not help:"
            " try another way, or give your answer with what you have.",
        )

    def _failed(self) -> Verdict | None:
        if not self._failures or self._failures % FAILED_CALLS:
            return None
        return self._judge(
            "failures",
            f"{self._failures} calls in a row failed. Try another way, or give your answer with"
            " what you have.",
        )

    def _stuck(self) -> Verdict | None:
        if not self._stale or self._stale % STALE_CALLS:
            return None
        return self._judge(
            "stale",
            f"The last {self._stale} calls brought nothing new. Give your answer with what you"
            " have, or look elsewhere.",
        )

    def _judge(self, guard: str, message: str) -> Verdict:
        if guard in self._warned:
            return Verdict("stop", message)
        self._warned.add(guard)
        return Verdict("warn", message)
