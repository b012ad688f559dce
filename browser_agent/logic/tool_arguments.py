"""Tool arguments against their JSON Schema, with sentences that a model can act on.

The sentences name fields and wanted forms; they never quote a value, which may be a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from browser_agent._freeze import FrozenMapping, thaw
from browser_agent._json import dumps
from browser_agent.errors import ConfigurationError, InvalidInput

MAX_PROBLEMS = 10
"""More are not told; the model mends these first."""

_KINDS: dict[type, str] = {
    bool: "true/false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}


def check_schema(name: str, schema: Mapping[str, object]) -> None:
    """Refuse what is no self-contained JSON Schema of an object (ConfigurationError)."""
    if schema.get("type") != "object":
        raise ConfigurationError(f"tool {name!r}: parameters must be a schema of type 'object'")
    problem = schema_problem(schema)
    if problem is not None:
        raise ConfigurationError(f"tool {name!r}: {problem}")


def schema_problem(schema: Mapping[str, object]) -> str | None:
    """Why a JSON Schema cannot be used, or None: malformed, or a reference that leads outside."""
    try:
        frozen = FrozenMapping(schema)
        Draft202012Validator.check_schema(cast("dict[str, Any]", thaw(frozen)))
    except InvalidInput as exc:
        return exc.message
    except SchemaError as exc:
        return f"malformed schema at {exc.json_path}: {exc.validator}"
    outside = next((ref for ref in _references(frozen) if not ref.startswith("#")), None)
    return None if outside is None else "the schema refers to something outside of itself"


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, Mapping):
        for key, value in cast("Mapping[str, object]", schema).items():
            if key in ("$ref", "$dynamicRef") and isinstance(value, str):
                yield value
            else:
                yield from _references(value)
    elif isinstance(schema, tuple):
        for item in cast("tuple[object, ...]", schema):
            yield from _references(item)


def find_problems(schema: Mapping[str, object], value: object) -> tuple[str, ...]:
    """What keeps a JSON value from fitting the schema, one sentence each; empty when it fits."""
    validator = _validator(FrozenMapping(schema))
    try:
        errors = sorted(_errors(validator, value), key=lambda error: error.json_path)
    except (Unresolvable, RecursionError):
        return ("the schema has a reference that leads nowhere",)
    return tuple(dict.fromkeys(_sentence(error) for error in errors[:MAX_PROBLEMS]))


def _errors(validator: Draft202012Validator, value: object) -> Iterator[ValidationError]:
    find = cast("Callable[[object], Iterator[ValidationError]]", validator.iter_errors)  # pyright: ignore[reportUnknownMemberType] - partly untyped
    return find(value)


@lru_cache(maxsize=256)
def _validator(schema: FrozenMapping) -> Draft202012Validator:
    plain = cast("dict[str, Any]", thaw(schema))
    return Draft202012Validator(plain, registry=Registry())


def _sentence(error: ValidationError) -> str:
    where = ".".join(str(part) for part in error.absolute_path)
    subject = f"'{where}'" if where else "the arguments"
    keyword = str(error.validator)
    describe = _SENTENCES.get(keyword)
    if describe is not None:
        return describe(error, subject)
    return f"{subject} must satisfy {keyword} {_short(error.validator_value)}"


def _short(value: object) -> str:
    text = dumps(value)
    return text if len(text) <= 120 else text[:117] + "..."


def _type(error: ValidationError, subject: str) -> str:
    wanted = error.validator_value
    names = wanted if isinstance(wanted, str) else " or ".join(cast("list[str]", wanted))
    return f"{subject} must be {names}, got {_kind(error.instance)}"


def _kind(value: object) -> str:
    return next((word for kind, word in _KINDS.items() if isinstance(value, kind)), "null")


def _required(error: ValidationError, subject: str) -> str:
    given = cast("dict[str, object]", error.instance)
    wanted = cast("list[str]", error.validator_value)
    missing = ", ".join(f"'{name}'" for name in wanted if name not in given)
    return f"{missing} is missing" if subject == "the arguments" else f"{subject} lacks {missing}"


def _additional(error: ValidationError, subject: str) -> str:
    schema = cast("dict[str, dict[str, object]]", error.schema)
    known = schema.get("properties", {})
    given = cast("dict[str, object]", error.instance)
    stray = ", ".join(f"'{name[:40]}'" for name in list(given)[:20] if name not in known)
    names = ", ".join(f"'{name}'" for name in known) or "none"
    return f"{subject}: unknown {stray}; known are {names}"


def _enum(error: ValidationError, subject: str) -> str:
    return f"{subject} must be one of {_short(error.validator_value)}"


def _any_of(error: ValidationError, subject: str) -> str:
    return f"{subject} fits none of the allowed forms {_short(error.validator_value)}"


_SENTENCES: dict[str, Callable[[ValidationError, str], str]] = {
    "type": _type,
    "required": _required,
    "additionalProperties": _additional,
    "enum": _enum,
    "const": _enum,
    "anyOf": _any_of,
    "oneOf": _any_of,
}
