"""A citation: words of the reply, the quote that carries them, where the quote stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import cast

from browser_agent.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Citation:
    """One checked citation.

    ``result`` is the R number. ``start`` and ``end`` count code points of the string that
    ``pointer`` (a JSON pointer) names in that Result's data; they are None when the quote was not
    found there. ``verified`` is False with a ``reason`` when the rule of citation does not hold.
    """

    claim: str
    quote: str
    result: int | None = None
    operation_id: str | None = None
    digest: str | None = None
    pointer: str | None = None
    start: int | None = None
    end: int | None = None
    verified: bool = False
    reason: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain mapping; keys without a value are left out."""
        return {
            item.name: getattr(self, item.name)
            for item in fields(self)
            if getattr(self, item.name) is not None
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, object]) -> Citation:
        """Read what :meth:`to_dict` wrote; unknown keys are refused."""
        known = {item.name for item in fields(cls)}
        if not {"claim", "quote"} <= set(value) <= known:
            raise InvalidInput(
                "a citation needs claim and quote and has no other keys than its own"
            )
        return cls(**cast("dict[str, str]", dict(value)))  # pyright: ignore[reportArgumentType] - names checked above
