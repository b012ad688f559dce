from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from enum import Enum
from typing import Any, cast

import pytest
from pydantic import BaseModel, Field

from browser_agent.errors import ConfigurationError, InvalidInput
from browser_agent.records.result import Result
from browser_agent.tools.signature import parse_docstring
from browser_agent.tools.tool import Tool, ToolContext, tool


class Plain:
    """A redactor with nothing to hide."""

    def redact(self, value: object) -> object:
        return value

    def redact_text(self, text: str) -> str:
        return text


CONTEXT = ToolContext(redactor=Plain(), run_id="run")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Size(BaseModel):
    width: int = Field(ge=1)


@tool
async def lookup(isbn: str, limit: int = 3) -> dict[str, object]:
    """Look a book up.

    Longer words
    on two lines.

    Args:
        isbn: The number on
            the back.
        limit (int): How many: at most.

    Returns:
        nothing to see
    """
    return {"isbn": isbn, "limit": limit}


def test_schema_and_descriptions_come_from_signature_and_docstring() -> None:
    assert lookup.to_json_schema() == {
        "name": "lookup",
        "description": "Look a book up.\nLonger words on two lines.",
        "parameters": {
            "type": "object",
            "properties": {
                "isbn": {"type": "string", "description": "The number on the back."},
                "limit": {"type": "integer", "default": 3, "description": "How many: at most."},
            },
            "required": ["isbn"],
            "additionalProperties": False,
        },
    }
    assert lookup.to_openai()["function"] == lookup.to_json_schema()


@pytest.mark.anyio
async def test_an_async_function_gets_its_arguments_with_defaults() -> None:
    assert await lookup.handler({"isbn": "7"}, CONTEXT) == {"isbn": "7", "limit": 3}
    plain = cast("Callable[..., Awaitable[object]]", lookup)
    assert await plain("8", limit=1) == {"isbn": "8", "limit": 1}


@pytest.mark.anyio
async def test_a_sync_function_runs_in_another_thread() -> None:
    @tool
    def where() -> int:
        """Say in which thread it runs."""
        return threading.get_ident()

    assert await where.handler({}, CONTEXT) != threading.get_ident()


@pytest.mark.anyio
async def test_json_becomes_the_annotated_types_local_ones_too() -> None:
    class Box(BaseModel):
        colour: Colour

    seen: list[Any] = []

    @tool
    def paint(box: Box, size: Size | None = None) -> str:
        """Paint a box."""
        seen.extend([box, size])
        return "done"

    await paint.handler({"box": {"colour": "red"}, "size": {"width": 2}}, CONTEXT)
    assert seen == [Box(colour=Colour.RED), Size(width=2)]


@pytest.mark.anyio
async def test_the_context_is_filled_in_and_not_shown_to_the_model() -> None:
    @tool
    async def whoami(context: ToolContext, loud: bool = False) -> str:
        """Name the run."""
        return context.run_id.upper() if loud else context.run_id

    parameters = cast("dict[str, dict[str, object]]", whoami.to_json_schema()["parameters"])
    assert set(parameters["properties"]) == {"loud"}
    assert await whoami.handler({"loud": True}, CONTEXT) == "RUN"


def test_arguments_that_fit_the_schema_but_not_the_types_are_refused_without_their_values() -> None:
    @tool
    def grow(size: Size, word: str) -> str:
        """Grow."""
        return word

    assert grow.check is not None
    with pytest.raises(InvalidInput, match=r"size\.width") as caught:
        grow.check({"size": {"width": -12345}, "word": "w"})
    assert "-12345" not in str(caught.value)


def test_problems_are_sentences_that_name_fields_and_quote_no_value() -> None:
    problems = lookup.find_problems({"isbn": 12345678, "pages": "hunter2", "limit": "many"})
    assert problems == (
        "the arguments: unknown 'pages'; known are 'isbn', 'limit'",
        "'isbn' must be string, got a number",
        "'limit' must be integer, got a string",
    )
    assert lookup.find_problems({}) == ("'isbn' is missing",)
    assert lookup.find_problems({"isbn": "1"}) == ()


@pytest.mark.parametrize(
    ("parameters", "value", "problem"),
    [
        ({"enum": ["up", "down"]}, "left", '\'x\' must be one of ["up","down"]'),
        ({"type": ["string", "null"]}, 1, "'x' must be string or null, got a number"),
        ({"type": "object", "required": ["y"]}, {}, "'x' lacks 'y'"),
        ({"minimum": 3}, 1, "'x' must satisfy minimum 3"),
        ({"type": "boolean"}, None, "'x' must be boolean, got null"),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            [],
            "'x' fits none of the allowed forms",
        ),
        ({"$ref": "#/$defs/none"}, 1, "the schema has a reference that leads nowhere"),
    ],
    ids=str,
)
def test_each_kind_of_misfit_has_its_sentence(
    parameters: dict[str, object], value: object, problem: str
) -> None:
    made = build(parameters={"type": "object", "properties": {"x": parameters}})
    (found,) = made.find_problems({"x": value})
    assert found.startswith(problem)


async def handler(_: dict[str, object], __: ToolContext) -> object:
    return None


def build(**changes: Any) -> Tool:
    given: dict[str, Any] = {
        "name": "thing",
        "description": "A thing.",
        "parameters": {"type": "object", "properties": {}},
        "handler": handler,
    }
    return Tool(**{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": "no blanks"}, "letters"),
        ({"name": "x" * 65}, "at most 64"),
        ({"description": "  "}, "description"),
        ({"parameters": {"type": "string"}}, "'object'"),
        ({"parameters": {"type": "object", "properties": 3}}, "malformed schema"),
        ({"parameters": {"type": "object", "$ref": "https://a.example/s.json"}}, "outside"),
        ({"parameters": {"type": "object", "x": float("nan")}}, "JSON number"),
        ({"timeout_s": 0}, "positive"),
        ({"read_only": True, "destructive": True}, "read-only"),
        ({"read_only": True, "side_effect": True}, "read-only"),
    ],
    ids=str,
)
def test_a_tool_that_no_model_could_call_is_refused_when_built(
    changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says):
        build(**changes)


def positional(a: int, /) -> int:
    """Doc."""
    return a


def starred(*rest: int) -> int:
    """Doc."""
    return len(rest)


def keywords(**rest: int) -> int:
    """Doc."""
    return len(rest)


def misdocumented(a: int) -> int:
    """Doc.

    Args:
        b: not there
    """
    return a


def undocumented(a: int) -> int:
    return a


def unknown(a: Nowhere) -> int:  # noqa: F821  # pyright: ignore - the point of the test
    """Doc."""
    return 1


def unwritable(a: threading.Lock) -> int:
    """Doc."""
    return 1


REFUSED: list[Any] = [
    positional,
    starred,
    keywords,
    misdocumented,
    undocumented,
    unknown,
    unwritable,
]


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_a_function_that_no_model_could_call_is_refused(function: Any) -> None:
    with pytest.raises(ConfigurationError):
        tool(function)


def test_flags_and_names_can_be_given_to_the_decorator() -> None:
    @tool(name="other", description="Other words.", retryable=True, timeout_s=2.5, halt=True)
    def inner(a: int) -> int:
        """Doc."""
        return a

    assert (inner.name, inner.description, inner.retryable, inner.timeout_s, inner.halt) == (
        "other",
        "Other words.",
        True,
        2.5,
        True,
    )
    assert inner.to_dict()["timeout_s"] == 2.5
    assert inner.to_dict()["retryable"] is True
    with pytest.raises(ConfigurationError, match="not made from a function"):
        build()()


def test_sections_of_a_docstring_are_told_apart() -> None:
    text = (
        "One.\n\nTwo\nlines.\n\nArgs:\n    a: first\n      more\n    b (str, optional): second\n\n"
        "Raises:\n    X: no"
    )
    assert parse_docstring(text) == (
        "One.\nTwo lines.",
        {"a": "first more", "b": "second"},
    )
    assert parse_docstring("") == ("", {})


def test_a_context_finds_results_by_number_operation_and_digest() -> None:
    first = Result.ok({"a": 1}, operation_id="op_1")
    context = ToolContext(redactor=Plain(), results=[first, Result.ok({"a": 2})])
    assert context.number_of("R2") == context.number_of("[2]") == context.number_of(2) == 2
    assert context.result_of("op_1") is first
    assert context.result_of(first.digest) is first
    assert context.number_of("R3") is None
    assert context.result_of("nothing") is None
