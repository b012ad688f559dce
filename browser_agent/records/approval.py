"""Rules for actions, what an operator is asked before one, and what the answer may be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from browser_agent._freeze import FrozenMapping
from browser_agent.errors import ConfigurationError, InvalidInput


class Approval(StrEnum):
    """An operator's answer. ``pending``: nobody can answer now, so the run stops and waits."""

    ALLOW = "allow"
    DENY = "deny"
    PENDING = "pending"


class Ruling(StrEnum):
    """What a policy says of an action. ``ask``: somebody must say yes; nobody there means no."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Purpose(StrEnum):
    """What an action is for, as far as its tool and its element tell."""

    SUBMIT = "submit"
    PAYMENT = "payment"
    DELETE = "delete"
    UPLOAD = "upload"
    DOWNLOAD = "download"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRule:
    """What to do with actions that fit all that is given; what is None fits every action.

    ``tool`` is a name, or a beginning and ``*``; ``origin`` is where the action would go.
    ``tainted``: an argument came from the page of another origin.
    """

    ruling: Ruling
    tool: str | None = None
    origin: str | None = None
    purpose: Purpose | None = None
    tainted: bool | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "ruling", Ruling(self.ruling))
            if self.purpose is not None:
                object.__setattr__(self, "purpose", Purpose(self.purpose))
        except ValueError as exc:
            raise ConfigurationError(f"a rule for actions: {exc}") from None


CAREFUL = (
    ActionRule(ruling=Ruling.ASK, purpose=Purpose.PAYMENT),
    ActionRule(ruling=Ruling.ASK, purpose=Purpose.DELETE),
    ActionRule(ruling=Ruling.ASK, tainted=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionPolicy:
    """Rules in order: the first one that fits decides, else ``default``.

    Without rules of one's own it asks before payments, deletions and tainted arguments.
    """

    rules: tuple[ActionRule, ...] = CAREFUL
    default: Ruling = Ruling.ALLOW

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "default", Ruling(self.default))
        except ValueError as exc:
            raise ConfigurationError(f"the default of an action policy: {exc}") from None
        object.__setattr__(self, "rules", tuple(self.rules))
        if not all(isinstance(rule, ActionRule) for rule in self.rules):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without a checker
            raise ConfigurationError("rules of an action policy must be ActionRules")


ASK_ALWAYS = ActionPolicy(rules=(), default=Ruling.ASK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """An action that is about to be made, as the rules see it.

    ``origins`` are where it would go: the document's and, where it differs, the form's or link's.
    ``tainted`` names the arguments that came from pages of other origins.
    """

    tool: str
    origins: tuple[str, ...] = ()
    purpose: Purpose | None = None
    tainted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A call that acts on the world and waits for a yes. ``arguments`` are redacted."""

    tool: str
    arguments: FrozenMapping
    run_id: str = ""
    robot_name: str = ""
    reason: str = ""
    destructive: bool = False
    origin: str | None = None
    purpose: Purpose | None = None
    tainted: tuple[str, ...] = ()


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
