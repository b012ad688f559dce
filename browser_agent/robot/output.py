"""Structured output: the schema that a model is asked for, and its answer read as a value."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from browser_agent._freeze import FrozenMapping, thaw
from browser_agent._json import loads
from browser_agent.errors import ConfigurationError, InvalidInput
from browser_agent.logic.repair_args import read_arguments
from browser_agent.logic.tool_arguments import find_problems, schema_problem
from browser_agent.tools.tool import Halt, Tool, ToolContext

FINAL_ANSWER = "final_answer"

_FENCE = re.compile(r"```(?:\w+)?\s*\n(.*?)\n\s*```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OutputType:
    """``schema`` for the model; ``parse`` a JSON value of it, InvalidInput when it does not fit."""

    schema: FrozenMapping
    parse: Callable[[object], object]
    is_text: bool = False

    def read(self, text: str) -> object:
        """The value that a reply holds; InvalidInput says what is wrong, without its values."""
        if self.is_text:
            return self.parse(text)
        return self.parse(_find_json(text))


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """A structured answer that came by tool call."""

    value: object


def read_output_type(given: object) -> OutputType | None:
    """A pydantic model, another type that pydantic knows, or a JSON Schema; None for free text."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        return _from_schema(cast("Mapping[str, object]", given))
    try:
        adapter = cast("Callable[[object], TypeAdapter[object]]", TypeAdapter)(given)
        schema = FrozenMapping(adapter.json_schema())
    except (PydanticUserError, TypeError) as exc:
        raise ConfigurationError(f"output_type: {str(exc).splitlines()[0]}") from None

    def parse(value: object) -> object:
        try:
            return adapter.validate_python(value)
        except ValidationError as exc:
            raise InvalidInput(_problems(exc)) from None

    is_text = inspect.isclass(given) and issubclass(given, str)
    return OutputType(schema, parse, is_text)


def _from_schema(given: Mapping[str, object]) -> OutputType:
    problem = schema_problem(given)
    if problem is not None:
        raise ConfigurationError(f"output_type: {problem}")
    schema = FrozenMapping(given)

    def parse(value: object) -> object:
        problems = find_problems(schema, value)
        if problems:
            raise InvalidInput("; ".join(problems))
        return value

    return OutputType(schema, parse)


def build_answer_tool(output: OutputType) -> Tool | None:
    """A tool that takes the final answer, for models without native schemas; objects only."""
    if output.schema.get("type") != "object":
        return None

    async def answer(arguments: dict[str, object], _: ToolContext) -> object:
        return Halt(FinalAnswer(arguments))

    return Tool(
        name=FINAL_ANSWER,
        description="Give the final answer",
        parameters=cast("dict[str, object]", thaw(output.schema)),
        handler=answer,
        check=output.parse,
        read_only=True,
    )


def _find_json(text: str) -> object:
    """The JSON of a reply: alone, in a fence, or the first object with words around it."""
    stripped = text.strip()
    for candidate in (stripped, *(found.strip() for found in _FENCE.findall(text))):
        try:
            return loads(candidate)
        except InvalidInput:
            continue
    start = stripped.find("{")
    if start < 0:
        raise InvalidInput("there is no JSON value in it")
    end = stripped.rfind("}") + 1
    return read_arguments(stripped[start:end] if end > start else stripped[start:]).value


def _problems(exc: ValidationError) -> str:
    errors = exc.errors(include_input=False, include_url=False, include_context=False)
    return "; ".join(
        f"{'.'.join(str(part) for part in error['loc']) or 'the value'}: {error['msg']}"
        for error in errors[:10]
    )
