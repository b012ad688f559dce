"""How a browser tool is declared: a name, one short sentence, compact parameters, a call.

Owns the small language of parameters. Descriptions are bytes that every run pays for: keep them
short, say what a model cannot guess.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias, cast

from browser_agent.errors import ConfigurationError
from browser_agent.logic.refs import parse_ref
from browser_agent.ports import Session
from browser_agent.records.result import Result
from browser_agent.tools.tool import Tool, ToolContext

Arguments: TypeAlias = dict[str, object]
Call: TypeAlias = Callable[[Session, Arguments], Awaitable[Result]]

STRING: Mapping[str, object] = {"type": "string"}
BOOLEAN: Mapping[str, object] = {"type": "boolean"}
NUMBER: Mapping[str, object] = {"type": "number"}
INTEGER: Mapping[str, object] = {"type": "integer"}
STRINGS: Mapping[str, object] = {"type": "array", "items": {"type": "string"}}
REF: Mapping[str, object] = {"type": "string", "description": "ref, e.g. e12"}


def choice(*words: str) -> Mapping[str, object]:
    """One of these words."""
    return {"type": "string", "enum": list(words)}


def schema(
    properties: Mapping[str, Mapping[str, object]] | None = None, *, required: tuple[str, ...] = ()
) -> dict[str, object]:
    """A JSON Schema of an object that accepts these properties and no others."""
    made: dict[str, object] = {"type": "object", "properties": dict(properties or {})}
    if required:
        made["required"] = list(required)
    made["additionalProperties"] = False
    return made


def session_of(context: ToolContext) -> Session:
    """The run's session; ConfigurationError when the robot was given no browser."""
    if context.session is None:
        raise ConfigurationError("this tool needs a robot with a browser or a session")
    return context.session


def browser_tool(
    name: str, description: str, parameters: dict[str, object], call: Call, *, kind: str = "read"
) -> Tool:
    """A tool over one session call. ``kind``: read, navigate, act or destroy."""

    async def handler(arguments: Arguments, context: ToolContext) -> object:
        return await call(session_of(context), arguments)

    return Tool(
        name=name,
        description=description,
        parameters=parameters,
        handler=handler,
        read_only=kind == "read",
        open_world=kind != "read",
        side_effect=kind in ("act", "destroy"),
        destructive=kind == "destroy",
    )


def text_of(arguments: Arguments, name: str, default: str = "") -> str:
    """A string argument."""
    return str(arguments.get(name, default))


def optional(arguments: Arguments, name: str) -> str | None:
    """A string argument that may be absent; empty counts as absent."""
    value = arguments.get(name)
    return str(value) if value not in (None, "") else None


def ref_of(arguments: Arguments, name: str = "target") -> str:
    """A ref in any of its written forms."""
    return parse_ref(text_of(arguments, name))


def optional_ref(arguments: Arguments, name: str = "target") -> str | None:
    """A ref that may be absent."""
    value = optional(arguments, name)
    return None if value is None else parse_ref(value)


def strings(arguments: Arguments, name: str) -> list[str]:
    """A list of strings."""
    return [str(item) for item in cast("list[object]", arguments.get(name) or [])]


def failed(code: str, message: str) -> Result:
    """A typed error before anything was sent to the page."""
    return Result.failure("error", code=code, message=message, effect="none")
