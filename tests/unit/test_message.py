"""Messages: positional like their description, normalised when built, loud when wrong."""

from __future__ import annotations

from typing import Any

import pytest

from browser_agent import (
    InvalidInput,
    RobotResult,
    TextMessage,
    ToolCallMessage,
    ToolMessage,
    ToolResultMessage,
)
from browser_agent.records.message import parse_message


def test_messages_are_built_by_position_or_by_name() -> None:
    assert TextMessage("assistant", "hi") == TextMessage(role="assistant", content="hi")
    assert ToolMessage("c1", "look", {"x": 1}).arguments == '{"x":1}'  # pyright: ignore[reportArgumentType] - callers pass dicts
    assert ToolMessage("c1", "look").to_dict()["input"] == {}


def test_tools_of_a_message_may_be_mappings() -> None:
    plain = {"id": "c1", "name": "look", "arguments": {"x": 1}}
    call: Any = plain
    asked = ToolCallMessage(tools=(call,))
    assert asked.tools == (ToolMessage.from_dict(plain),)
    assert ToolResultMessage(tool=call, content="seen").tool == asked.tools[0]
    assert parse_message(asked.to_dict()) == asked
    for wrong in (5, "look", None):
        with pytest.raises(InvalidInput, match="Invalid tool"):
            ToolCallMessage(tools=(wrong,))  # pyright: ignore[reportArgumentType] - wrong on purpose
        with pytest.raises(InvalidInput, match="Invalid tool"):
            ToolResultMessage(tool=wrong)  # pyright: ignore[reportArgumentType] - wrong on purpose


def test_what_a_message_is_and_why_it_stopped() -> None:
    call = ToolMessage("c1", "look")
    failed: Any = {"error": "none"}
    fine: Any = {"data": 1}
    told = ToolResultMessage(tool=call, content=failed)
    assert [m.type for m in (TextMessage("user", "a"), ToolCallMessage(), told)] == [
        "text",
        "tool_call",
        "tool_result",
    ]
    assert told.is_error
    assert not ToolResultMessage(tool=call, content=fine).is_error
    assert TextMessage("assistant", "done", "stop").is_stopped
    assert not TextMessage("assistant", "done").is_stopped
    assert ToolCallMessage(tools=(call,)).is_tool_stop


def test_a_missing_type_means_text_and_wrong_words_name_the_allowed_ones() -> None:
    assert parse_message({"role": "assistant", "content": "hi"}).is_text
    assert parse_message({"type": None, "role": "user", "content": "hi"}).is_text
    for wrong, allowed in (
        ({"type": "zip", "role": "user"}, "text, tool_call, tool_result"),
        ({"role": "robot"}, "system, user, assistant, tool_result"),
        ({"role": "user", "stop_reason": "bored"}, "tool, stop"),
    ):
        with pytest.raises(InvalidInput, match=allowed):
            parse_message(wrong)


def test_the_output_of_a_run_is_its_last_text_or_nothing() -> None:
    said = [TextMessage("assistant", "one"), TextMessage("assistant", "two")]
    assert RobotResult("r", said).reply == "two" == RobotResult("r", said).last_text_content
    assert RobotResult("r", None).output == ()
    assert RobotResult("r").reply is None
