"""How each field of a Result is validated and frozen. Used by ``records.result`` alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import cast

from browser_agent._freeze import FrozenMapping, freeze
from browser_agent._text import repair
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import CODES, Effect, Status, parse_code


class ErrorInfo(FrozenMapping):
    """``{"code", "message", "retryable", "hint"?}`` with its keys as attributes too."""

    __slots__ = ()

    @property
    def code(self) -> str:
        """One of :class:`ErrorCode`."""
        return str(self["code"])

    @property
    def message(self) -> str:
        """One safe sentence."""
        return str(self["message"])

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return bool(self["retryable"])

    @property
    def hint(self) -> str | None:
        """What to do, where the code table knows."""
        hint = self.get("hint")
        return None if hint is None else str(hint)


PROVENANCE = {"operation_id", "final_url", "captured_at", "locator", "digest"}


def need_mapping(what: str, value: object) -> Mapping[str, object]:
    """The value, or InvalidInput where it is no mapping."""
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{what} needs a mapping, got {type(value).__name__}")
    return cast("Mapping[str, object]", value)


def check_names(given: Mapping[str, object], known: set[str]) -> None:
    """Refuse names that no Result has."""
    unknown = sorted(str(name) for name in set(given) - known)
    if unknown:
        raise InvalidInput(f"unknown field of a Result: {', '.join(unknown)[:200]}")


def _text(name: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string, got {type(value).__name__}")
    return repair(str.__str__(value))


def _mapping(name: str, value: object) -> FrozenMapping | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} must be a mapping, got {type(value).__name__}")
    return cast("FrozenMapping", freeze(cast("Mapping[str, object]", value)))


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} must be a bool, got {type(value).__name__}")
    return value


def parse_moment(name: str, value: object) -> datetime | None:
    """An aware datetime in UTC, cut to milliseconds; ISO 8601 text is accepted."""
    if value is None:
        return None
    moment = value
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidInput(f"{name} must be ISO 8601") from None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise InvalidInput(f"{name} must be a datetime with a time zone")
    moment = moment.astimezone(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _error(name: str, value: object) -> ErrorInfo | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} must be a mapping, got {type(value).__name__}")
    info = ErrorInfo(cast("Mapping[str, object]", value))
    if not {"code"} <= set(info) <= {"code", "message", "retryable", "hint"}:
        raise InvalidInput("error needs code and may hold message, retryable and hint")
    code = parse_code(info["code"])
    if isinstance(info.get("message"), str) and isinstance(info.get("retryable"), bool):
        _text("error hint", info.get("hint"))
        return info
    known = {"message": CODES[code].message, "retryable": CODES[code].retryable}
    if any(not isinstance(info.get(k, v), type(v)) for k, v in known.items()):
        raise InvalidInput("error message must be a string and retryable a bool")
    return ErrorInfo({**known, **info})


def _effect(name: str, value: object) -> Effect | None:
    if value is None:
        return None
    try:
        return Effect(cast("str", value))
    except ValueError:
        raise InvalidInput(f"unknown {name}: {value!r}") from None


def _any(_: str, value: object) -> object:
    return freeze(value)


PARSERS: dict[str, Callable[[str, object], object]] = {
    "operation_id": _text,
    "final_url": _text,
    "captured_at": parse_moment,
    "locator": _mapping,
    "digest": _text,
    "truncated": _flag,
    "data": _any,
    "error": _error,
    "effect": _effect,
    "coverage": _mapping,
    "cursor": _text,
    "capture_digest": _text,
}


def check_combination(fields: Mapping[str, object]) -> None:
    """Status, error and truncated must agree."""
    status, error, cut = fields["status"], fields["error"], fields["truncated"]
    complete = status in (Status.OK, Status.TRUNCATED)
    if complete and error is not None:
        raise InvalidInput(f"status {status} carries no error")
    if not complete and error is None:
        raise InvalidInput(f"status {status} needs an error code")
    if status is Status.TRUNCATED and not cut:
        raise InvalidInput("status truncated needs truncated=True")
    if status is Status.OK and cut:
        raise InvalidInput("status ok refuses truncated=True")
