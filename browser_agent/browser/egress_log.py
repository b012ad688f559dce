"""The proxy's decision log: what was asked for, what was decided, how many bytes came.

Owns a bounded ring of decisions. It decides nothing. An entry changes while its connection lives
(code, bytes), so readers get frozen copies.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime

from browser_agent._urls import LIMIT_CHARS, display_url
from browser_agent.logic.url_parts import parse_url

__all__ = ["NO_ANSWER", "DecisionLog", "Entry", "ProxyDecision"]

NO_ANSWER = "the server closed the connection without an answer"
"""The reason of a request that was sent in full, so that it may have been taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyDecision:
    """One request or tunnel as the proxy judged it.

    ``seq`` counts from 1. ``url`` is in display form and holds a path only where the proxy saw one
    (plain http). ``allowed`` is the policy's word; ``code`` is an error code, None when all went
    well (``policy_denied``, ``dns_failed``, ``connect_failed``, ``secret_denied``, ``too_large``,
    ``recording_miss`` …). ``address_class`` says where the dialled or refused address leads, never
    the address. ``bytes`` counts what was received so far.
    """

    seq: int
    at: datetime
    method: str
    host: str
    port: int
    url: str
    allowed: bool
    code: str | None
    reason: str
    address_class: str | None
    bytes: int


@dataclass(slots=True, eq=False, repr=False)
class Entry:
    """A decision that is still being filled in; read it through :meth:`frozen`.

    ``url`` is raw, since most entries are never read; it leaves in display form only.
    """

    seq: int
    at: datetime
    method: str
    host: str
    port: int
    url: str
    allowed: bool = False
    code: str | None = None
    reason: str = ""
    address_class: str | None = None
    received: int = 0

    def settle(self, *, allowed: bool, code: str | None = None, reason: str = "") -> None:
        """Write down how it was decided."""
        self.allowed, self.code, self.reason = allowed, code, reason

    def frozen(self) -> ProxyDecision:
        """A copy as it stands now."""
        return ProxyDecision(
            seq=self.seq,
            at=self.at,
            method=self.method,
            host=self.host,
            port=self.port,
            url=display_url(self.url),
            allowed=self.allowed,
            code=self.code,
            reason=self.reason,
            address_class=self.address_class,
            bytes=self.received,
        )


class DecisionLog:
    """The last ``size`` decisions, oldest first."""

    def __init__(self, size: int) -> None:
        self._entries: deque[Entry] = deque(maxlen=size)
        self._count = 0

    def open(self, method: str, *, host: str, port: int, url: str) -> Entry:
        """Begin an entry; it is refused until it is settled."""
        self._count += 1
        entry = Entry(self._count, datetime.now(UTC), method, host, port, url[:LIMIT_CHARS])
        self._entries.append(entry)
        return entry

    def mark(self) -> int:
        """The number of the newest decision: what comes later has a higher ``seq``."""
        return self._count

    def since(self, mark: int = 0) -> list[ProxyDecision]:
        """Decisions after ``mark`` that the ring still holds."""
        return [entry.frozen() for entry in self._entries if entry.seq > mark]

    def last(self, target: str, since: int = 0) -> ProxyDecision | None:
        """The newest decision on a host, or on the host and port of a URL.

        For a plain http URL a decision on exactly that URL wins over a newer one on its origin.
        """
        parts = parse_url(target) if "://" in target else None
        host, port = (parts.host, parts.port) if parts else (target.strip("[]").lower(), None)
        found = [
            entry
            for entry in self._entries
            if entry.seq > since and entry.host == host and port in {None, entry.port}
        ]
        if not found:
            return None
        wanted = parts.href.partition("#")[0][:LIMIT_CHARS] if parts else ""
        exact = [entry for entry in found if entry.url == wanted]
        return (exact or found)[-1].frozen()
