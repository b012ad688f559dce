"""The observer of one page: snapshots, text, finds, changes, refs, settling and watching.

Owns what is asked of the engine in the page and how frames are put together. It never acts on
the page, and it never redacts: what it returns is raw page text for the Result builder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from browser_agent.browser.observer_types import ObserverLimits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.async_api import Page, Playwright

    from browser_agent.browser.observer_types import (
        Changes,
        Described,
        Found,
        Observation,
        Seen,
        Settled,
        SnapshotMode,
        Target,
    )

DEFAULT_LIMITS = ObserverLimits()


class RefTable:
    """Numbers of a session's refs: dense, shared by its tabs, never given twice."""


class Observer:
    """Everything that looks at one page (tab). Raises ObserverError only."""

    def __init__(
        self, page: Page, *, refs: RefTable, limits: ObserverLimits = DEFAULT_LIMITS
    ) -> None: ...

    @staticmethod
    async def register(playwright: Playwright) -> None:
        """Install the engine; once for each Playwright instance, before pages are opened."""

    async def snapshot(
        self,
        mode: SnapshotMode = "full",
        *,
        root: str | None = None,
        capture_bytes: int | None = None,
        timeout_s: float | None = None,
    ) -> Observation:
        """Give the snapshot of the page, or of the element ``root`` (a ref).

        It also becomes a baseline for :meth:`changes` (``full`` without ``root`` only).
        """

    async def text(
        self,
        *,
        root: str | None = None,
        capture_bytes: int | None = None,
        timeout_s: float | None = None,
    ) -> Observation:
        """Give the readable text: blocks as lines, table rows as lines with `` | ``."""

    async def html(
        self,
        *,
        root: str | None = None,
        capture_bytes: int | None = None,
        timeout_s: float | None = None,
    ) -> Observation:
        """Give HTML that holds only what is visible, for conversion to Markdown."""

    async def find(
        self,
        text: str,
        *,
        regex: bool = False,
        role: str | None = None,
        limit: int = 50,
        timeout_s: float | None = None,
    ) -> Found:
        """Find lines whose name or text contains ``text`` (folded case and white space).

        ``regex=True`` reads ``text`` as an RE2 pattern. Best matches come first: same name, then
        elements that can be acted on, then the rest in document order.
        """

    async def baseline(self, *, timeout_s: float | None = None) -> str:
        """Remember the page as it is now, without sending it; cheap when nothing changed."""

    async def changes(
        self, since: str, *, limit_bytes: int = 4_096, timeout_s: float | None = None
    ) -> Changes:
        """Compare the page now with the baseline ``since``; only changed lines leave the page."""

    async def resolve(self, ref: str) -> Target:
        """Say where a ref lives: frame, selector, state. Accepts ``e12``, ``[e12]``, ``ref=e12``."""

    async def describe(self, ref: str, *, timeout_s: float | None = None) -> Described:
        """Say what the element of a ref is now; ``state`` tells stale and unknown ones."""

    async def settle(self, *, quiet_ms: int = 60, limit_s: float = 1.0) -> Settled:
        """Wait until DOM and network were quiet for ``quiet_ms``, at most ``limit_s``."""

    async def watch(self, ref: str, kinds: Sequence[str]) -> Watch:
        """Start to watch for trusted events at a target; call before the input is dispatched."""

    def close(self) -> None:
        """Stop listening to the page's events."""


class Watch:
    """A running watch; read it once after the input was dispatched."""

    async def read(self, *, timeout_s: float = 1.0) -> Seen:
        """Give what was seen and end the watch."""
