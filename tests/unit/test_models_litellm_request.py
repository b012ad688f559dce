from __future__ import annotations

import pytest

from browser_agent.models.litellm_request import build_messages, is_closed_schema, plain
from browser_agent.records.model import JsonDict, ModelRequest

BLOCKS: dict[str, tuple[JsonDict, ...]] = {
    "c1": ({"type": "thinking", "thinking": "t", "signature": "s"},)
}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
TURN = {"role": "assistant", "content": "", "reasoning_content": "r", "tool_calls": [CALL]}
ANSWER = {"role": "assistant", "content": "a", "reasoning_content": "r"}
REQUEST = ModelRequest(messages=({"role": "user", "content": "u"}, TURN, ANSWER))


@pytest.mark.parametrize(
    ("provider", "own_base", "kept"),
    [("openai", False, False), ("openai", True, True), ("deepseek", False, True)],
)
def test_reasoning_goes_back_only_where_it_is_wanted_and_only_with_calls(
    provider: str, own_base: bool, kept: bool
) -> None:
    messages = build_messages(REQUEST, provider=provider, own_base=own_base, blocks={})
    assert ("reasoning_content" in messages[1]) is kept
    assert "reasoning_content" not in messages[2]
    assert TURN["reasoning_content"] == "r"


def test_signed_thinking_returns_to_the_turn_whose_calls_it_led_to() -> None:
    messages = build_messages(REQUEST, provider="anthropic", own_base=False, blocks=BLOCKS)
    assert messages[1]["thinking_blocks"] == [dict(BLOCKS["c1"][0])]
    assert "thinking_blocks" not in messages[2]


CLOSED: dict[str, object] = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


SCHEMAS: list[tuple[JsonDict, bool]] = [
    (CLOSED, True),
    ({"type": "array", "items": CLOSED}, True),
    ({**CLOSED, "required": []}, False),
    ({**CLOSED, "properties": {"a": {"type": "object"}}}, False),
    ({"type": "object"}, False),
    ({"anyOf": [CLOSED, {"type": "object", "properties": {"b": {}}}]}, False),
    ({"type": "string"}, True),
]


@pytest.mark.parametrize(("schema", "closed"), SCHEMAS)
def test_strict_mode_only_for_schemas_that_close_every_object(
    schema: JsonDict, closed: bool
) -> None:
    assert is_closed_schema(schema) is closed


def test_plain_gives_fresh_dicts_and_lists() -> None:
    given = {"a": ({"b": [1]},)}
    made = plain(given)
    assert made == {"a": [{"b": [1]}]}
