"""A function's signature and docstring, read as a tool's schema and handler.

Owns the way from Python annotations to JSON Schema and from JSON arguments back to Python
values, both by pydantic. It knows nothing of runs.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import textwrap
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticUserError

from browser_agent.errors import ConfigurationError, InvalidInput

_SECTION = re.compile(
    r"^(Args|Arguments|Parameters|Returns?|Yields?|Raises|Examples?|Notes?|Attributes):\s*$"
)
_OURS = "browser_agent."
_ARGS_SECTIONS = ("Args", "Arguments", "Parameters")
_ARGUMENT = re.compile(r"^(\*{0,2}\w+)\s*(?:\([^)]*\))?:\s*(.*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a model needs to call a function, and how to call it.

    ``call(arguments, context)`` parses and calls; ``parse(arguments)`` raises InvalidInput.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    call: Callable[[dict[str, object], object], Awaitable[object]]
    parse: Callable[[Mapping[str, object]], object]


def read_signature(function: Callable[..., object], *, context_type: type) -> Signature:
    """Read ``function``; ConfigurationError says what a model could not call."""
    name = getattr(function, "__name__", "")
    hints = _hints(function, name)
    summary, documented = parse_docstring(inspect.getdoc(function) or "")
    parameters = dict(inspect.signature(function).parameters)
    injected = [key for key in parameters if hints.get(key) is context_type]
    shown = {key: item for key, item in parameters.items() if key not in injected}
    _check_shape(name, shown, documented)
    model = _arguments_model(name, shown, hints, documented)

    def parse(arguments: Mapping[str, object]) -> BaseModel:
        try:
            return model.model_validate(dict(arguments))
        except ValidationError as exc:
            raise InvalidInput(_problems(exc)) from None

    async def call(arguments: dict[str, object], context: object) -> object:
        parsed = parse(arguments)
        values = {key: getattr(parsed, _field_name(key)) for key in shown}
        values |= dict.fromkeys(injected, context)
        if inspect.iscoroutinefunction(function):
            return await cast("Awaitable[object]", function(**values))
        return await asyncio.to_thread(function, **values)

    return Signature(
        name=name,
        description=summary,
        parameters=_plain_schema(model, name),
        call=call,
        parse=parse,
    )


def parse_docstring(text: str) -> tuple[str, dict[str, str]]:
    """The text before the sections, and the descriptions of a Google-style ``Args:`` section."""
    sections: dict[str, list[str]] = {"": []}
    current = ""
    for line in text.splitlines():
        found = _SECTION.match(line)
        if found:
            current = "Args" if found.group(1) in _ARGS_SECTIONS else found.group(1)
            sections.setdefault(current, [])
        else:
            sections[current].append(line)
    return _paragraphs("\n".join(sections[""])), _arguments("\n".join(sections.get("Args", [])))


def _arguments(section: str) -> dict[str, str]:
    described: dict[str, str] = {}
    name = ""
    for line in textwrap.dedent(section).splitlines():
        found = _ARGUMENT.match(line)
        if found:
            name = found.group(1).lstrip("*")
            described[name] = found.group(2).strip()
        elif name and line.strip():
            described[name] = f"{described[name]} {line.strip()}".strip()
    return described


def _paragraphs(text: str) -> str:
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return "\n".join(part for part in parts if part)


def _hints(function: Callable[..., object], name: str) -> dict[str, object]:
    try:
        return get_type_hints(function, include_extras=True)
    except NameError:
        pass
    try:
        return get_type_hints(function, localns=_names_around(), include_extras=True)
    except NameError as exc:
        raise ConfigurationError(
            f"tool {name!r}: the annotation {exc.name!r} is not known at run time"
        ) from None


def _names_around() -> dict[str, object]:
    """Local names of the function in which the tool is defined: its types may be local to it."""
    frame = inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_OURS):
        frame = frame.f_back
    return {} if frame is None else dict(frame.f_locals)


def _check_shape(
    name: str, shown: Mapping[str, inspect.Parameter], documented: Mapping[str, str]
) -> None:
    refused = (
        inspect.Parameter.VAR_POSITIONAL,
        inspect.Parameter.VAR_KEYWORD,
        inspect.Parameter.POSITIONAL_ONLY,
    )
    for key, item in shown.items():
        if item.kind in refused:
            raise ConfigurationError(f"tool {name!r}: a model cannot fill the parameter {key!r}")
    stray = sorted(set(documented) - set(shown))
    if stray:
        raise ConfigurationError(
            f"tool {name!r}: the docstring describes {', '.join(stray)}, the function has no such"
            " parameter"
        )


def _field_name(key: str) -> str:
    """Pydantic reserves leading underscores and some names; the alias keeps the real one."""
    return f"argument_{key}"


def _arguments_model(
    name: str,
    shown: Mapping[str, inspect.Parameter],
    hints: Mapping[str, object],
    documented: Mapping[str, str],
) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for key, item in shown.items():
        default = ... if item.default is inspect.Parameter.empty else item.default
        details = Field(default, alias=key, description=documented.get(key))
        fields[_field_name(key)] = (hints.get(key, Any), details)
    try:
        return create_model(name or "arguments", __config__=ConfigDict(extra="forbid"), **fields)
    except (PydanticUserError, TypeError) as exc:
        raise ConfigurationError(f"tool {name!r}: {_first_line(exc)}") from None


def _plain_schema(model: type[BaseModel], name: str) -> dict[str, object]:
    try:
        schema = model.model_json_schema()
    except PydanticUserError as exc:
        raise ConfigurationError(f"tool {name!r}: {_first_line(exc)}") from None
    schema.pop("title", None)
    for item in schema.get("properties", {}).values():
        item.pop("title", None)
    return {"type": "object", "properties": {}, **schema}


def _first_line(exc: Exception) -> str:
    return str(exc).splitlines()[0]


def _problems(exc: ValidationError) -> str:
    errors = exc.errors(include_input=False, include_url=False, include_context=False)
    return "; ".join(
        f"{'.'.join(str(part) for part in error['loc']) or 'arguments'}: {error['msg']}"
        for error in errors[:10]
    )
