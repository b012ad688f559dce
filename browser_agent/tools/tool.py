"""A tool: a name, a description, an argument schema and a handler that a model may call.

Owns the record, what a handler may know of its run, and the ``@tool`` decorator. It must not run
tools: checking, asking, timing and recording a call is the loop's.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast, overload

from browser_agent._freeze import FrozenMapping, thaw
from browser_agent.errors import ConfigurationError
from browser_agent.logic.citations import Cited
from browser_agent.logic.tool_arguments import check_schema, find_problems
from browser_agent.records.result import Result
from browser_agent.tools.signature import read_signature

if TYPE_CHECKING:
    from browser_agent.ports import BlobStore, Model, Redacts, Session

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}\Z")
_REFERENCE = re.compile(r"\[?[Rr]?(\d{1,6})\]?\Z")


class Spilled(Protocol):
    """Results that were too long to show, by cursor."""

    def read(self, cursor: str) -> dict[str, object]:
        """The next part; InvalidInput for a cursor of another run."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a handler may know of the run that it serves.

    ``results`` are the Results shown so far (R1 is ``results[0]``) and grow with the run;
    ``claims`` takes what the model cites by tool call; ``run_dir`` is the open run folder, if any.
    """

    redactor: Redacts
    run_id: str = ""
    robot_name: str = ""
    task: str = ""
    session: Session | None = None
    model: Model | None = None
    blobs: BlobStore | None = None
    run_dir: Path | None = None
    spill: Spilled | None = None
    results: list[Result] = field(default_factory=list[Result])
    claims: list[Cited] = field(default_factory=list[Cited])

    def number_of(self, reference: str | int) -> int | None:
        """The R number of ``R3``, ``3``, an operation id or a digest; None when not shown."""
        text = str(reference).strip()
        found = _REFERENCE.match(text)
        if found:
            number = int(found.group(1))
            return number if 1 <= number <= len(self.results) else None
        for number, result in enumerate(self.results, start=1):
            if text in (result.operation_id, result.digest):
                return number
        return None

    def result_of(self, reference: str | int) -> Result | None:
        """The Result that :meth:`number_of` finds."""
        number = self.number_of(reference)
        return None if number is None else self.results[number - 1]


@dataclass(frozen=True, slots=True)
class Halt:
    """Returned by a handler: ``value`` is the tool's result and the run ends after it."""

    value: object = None


Handler: TypeAlias = Callable[[dict[str, object], ToolContext], Awaitable[object]]
"""Gives a Result, a JSON value, a text, or a :class:`Halt` around one of these."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tool:
    """One tool. ``parameters`` is a JSON Schema of an object, frozen and checked when built.

    ``raise_on_error`` ends the run when the handler raises instead of telling the model.
    ``retryable`` marks a failure as safe to repeat. ``timeout_s`` bounds one call. ``halt`` ends
    the run after the call. ``side_effect`` tools act on the world: they are asked for approval
    and never repeated on their own. ``check`` raises InvalidInput for arguments that fit the
    schema and still cannot be used. ``function`` is what ``@tool`` decorated.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    handler: Handler = field(repr=False)
    raise_on_error: bool = False
    retryable: bool = False
    timeout_s: float | None = None
    halt: bool = False
    read_only: bool = False
    destructive: bool = False
    open_world: bool = False
    side_effect: bool = False
    check: Callable[[Mapping[str, object]], object] | None = field(default=None, repr=False)
    function: Callable[..., object] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if _NAME.match(self.name) is None:
            raise ConfigurationError(
                f"tool name {self.name!r}: use letters, digits, _ . -, at most 64"
            )
        if not self.description.strip():
            raise ConfigurationError(f"tool {self.name!r} needs a description for the model")
        if self.read_only and (self.destructive or self.side_effect):
            raise ConfigurationError(f"tool {self.name!r} cannot be read-only and have effects")
        if self.timeout_s is not None and not self.timeout_s > 0:
            raise ConfigurationError(f"timeout_s of tool {self.name!r} must be positive")
        check_schema(self.name, self.parameters)
        object.__setattr__(self, "parameters", FrozenMapping(self.parameters))

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call the decorated function itself, as if it had no decorator."""
        if self.function is None:
            raise ConfigurationError(f"tool {self.name!r} was not made from a function")
        return self.function(*args, **kwargs)

    def find_problems(self, arguments: Mapping[str, object]) -> tuple[str, ...]:
        """What is wrong with the arguments, one sentence each; empty when nothing is."""
        return find_problems(self.parameters, arguments)

    def to_json_schema(self) -> dict[str, object]:
        """Fresh ``{"name", "description", "parameters"}``."""
        parameters = thaw(self.parameters)
        return {"name": self.name, "description": self.description, "parameters": parameters}

    def to_openai(self) -> dict[str, object]:
        """The OpenAI function form."""
        return {"type": "function", "function": self.to_json_schema()}

    def to_dict(self) -> dict[str, object]:
        """Everything but the code: the schema and the flags that are set."""
        flags = ("raise_on_error", "retryable", "halt", "read_only", "destructive", "open_world")
        made = self.to_json_schema()
        made |= {name: True for name in (*flags, "side_effect") if getattr(self, name)}
        if self.timeout_s is not None:
            made["timeout_s"] = self.timeout_s
        return made


@overload
def tool(function: Callable[..., object], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    raise_on_error: bool = False,
    retryable: bool = False,
    timeout_s: float | None = None,
    halt: bool = False,
    read_only: bool = False,
    destructive: bool = False,
    open_world: bool = False,
    side_effect: bool = False,
) -> Callable[[Callable[..., object]], Tool]: ...
def tool(
    function: Callable[..., object] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **flags: bool | float | None,
) -> Tool | Callable[[Callable[..., object]], Tool]:
    """Make a Tool from a function, sync or async: ``@tool`` or ``@tool(retryable=True)``.

    The schema comes from the annotations, the descriptions from a Google-style docstring. A
    parameter annotated :class:`ToolContext` is filled in by the run and not shown to the model.
    Sync functions run in a thread. ConfigurationError for what a model cannot call.
    """

    def build(target: Callable[..., object]) -> Tool:
        signature = read_signature(target, context_type=ToolContext)
        return Tool(
            name=name or signature.name,
            description=description or signature.description,
            parameters=signature.parameters,
            handler=cast("Handler", signature.call),
            check=signature.parse,
            function=target,
            **flags,  # pyright: ignore[reportArgumentType] - the overload types each flag
        )

    return build if function is None else build(function)
