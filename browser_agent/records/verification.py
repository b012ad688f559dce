"""What a verification found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of checking a run folder, a RobotResult or a Result.

    ``problems`` are sentences, each a failed check; ``notes`` say what was seen and is no fault.
    ``head`` is the last hash of the chain; ``events``, ``blobs`` and ``citations`` count what was
    checked, ``citations_verified`` the quotes that were found.
    """

    ok: bool
    problems: tuple[str, ...] = ()
    head: str | None = None
    events: int = 0
    blobs: int = 0
    citations: int = 0
    citations_verified: int = 0
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Plain mapping with every key."""
        return {
            "ok": self.ok,
            "problems": list(self.problems),
            "notes": list(self.notes),
            "head": self.head,
            "events": self.events,
            "blobs": self.blobs,
            "citations": self.citations,
            "citations_verified": self.citations_verified,
        }
