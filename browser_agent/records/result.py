"""The Result: what one browser operation gave. Immutable, bounded, with a provenance digest.

A Result never claims that what a page says is true: ``ok`` means that the operation completed.
Owns the shape, its validation and its codecs. It must not touch pages, clocks or disk; page data
reaches it only through the door of the browser layer, which bounds and redacts first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NoReturn, Self, SupportsIndex, TypeVar, cast

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, core_schema

from browser_agent._digest import digest_of_bytes, is_digest
from browser_agent._freeze import FrozenMapping, thaw
from browser_agent._json import canonical, canonical_frozen, dumps_frozen, loads
from browser_agent._urls import display_url
from browser_agent.errors import IntegrityError, InvalidInput
from browser_agent.records.codes import CODES, Effect, ErrorCode, Status, parse_code, parse_status
from browser_agent.records.rendering import render_result
from browser_agent.records.result_fields import (
    PARSERS,
    PROVENANCE,
    ErrorInfo,
    check_combination,
    check_names,
    need_mapping,
)

SCHEMA = "browser_agent.result/1"

T = TypeVar("T")

_FIELDS: tuple[str, ...] = (
    "status",
    "operation_id",
    "final_url",
    "captured_at",
    "locator",
    "digest",
    "truncated",
    "data",
    "error",
    "effect",
    "coverage",
    "cursor",
    "capture_digest",
)


class Result:
    """One operation's outcome. See :meth:`to_dict` for the keys and their order.

    ``status``, ``operation_id``, ``final_url``, ``captured_at`` (aware, cut to milliseconds),
    ``locator``, ``digest``, ``truncated``, ``data`` (a read-only view), ``error``, ``effect``,
    ``coverage``, ``cursor`` and ``capture_digest`` are attributes; absent ones are None.
    """

    __slots__ = _FIELDS
    __match_args__ = _FIELDS

    status: Status
    operation_id: str | None
    final_url: str | None
    captured_at: datetime | None
    locator: FrozenMapping | None
    digest: str
    truncated: bool
    data: object
    error: ErrorInfo | None
    effect: Effect | None
    coverage: FrozenMapping | None
    cursor: str | None
    capture_digest: str | None

    def __new__(  # the contract's constructor, keyword by keyword
        cls,
        status: str,
        *,
        operation_id: str | None = None,
        final_url: str | None = None,
        captured_at: datetime | str | None = None,
        locator: Mapping[str, object] | None = None,
        digest: str | None = None,
        truncated: bool = False,
        data: object = None,
        error: Mapping[str, object] | None = None,
        effect: str | None = None,
        coverage: Mapping[str, object] | None = None,
        cursor: str | None = None,
        capture_digest: str | None = None,
    ) -> Self:
        """Validate, normalise the URL and freeze. A digest that does not match is refused."""
        made = cls._build(
            {
                "status": status,
                "operation_id": operation_id,
                "final_url": display_url(final_url) if isinstance(final_url, str) else final_url,
                "captured_at": captured_at,
                "locator": locator,
                "truncated": truncated,
                "data": data,
                "error": error,
                "effect": effect,
                "coverage": coverage,
                "cursor": cursor,
                "capture_digest": capture_digest,
            }
        )
        if digest is not None and digest != made.digest:
            raise IntegrityError("the digest does not match the data")
        return made

    @classmethod
    def _build(cls, values: Mapping[str, object]) -> Self:
        made = object.__new__(cls)
        fields = dict(values)
        fields["status"] = parse_status(fields.get("status"))
        for name, parse in PARSERS.items():
            fields[name] = parse(name, fields.get(name))
        check_combination(fields)
        if fields.get("digest") is None:
            fields["digest"] = digest_of_bytes(_preimage(fields))
        elif not is_digest(fields["digest"]):
            raise InvalidInput("digest must be 'sha256:' and 64 hex digits")
        for name in _FIELDS:
            object.__setattr__(made, name, fields[name])
        return made

    @classmethod
    def ok(cls, data: object = None, *, truncated: bool = False, **provenance: object) -> Result:
        """A completed operation: ``ok``, or ``truncated`` when a limit cut it."""
        check_names(provenance, PROVENANCE | {"effect", "coverage", "cursor", "capture_digest"})
        status = Status.TRUNCATED if truncated is True else Status.OK
        make = cast("Callable[..., Result]", cls)
        return make(status, data=data, truncated=truncated, **provenance)

    @classmethod
    def failure(
        cls,
        status: str,
        *,
        code: str | None = None,
        message: str | None = None,
        error_code: str | None = None,
        retryable: bool | None = None,
        hint: str | None = None,
        **fields: object,
    ) -> Result:
        """An operation that ended as error, unknown or cleanup_pending; may carry partial data.

        ``retryable`` and ``hint`` come from the code table unless given.
        """
        wanted = parse_status(status)
        if wanted in (Status.OK, Status.TRUNCATED):
            raise InvalidInput(f"a failure cannot have status {wanted.value!r}")
        if code is not None and error_code is not None and code != error_code:
            raise InvalidInput("give code or error_code, not both")
        check_names(fields, set(_FIELDS) - {"status", "error"})
        parsed = parse_code(code if code is not None else error_code)
        info = CODES[parsed]
        error: dict[str, object] = {
            "code": parsed.value,
            "message": info.message if message is None else message,
            "retryable": info.retryable if retryable is None else retryable,
        }
        shown_hint = info.hint if hint is None else hint
        if shown_hint:
            error["hint"] = shown_hint
        make = cast("Callable[..., Result]", cls)
        return make(wanted, error=error, **fields)

    @classmethod
    def from_dict(cls, value: Mapping[str, object], *, verify: bool = False) -> Result:
        """Read what :meth:`to_dict` or :meth:`to_json` wrote, without any loss.

        Missing keys are accepted, unknown ones refused (``schema`` is checked). With ``verify``
        a digest that does not match its content raises IntegrityError.
        """
        fields = dict(need_mapping("a Result", value))
        if fields.pop("schema", SCHEMA) != SCHEMA:
            raise InvalidInput(f"schema must be {SCHEMA!r}")
        check_names(fields, set(_FIELDS))
        fields.setdefault("truncated", False)
        made = cls._build(fields)
        if verify and digest_of_bytes(made.preimage()) != made.digest:
            raise IntegrityError("the digest does not match the data")
        return made

    @classmethod
    def from_json(cls, text: str | bytes, *, verify: bool = False) -> Result:
        """As :meth:`from_dict`, from JSON text."""
        return cls.from_dict(cast("Mapping[str, object]", loads(text)), verify=verify)

    @property
    def is_ok(self) -> bool:
        """Completed: ok or truncated."""
        return self.status in (Status.OK, Status.TRUNCATED)

    @property
    def is_complete(self) -> bool:
        """Completed and nothing was cut."""
        return self.status is Status.OK

    @property
    def error_code(self) -> str | None:
        """The code of a failure."""
        return None if self.error is None else self.error.code

    @property
    def error_message(self) -> str | None:
        """The message of a failure."""
        return None if self.error is None else self.error.message

    def preimage(self) -> bytes:
        """The bytes that ``digest`` names: canonical JSON of data, final_url and locator."""
        return _preimage({"data": self.data, "final_url": self.final_url, "locator": self.locator})

    def require(self) -> object:
        """The data, or the typed exception of the error code with ``.result`` set."""
        if self.error is None:
            return self.data
        code = ErrorCode(self.error.code)
        raise CODES[code].raises(
            f"{code.value}: {self.error.message}",
            code=code.value,
            retryable=self.error.retryable,
            hint=self.error.hint,
            result=self,
        )

    def parse_as(self, model: type[T]) -> T:
        """The data, validated as ``model`` (a pydantic model or any type that pydantic knows).

        Raises InvalidInput that names the paths which do not fit, without their values.
        """
        data = thaw(self.require())
        try:
            return TypeAdapter(model).validate_python(data)
        except ValidationError as exc:
            raise InvalidInput(f"data does not fit: {_paths(exc)}", result=self) from None

    def to_dict(self) -> dict[str, object]:
        """Fresh plain values in the contract's order; keys without a value are left out."""
        made: dict[str, object] = {}
        for name in _FIELDS:
            value = getattr(self, name)
            if value is None:
                continue
            made[name] = _plain(value)
        return made

    def to_json(self) -> str:
        """:meth:`to_dict` as compact JSON, ``schema`` last."""
        return dumps_frozen({**self.to_dict(), "schema": SCHEMA}).decode()

    def render_for_model(self, nonce: str, number: int | None = None) -> str:
        """The text a model sees: one status line, then page text between markers with ``nonce``.

        Page text can forge neither lines, refs, markers nor statuses.
        """
        return render_result(self.to_dict(), nonce=nonce, number=number)

    def _canonical(self) -> bytes:
        return canonical(self.to_dict())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self.digest == other.digest and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash((self.status, self.operation_id, self.digest))

    def __repr__(self) -> str:
        url = None if self.final_url is None else self.final_url.split("?")[0].split("#")[0]
        return f"Result(status={self.status.value!r}, id={self.operation_id!r}, url={url!r})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Result is read-only")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a Result is read-only")

    def __copy__(self) -> Result:
        return self

    def __deepcopy__(self, memo: object) -> Result:
        return self

    def __replace__(self, **changes: object) -> Result:
        """A changed copy, validated like a new Result; the digest follows the data."""
        fields = {name: getattr(self, name) for name in _FIELDS if name != "digest"}
        check_names(changes, set(_FIELDS) - {"digest"})
        make = cast("Callable[..., Result]", type(self))
        return make(**{**fields, **changes})

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[object, ...]:
        return (_restore, (self.to_dict(),))

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        """The JSON Schema of the mapping form: what is always there, and no key besides ours."""
        return {
            "type": "object",
            "title": cls.__name__,
            "properties": {
                **{name: {} for name in (*_FIELDS, "schema")},
                "status": {"enum": [status.value for status in Status]},
                "truncated": {"type": "boolean"},
            },
            "required": ["status"],
            "additionalProperties": False,
        }

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Let pydantic read mappings as Results and write them back."""
        read = core_schema.no_info_plain_validator_function(_validate)
        write = core_schema.plain_serializer_function_ser_schema(_serialise)
        return core_schema.json_or_python_schema(
            json_schema=read, python_schema=read, serialization=write
        )


def _validate(value: object) -> Result:
    if isinstance(value, Result):
        return value
    return Result.from_dict(cast("Mapping[str, object]", value))


def _serialise(value: Result) -> dict[str, object]:
    return {**value.to_dict(), "schema": SCHEMA}


def _restore(fields: dict[str, object]) -> Result:
    return Result.from_dict(fields)


def _preimage(fields: Mapping[str, object]) -> bytes:
    return canonical_frozen({key: fields.get(key) for key in ("data", "final_url", "locator")})


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03d}Z"
    if isinstance(value, Status | Effect):
        return value.value
    return thaw(value)


def _paths(exc: ValidationError) -> str:
    found = [
        f"{'/'.join(str(part) for part in error['loc']) or '(root)'}: {error['type']}"
        for error in exc.errors(include_input=False, include_url=False, include_context=False)
    ]
    return "; ".join(found[:20])
