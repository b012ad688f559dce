"""What a provider's failure means: one short sentence without secrets, and whether to retry.

Owns the table of failures, by class name, so that it needs no library of a provider. It holds no
retry loop.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import cast

from browser_agent.errors import InferenceError

MESSAGE_LIMIT = 240
_SECRET_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSW", re.IGNORECASE)
_SECRET_SHAPES = re.compile(
    r"(?i)\b(?:sk|pk|rk|gsk|xai|key|bearer|basic|token)[-_ :=]+[\w*.~+/=-]{6,}"
    r"|\bAIza[\w-]{10,}|\b[\w-]{16,}\*{3,}[\w-]*|\beyJ[\w.-]{10,}"
)
_USERINFO = re.compile(r"//[^/@\s]+@")
_PREFIX = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)\s*[:-]\s*)+")


class ProviderError(InferenceError):
    """A failed call; ``retry_after_s`` is what the provider asked to wait, None when it did not."""

    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class _Kind:
    words: str
    retryable: bool
    hint: str | None = None


_KINDS: Mapping[str, _Kind] = {
    "NoChoicesError": _Kind("the provider gave no reply", retryable=True),
    "MidStreamFallbackError": _Kind("the reply broke off midway", retryable=True),
    "AuthenticationError": _Kind(
        "the provider refused the API key",
        retryable=False,
        hint="Set the provider's key in the environment.",
    ),
    "PermissionDeniedError": _Kind("the API key may not use this model", retryable=False),
    "NotFoundError": _Kind(
        "the provider has no such model or address",
        retryable=False,
        hint="Check the model's name and the API base.",
    ),
    "LiteLLMUnknownProvider": _Kind(
        "the provider is not known",
        retryable=False,
        hint="Name a model as provider/name, for example openai/….",
    ),
    "ContextWindowExceededError": _Kind(
        "the conversation is longer than the model's window", retryable=False
    ),
    "UnsupportedParamsError": _Kind("the model does not take a setting", retryable=False),
    "RateLimitError": _Kind("the provider limits the rate", retryable=True),
    "Timeout": _Kind("the provider did not answer in time", retryable=True),
    "APITimeoutError": _Kind("the provider did not answer in time", retryable=True),
    "APIConnectionError": _Kind("the connection to the provider failed", retryable=True),
    "BadRequestError": _Kind("the provider refused the request", retryable=False),
    "UnprocessableEntityError": _Kind("the provider refused the request", retryable=False),
    "InternalServerError": _Kind("the provider failed", retryable=True),
    "APIStatusError": _Kind("the provider failed", retryable=True),
    "APIError": _Kind("the provider failed", retryable=True),
}
_OTHER = _Kind("the provider's answer could not be read", retryable=True)


def is_content_filter(exc: BaseException) -> bool:
    """Whether the provider's own filter stopped the call."""
    if _provider_code(exc) in {"content_policy_violation", "content_filter"}:
        return True
    return any(cls.__name__ == "ContentPolicyViolationError" for cls in type(exc).__mro__)


def refuses_streaming(exc: BaseException) -> bool:
    """Whether a bad request was about streaming, so that a plain one may work."""
    return getattr(exc, "status_code", None) in {400, 422} and "stream" in str(exc).lower()


def describe_failure(name: str, exc: BaseException, secrets: Iterable[str] = ()) -> ProviderError:
    """Build the error for a failed call of model ``name``. It holds nothing of ``exc`` itself."""
    kind = _find_kind(exc)
    status = getattr(exc, "status_code", None)
    said = shorten_message(str(exc), secrets)
    where = f" (HTTP {status})" if isinstance(status, int) and _headers(exc) else ""
    retryable = kind.retryable and _provider_code(exc) != "insufficient_quota"
    text = f"{name}: {kind.words}{where}" + (f": {said}" if said else "")
    error = ProviderError(text, retryable=retryable, hint=kind.hint)
    error.retry_after_s = read_retry_after(exc)
    return error


def _find_kind(exc: BaseException) -> _Kind:
    kind = next((_KINDS[c.__name__] for c in type(exc).__mro__ if c.__name__ in _KINDS), _OTHER)
    # no answer, no headers: what calls itself a server's failure never reached one
    failed_before = kind is _KINDS["InternalServerError"] and not _headers(exc)
    return _KINDS["APIConnectionError"] if failed_before else kind


def _provider_code(exc: BaseException) -> object:
    """The word that the provider's own error body carries."""
    body = getattr(exc, "body", None)
    return cast("Mapping[str, object]", body).get("code") if isinstance(body, Mapping) else None


def shorten_message(text: str, secrets: Iterable[str] = ()) -> str:
    """One redacted line of at most :data:`MESSAGE_LIMIT` characters."""
    known = {value for value in (*secrets, *_environment_secrets()) if len(value) >= 6}
    for value in sorted(known, key=len, reverse=True):
        text = text.replace(value, "[REDACTED:key]")
    text = _USERINFO.sub("//", _SECRET_SHAPES.sub("[REDACTED:key]", text))
    text = text.partition("Original exception:")[0]
    line = " ".join(text.split())
    while (shorter := _PREFIX.sub("", line)) != line:
        line = shorter
    return line if len(line) <= MESSAGE_LIMIT else line[: MESSAGE_LIMIT - 1] + "…"


def _environment_secrets() -> Iterable[str]:
    return (value for name, value in os.environ.items() if _SECRET_NAMES.search(name))


def _headers(exc: BaseException) -> Mapping[str, str]:
    response = getattr(exc, "response", None)
    for source in (getattr(response, "headers", None), getattr(exc, "headers", None)):
        if source:
            return cast("Mapping[str, str]", source)
    return {}


def read_retry_after(exc: BaseException) -> float | None:
    """Seconds that a Retry-After header asks for: a number, milliseconds or a date."""
    headers = _headers(exc)
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            return max(0.0, float(value) * factor)
        except ValueError:
            return _seconds_until(value)
    return None


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return None
