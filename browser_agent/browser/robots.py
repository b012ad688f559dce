"""robots.txt, for addresses that a robot chooses by itself. Fetched by our own door of the proxy.

Owns the rules per origin, kept for a while. What the operator gave is not its business.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protego import Protego

from browser_agent._urls import origin_of

if TYPE_CHECKING:
    from browser_agent.browser.egress import EgressProxy

AGENT = "browser-agent"
MAX_BYTES = 524_288
KEEP_S = 3_600.0
TIMEOUT_S = 5.0
_ORIGINS = 500


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of one origin; ``parsed`` None means that all or nothing is allowed."""

    fetched_at: float
    parsed: Protego | None
    all_allowed: bool = True


class Robots:
    """The rules of the origins that were asked for."""

    def __init__(self, proxy: EgressProxy) -> None:
        self._proxy = proxy
        self._rules: dict[str, _Rules] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def allows(self, url: str) -> bool:
        """Whether robots.txt of the URL's origin lets our agent fetch it.

        No file (4xx) or no answer at all allows everything; a server error (5xx) nothing.
        """
        origin = origin_of(url)
        if origin is None:
            return True
        async with self._locks.setdefault(origin, asyncio.Lock()):
            rules = self._rules.get(origin)
            if rules is None or time.monotonic() - rules.fetched_at > KEEP_S:
                rules = await self._fetch(origin)
                self._keep(origin, rules)
        if rules.parsed is None:
            return rules.all_allowed
        return rules.parsed.can_fetch(url, AGENT)

    async def _fetch(self, origin: str) -> _Rules:
        reply = await self._proxy.fetch(
            f"{origin}/robots.txt", max_bytes=MAX_BYTES, timeout_s=TIMEOUT_S
        )
        now = time.monotonic()
        if reply.code is not None or reply.status is None:
            return _Rules(now, None)
        if reply.status >= 500:
            return _Rules(now, None, all_allowed=False)
        if reply.status >= 400:
            return _Rules(now, None)
        return _Rules(now, Protego.parse(reply.body.decode("utf-8", "replace")))

    def _keep(self, origin: str, rules: _Rules) -> None:
        if len(self._rules) >= _ORIGINS:
            oldest = next(iter(self._rules))
            del self._rules[oldest]
            self._locks.pop(oldest, None)
        self._rules[origin] = rules
