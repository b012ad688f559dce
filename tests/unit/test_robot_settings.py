from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from browser_agent import ports
from browser_agent.errors import ConfigurationError, InvalidInput
from browser_agent.logic.budget import Budget
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.limits import BrowserLimits, RunLimits
from browser_agent.robot.robot import Robot
from browser_agent.robot.settings import MAX_TOOLS
from browser_agent.tools.tool import Tool, tool

MODEL = ScriptedModel([])


@tool
def look(at: int) -> int:
    """Look."""
    return at


def plain(word: str) -> str:
    """A plain function."""
    return word


class Place:
    """Stands for a browser or session that is never used."""

    search_url = "https://search.example/?q={query}"


PLACE: Any = Place()


def numbered(count: int) -> list[Tool]:
    return [tool(name=f"t{n}", description="One of many.")(plain) for n in range(count)]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "has no tools"),
        ({"tools": [], "browser": PLACE, "session": PLACE}, "not both"),
        ({"tools": [], "browser_tools": ["browser_click"]}, "needs browser= or session="),
        ({"browser": PLACE, "browser_tools": ["browser_fly"]}, "Unknown tool 'browser_fly'"),
        ({"browser": PLACE, "browser_tools": "browser_click"}, "list of names"),
        ({"tools": ["look"]}, "not the name 'look'"),
        ({"tools": [3]}, "int is no tool"),
        ({"tools": [look, look]}, "two tools are named 'look'"),
        ({"tools": numbered(MAX_TOOLS + 1)}, "more than a model takes"),
        ({"tools": [], "model": object()}, "async complete"),
        ({"tools": [], "limits": {"max_turns": 3}}, "limits must be a RunLimits"),
        ({"tools": [], "budget": 3}, "budget must be a Budget"),
        ({"tools": [], "instructions": None}, "instructions must be a str"),
        ({"tools": [], "require_citations": "yes"}, "require_citations must be a bool"),
        ({"tools": [], "approve": "ask"}, "approve must be callable"),
        ({"tools": [], "hooks": [object()]}, "no hook method"),
        ({"tools": [], "output_type": {"type": 3}}, "output_type"),
        ({"tools": [], "output_type": object()}, "output_type"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_robot_that_could_not_work_says_so_when_it_is_built(
    given: dict[str, Any], says: str
) -> None:
    settings: dict[str, Any] = {"model": MODEL, **given}
    with pytest.raises(ConfigurationError, match=says):
        Robot("r", **settings)


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_robot_needs_a_name(name: Any) -> None:
    with pytest.raises(ConfigurationError, match="name"):
        Robot(name, model=MODEL, tools=[])


def test_unknown_keywords_are_refused_everywhere() -> None:
    with pytest.raises(TypeError):
        Robot("r", model=MODEL, tools=[], temprature=1)  # pyright: ignore[reportCallIssue] - the point of the test
    robot = Robot("r", model=MODEL, tools=[])
    for change in (robot.update, robot.fork):
        with pytest.raises(ConfigurationError, match="unknown setting temprature; known are name"):
            change(temprature=1)
    for start in (robot.run, robot.stream):
        with pytest.raises(TypeError):
            start("look", attachments=["a.png"])  # pyright: ignore[reportCallIssue] - the point of the test


def test_a_robot_without_tools_is_built_when_it_is_asked_for() -> None:
    assert Robot("r", model=MODEL, tools=[]).settings.tools == ()


def test_plain_functions_become_tools_and_browser_tools_come_first() -> None:
    robot = Robot("r", model=MODEL, browser=PLACE, tools=[plain, look])
    names = [item.name for item in robot.settings.tools]
    assert names[-2:] == ["plain", "look"]
    assert names[0].startswith("browser_")
    assert "browser_search" in names
    chosen = Robot("r", model=MODEL, browser=PLACE, browser_tools=["browser_click"], tools=[look])
    assert [item.name for item in chosen.settings.tools] == ["browser_click", "look"]


def test_names_of_models_are_resolved_by_the_port(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def resolve(name: str) -> object:
        asked.append(name)
        return MODEL

    monkeypatch.setitem(ports._provided, "model", resolve)
    Robot("r", tools=[])
    Robot("r", model="openai/x", tools=[])
    assert asked == ["extractive", "openai/x"]


def test_copies_change_what_was_named_and_share_the_budget() -> None:
    budget = Budget(tokens=5)
    robot = Robot("r", model=MODEL, tools=[look], budget=budget)
    other = ScriptedModel([])
    changed = (
        robot.with_model(other)
        .with_instructions("Be brief.")
        .with_tools(plain)
        .with_output(int)
        .with_limits(RunLimits(max_turns=2))
    )
    assert changed.settings.model is other
    assert changed.settings.instructions == "Be brief."
    assert [item.name for item in changed.settings.tools] == ["look", "plain"]
    assert changed.settings.output is not None
    assert changed.settings.limits.max_turns == 2
    assert changed.settings.budget is budget
    assert robot.settings.instructions == ""
    assert [item.name for item in robot.settings.tools] == ["look"]


def test_update_changes_the_robot_itself_or_nothing_at_all() -> None:
    robot = Robot("r", model=MODEL, tools=[look])
    robot.update(instructions="New.", tools=[plain])
    assert (robot.settings.instructions, robot.settings.tools[0].name) == ("New.", "plain")
    with pytest.raises(ConfigurationError):
        robot.update(instructions="Newer.", tools=["x"])
    assert robot.settings.instructions == "New."


def test_a_robot_describes_itself_in_plain_words() -> None:
    robot = Robot("r", model=MODEL, tools=[look], budget=Budget(cost_usd=0.5))
    described = robot.to_dict()
    assert described["name"] == robot.name == "r"
    assert described["model"] == "ScriptedModel"
    assert described["tools"] == ["look"]
    assert described["budget"] == {"tokens": None, "cost_usd": 0.5}
    assert repr(robot) == "Robot('r', tools=1)"


def test_defaults_are_those_of_the_documentation() -> None:
    assert asdict(RunLimits()) == {
        "max_turns": 30,
        "max_tool_rounds": 60,
        "max_time_s": 600,
        "max_tokens": None,
        "max_cost_usd": None,
        "model_timeout_s": 120,
        "max_results_bytes": 2_000_000,
    }
    assert asdict(BrowserLimits()) == {
        "navigation_timeout_s": 20,
        "action_timeout_s": 10,
        "observation_timeout_s": 5,
        "close_timeout_s": 10,
        "result_bytes": 65_536,
        "snapshot_bytes": 24_576,
        "capture_bytes": 2_097_152,
        "download_bytes": 67_108_864,
        "max_pages": 8,
        "max_dialogs": 20,
    }


def test_limits_are_checked() -> None:
    with pytest.raises(InvalidInput):
        RunLimits(max_turns=-1)
