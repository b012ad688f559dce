"""Secrets as input: ``<secret:name>`` in a text to type becomes the value, at bound origins only.

Owns the expansion and the check. Values leave only towards the field; messages name the secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from browser_agent._urls import origin_of
from browser_agent.browser.outcome import fail
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from browser_agent.records.policy import Secret

_FORM = re.compile(r"<secret:([A-Za-z0-9_.\-]{1,64})>")
SHORTEST = 6
"""Values below this length would redact ordinary words; they are masked where they are typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """A text to type; ``secret`` says that it holds a secret's value."""

    text: str = field(repr=False)
    secret: bool = False


def expand(text: str, secrets: Mapping[str, Secret], url: str) -> Typed:
    """Put in the values of named secrets for a field of a document at ``url``.

    Ends the operation as ``secret_denied`` for an unknown name or an origin that is not bound.
    """
    names = _FORM.findall(text)
    if not names:
        _check_plain(text, secrets, url)
        return Typed(text=text)
    for name in names:
        secret = secrets.get(name)
        if secret is None:
            fail(ErrorCode.SECRET_DENIED, f"No secret is named '{name}'.")
        if not _is_bound(secret, url):
            fail(ErrorCode.SECRET_DENIED, f"The secret '{name}' is not bound to this origin.")
    expanded = _FORM.sub(lambda found: secrets[found.group(1)].value, text)
    return Typed(text=expanded, secret=True)


def _check_plain(text: str, secrets: Mapping[str, Secret], url: str) -> None:
    """Refuse a registered value that is written out and would go to an origin not bound."""
    for name, secret in secrets.items():
        if len(secret.value) < SHORTEST or secret.value not in text:
            continue
        if not _is_bound(secret, url):
            fail(ErrorCode.SECRET_DENIED, f"The secret '{name}' is not bound to this origin.")


def holds_secret(text: str, secrets: Mapping[str, Secret]) -> bool:
    """Whether a registered value stands in ``text``."""
    values = (secret.value for secret in secrets.values())
    return any(len(value) >= SHORTEST and value in text for value in values)


def _is_bound(secret: Secret, url: str) -> bool:
    here = origin_of(url)
    return here is not None and any(origin_of(origin) == here for origin in secret.origins)
