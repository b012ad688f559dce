"""The observer of one page: snapshots, text, finds, changes, refs, settling and watching.

Owns what is asked of the engine in the page and how answers become records. It never acts on the
page, and it never redacts: what it returns is raw page text for the Result builder.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, cast

from browser_agent.browser.observer_build import build_changes, build_observation
from browser_agent.browser.observer_engine import FrameLost, ask, ref_selector, register_engine
from browser_agent.browser.observer_find import by_pattern, merge
from browser_agent.browser.observer_frames import Asked, Tree, ask_all, numbering_of, top_lost
from browser_agent.browser.observer_listeners import Listeners
from browser_agent.browser.observer_quiet import Traffic, wait_quiet
from browser_agent.browser.observer_refs import Issued, RefTable
from browser_agent.browser.observer_single import described, fingerprint, seen_of
from browser_agent.browser.observer_types import (
    Changes,
    Described,
    Found,
    Observation,
    ObserverError,
    ObserverLimits,
    RefState,
    Seen,
    Settled,
    SnapshotMode,
    Target,
)
from browser_agent.logic.refs import parse_ref

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playwright.async_api import Frame, Page, Playwright

    from browser_agent.browser.observer_engine import Head

__all__ = ["Observer", "RefTable", "Watch"]

DEFAULT_LIMITS = ObserverLimits()
_FIND_BYTES = 500_000


class Observer:
    """Everything that looks at one page (tab). Raises ObserverError only."""

    def __init__(
        self, page: Page, *, refs: RefTable, limits: ObserverLimits = DEFAULT_LIMITS
    ) -> None:
        self._page = page
        self._refs = refs
        self._limits = limits
        self._traffic = Traffic(page)
        self._listeners = Listeners(page, limit_s=limits.listeners_s)
        self._baselines = count(1)
        self._numbering = numbering_of(refs, self)

    @staticmethod
    async def register(playwright: Playwright) -> None:
        """Install the engine; once for each Playwright instance, before pages are opened."""
        await register_engine(playwright)

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
        keep = self._new_baseline() if mode == "full" and root is None else ""
        call = {"mode": mode, "keep": keep}
        tree = await self._observe("snap", call, root, capture_bytes, timeout_s)
        return build_observation(tree, self._numbering, mode=mode, baseline=keep)

    async def text(
        self,
        *,
        root: str | None = None,
        capture_bytes: int | None = None,
        timeout_s: float | None = None,
        stated: bool = False,
    ) -> Observation:
        """Give the readable text: blocks as lines, table rows as lines with `` | ``.

        With ``stated`` also the dates that the page's markup states.
        """
        call = {"stated": True} if stated else {}
        tree = await self._observe("text", call, root, capture_bytes, timeout_s)
        return build_observation(tree, self._numbering, mode="text")

    async def html(
        self,
        *,
        root: str | None = None,
        capture_bytes: int | None = None,
        timeout_s: float | None = None,
    ) -> Observation:
        """Give HTML that holds only what is visible, for conversion to Markdown."""
        tree = await self._observe("html", {}, root, capture_bytes, timeout_s)
        return build_observation(tree, self._numbering, mode="html")

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

        ``regex=True`` reads ``text`` as an RE2 pattern over the lines of the full snapshot; a
        pattern that cannot be read is ObserverError ``invalid_input``. Best matches come first:
        same name, then elements that can be acted on, then the rest in document order.
        """
        if regex:
            view = await self.snapshot("full", timeout_s=timeout_s)
            return by_pattern(view, text, role=role, limit=limit)
        call = {"text": text[:2_000], "role": role or "", "count": limit}
        tree = await self._observe("find", call, None, _FIND_BYTES, timeout_s)
        return merge(tree, self._numbering, limit=limit)

    async def baseline(self, *, timeout_s: float | None = None) -> str:
        """Remember the page as it is now, without sending it; cheap when nothing changed."""
        keep = self._new_baseline()
        await self._observe("base", {"keep": keep}, None, None, timeout_s)
        return keep

    async def changes(
        self, since: str, *, limit_bytes: int = 4_096, timeout_s: float | None = None
    ) -> Changes:
        """Compare the page now with the baseline ``since``; only changed lines leave the page."""
        keep = self._new_baseline()
        call = {"since": since, "keep": keep, "bytes": limit_bytes // 2}
        tree = await self._observe("changes", call, None, None, timeout_s)
        return build_changes(tree, self._numbering, baseline=keep)

    async def resolve(self, ref: str) -> Target:
        """Say where a ref lives: frame, selector, state.

        ``e12``, ``[e12]`` and ``ref=e12`` are accepted.
        """
        name = parse_ref(ref)
        issued = self._issued(name)
        if issued is None:
            return Target(ref=name, state=self._absent(name))
        answer = await self._single(issued, "state", None)
        state = cast("RefState", answer["state"]) if answer is not None else "stale"
        if state != "ok":
            return Target(ref=name, state=state)
        selector = ref_selector(issued.document, issued.number)
        return Target(ref=name, state="ok", frame=issued.frame, selector=selector)

    async def describe(
        self, ref: str, *, expect: str | None = None, timeout_s: float | None = None
    ) -> Described:
        """Say what the element of a ref is now; ``state`` tells stale and unknown ones.

        ``expect`` is a value to compare with, also where the value itself is masked; it does not
        travel in clear.
        """
        name = parse_ref(ref)
        issued = self._issued(name)
        if issued is None:
            return Described(ref=name, state=self._absent(name))
        mark = None if expect is None else fingerprint(expect)
        answer = await self._single(issued, "describe", timeout_s, expect=mark)
        if answer is None:
            return Described(ref=name, state="stale")
        number = self._refs.numbering(self, issued.frame, issued.document)
        return described(name, answer, number=number, frame_url=issued.frame.url)

    async def settle(
        self, *, quiet_ms: int = 60, limit_s: float = 1.0, whole: bool = False
    ) -> Settled:
        """Wait until DOM and network were quiet for ``quiet_ms``, at most ``limit_s``.

        ``whole``: quiet from now on, however long it was so before.
        """
        frame, traffic = self._page.main_frame, self._traffic
        return await wait_quiet(frame, traffic, quiet_ms=quiet_ms, limit_s=limit_s, whole=whole)

    async def watch(self, ref: str, kinds: Sequence[str]) -> Watch:
        """Start to watch for trusted events at a target; call before the input is dispatched."""
        name = parse_ref(ref)
        issued = self._issued(name)
        if issued is None:
            raise _no_target(self._absent(name))
        answer = await self._single(issued, "watch", None, kinds=list(kinds))
        if answer is None or answer.get("state") != "ok":
            raise _no_target("stale")
        return Watch(issued.frame, issued.document, cast("int", answer["watch"]))

    def close(self) -> None:
        """Stop listening to the page's events."""
        self._traffic.close()

    async def _observe(
        self,
        op: str,
        call: Mapping[str, object],
        root: str | None,
        capture_bytes: int | None,
        timeout_s: float | None,
    ) -> Tree:
        limits = self._limits
        top, number = self._page.main_frame, 0
        if root is not None:
            issued = self._issued(parse_ref(root))
            if issued is None:
                raise _no_target(self._absent(parse_ref(root)))
            top, number = issued.frame, issued.number
        asked = Asked(
            op=op,
            call={
                **call,
                "root": number,
                "nodes": limits.max_nodes,
                "ms": limits.walk_ms,
                "title": limits.title_chars,
            },
            timeout_s=limits.timeout_s if timeout_s is None else timeout_s,
            frame_timeout_s=limits.frame_timeout_s,
            capture_bytes=limits.capture_bytes if capture_bytes is None else capture_bytes,
            prepare=self._listeners.tell_engine if self._needs_listeners(op, top) else None,
        )
        tree = await ask_all(top, asked)
        if root is not None and tree.top.answer and tree.top.answer.head.get("missing"):
            raise _no_target("stale")
        return tree

    def _needs_listeners(self, op: str, top: Frame) -> bool:
        of_refs = op not in ("text", "html")
        return of_refs and top == self._page.main_frame and self._listeners.available

    async def _single(
        self, issued: Issued, op: str, timeout_s: float | None, **call: object
    ) -> Head | None:
        """Ask about one element; None when its document is not the one that gave the ref."""
        limits = self._limits
        try:
            answer = await ask(
                issued.frame,
                op,
                timeout_s=limits.timeout_s if timeout_s is None else timeout_s,
                ref=issued.number,
                nodes=limits.max_nodes,
                ms=limits.walk_ms,
                limit=1_000,
                **call,
            )
        except FrameLost as lost:
            if lost.reason == "detached" and issued.frame.parent_frame is not None:
                return None
            raise top_lost(lost.reason) from None
        return answer.head if answer.document == issued.document else None

    def _new_baseline(self) -> str:
        return f"b{next(self._baselines)}"

    def _issued(self, ref: str) -> Issued | None:
        issued = self._refs.find(ref)
        return issued if issued is not None and issued.owner is self else None

    def _absent(self, ref: str) -> RefState:
        """The state of a ref that this page does not know: forgotten, or never its own."""
        gone = self._refs.was_issued(ref) and self._refs.find(ref) is None
        return "stale" if gone else "unknown"


class Watch:
    """A running watch; read it once after the input was dispatched."""

    def __init__(self, frame: Frame, document: str, number: int) -> None:
        self._frame = frame
        self._document = document
        self._number = number

    async def read(self, *, timeout_s: float = 1.0, expect: str | None = None) -> Seen:
        """Give what was seen and end the watch. ObserverError when the page does not answer.

        ``expect`` is compared with the value that is there now, masked or not.
        """
        mark = None if expect is None else fingerprint(expect)
        try:
            answer = await ask(
                self._frame, "seen", timeout_s=timeout_s, watch=self._number, expect=mark
            )
        except FrameLost as lost:
            if lost.reason in ("detached", "navigated"):
                return Seen(available=False)
            raise top_lost(lost.reason) from None
        return seen_of(answer.head if answer.document == self._document else None)


def _no_target(state: RefState) -> ObserverError:
    if state == "stale":
        return ObserverError("ref_stale", "That element is no longer in the page.")
    return ObserverError("ref_not_found", "This page never gave that ref.")
