"""Everything that a run needs before its first turn: admitted addresses, prompt, tools, state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from browser_agent._freeze import repair
from browser_agent._urls import origin_of
from browser_agent.errors import InvalidInput
from browser_agent.logic.redact import Redactor
from browser_agent.ports import BlobStore, DescribedModel, Model, Redacts, RunLog, Session
from browser_agent.records.message import Message, TextMessage, ToolCallMessage
from browser_agent.records.policy import Decision
from browser_agent.records.run import RobotResult
from browser_agent.robot.hooks import Hook, HookChain
from browser_agent.robot.output import build_answer_tool
from browser_agent.robot.prompt import build_system, build_task
from browser_agent.robot.settings import Settings
from browser_agent.robot.spend import Spend
from browser_agent.robot.state import RunState
from browser_agent.robot.stream import EventStream
from browser_agent.tools.manifest import ToolManifest
from browser_agent.tools.spill import Spill
from browser_agent.tools.tool import ToolContext


class Folder(Protocol):
    """An open run folder (port ``run_folder``)."""

    path: Path
    log: RunLog
    blobs: BlobStore

    def finish(self, result: RobotResult) -> None: ...
    def close(self) -> None: ...


@runtime_checkable
class _HasRedactor(Protocol):
    """A browser or session with secrets of its own."""

    @property
    def redactor(self) -> Redacts: ...


@runtime_checkable
class _Admits(Protocol):
    """A browser or session that grants the operator's addresses."""

    def admit(self, url: str) -> Decision: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What one run was asked for. ``model`` answers in the place of the robot's, if given; what
    a model can do and costs is asked of the robot's own.
    """

    id: str
    settings: Settings
    task: str
    model: Model | None = None
    start: tuple[str, ...] = ()
    history: tuple[Message, ...] = ()
    run_dir: str | Path | None = None
    record: bool = False
    hooks: tuple[Hook, ...] = field(default_factory=tuple)

    @property
    def chain(self) -> HookChain:
        """All hooks that apply to this run."""
        return HookChain.build(self.settings.hooks, self.hooks)


def check_task(task: object) -> str:
    """A task is a text that is not blank."""
    if not isinstance(task, str) or not task.strip():
        raise InvalidInput("a task is a text that is not blank")
    return repair(task)


def admit_start(settings: Settings, start: object) -> tuple[str, ...]:
    """The canonical forms of the operator's addresses; InvalidInput for one that is refused."""
    if isinstance(start, str):
        raise InvalidInput("start is a list of addresses, not one text")
    return tuple(_admit(settings, str(url)) for url in cast("Iterable[object]", start))


def _admit(settings: Settings, url: str) -> str:
    if not url.lower().startswith(("http://", "https://")) or origin_of(url) is None:
        raise InvalidInput("a start address must be an absolute http or https URL")
    owner = settings.browser or settings.session
    if not isinstance(owner, _Admits):
        return url
    decision = owner.admit(url)
    if not decision.allowed:
        raise InvalidInput(f"start {decision.url}: {decision.reason}", hint=decision.code)
    return decision.url


def build_state(
    plan: RunPlan, session: Session | None, folder: Folder | None, events: EventStream
) -> RunState:
    """A fresh state; nothing in it is shared with other runs but the robot's Budget."""
    settings = plan.settings
    redactor = redactor_of(settings)
    blobs = None if folder is None else folder.blobs
    model = settings.model
    described = model if isinstance(model, DescribedModel) else None
    window = None if described is None else described.context_window()
    spill = Spill(settings.spill.scaled(window), blobs)
    native = described is None or described.supports_output_schema()
    state = RunState(
        id=plan.id,
        settings=settings,
        model=plan.model or model,
        task=plan.task,
        start=plan.start,
        system=_system(settings, told=described is None or not native),
        history=plan.history,
        tools=_tools(settings, native=native),
        context=ToolContext(
            redactor=redactor,
            run_id=plan.id,
            robot_name=settings.name,
            task=plan.task,
            session=session,
            model=model,
            blobs=blobs,
            run_dir=None if folder is None else folder.path,
            spill=spill,
        ),
        redactor=redactor,
        hooks=plan.chain,
        events=events,
        spend=Spend(settings.limits, settings.budget, model),
        spill=spill,
        blobs=blobs,
        native_schema=native,
    )
    _begin(state)
    return state


class _Following:
    """The redactor of a browser or session, asked for anew each time: it learns what is typed."""

    def __init__(self, owner: _HasRedactor) -> None:
        self._owner = owner

    def redact(self, value: object) -> object:
        return self._owner.redactor.redact(value)

    def redact_text(self, text: str) -> str:
        return self._owner.redactor.redact_text(text)


def redactor_of(settings: Settings) -> Redacts:
    """The redactor of the browser or session, which knows their secrets; else one of shapes."""
    owner = settings.browser or settings.session
    return _Following(owner) if isinstance(owner, _HasRedactor) else Redactor()


def _system(settings: Settings, *, told: bool) -> str:
    output = settings.output
    return build_system(
        settings.instructions,
        evidence=settings.browser is not None or settings.session is not None,
        schema=output.schema if output is not None and not output.is_text and told else None,
    )


def _tools(settings: Settings, *, native: bool) -> ToolManifest:
    manifest = ToolManifest(settings.tools)
    answer = None if native or settings.output is None else build_answer_tool(settings.output)
    return manifest if answer is None else manifest.add(answer)


def _begin(state: RunState) -> None:
    state.view = list(state.history)
    for message in state.history:
        if isinstance(message, ToolCallMessage):
            state.ids.update(tool.id for tool in message.tools)
    state.say(TextMessage(role="user", content=build_task(state.task, state.start)))
