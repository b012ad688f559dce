"""One run from its first to its last moment: folder, session, loop, cleanup, result.

Whatever happens, the session is closed, the conversation is left valid, the result is written, and
only then does an exception go on, with the result attached.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from browser_agent.errors import (
    BrowserAgentError,
    BrowserError,
    ConfigurationError,
)
from browser_agent.ports import Recorder, Session, provided
from browser_agent.records.events import Event, RunEnded, RunStarted
from browser_agent.records.message import Message
from browser_agent.records.run import RobotResult
from browser_agent.records.run_parts import StopReason
from browser_agent.robot.describe import describe_plan
from browser_agent.robot.hooks import RunContext
from browser_agent.robot.loop import run_turns
from browser_agent.robot.outcome import build_result, close_calls
from browser_agent.robot.setup import Folder, RunPlan, build_state, redactor_of
from browser_agent.robot.state import RunState, RunStop
from browser_agent.robot.stream import EventStream


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is over: its result, why it stopped, and what the next run sees of it."""

    result: RobotResult
    stop: RunStop
    view: tuple[Message, ...]
    messages: tuple[Message, ...]


@dataclass(slots=True, eq=False)
class RunHandle:
    """The switch of one run: :meth:`cancel` may be called from any thread, more than once."""

    queue: asyncio.Queue[Event] | None = None
    cancelled: bool = False
    _scope: asyncio.Timeout | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    def cancel(self) -> None:
        """Stop the run; it still closes its session and gives its result."""
        self.cancelled = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._expire)

    def enter(self, scope: asyncio.Timeout) -> None:
        """The loop runs inside this scope now."""
        self._scope, self._loop = scope, asyncio.get_running_loop()
        if self.cancelled:
            self._expire()

    def leave(self) -> None:
        """The loop is over."""
        self._scope = self._loop = None

    def _expire(self) -> None:
        if self._scope is not None and not self._scope.expired():
            self._scope.reschedule(asyncio.get_running_loop().time())


@dataclass(slots=True)
class _Ending:
    """Why the loop ended, and what is raised once everything is cleaned up."""

    stop: RunStop
    error: BaseException | None = None


async def execute_run(plan: RunPlan, handle: RunHandle) -> Finished:
    """Run the plan inside the operator's hooks."""
    finished: list[Finished] = []
    context = RunContext(run_id=plan.id, robot_name=plan.settings.name, task=plan.task)

    async def core(inner: RunContext) -> None:
        done = await _Run(plan, handle, inner.task).execute()
        finished.append(done)
        inner.result = done.result

    await plan.chain.around("run", context, core)
    if not finished:
        raise ConfigurationError("a hook around the run never ran it")
    return finished[0]


@dataclass(slots=True)
class _Run:
    """The moments of one run, in order."""

    plan: RunPlan
    handle: RunHandle
    task: str
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    begun: float = field(default_factory=time.monotonic)

    async def execute(self) -> Finished:
        folder = _open_folder(self.plan.run_dir)
        try:
            return await self._within(folder)
        finally:
            if folder is not None:
                folder.close()

    async def _within(self, folder: Folder | None) -> Finished:
        settings = self.plan.settings
        events = EventStream(
            self.plan.id,
            redactor_of(settings),
            log=None if folder is None else folder.log,
            on_content=settings.on_content,
        )
        if self.handle.queue is not None:
            events.listen(self.handle.queue)
        recorder = _open_recorder(self.plan, folder)
        async with AsyncExitStack() as stack:
            if recorder is not None:
                stack.callback(recorder.close)
            session, ending = await _open_session(self.plan, folder, stack, recorder)
            state = build_state(_planned(self.plan, self.task, recorder), session, folder, events)
            if recorder is not None:
                state.recorder = recorder
                recorder.begin(describe_plan(self.plan, self.task))
            ending = ending or await self._drive(state)
            close_calls(state, ending.stop)
        return self._finish(state, ending, session, folder)

    async def _drive(self, state: RunState) -> _Ending:
        """The loop inside its time; every way out of it becomes an ending."""
        scope = asyncio.timeout(state.settings.limits.max_time_s)
        try:
            async with scope:
                self.handle.enter(scope)
                _announce(state)
                await run_turns(state)
        except RunStop as stop:
            return _Ending(stop)
        except TimeoutError as exc:
            return self._out_of_time(state, scope, exc)
        except BaseException as exc:  # noqa: BLE001 - raised again when all is cleaned up
            return _Ending(_stop_for(state, exc), exc)
        finally:
            self.handle.leave()

    def _out_of_time(self, state: RunState, scope: asyncio.Timeout, error: TimeoutError) -> _Ending:
        if not scope.expired():
            return _Ending(_stop_for(state, error), error)
        if self.handle.cancelled:
            return _Ending(RunStop(StopReason.CANCELLED, "cancelled by the caller"))
        limit = state.settings.limits.max_time_s
        return _Ending(RunStop(StopReason.BUDGET_TIME, f"the run took more than {limit:g} s"))

    def _finish(
        self,
        state: RunState,
        ending: _Ending,
        session: Session | None,
        folder: Folder | None,
    ) -> Finished:
        own = self.plan.settings.browser is not None and session is not None
        result = build_result(
            state,
            ending.stop,
            created_at=self.created_at,
            begun=self.begun,
            closing=session.closing if own and session is not None else None,
        )
        state.events.emit(
            RunEnded,
            stop_reason=result.stop_reason.value,
            status=result.status.value,
            message=state.redact(ending.stop.message),
            result=result,
        )
        if folder is not None:
            folder.finish(result)
        if ending.error is not None:
            raise _with_result(ending.error, result)
        return Finished(result, ending.stop, tuple(state.view), tuple(state.messages))


def _announce(state: RunState) -> None:
    state.events.emit(
        RunStarted,
        robot_name=state.settings.name,
        task=state.redact(state.task),
        start=state.start,
        tools=state.tools.names,
    )


async def _open_session(
    plan: RunPlan, folder: Folder | None, stack: AsyncExitStack, recorder: Recorder | None
) -> tuple[Session | None, _Ending | None]:
    settings = plan.settings
    if settings.browser is None:
        return settings.session, None
    try:
        options: dict[str, object] = {} if folder is None else {"blobs": folder.blobs}
        if recorder is not None:
            options["tape"] = recorder.tape
        opened = settings.browser.session(robots=True, **options)
        return await stack.enter_async_context(opened), None
    except BrowserError as exc:
        return None, _Ending(RunStop(StopReason.BROWSER_ERROR, exc.message))


def _open_folder(run_dir: str | Path | None) -> Folder | None:
    return None if run_dir is None else cast("Folder", provided("run_folder")(run_dir))


def _open_recorder(plan: RunPlan, folder: Folder | None) -> Recorder | None:
    if not plan.record:
        return None
    if folder is None:
        raise ConfigurationError("record=True needs a run_dir to record into")
    if plan.settings.session is not None:
        raise ConfigurationError("record=True needs browser=: a session of ours is what it records")
    return cast("Recorder", provided("recorder")(folder.path, redactor_of(plan.settings)))


def _planned(plan: RunPlan, task: str, recorder: Recorder | None) -> RunPlan:
    """The plan with what hooks made of the task, and with a model that records when asked to."""
    model = None if recorder is None else recorder.model(plan.settings.model)
    return replace(plan, task=task, model=model)


def _stop_for(state: RunState, error: BaseException) -> RunStop:
    """The stop reason that goes with an exception out of the loop."""
    if isinstance(error, asyncio.CancelledError):
        return RunStop(StopReason.CANCELLED, "the task was cancelled")
    if isinstance(error, BrowserAgentError | AssertionError):
        return RunStop(StopReason.MODEL_ERROR, state.redact(str(error)))
    return RunStop(StopReason.TOOL_ERROR, f"{type(error).__name__} out of the operator's code")


def _with_result(error: BaseException, result: RobotResult) -> BaseException:
    if isinstance(error, BrowserAgentError):
        error.result = result
    return error


def refused_at_once(finished: Finished) -> bool:
    """Whether a budget refused the run before anything was done."""
    reason = finished.result.stop_reason
    spent = reason in (StopReason.BUDGET_TOKENS, StopReason.BUDGET_COST)
    return spent and finished.result.turns_used == 0
