from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent.errors import InvalidInput
from browser_agent.logic.repair_args import MAX_CHARS, read_arguments

JSON_OBJECTS = st.dictionaries(
    st.text(max_size=8),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=12),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=6,
    ),
    max_size=5,
)


@pytest.mark.parametrize(
    ("text", "value", "mended"),
    [
        ('{"url": "https://a.example"}', {"url": "https://a.example"}, None),
        ("{}", {}, None),
        ("   {} ", {}, None),
        ("{'n': True, 'm': None,}", {"n": True, "m": None}, "syntax"),
        ('```json\n{"a": 1}\n```', {"a": 1}, "fence"),
        ('"{\\"a\\": 1}"', {"a": 1}, "string"),
        ("```\n{'a': 1}\n```", {"a": 1}, "syntax"),
        ("{a: 1}", {"a": 1}, "syntax"),
        ('{"a": "b"', {"a": "b"}, "syntax"),
        ('{"a": [1, 2]', {"a": [1, 2]}, "syntax"),
        ('{"a": "b"}}', {"a": "b"}, "syntax"),
        ('{"text": "say "hi" twice"}', {"text": 'say "hi" twice'}, "syntax"),
        ("{'t': \"it's\"}", {"t": "it's"}, "syntax"),
    ],
)
def test_slips_of_form_are_mended_and_told(
    text: str, value: dict[str, object], mended: str | None
) -> None:
    read = read_arguments(text)
    assert read.value == value
    assert read.mended == mended


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"url": "https://exam', "cut off"),
        ('{"amount": 1', "cut off"),
        ('{"submit": tru', "cut off"),
        ('{"fields": [{"target": "e1"}', "cut off"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": "b"}{"a": "c"}', "more than one"),
        ("{'t': 'it's'}", "no JSON"),
        ('{"a": NaN}', "JSON number"),
        ("[]", "one JSON object"),
        ("[1, 2]", "one JSON object"),
        ("42", "one JSON object"),
        ('"just words"', "string"),
        ("", "empty"),
        ("null", "empty"),
        (" \n\t" * 5000, "empty"),
        ("browser_click(e1)", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"a":' * 50_000, "no JSON"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, "no JSON|deeper"),
        ("{" + " " * MAX_CHARS + "}", "longer"),
    ],
)
def test_what_would_be_a_guess_is_refused(text: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read_arguments(text)


@pytest.mark.parametrize("text", ["", "  ", "null"])
def test_nothing_is_an_empty_object_only_for_tools_that_need_nothing(text: str) -> None:
    assert read_arguments(text, needs_any=False).value == {}
    with pytest.raises(InvalidInput):
        read_arguments(text, needs_any=True)


def test_a_mapping_is_taken_as_it_is() -> None:
    assert read_arguments({"a": 1}).value == {"a": 1}
    with pytest.raises(InvalidInput):
        read_arguments(3)


@given(JSON_OBJECTS)
def test_proper_json_is_read_as_json_reads_it(value: dict[str, object]) -> None:
    read = read_arguments(json.dumps(value, ensure_ascii=False))
    assert read.value == value
    assert read.mended is None


@given(JSON_OBJECTS.filter(bool), st.data())
def test_a_cut_text_never_gives_an_empty_object_nor_other_values(
    value: dict[str, object], data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=False)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    try:
        read = read_arguments(cut)
    except InvalidInput:
        return
    assert read.value
    for key, item in read.value.items():
        assert value[key] == item


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_and_never_becomes_an_empty_object(text: str) -> None:
    try:
        read = read_arguments(text)
    except InvalidInput:
        return
    if not read.value:
        inner = text.strip().strip("`").removeprefix("json")
        assert json.loads(inner) in ({}, "{}")
