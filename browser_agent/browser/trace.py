"""The trace of one action: the marks taken before its dispatch and what was found after it.

Owns the record and how it reads as evidence and as the data of a Result. It asks nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from browser_agent.browser.verdict import Evidence, Seen, ValueCheck

if TYPE_CHECKING:
    from browser_agent.browser.aim import Aim
    from browser_agent.browser.hand import Place
    from browser_agent.browser.loads import Load
    from browser_agent.browser.observer import Watch
    from browser_agent.browser.observer_types import Changes
    from browser_agent.browser.observer_types import Seen as Heard
    from browser_agent.browser.tab import Tab
    from browser_agent.browser.traffic import Entry

MASK = "[REDACTED:secret]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What the target should hold afterwards: ``key`` is a fact of the hand (value, checked)."""

    place: Place
    value: str = field(repr=False)
    key: str = "value"
    secret: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Trace:
    """Marks (first group) and findings (second group) of one action."""

    operation_id: str
    name: str
    tab: Tab
    aim: Aim | None
    baseline: str
    watch: Watch | None
    url: str
    tabs: frozenset[str]
    traffic: int
    dialogs: int
    downloads: int
    commits: int
    load: Load | None

    ears: tuple[tuple[Place, str], ...] = ()
    event: Seen = Seen.UNREAD
    value_check: ValueCheck = ValueCheck.NOT_ASKED
    expected: Expected | None = None
    held: str | None = field(default=None, repr=False)
    state_read: bool = False
    settled: bool = False
    navigated: bool = False
    requests: tuple[Entry, ...] = ()
    dialog: dict[str, object] | None = None
    dialog_count: int = 0
    download_count: int = 0
    files: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    new_tabs: tuple[Tab, ...] = ()
    late_tabs: tuple[str, ...] = ()
    lost_tabs: dict[str, str] = field(default_factory=dict[str, str])
    page_closed: bool = False
    crashed: bool = False
    browser_gone: bool = False
    mutations: int = 0
    changes: Changes | None = None
    value_changed: bool = False
    moved: bool = False
    extra: dict[str, object] = field(default_factory=dict[str, object])

    @property
    def has_reacted(self) -> bool:
        """Whether the page shows any reaction so far."""
        began = len(self.requests) + self.dialog_count + self.download_count
        opened = len(self.new_tabs) + len(self.late_tabs)
        return bool(began or opened or self.mutations or self.navigated)

    @property
    def answer_status(self) -> int | None:
        """The HTTP status of the document that the action led to."""
        if not self.navigated:
            return None
        found = [one.status for one in self.requests if one.navigation and one.status is not None]
        return found[-1] if found else None

    def hear(self, heard: Heard) -> None:
        """Take over what a watch saw."""
        self.mutations = max(self.mutations, heard.mutations)
        if heard.events:
            self.event = Seen.TARGET
        elif not heard.available:
            self.event = Seen.UNREAD
        else:
            self.event = Seen.ELSEWHERE if heard.elsewhere else Seen.NOWHERE

    def note_changes(self, changes: Changes) -> None:
        """Take over how the page's text differs from before."""
        self.changes = changes

    def evidence(self) -> Evidence:
        """What the verdict is made from."""
        secret = self.expected is not None and self.expected.secret
        return Evidence(
            event=self.event,
            value=self.value_check,
            state_read=self.state_read or self._explained,
            navigated=self.navigated,
            requests=len(self.requests),
            downloads=self.download_count,
            new_tabs=len(self.new_tabs) + len(self.late_tabs),
            dialogs=self.dialog_count,
            page_closed=self.page_closed,
            crashed=self.crashed,
            browser_gone=self.browser_gone,
            changed=self.has_changed,
            expected=MASK if secret else (self.expected.value if self.expected else "")[:200],
            actual=MASK if secret and self.held else (self.held or "")[:200],
        )

    @property
    def has_changed(self) -> bool:
        """Whether the page's text, a value or a position is different from before."""
        return bool(self.value_changed or self.moved or (self.changes and self.changes.changed))

    @property
    def _explained(self) -> bool:
        """A tab that closed, or a dialog that waits, is itself the state after the input."""
        return self.page_closed or self.tab.dialog is not None

    def _tabs(self) -> list[dict[str, object]]:
        """New tabs; one whose server has not answered has no id, one without a page its code."""
        there: list[dict[str, object]] = []
        for tab in self.new_tabs:
            row: dict[str, object] = {"id": tab.id, "url": tab.page.url[:2_000]}
            if tab.id in self.lost_tabs:
                row["error"] = self.lost_tabs[tab.id]
            there.append(row)
        return [*there, *({"id": None, "url": url} for url in self.late_tabs)]

    def data(self, *, changed: bool) -> dict[str, object]:
        """The keys that the contract gives to the Result of an action."""
        changes = self.changes
        shown: dict[str, object] = {"added": [], "removed": []}
        if changes is not None:
            shown = {"added": list(changes.added), "removed": list(changes.removed)}
            if changes.cut:
                shown["cut"] = changes.cut
        data: dict[str, object] = {
            "changed": changed,
            "changes": shown,
            "navigated": self.navigated,
            "new_tabs": self._tabs(),
            "dialog": self.dialog,
            "downloads": self.files,
            "settled": self.settled,
        }
        if self.answer_status is not None:
            data["http_status"] = self.answer_status
        if self.page_closed:
            data["page_closed"] = True
        if self.expected is not None and self.held is not None:
            data["value"] = MASK if self.expected.secret else self.held[:2_000]
        return data | self.extra
