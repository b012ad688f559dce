"""Whether something that is about to leave carries a registered secret to the wrong origin.

Owns the check of one outgoing URL with what goes along (form, header, upload, typed text): a value
may leave only towards an origin that its Secret is bound to, whatever encoding it is in. Values of
fewer than six characters would match ordinary words and are not looked for. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from browser_agent.logic.redact_values import RegisteredValues
from browser_agent.logic.url_parts import parse_url
from browser_agent.records.policy import Decision, Secret

__all__ = ["OutgoingCheck", "check_outgoing"]


@dataclass(frozen=True, slots=True)
class OutgoingCheck:
    """The check for one set of secrets, compiled once. Its repr names them and shows no value."""

    bound: tuple[tuple[str, frozenset[str]], ...]
    _values: RegisteredValues

    def __repr__(self) -> str:
        return f"OutgoingCheck({', '.join(name for name, _ in self.bound)})"

    @classmethod
    def of(cls, secrets: Mapping[str, Secret]) -> OutgoingCheck:
        """Prepare the check for ``secrets`` by name."""
        names: dict[str, str] = {}
        bound: dict[str, frozenset[str]] = {}
        for name, secret in secrets.items():
            first = names.setdefault(secret.value, name)
            bound[first] = bound.get(first, frozenset()) | _origins(secret)
        return cls(tuple(bound.items()), RegisteredValues().adding(names.items()))

    def check(self, url: str, body: str | bytes = b"") -> Decision:
        """Judge ``url`` and what goes there; ``secret_denied`` names the secret, never its value.

        Where two names share one value, the bindings of both count.
        """
        parts = parse_url(url)
        if parts is None:
            return Decision(allowed=False, url="", code="invalid_url", reason="not a URL")
        sent = body.encode("utf-8", "replace") if isinstance(body, str) else body
        plain = url.encode("utf-8", "replace") + b"\n" + parts.href.encode() + b"\n" + sent
        for span in self._values.find(plain):
            if parts.origin not in dict(self.bound)[span.kind]:
                reason = f"the secret '{span.kind}' is not bound to {parts.origin}"
                return Decision(allowed=False, url=parts.href, code="secret_denied", reason=reason)
        return Decision(allowed=True, url=parts.href)


def check_outgoing(url: str, body: str | bytes, secrets: Mapping[str, Secret]) -> Decision:
    """One check; prepare an :class:`OutgoingCheck` where many are made."""
    return OutgoingCheck.of(secrets).check(url, body)


def _origins(secret: Secret) -> frozenset[str]:
    parsed = (parse_url(origin) for origin in secret.origins)
    return frozenset(parts.origin for parts in parsed if parts is not None)
