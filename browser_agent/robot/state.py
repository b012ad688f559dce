"""What one run knows while it goes on. Made fresh for every run, so runs never share any of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from browser_agent.logic.loop_guard import LoopGuard
from browser_agent.ports import BlobStore, Model, Recorder, Redacts
from browser_agent.records.message import Message
from browser_agent.records.model import ModelReply, Usage
from browser_agent.records.result import Result
from browser_agent.records.run import ToolCallRecord, ToolFailure
from browser_agent.records.run_parts import StopReason
from browser_agent.robot.hooks import HookChain
from browser_agent.robot.settings import Settings
from browser_agent.robot.spend import Spend
from browser_agent.robot.stream import EventStream
from browser_agent.tools.manifest import ToolManifest
from browser_agent.tools.spill import Spill
from browser_agent.tools.tool import ToolContext


class RunStop(Exception):  # noqa: N818 - no error: the one way in which a loop ends
    """Ends the loop of a run. ``message`` says more than the reason, for logs and exceptions."""

    def __init__(self, reason: StopReason, message: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


@dataclass(slots=True, kw_only=True)
class RunState:
    """The parts of a run in the making.

    ``messages`` are this run's, whole; ``view`` is what the model sees: what came before, then
    these, shortened where it grew too long. ``ids`` are the ids of all calls in the view.
    """

    id: str
    settings: Settings
    model: Model
    task: str
    start: tuple[str, ...]
    system: str
    history: tuple[Message, ...]
    tools: ToolManifest
    context: ToolContext
    redactor: Redacts
    hooks: HookChain
    events: EventStream
    spend: Spend
    spill: Spill
    blobs: BlobStore | None = None
    guard: LoopGuard = field(default_factory=LoopGuard)
    messages: list[Message] = field(default_factory=list[Message])
    view: list[Message] = field(default_factory=list[Message])
    ids: set[str] = field(default_factory=set[str])
    calls: list[ToolCallRecord] = field(default_factory=list[ToolCallRecord])
    failures: list[ToolFailure] = field(default_factory=list[ToolFailure])
    reasoning: list[str | None] = field(default_factory=list[str | None])
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    repairs: Counter[str] = field(default_factory=Counter[str])
    shown_bytes: int = 0
    last: ModelReply | None = None
    final_text: str | None = None
    answered: bool | None = None
    parsed: object = None
    native_schema: bool = False
    recorder: Recorder | None = None

    @property
    def results(self) -> list[Result]:
        """The Results shown so far, which tools see too."""
        return self.context.results

    def say(self, message: Message) -> None:
        """Add a message to the conversation."""
        self.messages.append(message)
        self.view.append(message)

    def amend(self, index: int, text: str) -> None:
        """Change the text of one of the last messages; ``index`` counts from the end."""
        changed = replace(self.messages[index], content=text)
        self.messages[index] = self.view[index] = changed

    def redact(self, text: str) -> str:
        """One text through the door."""
        return self.redactor.redact_text(text)

    def show(self, result: Result) -> int:
        """Count a Result as shown to the model, keep its bytes, and give its R number."""
        self.results.append(result)
        if self.blobs is not None:
            self.blobs.put(result.preimage())
        return len(self.results)
