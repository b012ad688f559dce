"""Records that the observer gives back, and the one exception it raises.

Owns shapes only. All page text in them is raw: bounding happened in the page, but redaction,
escaping of invisible characters, freezing and digesting are the work of the Result builder.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playwright.async_api import Frame

SnapshotMode = Literal["full", "interactive", "viewport", "outline"]
RefState = Literal["ok", "stale", "unknown"]
"""``ok``: the element is in the page. ``stale``: it was, and is gone. ``unknown``: never issued
by this page (made up, or issued by another tab)."""


class ObserverError(Exception):
    """An observation could not be made. ``code`` is an ErrorCode of the contract.

    Codes used: ``observation_timeout``, ``page_closed``, ``page_crashed``, ``ref_stale``,
    ``ref_not_found``, ``invalid_input``. The message holds no page text and no URL.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverLimits:
    """Bounds of every call; each is enforced in the page or by an outer deadline.

    ``capture_bytes`` (UTF-8) is the most that leaves a page in one call, over all frames.
    ``timeout_s`` bounds the call, ``frame_timeout_s`` one frame that does not answer.
    ``listeners_s`` bounds the question who listens for clicks, asked where elements are new.
    ``max_nodes`` and ``walk_ms`` bound the work in one frame.
    """

    capture_bytes: int = 2_097_152
    timeout_s: float = 5.0
    frame_timeout_s: float = 2.0
    listeners_s: float = 0.6
    max_nodes: int = 400_000
    walk_ms: int = 1_500
    title_chars: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameNote:
    """A frame that was inspected or not: its URL (raw), its name, and why it was not."""

    url: str
    name: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What an observation looked at and what it did not.

    ``bytes_not_captured`` is what the page holds beyond the bound (a lower bound when
    ``nodes_not_inspected``, a number of elements, is not 0: the walk itself was stopped then).
    ``possibly_closed`` names custom elements whose content no script can see.
    """

    frames_inspected: tuple[FrameNote, ...] = ()
    frames_not_inspected: tuple[FrameNote, ...] = ()
    possibly_closed: tuple[str, ...] = ()
    bytes_captured: int = 0
    bytes_not_captured: int = 0
    nodes_not_inspected: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One view of a page.

    ``text`` is the snapshot (grammar in docs/snapshot.md), the readable text or the filtered
    HTML. ``refs`` are the refs shown, in order. ``attributes`` maps a ref to what its element
    carries beyond what is seen (``name``, ``title``, ``alt``, ``description``, ``placeholder``).
    ``flags`` counts what was left out or is odd (``hidden_text``, ``covered_text``,
    ``aria_hidden``, ``masked_values`` …). ``baseline`` is an id for ``Observer.changes``.
    ``elements`` is the number of elements that were looked at. ``stated`` are pairs of a name in
    the markup and a date, where they were asked for.
    """

    text: str
    title: str
    url: str
    language: str
    mode: str
    refs: tuple[str, ...] = ()
    attributes: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict[str, "Mapping[str, str]"]
    )
    flags: Mapping[str, int] = field(default_factory=dict[str, int])
    coverage: Coverage = field(default_factory=Coverage)
    elements: int = 0
    baseline: str = ""
    stated: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One find: the ref to act on (None where nothing can be acted on), role, name, its line."""

    ref: str | None
    role: str
    name: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that a find gave: the first matches, how many there are, and where it looked."""

    matches: tuple[Match, ...]
    total: int
    coverage: Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Lines of the full snapshot that came and went since a baseline.

    ``added`` and ``removed`` hold snapshot lines with the heading or landmark they stand under,
    as ``"place: line"`` where a place is known. ``lost`` means that the baseline is gone (the
    document was replaced), so everything is new and no lines are listed. ``cut`` counts lines
    that the bound left out. ``baseline`` is the id for the next call.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    lost: bool = False
    cut: int = 0
    baseline: str = ""

    @property
    def changed(self) -> bool:
        """Whether anything at all is different."""
        return bool(self.added or self.removed or self.lost or self.cut)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a ref lives. ``frame.locator(selector)`` is exactly that element, or nothing."""

    ref: str
    state: RefState
    frame: Frame | None = None
    selector: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What an element is at this moment.

    ``name`` is what the snapshot shows; ``kind`` the ``type`` of an input; ``value`` the value
    read back (``[masked]`` for a password), ``matches`` whether it is the expected one, where one
    was given; ``wants`` the form that a date or time field takes; ``options`` of a select as
    (value, label, selected); ``covered_by`` names what would take a click at its middle (role and
    name), else "".
    ``box`` is x, y, width, height in its frame's viewport. ``hint`` names the nearest editable
    field or the control of a label (role, name, ref) when the element itself is neither.
    """

    ref: str
    state: RefState
    role: str = ""
    name: str = ""
    tag: str = ""
    kind: str = ""
    value: str | None = None
    matches: bool | None = None
    checked: str | None = None
    editable: bool = False
    readonly: bool = False
    disabled: bool = False
    visible: bool = False
    in_viewport: bool = False
    multiple: bool = False
    accept: str = ""
    href: str = ""
    pattern: str = ""
    min: str = ""
    max: str = ""
    step: str = ""
    wants: str = ""
    options: tuple[tuple[str, str, bool], ...] = ()
    covered_by: str = ""
    box: tuple[float, float, float, float] | None = None
    hint: str = ""
    frame_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Whether the page became quiet within the bound, and how long it took."""

    quiet: bool
    waited_s: float
    mutations: int = 0
    requests_open: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a watch saw between ``watch`` and ``read``.

    ``events``: kinds of trusted events at the target or below it (label and control count as
    one target). ``elsewhere``: kinds of trusted events that went to another element only.
    ``mutations``: DOM changes since. ``value``, ``checked``: read back now (masked where secret);
    ``matches``: whether the value is the expected one, where one was given.
    ``state``: whether the target is still there.
    ``available`` is False when the document was replaced meanwhile, so nothing can be said.
    """

    available: bool
    events: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    mutations: int = 0
    value: str | None = None
    matches: bool | None = None
    checked: str | None = None
    state: RefState = "unknown"
