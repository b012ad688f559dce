"""Hooks: code of the operator around a run, a model call, a tool call or a compaction.

A hook is a plain function, sync or async, or an object whose methods are named
``before_run``, ``around_tool_call`` and so on. Levels add up: global, then the robot's, then the
run's; the first registered ``around`` is the outermost. A hook that raises ends what it surrounds:
nothing is swallowed. What is active travels in a context variable, so tasks and threads that a
tool starts see the same hooks.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, cast, get_args

from browser_agent.errors import ConfigurationError

if TYPE_CHECKING:
    from browser_agent.records.message import Message
    from browser_agent.records.model import ModelReply, ModelRequest, ToolCall
    from browser_agent.records.run import RobotResult

Family = Literal["run", "model_call", "tool_call", "compaction"]
Phase = Literal["before", "around", "after", "on_error"]
FAMILIES: tuple[Family, ...] = get_args(Family)
PHASES: tuple[Phase, ...] = get_args(Phase)
NAMES = frozenset(f"{phase}_{family}" for phase in PHASES for family in FAMILIES)

Function: TypeAlias = Callable[..., object]


@dataclass(slots=True, kw_only=True)
class HookContext:
    """What a hook sees. ``error`` is set before ``on_error``; ``local`` is the hooks' own."""

    run_id: str
    robot_name: str
    turn: int = 0
    error: BaseException | None = None
    local: dict[str, object] = field(default_factory=dict[str, object])


@dataclass(slots=True, kw_only=True)
class RunContext(HookContext):
    """Around one run. ``task`` may be rewritten before it; ``result`` is set after it."""

    task: str
    result: RobotResult | None = None


@dataclass(slots=True, kw_only=True)
class ModelCallContext(HookContext):
    """Around one model call. An ``around`` hook may set ``reply`` and never call the model."""

    request: ModelRequest
    reply: ModelReply | None = None


@dataclass(slots=True, kw_only=True)
class ToolCallContext(HookContext):
    """Around one execution. An ``around`` hook may set ``result`` and never run the tool."""

    call: ToolCall
    arguments: dict[str, object]
    result: object = None
    has_result: bool = False

    def answer(self, value: object) -> None:
        """Use ``value`` as the tool's result."""
        self.result, self.has_result = value, True


@dataclass(slots=True, kw_only=True)
class CompactionContext(HookContext):
    """Around one compaction. Setting ``messages_after`` replaces the built-in way."""

    messages_before: tuple[Message, ...]
    messages_after: tuple[Message, ...] | None = None


C = TypeVar("C", bound=HookContext)


@dataclass(frozen=True, slots=True)
class Hook:
    """One function at one place. Build it with :func:`hook` or by an object's methods."""

    family: Family
    phase: Phase
    function: Function


def hook(name: str) -> Callable[[Function], Hook]:
    """Mark a function as a hook: ``@hook("before_tool_call")``.

    It is called with the family's context; ``around_…`` with ``(context, call_next)``.
    """
    family, phase = _split(name)

    def mark(function: Function) -> Hook:
        return Hook(family, phase, function)

    return mark


def read_hooks(given: Sequence[object]) -> tuple[Hook, ...]:
    """Hooks, and objects or classes with hook methods; anything else is a ConfigurationError."""
    found: list[Hook] = []
    for item in given:
        found += [item] if isinstance(item, Hook) else _methods(item)
    return tuple(found)


def _methods(item: object) -> list[Hook]:
    subject = cast("Callable[[], object]", item)() if inspect.isclass(item) else item
    names = [name for name in dir(subject) if name.startswith(tuple(f"{p}_" for p in PHASES))]
    wrong = sorted(set(names) - NAMES)
    if wrong:
        raise ConfigurationError(f"unknown hook {wrong[0]!r}; known are {', '.join(sorted(NAMES))}")
    if not names:
        raise ConfigurationError(f"{type(subject).__name__} has no hook method, such as before_run")
    return [Hook(*_split(name), cast("Function", getattr(subject, name))) for name in names]


def _split(name: str) -> tuple[Family, Phase]:
    for phase in PHASES:
        family = name.removeprefix(f"{phase}_")
        if family != name and family in FAMILIES:
            return family, phase
    raise ConfigurationError(f"unknown hook {name!r}; known are {', '.join(sorted(NAMES))}")


_global: list[Hook] = []
_active: ContextVar[tuple[Hook, ...]] = ContextVar("browser_agent_hooks", default=())


def register_hooks(*given: object) -> Callable[[], None]:
    """Add hooks to every run of this process; the function given back takes them out again."""
    added = read_hooks(given)
    _global.extend(added)

    def remove() -> None:
        for item in added:
            if item in _global:
                _global.remove(item)

    return remove


@contextmanager
def use_hooks(*given: object) -> Generator[None]:
    """Add hooks to every run that is started inside the ``with`` block, in any task or thread."""
    mark = _active.set((*_active.get(), *read_hooks(given)))
    try:
        yield
    finally:
        _active.reset(mark)


@dataclass(frozen=True, slots=True)
class HookChain:
    """The hooks of one run, in order."""

    hooks: tuple[Hook, ...]

    @classmethod
    def build(cls, robot: tuple[Hook, ...], run: tuple[Hook, ...]) -> HookChain:
        """Global first, then those of the surrounding context, the robot's, the run's."""
        return cls((*_global, *_active.get(), *robot, *run))

    def of(self, family: Family, phase: Phase) -> list[Function]:
        """The functions of one place, in order."""
        return [h.function for h in self.hooks if h.family == family and h.phase == phase]

    async def around(self, family: Family, context: C, core: Callable[[C], Awaitable[None]]) -> C:
        """All before, the nested around wrapping ``core``, all after; on_error and raise."""
        try:
            for function in self.of(family, "before"):
                await _call(function, context)
            await self._nest(self.of(family, "around"), context, core)
            for function in self.of(family, "after"):
                await _call(function, context)
        except BaseException as error:
            context.error = error
            for function in self.of(family, "on_error"):
                await _call(function, context)
            raise
        return context

    async def _nest(
        self, functions: list[Function], context: C, core: Callable[[C], Awaitable[None]]
    ) -> None:
        if not functions:
            await core(context)
            return
        first, *rest = functions

        async def call_next() -> None:
            await self._nest(rest, context, core)

        await _call(first, context, call_next)


async def _call(function: Function, *arguments: object) -> None:
    answer = function(*arguments)
    if inspect.isawaitable(answer):
        await answer
