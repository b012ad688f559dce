"""Schemas of extractions: checked, made self-contained, and read as wanted fields.

Pure. A schema that is malformed, recursive, huge or leads outside is refused with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticUserError

from browser_agent._freeze import freeze, mapping_of, thaw
from browser_agent._json import canonical
from browser_agent.errors import InvalidInput

MAX_BYTES = 100_000
MAX_NODES = 2_000
_LOCAL = "#/"


class SchemaRefused(ValueError):  # noqa: N818 - a reason, told in a Result
    """The schema cannot be used; the message says why and quotes none of it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One node of a schema: what kind of value is wanted, under which names."""

    kind: str
    names: tuple[str, ...] = ()
    fields: tuple[tuple[str, Wanted], ...] = ()
    items: Wanted | None = None
    required: frozenset[str] = frozenset()
    choices: tuple[object, ...] = ()
    format: str | None = None


def prepare_schema(schema: object) -> dict[str, Any]:
    """A plain JSON Schema without references; SchemaRefused for what cannot be used."""
    plain = _plain(schema)
    if len(canonical(plain)) > MAX_BYTES:
        raise SchemaRefused(f"the schema is larger than {MAX_BYTES} bytes")
    count = [0]
    resolved = cast("dict[str, Any]", _resolve(plain, plain, (), count))
    resolved.pop("$defs", None)
    resolved.pop("definitions", None)
    try:
        Draft202012Validator.check_schema(resolved)
    except SchemaError as exc:
        raise SchemaRefused(f"malformed schema at {exc.json_path}") from None
    if read_wanted(resolved).kind not in ("object", "array"):
        raise SchemaRefused("the schema must describe an object or an array")
    return resolved


def _plain(schema: object) -> dict[str, Any]:
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        schema = schema.model_json_schema()
    elif not isinstance(schema, Mapping):
        try:
            schema = TypeAdapter(cast("type[object]", schema)).json_schema()
        except (PydanticUserError, TypeError, AttributeError, NameError):
            raise SchemaRefused("give a pydantic model or a JSON Schema") from None
    try:
        return cast("dict[str, Any]", thaw(freeze(cast("object", schema))))
    except InvalidInput as exc:
        raise SchemaRefused(exc.message) from None


def _resolve(
    node: object, root: Mapping[str, Any], trail: tuple[str, ...], count: list[int]
) -> object:
    count[0] += 1
    if count[0] > MAX_NODES:
        raise SchemaRefused(f"the schema has more than {MAX_NODES} parts")
    if isinstance(node, list):
        return [_resolve(item, root, trail, count) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    fields = cast("dict[str, Any]", node)
    reference = fields.get("$ref", fields.get("$dynamicRef"))
    if isinstance(reference, str):
        if reference in trail:
            raise SchemaRefused("the schema is recursive")
        target = _target(reference, root)
        rest = {key: value for key, value in fields.items() if not key.startswith("$")}
        merged = {**cast("dict[str, Any]", target), **rest}
        return _resolve(merged, root, (*trail, reference), count)
    return {
        key: value if key in ("$defs", "definitions") else _resolve(value, root, trail, count)
        for key, value in fields.items()
    }


def _target(reference: str, root: Mapping[str, Any]) -> object:
    if not reference.startswith(_LOCAL):
        raise SchemaRefused("the schema refers to something outside of itself")
    here: object = root
    for part in reference[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        here = cast("Mapping[str, object]", here).get(key) if isinstance(here, Mapping) else None
    if not isinstance(here, Mapping):
        raise SchemaRefused("a reference of the schema leads nowhere")
    return dict(cast("Mapping[str, Any]", here))


def read_wanted(schema: Mapping[str, Any], names: tuple[str, ...] = ()) -> Wanted:
    """The wanted value of a resolved schema; unions with null count as their other part."""
    node = _without_null(schema)
    kind = _kind_of(node)
    own = tuple(str(node[key]) for key in ("title",) if isinstance(node.get(key), str))
    fields: list[tuple[str, Wanted]] = []
    if kind == "object":
        properties = cast("Mapping[str, Any]", node.get("properties") or {})
        fields = [
            (name, read_wanted(mapping_of(part) or {}, (name,)))
            for name, part in properties.items()
        ]
    items = node.get("items")
    return Wanted(
        kind=kind,
        names=tuple(dict.fromkeys((*names, *own))),
        fields=tuple(fields),
        items=read_wanted(cast("Mapping[str, Any]", items), names)
        if isinstance(items, Mapping)
        else None,
        required=frozenset(cast("Sequence[str]", node.get("required") or ())),
        choices=tuple(cast("Sequence[object]", node.get("enum") or ())),
        format=node.get("format") if isinstance(node.get("format"), str) else None,
    )


def _without_null(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in ("anyOf", "oneOf"):
        parts = schema.get(key)
        if isinstance(parts, list):
            listed = cast("list[Mapping[str, Any]]", parts)
            real = [p for p in listed if p.get("type") != "null"]
            if real:
                return {**real[0], **{k: v for k, v in schema.items() if k == "title"}}
    return schema


def _kind_of(node: Mapping[str, Any]) -> str:
    kind = node.get("type")
    if isinstance(kind, list):
        kind = next((k for k in cast("list[str]", kind) if k != "null"), "string")
    if isinstance(kind, str):
        return kind
    if "properties" in node:
        return "object"
    return "array" if "items" in node else "string"


def problems_of(schema: Mapping[str, Any], value: object) -> tuple[str, ...]:
    """Where a value does not fit: JSON pointers with the rule that failed, without values."""
    found = Draft202012Validator(schema).iter_errors(cast("Any", value))  # pyright: ignore[reportUnknownMemberType] - untyped there
    return tuple(f"{_place_of(error)}: {_rule_of(error)}" for error in list(found)[:20])


def _place_of(error: Any) -> str:
    return "/" + "/".join(map(str, error.absolute_path)) if error.absolute_path else "(root)"


def _rule_of(error: Any) -> str:
    return _missing(error) if error.validator == "required" else str(error.validator)


def _missing(error: Any) -> str:
    present = set(cast("Mapping[str, object]", error.instance))
    names = [name for name in error.validator_value if name not in present]
    return f"required {', '.join(map(str, names))}"
