from __future__ import annotations

from typing import Any

import pytest

from browser_agent._freeze import FrozenMapping
from browser_agent.errors import InvalidInput
from browser_agent.records.approval import Approval, ApprovalRequest, parse_approval
from browser_agent.records.events import (
    RunEnded,
    RunStarted,
    TextDelta,
    ToolCallEnded,
    ToolCallStarted,
    UsageUpdated,
)
from browser_agent.records.model import Usage
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult

COMMON: dict[str, Any] = {"sequence": 3, "run_id": "run", "turn": 2}


def test_an_event_is_written_with_its_kind_first_and_nothing_empty() -> None:
    event = RunStarted(robot_name="r", task="Go.", start=("https://a.example",), **COMMON)
    written = event.to_dict()
    assert list(written)[:4] == ["kind", "sequence", "run_id", "turn"]
    assert str(written.pop("at")).endswith("Z")
    assert written == {
        "kind": "run_started",
        "sequence": 3,
        "run_id": "run",
        "turn": 2,
        "robot_name": "r",
        "task": "Go.",
        "start": ["https://a.example"],
    }
    assert event.id == "run:3"
    assert not event.is_delta
    assert TextDelta(text="a", **COMMON).is_delta


def test_a_result_goes_without_its_data_and_a_run_with_its_integrity_only() -> None:
    result = Result.ok({"text": "page"}, operation_id="op_1")
    event = ToolCallEnded(
        call_id="c",
        name="look",
        status="ok",
        arguments=FrozenMapping(),
        number=1,
        result=result,
        **COMMON,
    )
    written: Any = event.to_dict()["result"]
    assert (written["digest"], "data" in written) == (result.digest, False)
    run = RobotResult("r")
    ended = RunEnded(stop_reason="completed", status="ok", result=run, **COMMON)
    assert ended.to_dict()["result"] == {"id": run.id, "integrity": run.export()["integrity"]}


def test_usage_and_arguments_are_plain() -> None:
    usage = Usage(input_tokens=1)
    event = UsageUpdated(usage=usage, total=usage + usage, **COMMON)
    assert event.to_dict()["total"] == (usage + usage).to_dict()
    started = ToolCallStarted(call_id="c", name="x", arguments=FrozenMapping({"a": [1]}), **COMMON)
    assert started.to_dict()["arguments"] == {"a": [1]}


@pytest.mark.parametrize(
    ("answer", "means"),
    [
        (True, Approval.ALLOW),
        (False, Approval.DENY),
        ("pending", Approval.PENDING),
        (Approval.DENY, Approval.DENY),
    ],
)
def test_an_approval_is_a_bool_or_a_word(answer: object, means: Approval) -> None:
    assert parse_approval(answer) is means


@pytest.mark.parametrize("answer", [None, 1, "yes", "", object()])
def test_anything_else_is_no_approval(answer: object) -> None:
    with pytest.raises(InvalidInput):
        parse_approval(answer)


def test_an_approval_request_holds_what_is_to_be_done() -> None:
    request = ApprovalRequest(tool="buy", arguments=FrozenMapping({"item": "soap"}))
    assert (request.tool, request.arguments["item"], request.destructive) == ("buy", "soap", False)
