"""Whether a call may be made: what the rules say, and what an approver answers where they ask.

Owns the asking. With an ``approve`` of the robot and no rules every action is asked for; with
rules only what they name, and nobody to ask means no. An operator who gave neither rules nor an
approver, to the robot or its browser, has approved all that the robot's tools do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, cast, runtime_checkable

from browser_agent._freeze import FrozenMapping
from browser_agent._json import dumps
from browser_agent._urls import origin_of
from browser_agent.errors import InvalidInput
from browser_agent.logic.approval import (
    Source,
    classify,
    describe_action,
    find_tainted,
    has_text,
    judge,
    normal,
    targets_of,
)
from browser_agent.logic.refs import parse_ref
from browser_agent.records.approval import (
    ASK_ALWAYS,
    Action,
    ActionPolicy,
    Approval,
    ApprovalRequest,
    Approve,
    Ruling,
    parse_approval,
)
from browser_agent.records.codes import Effect, ErrorCode, Status
from browser_agent.records.events import ApprovalAsked
from browser_agent.records.result import Result
from browser_agent.records.run_parts import StopReason
from browser_agent.robot.answer import Answer, answer_result, refuse
from browser_agent.robot.prepare import PreparedCall
from browser_agent.robot.record import announced_arguments, redacted_arguments
from browser_agent.robot.state import RunState, RunStop
from browser_agent.robot.stream import call_back
from browser_agent.tools.tool import Tool

_DESCRIBED = frozenset({"browser_click", "browser_type"})


@runtime_checkable
class _Describes(Protocol):
    """A session that says what an element is."""

    async def describe(self, ref: str) -> Result: ...


@dataclass(frozen=True, slots=True)
class _Gate:
    """The rules in force and who is asked."""

    policy: ActionPolicy
    approve: Approve | None


async def ask_approval(state: RunState, prepared: PreparedCall, tool: Tool) -> Answer | None:
    """None when the call may be made, else the answer that refuses it."""
    acts = tool.side_effect or tool.destructive
    if not acts and not _goes(prepared):
        return None
    gate = _gate_of(state)
    if _is_open(state, gate) or (gate.policy == ASK_ALWAYS and not acts):
        return None
    if gate.policy == ASK_ALWAYS:
        return await _ask(state, prepared, tool, gate, Action(tool=tool.name))
    action = await _read_action(state, prepared, tool)
    ruling = judge(gate.policy, action)
    if ruling is Ruling.ALLOW:
        return None
    if ruling is Ruling.DENY or gate.approve is None:
        return _denied(state)
    return await _ask(state, prepared, tool, gate, action)


def _is_open(state: RunState, gate: _Gate) -> bool:
    """The operator gave neither rules nor anybody to ask."""
    return state.settings.actions is None and gate.approve is None


def _goes(prepared: PreparedCall) -> bool:
    arguments = _arguments_of(prepared)
    return prepared.call.name in ("browser_navigate", "browser_tabs") and bool(arguments.get("url"))


def _arguments_of(prepared: PreparedCall) -> Mapping[str, object]:
    return FrozenMapping() if prepared.arguments is None else prepared.arguments


def _gate_of(state: RunState) -> _Gate:
    settings = state.settings
    if settings.actions is None and settings.approve is not None:
        return _Gate(ASK_ALWAYS, settings.approve)
    owner = settings.browser or settings.session
    approve = settings.approve or cast("Approve | None", getattr(owner, "approve", None))
    return _Gate(settings.actions or ActionPolicy(), approve)


async def _read_action(state: RunState, prepared: PreparedCall, tool: Tool) -> Action:
    arguments = _arguments_of(prepared)
    about = await _describe(state, tool.name, arguments)
    page = next((r.final_url for r in reversed(state.results) if r.final_url), None)
    targets = targets_of(tool.name, arguments, about, page)
    tainted: tuple[str, ...] = ()
    if has_text(tool.name, arguments):
        tainted = find_tainted(
            tool.name,
            arguments,
            targets=targets,
            sources=[_source(result) for result in state.results],
            trusted=_trusted(state),
        )
    purpose = classify(tool.name, arguments, about)
    return Action(tool=tool.name, origins=targets, purpose=purpose, tainted=tainted)


async def _describe(
    state: RunState, name: str, arguments: Mapping[str, object]
) -> Mapping[str, object]:
    session, target = state.context.session, arguments.get("target")
    if name not in _DESCRIBED or not isinstance(session, _Describes) or not target:
        return {}
    try:
        described = await session.describe(parse_ref(str(target)))
    except InvalidInput:
        return {}
    return cast("Mapping[str, object]", described.data) if described.is_ok else {}


def _source(result: Result) -> Source:
    origin = None if result.final_url is None else origin_of(result.final_url)
    return Source(origin=origin, text=normal(_words(result.data)))


def _words(data: object) -> str:
    """All that a Result says; its text also as it stands, without the escapes of JSON."""
    shown = dumps(data)
    if not isinstance(data, Mapping):
        return shown
    text = cast("Mapping[str, object]", data).get("text")
    return f"{text} {shown}" if isinstance(text, str) else shown


def _trusted(state: RunState) -> str:
    said = (message.text for message in state.view if message.role == "user")
    return normal(" ".join([state.task, state.settings.instructions, *state.start, *said]))


async def _ask(
    state: RunState, prepared: PreparedCall, tool: Tool, gate: _Gate, action: Action
) -> Answer | None:
    state.events.emit(
        ApprovalAsked,
        call_id=prepared.call.id,
        name=tool.name,
        arguments=announced_arguments(state, prepared),
    )
    asked = ApprovalRequest(
        tool=tool.name,
        arguments=redacted_arguments(state, prepared),
        run_id=state.id,
        robot_name=state.settings.name,
        reason=state.redact(describe_action(action)),
        destructive=tool.destructive,
        origin=action.origins[-1] if action.origins else None,
        purpose=action.purpose,
        tainted=action.tainted,
    )
    verdict = parse_approval(await call_back(cast("Approve", gate.approve), asked))
    if state.recorder is not None:
        state.recorder.add_approval(verdict.value)
    if verdict is Approval.ALLOW:
        return None
    if verdict is Approval.PENDING:
        stop = RunStop(StopReason.APPROVAL_PENDING, f"{tool.name} waits for approval")
        return replace(refuse(tool.name, "it waits for approval", code=None), stop=stop)
    return _denied(state)


def _denied(state: RunState) -> Answer:
    denied = Result.failure(
        Status.ERROR, code=ErrorCode.APPROVAL_DENIED, effect=Effect.NOT_DISPATCHED
    )
    return answer_result(state, denied)
