"""The one door that takes secrets out of what leaves: Results, errors, logs, files.

Owns :class:`Redactor`. Registered values are replaced in every encoding, unregistered secrets by
their shape, structures by their keys. Every call is linear in its input and idempotent: what was
redacted once comes out unchanged. What is neither registered nor of a known shape stays; there is
no rule that masks a string for looking random.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NoReturn, cast

from browser_agent.errors import InvalidInput
from browser_agent.logic.redact_data import redact_data
from browser_agent.logic.redact_errors import redact_error
from browser_agent.logic.redact_scan import find_secrets
from browser_agent.logic.redact_spans import placeholder, replace_spans
from browser_agent.logic.redact_values import RegisteredValues, encodings_of
from browser_agent.records.policy import Secret

__all__ = ["Redactor", "encodings_of"]

Secrets = Iterable[str | Secret] | Mapping[str, str | Secret]
"""What is registered: values, or names with their values."""

_SAFE_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,48}")
_ROUNDS: Final = 8
_USERINFO: Final = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*:/{2,})[^/?#\\]*@")


class Redactor:
    """Writes ``[REDACTED:kind]`` in place of secrets. Immutable; safe to share between tasks.

    ``secrets`` are values that are known, as a list or by name; a named one is written with its
    name (``[REDACTED:site_password]``). Values of fewer than six characters would eat ordinary
    words: only :meth:`mask_entered` masks them.
    """

    __slots__ = ("_values",)

    def __init__(self, secrets: Secrets = ()) -> None:
        self._values = RegisteredValues().adding(_pairs(secrets))

    def with_secrets(self, secrets: Secrets) -> Redactor:
        """A redactor that knows these values too (a password just typed, a session id)."""
        pairs = _pairs(secrets)
        if not pairs:
            return self
        other = Redactor()
        other._values = self._values.adding(pairs)
        return other

    def redact_text(self, text: str) -> str:
        """``text`` without secrets; the same object when it holds none."""
        data = text.encode("utf-8", "surrogatepass")
        clean = self._clean(data)
        return text if clean is data else clean.decode("utf-8", "surrogatepass")

    def redact_url(self, url: str) -> str:
        """A URL without userinfo, its secret parameters masked."""
        return _USERINFO.sub(r"\1", self.redact_text(url))

    def redact(self, value: object) -> object:
        """JSON-like data without secrets, keys too; containers come back as new plain ones."""
        return redact_data(value, self)

    def redact_exception(self, error: BaseException) -> BaseException:
        """``error`` without secrets in message, arguments, notes, cause, context and group.

        Cleaned in place where its class allows it, else a substitute of the same meaning.
        """
        return redact_error(error, self)

    def mask_entered(self, text: str) -> str:
        """Mask every registered value, short ones too: for fields into which they were typed."""
        return self.redact_text(self._values.mask_short(text))

    def registered_in(self, text: str) -> tuple[str, ...]:
        """Kinds (names) of the registered values that stand in ``text``, in any encoding."""
        data = text.encode("utf-8", "surrogatepass")
        return tuple(dict.fromkeys(span.kind for span in self._values.find(data)))

    def _clean(self, data: bytes) -> bytes:
        for _ in range(_ROUNDS):
            spans = self._values.find(data)
            spans += find_secrets(data)
            cleaner = replace_spans(data, spans) if spans else data
            if cleaner == data:
                return data
            data = cleaner
        return placeholder("text").encode()

    def __repr__(self) -> str:
        return f"<Redactor of {self._values.count} registered values>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Redactor holds secrets and is never pickled")

    def __copy__(self) -> Redactor:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Redactor:
        return self


def _pairs(secrets: Secrets) -> list[tuple[str, str]]:
    """Value and kind of each secret."""
    given: object = secrets
    if isinstance(given, str | bytes):
        raise InvalidInput("secrets must be a list or a mapping, not one string")
    if isinstance(secrets, Mapping):
        named = cast("Mapping[object, object]", secrets)
        return [(_value(value), _kind(name)) for name, value in named.items()]
    return [(_value(value), "secret") for value in list(secrets)]


def _value(secret: object) -> str:
    value = secret.value if isinstance(secret, Secret) else secret
    if not isinstance(value, str):
        raise InvalidInput("a secret must be a string or a Secret")
    return value


def _kind(name: object) -> str:
    return name if isinstance(name, str) and _SAFE_NAME.fullmatch(name) else "secret"
