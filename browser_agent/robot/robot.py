"""The Robot: a named agent with a model, instructions, tools and limits; run it as often as needed.

Owns the settings and the conversation over all runs. A run is executed elsewhere and shares
nothing with other runs but the Budget.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from browser_agent.errors import BudgetExceeded, ConfigurationError
from browser_agent.logic.budget import Budget
from browser_agent.logic.convergence import Found, search_texts
from browser_agent.logic.history import carry_over, check_conversation
from browser_agent.ports import Browser, Model, ScriptedRun, Session
from browser_agent.records.approval import ActionPolicy, Approve
from browser_agent.records.events import Event
from browser_agent.records.limits import RunLimits
from browser_agent.records.message import Message, parse_message
from browser_agent.records.model import ModelSettings
from browser_agent.records.run import RobotResult
from browser_agent.robot.compaction import Compaction, compress
from browser_agent.robot.hooks import read_hooks
from browser_agent.robot.runner import (
    Finished,
    RunHandle,
    execute_run,
    refused_at_once,
)
from browser_agent.robot.settings import Settings, build_settings
from browser_agent.robot.setup import RunPlan, admit_start, check_task
from browser_agent.tools.spill import SpillLimits


class Robot:
    """A robot. Everything is checked when it is built; unknown keywords are refused.

    ``browser`` opens one session a run, ``session`` uses the caller's (one run at a time).
    ``tools`` are tools or plain functions of one's own; ``browser_tools`` an allow-list of names,
    None for all. Without any tools say ``tools=[]``. ``budget`` binds all runs of this robot and
    of every robot that shares it; ``limits`` bind one run. ``approve`` without ``actions`` is
    asked before every action; with them before those that the rules name. Without both the rules
    are ActionPolicy's own, and the browser's ``approve`` is asked: nobody to ask means no.
    """

    def __init__(
        self,
        name: str,
        *,
        model: Model | str | None = None,
        instructions: str = "",
        browser: Browser | None = None,
        session: Session | None = None,
        tools: Sequence[object] | None = None,
        browser_tools: Sequence[str] | None = None,
        output_type: object = None,
        limits: RunLimits | None = None,
        budget: Budget | None = None,
        hooks: Sequence[object] = (),
        model_settings: ModelSettings | None = None,
        approve: Approve | None = None,
        actions: ActionPolicy | None = None,
        on_tool_call: Callable[..., object] | None = None,
        on_tool_result: Callable[..., object] | None = None,
        on_content: Callable[..., object] | None = None,
        require_citations: bool = False,
        compaction: Compaction | None = None,
        spill: SpillLimits | None = None,
    ) -> None:
        self._given: dict[str, object] = {
            "name": name,
            "model": model,
            "instructions": instructions,
            "browser": browser,
            "session": session,
            "tools": tools,
            "browser_tools": browser_tools,
            "output_type": output_type,
            "limits": limits,
            "budget": Budget() if budget is None else budget,
            "hooks": tuple(hooks),
            "model_settings": model_settings,
            "approve": approve,
            "actions": actions,
            "on_tool_call": on_tool_call,
            "on_tool_result": on_tool_result,
            "on_content": on_content,
            "require_citations": require_citations,
            "compaction": compaction,
            "spill": spill,
        }
        self._settings = build_settings(self._given)
        self._history: tuple[Message, ...] = ()
        self._running: set[RunHandle] = set()

    @property
    def name(self) -> str:
        """Its name."""
        return self._settings.name

    @property
    def settings(self) -> Settings:
        """What it is made of, checked and complete."""
        return self._settings

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far, as the next run will see it; without the system message."""
        return self._history

    async def run(
        self,
        task: str,
        *,
        start: Iterable[str] = (),
        run_dir: str | Path | None = None,
        record: bool = False,
        raise_on_stop: bool = False,
        hooks: Sequence[object] = (),
    ) -> RobotResult:
        """Do the task and give everything that was gathered, whatever ended it.

        ``start`` are addresses of the operator, admitted and named to the model. Raises
        InferenceError when the model failed after its retries, BudgetExceeded when a budget
        refuses the first call, ConfigurationError; with ``raise_on_stop`` every early stop. All
        carry ``.result``.
        """
        plan = self._plan(task, start, run_dir=run_dir, record=record, hooks=hooks)
        return await self._execute(plan, RunHandle(), raise_on_stop=raise_on_stop)

    async def stream(
        self,
        task: str,
        *,
        start: Iterable[str] = (),
        run_dir: str | Path | None = None,
        record: bool = False,
        raise_on_stop: bool = False,
        hooks: Sequence[object] = (),
    ) -> AsyncGenerator[Event]:
        """As :meth:`run`, event by event; the last one holds the result.

        Closing the iterator cancels the run, which still closes its session.
        """
        plan = self._plan(task, start, run_dir=run_dir, record=record, hooks=hooks)
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        handle = RunHandle(cast("asyncio.Queue[Event]", queue))
        work = asyncio.create_task(self._execute(plan, handle, raise_on_stop=raise_on_stop))
        work.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            await work
        finally:
            if not work.done():
                work.cancel()
                await asyncio.wait([work])

    def cancel(self) -> None:
        """Stop every run under way; each gives its result with stop reason ``cancelled``."""
        for handle in tuple(self._running):
            handle.cancel()

    def clear(self) -> None:
        """Forget the conversation."""
        self._history = ()

    def replace(self, messages: Iterable[Message | Mapping[str, object]]) -> None:
        """Set the conversation; system messages are left out, as instructions own them.

        InvalidInput when a model would refuse it.
        """
        parsed = tuple(parse_message(item) for item in messages)
        check_conversation(parsed)
        self._history = carry_over(parsed)

    def fork(self, **changes: object) -> Robot:
        """A copy with its own conversation from here on; ``changes`` are keywords of a Robot."""
        copy = object.__new__(type(self))
        copy._given = self._changed(changes)
        copy._settings = build_settings(copy._given)
        copy._history = self._history
        copy._running = set()
        return copy

    def update(self, **changes: object) -> None:
        """Change settings for the runs to come; unknown ones raise ConfigurationError."""
        given = self._changed(changes)
        self._settings = build_settings(given)
        self._given = given

    def with_model(self, model: Model | str) -> Robot:
        """A copy that uses another model."""
        return self.fork(model=model)

    def with_instructions(self, instructions: str) -> Robot:
        """A copy with other instructions."""
        return self.fork(instructions=instructions)

    def with_tools(self, *tools: object) -> Robot:
        """A copy with more tools of its own."""
        own = cast("Sequence[object]", self._given["tools"] or ())
        return self.fork(tools=[*own, *tools])

    def with_output(self, output_type: object) -> Robot:
        """A copy that answers with structured output."""
        return self.fork(output_type=output_type)

    def with_limits(self, limits: RunLimits) -> Robot:
        """A copy with other limits."""
        return self.fork(limits=limits)

    def search_history(self, query: str, *, limit: int = 5) -> list[Found]:
        """The messages of the conversation that fit a query, best first."""
        texts = [(message.role, message.text) for message in self._history]
        return search_texts(query, texts, limit=limit)

    async def compress_history(self, compaction: Compaction | None = None) -> None:
        """Shorten the conversation now."""
        settings = self._settings.compaction if compaction is None else compaction
        self._history = await compress(self._history, settings)

    def to_dict(self) -> dict[str, object]:
        """What is set, as a plain mapping for people: names in the place of objects."""
        settings = self._settings
        model = settings.model
        return {
            "name": settings.name,
            "model": str(getattr(model, "name", type(model).__name__)),
            "instructions": settings.instructions,
            "tools": [tool.name for tool in settings.tools],
            "has_browser": settings.browser is not None or settings.session is not None,
            "limits": {k: getattr(settings.limits, k) for k in RunLimits.__dataclass_fields__},
            "budget": {"tokens": settings.budget.tokens, "cost_usd": settings.budget.cost_usd},
            "require_citations": settings.require_citations,
        }

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, tools={len(self._settings.tools)})"

    def _changed(self, changes: Mapping[str, object]) -> dict[str, object]:
        unknown = sorted(set(changes) - set(self._given))
        if unknown:
            known = ", ".join(self._given)
            raise ConfigurationError(f"unknown setting {', '.join(unknown)}; known are {known}")
        return {**self._given, **changes}

    def _plan(
        self,
        task: str,
        start: Iterable[str],
        *,
        run_dir: str | Path | None,
        record: bool,
        hooks: Sequence[object],
    ) -> RunPlan:
        return RunPlan(
            id=str(uuid.uuid4()),
            settings=self._settings,
            task=check_task(task),
            start=admit_start(self._settings, start),
            history=self._history,
            run_dir=run_dir,
            record=record,
            hooks=read_hooks(hooks),
        )

    async def _execute(
        self, plan: RunPlan, handle: RunHandle, *, raise_on_stop: bool
    ) -> RobotResult:
        if plan.settings.session is not None and self._running:
            raise ConfigurationError(
                "this robot shares one session, so it runs one task at a time: give browser=…"
                " for concurrent runs"
            )
        self._running.add(handle)
        try:
            finished = await execute_run(plan, handle)
        finally:
            self._running.discard(handle)
        self._remember(plan, finished)
        return _deliver(plan, finished, raise_on_stop=raise_on_stop)

    def _remember(self, plan: RunPlan, finished: Finished) -> None:
        """Take the run into the conversation, unless the model never said anything."""
        if not any(message.role == "assistant" for message in finished.messages):
            return
        if self._history is plan.history:
            self._history = carry_over(finished.view)
        else:  # another run ended meanwhile: add what this one said
            self._history = (*self._history, *carry_over(finished.messages))


def _deliver(plan: RunPlan, finished: Finished, *, raise_on_stop: bool) -> RobotResult:
    result = finished.result
    model = plan.settings.model
    if isinstance(model, ScriptedRun):
        model.on_run_end(result.stop_reason.value)
    if refused_at_once(finished):
        raise BudgetExceeded(finished.stop.message, code=result.stop_reason.value, result=result)
    if raise_on_stop:
        result.raise_for_stop()
    return result
