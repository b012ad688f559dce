"""What an operator is asked before an action, and what the answer may be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from browser_agent._freeze import FrozenMapping
from browser_agent.errors import InvalidInput


class Approval(StrEnum):
    """An operator's answer. ``pending``: nobody can answer now, so the run stops and waits."""

    ALLOW = "allow"
    DENY = "deny"
    PENDING = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A call that acts on the world and waits for a yes. ``arguments`` are redacted."""

    tool: str
    arguments: FrozenMapping
    run_id: str = ""
    robot_name: str = ""
    reason: str = ""
    destructive: bool = False


Approve: TypeAlias = Callable[
    [ApprovalRequest], "bool | str | Approval | Awaitable[bool | str | Approval]"
]
"""Asked for each action; answers True, False or an :class:`Approval`, at once or later."""


def parse_approval(answer: object) -> Approval:
    """True means allow, False deny; words as in :class:`Approval`; else InvalidInput."""
    if isinstance(answer, bool):
        return Approval.ALLOW if answer else Approval.DENY
    if isinstance(answer, str):
        try:
            return Approval(answer)
        except ValueError:
            pass
    raise InvalidInput("approve must answer True, False, 'allow', 'deny' or 'pending'")
