"""Whether a URL carries a registered secret to an origin that the secret is not bound to. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote_plus

from browser_agent.records.policy import Secret

_LEAST_CHARS = 6
_ROUNDS = 3


def names_secret(url: str, secrets: Mapping[str, Secret], origin: str | None) -> str | None:
    """The name of a secret that stands in ``url``, plain or percent-encoded, else None."""
    forms = {url}
    text = url
    for _ in range(_ROUNDS):
        text = unquote_plus(text)
        forms.add(text)
    for name, secret in secrets.items():
        if origin in secret.origins or len(secret.value) < _LEAST_CHARS:
            continue
        if any(secret.value in form for form in forms):
            return name
    return None
