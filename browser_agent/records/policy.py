"""Records of policy: a decision on a URL, a secret bound to origins.

Owns shapes only; the rules that fill them live in ``logic``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from browser_agent.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy says of one URL.

    ``url`` is the canonical form that was judged and the only one to use afterwards. ``code`` is
    an error code (``policy_denied``, ``invalid_url`` …) or None when allowed; ``reason`` is one
    sentence that holds no secret and no resolved address.
    """

    allowed: bool
    code: str | None = None
    reason: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret value and the origins at which it may be typed.

    Without origins it is redacted everywhere and typed nowhere. The value stays out of ``repr``.
    """

    value: str = field(repr=False)
    origins: tuple[str, ...] = ()

    def __init__(self, value: str, origins: Iterable[str] = ()) -> None:
        if not _is_text(value):
            raise InvalidInput("a secret needs a non-empty string value")
        if _is_text(origins):
            raise InvalidInput("origins of a secret must be a list of origins, not one string")
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "origins", tuple(origins))

    def __str__(self) -> str:
        """Never the value."""
        return "[REDACTED:secret]"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)
