"""Digests: SHA-256 over canonical bytes, written ``sha256:<hex>``."""

from __future__ import annotations

import hashlib
import re

from browser_agent._json import canonical

PREFIX = "sha256:"
_FORM = re.compile(r"sha256:[0-9a-f]{64}\Z")


def digest_of_bytes(content: bytes) -> str:
    """``sha256:`` and the hex digest of the bytes."""
    return PREFIX + hashlib.sha256(content).hexdigest()


def digest_of(value: object) -> str:
    """The digest of a JSON value's canonical form; InvalidInput for what is no JSON."""
    return digest_of_bytes(canonical(value))


def is_digest(text: object) -> bool:
    """Whether a value has the form of a digest."""
    return isinstance(text, str) and _FORM.match(text) is not None
