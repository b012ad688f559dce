from __future__ import annotations

import json

import pytest

from browser_agent.logic.embedded_calls import parse_embedded_calls, split_thinking


def _tool(name: str, **types: str) -> dict[str, object]:
    properties = {key: {"type": kind} for key, kind in types.items()}
    schema = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


TOOLS = (
    _tool("look", url="string", depth="integer", deep="boolean", tags="array"),
    _tool("find", text="string"),
    _tool("shot"),
)

ONE = [("look", {"url": "https://a.test/", "depth": 2})]
TWO = [("look", {"url": "https://a.test/"}), ("find", {"text": "a } ] b"})]

JSON_ONE = '{"name": "look", "arguments": {"url": "https://a.test/", "depth": 2}}'
JSON_TWO = [
    '{"name": "look", "arguments": {"url": "https://a.test/"}}',
    '{"name": "find", "arguments": {"text": "a } ] b"}}',
]

FORMATS = {
    "hermes": (f"<tool_call>\n{JSON_ONE}\n</tool_call>", ONE),
    "hermes_two": ("".join(f"<tool_call>{call}</tool_call>" for call in JSON_TWO), TWO),
    "hermes_unclosed": (f"<tool_call>\n{JSON_ONE}", ONE),
    "hermes_unclosed_between": (f"<tool_call>{JSON_TWO[0]}<tool_call>{JSON_TWO[1]}", TWO),
    "longcat": (f"<longcat_tool_call>{JSON_ONE}</longcat_tool_call>", ONE),
    "mistral_old": (f"[TOOL_CALLS] [{JSON_TWO[0]}, {JSON_TWO[1]}]", TWO),
    "mistral_v11": (
        '[TOOL_CALLS]look{"url": "https://a.test/"}[TOOL_CALLS]find{"text": "a } ] b"}',
        TWO,
    ),
    "mistral_v11_joined": (
        '[TOOL_CALLS]look{"url": "https://a.test/"}find{"text": "a } ] b"}',
        TWO,
    ),
    "mistral_args": ('[TOOL_CALLS]look[ARGS]{"url": "https://a.test/", "depth": 2}', ONE),
    "qwen3_coder": (
        (
            "<tool_call>\n<function=look>\n<parameter=url>\nhttps://a.test/\n</parameter>\n"
            "<parameter=depth>\n2\n</parameter>\n</function>\n</tool_call>"
        ),
        ONE,
    ),
    "qwen3_coder_bare": (
        (
            "<function=look>\n<parameter=url>https://a.test/</parameter>\n"
            "<parameter=depth>2</parameter></function>"
        ),
        ONE,
    ),
    "glm45": (
        (
            "<tool_call>look\n<arg_key>url</arg_key>\n<arg_value>https://a.test/</arg_value>\n"
            "<arg_key>depth</arg_key>\n<arg_value>2</arg_value>\n</tool_call>"
        ),
        ONE,
    ),
    "glm47": (
        (
            "<tool_call>look<arg_key>url</arg_key><arg_value>https://a.test/</arg_value>"
            "<arg_key>depth</arg_key><arg_value>2</arg_value></tool_call>"
        ),
        ONE,
    ),
    "llama_tag": (f"<|python_tag|>{JSON_ONE.replace('arguments', 'parameters')}<|eom_id|>", ONE),
    "llama_tag_python": ('<|python_tag|>look.call(url="https://a.test/", depth=2)', ONE),
    "llama_json": (JSON_ONE.replace("arguments", "parameters"), ONE),
    "llama_json_two": ("; ".join(JSON_TWO), TWO),
    "llama_pythonic": ('[look(url="https://a.test/"), find(text="a } ] b")]', TWO),
    "deepseek_v3": (
        (
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n"
            '{"url": "https://a.test/", "depth": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
        ),
        ONE,
    ),
    "deepseek_v31": (
        (
            '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look<｜tool▁sep｜>{"url": "https://a.test/"}'
            "<｜tool▁call▁end｜><｜tool▁call▁begin｜>find<｜tool▁sep｜>"
            '{"text": "a } ] b"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
        ),
        TWO,
    ),
    "kimi_k2": (
        (
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0"
            '<|tool_call_argument_begin|>{"url": "https://a.test/", "depth": 2}'
            "<|tool_call_end|><|tool_calls_section_end|>"
        ),
        ONE,
    ),
    "invoke": (
        (
            '<invoke name="look"><parameter name="url">https://a.test/</parameter>'
            '<parameter name="depth">2</parameter></invoke>'
        ),
        ONE,
    ),
    "fenced": (f"I will look.\n```json\n{JSON_ONE}\n```", ONE),
    "fenced_two": (f"```json\n{JSON_TWO[0]}\n```\n```json\n{JSON_TWO[1]}\n```", TWO),
    "fenced_unclosed": (f"```json\n{JSON_ONE}", ONE),
    "fenced_nested_function": (
        (
            '```\n{"type": "function", "function": {"name": "look", '
            '"arguments": "{\\"url\\": \\"https://a.test/\\", \\"depth\\": 2}"}}\n```'
        ),
        ONE,
    ),
    "json_list": (f"[{JSON_TWO[0]}, {JSON_TWO[1]}]", TWO),
}


@pytest.mark.parametrize("case", FORMATS.values(), ids=FORMATS.keys())
def test_each_format_gives_the_calls_the_model_wrote(
    case: tuple[str, list[tuple[str, object]]],
) -> None:
    text, expected = case
    found = parse_embedded_calls(text, TOOLS)
    assert [(call.name, json.loads(call.arguments)) for call in found.calls] == expected
    assert found.format is not None


def test_text_around_calls_is_kept_and_ids_count_up() -> None:
    text = "First a look.\n" + str(FORMATS["hermes_two"][0]) + "\nThen we see."
    found = parse_embedded_calls(text, TOOLS, id_prefix="call_7")
    assert found.text == "First a look.\n\nThen we see."
    assert [call.id for call in found.calls] == ["call_7_0", "call_7_1"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The answer is 42.",
        "A set is written {1, 2}; a list [1, 2].",
        '```json\n{"title": "Ada", "year": 1815}\n```',
        '```json\n{"name": "unheard_of", "arguments": {"a": 1}}\n```',
        '{"name": "Ada", "born": 1815}',
        "<tool_call></tool_call>",
        "<tool_call>look at this</tool_call>",
        '<tool_call>{"arguments": {"url": "x"}}</tool_call>',
        '<tool_call>{"name": null, "arguments": {}}</tool_call>',
        "<tool_call>[]</tool_call>",
        "[TOOL_CALLS]",
        "[TOOL_CALLS] nothing here",
        "<｜tool▁call▁begin｜>look<｜tool▁sep｜>",
        "<|python_tag|>print('hello')",
        "<|python_tag|>import os\nos.listdir()",
        "[look(*args)]",
        '[look(url=open("x"))]',
        " " * 100_000,
        "[" * 50_000,
        "<tool_call>" * 2_000,
    ],
)
def test_text_that_holds_no_call_gives_none_and_stays_as_it_is(text: str) -> None:
    found = parse_embedded_calls(text, TOOLS)
    assert found.calls == ()
    assert found.text == text
    assert found.format is None


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('<tool_call>{"name": "look", "arguments": {"url": "htt', '{"url": "htt'),
        ('<tool_call>{"name": "look", "arguments": {"depth": 1}', '{"depth": 1}'),
        ('<tool_call>{"name": "look", "arguments": {depth: 1}}</tool_call>', "{depth: 1}}"),
        ('<tool_call>{"name": "look", "arguments": null}</tool_call>', "null"),
        ('<tool_call>{"name": "look"}</tool_call>', ""),
        ('[TOOL_CALLS]look{"url": ', '{"url":'),
        ("<function=shot></function>", ""),
    ],
)
def test_broken_or_absent_arguments_go_on_as_they_were_written(text: str, arguments: str) -> None:
    (call,) = parse_embedded_calls(text, TOOLS).calls
    assert call.arguments == arguments
    assert call.arguments != "{}"


def test_unknown_names_are_calls_only_between_a_formats_own_marks() -> None:
    body = '{"name": "unheard_of", "arguments": {"a": 1}}'
    assert parse_embedded_calls(f"<tool_call>{body}</tool_call>", TOOLS).calls[0].name
    assert parse_embedded_calls(body, TOOLS).calls == ()


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("url", "12", "12"),
        ("depth", "12", 12),
        ("deep", "True", True),
        ("deep", "true", True),
        ("tags", "['a', 'b']", ["a", "b"]),
        ("tags", "a, b", "a, b"),
        ("other", "null", None),
        ("url", "line one\nline two", "line one\nline two"),
    ],
)
def test_xml_like_values_take_the_type_of_the_schema(
    name: str, written: str, value: object
) -> None:
    text = f"<tool_call><function=look><parameter={name}>\n{written}\n</parameter></function>"
    (call,) = parse_embedded_calls(text, TOOLS).calls
    assert json.loads(call.arguments) == {name: value}


@pytest.mark.parametrize(
    ("text", "reasoning", "rest"),
    [
        ("<think>first</think>\nThe answer.", "first", "The answer."),
        ("no open tag</think>The answer.", "no open tag", "The answer."),
        ("<think>cut in the middle", "cut in the middle", ""),
        ("<thinking></thinking>Yes", None, "Yes"),
        ("The answer.", None, "The answer."),
    ],
)
def test_thinking_is_separated_from_what_is_said(
    text: str, reasoning: str | None, rest: str
) -> None:
    split = split_thinking(text)
    assert (split.reasoning, split.text) == (reasoning, rest)
