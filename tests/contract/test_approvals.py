"""Rules of a robot for its actions: asked, allowed, refused, and what the model is told."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from browser_agent._freeze import FrozenMapping
from browser_agent.cli.running import approval
from browser_agent.errors import ConfigurationError
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.approval import (
    ActionPolicy,
    ActionRule,
    ApprovalRequest,
    Purpose,
    Ruling,
)
from browser_agent.records.result import Result
from browser_agent.robot.robot import Robot
from browser_agent.tools.tool import tool

pytestmark = pytest.mark.anyio

ASK_TO_ACT = ActionPolicy(rules=(ActionRule(ruling=Ruling.ASK, tool="act"),))


@tool(side_effect=True)
def act() -> Result:
    """Act."""
    return Result.ok({"changed": True}, effect="acknowledged")


@tool(side_effect=True)
def other() -> Result:
    """Act in another way."""
    return Result.ok({"changed": True}, effect="acknowledged")


def robot(model: ScriptedModel, **settings: Any) -> Robot:
    return Robot("r", model=model, tools=[act, other], **settings)


async def test_rules_ask_for_what_they_name_and_nobody_there_means_no() -> None:
    asked: list[ApprovalRequest] = []

    def ask(request: ApprovalRequest) -> bool:
        asked.append(request)
        return True

    calls: list[Any] = [[("act", {}), ("other", {})], "done"]
    result = await robot(ScriptedModel(calls), actions=ASK_TO_ACT, approve=ask).run("Act.")
    assert [one.tool for one in asked] == ["act"]
    assert [one.is_ok for one in result.results] == [True, True]

    model = ScriptedModel(calls)
    result = await robot(model, actions=ASK_TO_ACT).run("Act.")
    assert [one.error_code for one in result.results] == ["approval_denied", None]
    assert result.results[0].effect == "not_dispatched"
    told = [str(message["content"]) for message in model.requests[1].messages]
    assert any("approval_denied" in text for text in told), "the model sees it"


async def test_a_rule_that_denies_asks_nobody() -> None:
    def ask(_: ApprovalRequest) -> bool:
        raise AssertionError("nobody is to be asked")

    policy = ActionPolicy(rules=(ActionRule(ruling=Ruling.DENY, tool="a*"),))
    model = ScriptedModel([[("act", {}), ("other", {})], "done"])
    result = await robot(model, actions=policy, approve=ask).run("Act.")
    assert [one.error_code for one in result.results] == ["approval_denied", None]


async def test_tools_of_ones_own_need_no_approval_without_rules() -> None:
    result = await robot(ScriptedModel([[("act", {})], "done"])).run("Act.")
    assert result.results[0].is_ok


def test_rules_are_a_policy() -> None:
    with pytest.raises(ConfigurationError, match="ActionPolicy"):
        robot(ScriptedModel([]), actions="ask")


@pytest.mark.parametrize(("mode", "answer"), [("allow", True), ("deny", False), ("ask", False)])
def test_the_command_line_denies_where_no_terminal_is(
    mode: str, answer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class NoTerminal:
        def isatty(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", NoTerminal())
    arguments = FrozenMapping({"target": "e1"})
    request = ApprovalRequest(tool="browser_click", arguments=arguments, purpose=Purpose.PAYMENT)
    assert approval(mode)(request) is answer
