"""Dialogs of pages: alert, confirm, prompt, beforeunload. None ever blocks a navigation or a close.

Owns the policy (dismiss, accept, ask), the bounded record and the pending dialog of each tab.
What a dialog says is page data: it leaves through the door like everything else.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from playwright.async_api import Dialog

    from browser_agent.browser.core import Core
    from browser_agent.browser.operation import Operation
    from browser_agent.browser.tab import Tab
    from browser_agent.records.result import Result

POLICIES = ("dismiss", "accept", "ask")
MESSAGE_CHARS = 1_000
FLOOD_PAUSE_S = 0.25
"""Beyond ``max_dialogs`` a tab's dialogs are answered at this pace, so that a loop of alerts
costs the machine next to nothing."""


@dataclass(slots=True, eq=False, kw_only=True)
class _Item:
    """One dialog. ``answer`` is None while it is open."""

    kind: str
    message: str
    default: str
    tab: Tab | None
    answer: str | None = None
    dialog: Dialog | None = field(default=None, repr=False)

    def to_data(self) -> dict[str, object]:
        data: dict[str, object] = {"kind": self.kind, "message": self.message}
        if self.default:
            data["default"] = self.default
        if self.tab is not None:
            data["tab"] = self.tab.id
        data["answer"] = self.answer or "pending"
        return data


class Dialogs:
    """The dialogs of one session."""

    def __init__(self, core: Core) -> None:
        if core.options.dialogs not in POLICIES:
            raise InvalidInput(f"dialogs must be one of {', '.join(POLICIES)}")
        self._core = core
        self._policy = core.options.dialogs
        self._items: deque[_Item] = deque(maxlen=max(1, core.limits.max_dialogs))
        self._per_tab: dict[str, int] = {}
        self._waiters: set[asyncio.Future[None]] = set()
        self.count = 0
        core.context.on("dialog", self._on_dialog)

    async def dialogs(self) -> Result:
        """Dialogs so far, oldest first, with how many are not kept."""

        async def act(_: Operation) -> Outcome:
            items = [item.to_data() for item in self._items]
            return Outcome(data={"items": items, "dropped": self.count - len(items)})

        return await self._core.run(self._kind("dialogs"), act)

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Result:
        """Answer the pending dialog, the current tab's first; ``not_found`` when none is open."""
        if not isinstance(accept, bool):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without a checker
            raise InvalidInput("accept must be a bool")
        if text is not None and not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - as above
            raise InvalidInput("text must be a string or None")

        async def act(op: Operation) -> Outcome:
            item = self._pending()
            if item is None:
                fail(ErrorCode.NOT_FOUND, "No dialog is open.")
            op.dispatching()
            await op.call(self._answer(item, accept=accept, text=text))
            op.acknowledged()
            return Outcome(data={"dialog": item.to_data(), "changed": True})

        return await self._core.run(self._kind("answer_dialog", effectful=True), act)

    def last_since(self, mark: int) -> dict[str, object] | None:
        """The newest dialog that opened after ``count`` was ``mark``, else None."""
        new = self.count - mark
        if new <= 0 or not self._items:
            return None
        data = self._items[-1].to_data()
        return {**data, "total": new} if new > 1 else data

    async def wait_pending(self, tab: Tab) -> None:
        """Return once a dialog of ``tab`` waits for an answer."""
        while tab.dialog is None:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.add(waiter)
            try:
                await waiter
            finally:
                self._waiters.discard(waiter)

    def _kind(self, name: str, *, effectful: bool = False) -> Kind:
        return Kind(
            name,
            self._core.limits.action_timeout_s,
            ErrorCode.ACTION_TIMEOUT,
            effectful=effectful,
            on_page=False,
            despite_dialog=True,
        )

    def _pending(self) -> _Item | None:
        open_items = [item for item in self._items if item.answer is None]
        current = self._core.tabs.current
        mine = [item for item in open_items if item.tab is current]
        return next(iter(mine or open_items), None)

    def _on_dialog(self, dialog: Dialog) -> None:
        page = dialog.page
        tab = self._core.tabs.of_page(page) if page is not None else None
        item = _Item(
            kind=dialog.type,
            message=dialog.message[:MESSAGE_CHARS],
            default=dialog.default_value[:MESSAGE_CHARS],
            tab=tab,
            dialog=dialog,
        )
        self.count += 1
        self._items.append(item)
        if item.kind == "beforeunload":
            self._core.spawn(self._answer(item, accept=True))
        elif self._policy == "ask" and tab is not None:
            self._hold(item, tab)
        else:
            self._core.spawn(self._answer_by_policy(item, tab))

    def _hold(self, item: _Item, tab: Tab) -> None:
        tab.dialog = item.to_data()
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._core.spawn(self._expire(item))

    async def _expire(self, item: _Item) -> None:
        """Dismiss a dialog that nobody answered within an action's time."""
        await asyncio.sleep(self._core.limits.action_timeout_s)
        if item.answer is None:
            await self._answer(item, accept=False)

    async def _answer_by_policy(self, item: _Item, tab: Tab | None) -> None:
        name = tab.id if tab is not None else ""
        self._per_tab[name] = self._per_tab.get(name, 0) + 1
        if self._per_tab[name] > self._core.limits.max_dialogs:
            await asyncio.sleep(FLOOD_PAUSE_S)
        await self._answer(item, accept=self._policy == "accept")

    async def _answer(self, item: _Item, *, accept: bool, text: str | None = None) -> None:
        dialog, item.dialog = item.dialog, None
        if dialog is None:
            return
        item.answer = "accepted" if accept else "dismissed"
        if item.tab is not None:
            item.tab.dialog = None
        if not accept:
            await dialog.dismiss()
        elif item.kind == "prompt":
            await dialog.accept(item.default if text is None else text)
        else:
            await dialog.accept()
