from __future__ import annotations

import json
from typing import Any

import pytest

from browser_agent.errors import ConfigurationError, InvalidInput, ToolNotFoundError
from browser_agent.tools.manifest import ToolManifest, resolve_names
from browser_agent.tools.tool import Tool, tool


def make(name: str, **flags: Any) -> Tool:
    def function(a: int) -> int:
        return a

    return tool(name=name, description=f"The tool {name}.", **flags)(function)


ONE, TWO, THREE = make("one"), make("two", retryable=True, timeout_s=3), make("three")
BOTH = ToolManifest([ONE, TWO])


def test_tools_are_found_by_name_and_a_missing_one_names_the_known() -> None:
    assert BOTH["one"] is BOTH.fetch("one") is ONE
    assert BOTH.get("none") is None
    assert "two" in BOTH
    with pytest.raises(ToolNotFoundError, match=r"Unknown tool 'none'\. Available tools: one, two"):
        BOTH.fetch("none")
    with pytest.raises(LookupError):
        BOTH["none"]


def test_no_change_touches_the_manifest_it_is_made_from() -> None:
    other = make("one")
    assert BOTH.add(THREE).names == ("one", "two", "three")
    assert BOTH.remove("one").names == ("two",)
    assert BOTH.replace(other).tools == (other, TWO)
    assert BOTH.merge(ToolManifest([THREE])).names == ("one", "two", "three")
    assert BOTH.only(["two"]).names == ("two",)
    assert BOTH.names == ("one", "two")
    assert (len(BOTH), list(BOTH)) == (2, [ONE, TWO])


def test_a_name_that_is_taken_is_loud() -> None:
    for change in (
        lambda: BOTH.add(make("one")),
        lambda: BOTH.merge(BOTH),
        lambda: ToolManifest([ONE, ONE]),
    ):
        with pytest.raises(ConfigurationError, match="one"):
            change()
    with pytest.raises(ToolNotFoundError):
        BOTH.replace(THREE)
    with pytest.raises(ToolNotFoundError):
        BOTH.remove("three")


def test_from_dict_is_the_inverse_of_to_dict_when_it_is_given_the_code() -> None:
    written = json.loads(BOTH.to_json())
    read = ToolManifest.from_dict(written, {item.name: item.handler for item in BOTH})
    assert read.to_dict() == BOTH.to_dict() == written
    assert read["two"].timeout_s == 3


@pytest.mark.parametrize(
    "spec",
    [3, {"name": "other"}, {**ONE.to_dict(), "surprise": 1}],
    ids=["no mapping", "other name", "unknown key"],
)
def test_from_dict_refuses_what_to_dict_never_wrote(spec: object) -> None:
    with pytest.raises(InvalidInput):
        ToolManifest.from_dict({"one": spec}, {"one": ONE.handler})


def test_from_dict_needs_a_handler_for_each_tool() -> None:
    with pytest.raises(ToolNotFoundError):
        ToolManifest.from_dict({"one": ONE.to_dict()}, {})


def test_an_allow_list_is_all_some_or_none_and_never_matches_nothing_by_mistake() -> None:
    assert resolve_names(None, BOTH) is BOTH
    assert resolve_names(["two"], BOTH).names == ("two",)
    assert resolve_names([], BOTH).names == ()
    with pytest.raises(ConfigurationError, match="Unknown tool 'tow'"):
        resolve_names(["tow"], BOTH)
    for wrong in ("two", 3, {"two"}):
        with pytest.raises(ConfigurationError, match="list of names"):
            resolve_names(wrong, BOTH)
