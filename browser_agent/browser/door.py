"""The one door: from an operation's raw outcome to its Result.

Order: bound, redact, escape, freeze, digest. Nothing else in the package builds a Result from
page data. It awaits nothing and touches no page and no disk: blobs wait in ``op.blobs``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from browser_agent._digest import digest_of_bytes
from browser_agent._text import cut_utf8, escape_invisible
from browser_agent.browser.bounding import SHORT_BYTES, Bounder, json_bytes, shrink
from browser_agent.browser.capture import Capture, CaptureStore, Continued, Part, part_of
from browser_agent.browser.outcome import Display, Outcome
from browser_agent.logic.injection import flags_of
from browser_agent.records.codes import Status
from browser_agent.records.result import Result

if TYPE_CHECKING:
    from browser_agent.browser.operation import Operation
    from browser_agent.browser.shared import Shared

_SLACK_BYTES = 1_024
_FRAME_BYTES = 700
"""Room for ids, times, digests and punctuation of a Result's JSON form."""

_LEAST_BYTES = 64
"""A part shows at least this much, however little room is left."""

_BROWSER_PAGES = ("chrome-error:", "chrome:", "devtools:")


@dataclass(slots=True, kw_only=True)
class _Sheet:
    """A Result in the making: every value in it is clean."""

    data: dict[str, object] | None = None
    coverage: dict[str, object]
    locator: Mapping[str, object]
    final_url: str | None
    captured_at: datetime
    cut: bool = False
    cursor: str | None = None
    capture_digest: str | None = None
    blobs: list[bytes] = field(default_factory=list[bytes])


class Door:
    """Seals outcomes of one session."""

    def __init__(self, shared: Shared, captures: CaptureStore, *, keeps_blobs: bool) -> None:
        self._shared = shared
        self._captures = captures
        self._keeps_blobs = keeps_blobs

    def seal(self, op: Operation, outcome: Outcome) -> Result:
        """Bound, redact, escape, freeze and digest; the only maker of Results from page data."""
        sheet = self._sheet(op, outcome)
        if isinstance(outcome.display, Display):
            self._show(sheet, outcome.display)
        elif isinstance(outcome.display, Continued):
            self._continue(sheet, outcome.display)
        elif sheet.data is not None:
            self._fit(sheet, sheet.data, shown={})
        result = self._build(op, outcome, sheet)
        if self._keeps_blobs:
            op.blobs.extend((result.preimage(), *sheet.blobs))
        return result

    def clean_text(self, text: str, limit_bytes: int = 2_000) -> str:
        """A short text of ours or a page, redacted, escaped and cut."""
        kept = cut_utf8(text, limit_bytes + _SLACK_BYTES)
        return cut_utf8(self._escape(self._shared.redactor.redact_text(kept)), limit_bytes)

    def _sheet(self, op: Operation, outcome: Outcome) -> _Sheet:
        tab = op.held_tab
        data = dict(outcome.data) if outcome.data is not None else None
        if tab is not None and tab.dialog is not None:
            data = {**(data or {}), "dialog": tab.dialog}
        coverage = {**self._shared.coverage, **op.coverage, **outcome.coverage}
        if tab is not None and tab.recovered is not None:
            coverage["recovered"], tab.recovered = tab.recovered, None
        looked_at = outcome.locator or op.locator
        bounded = Bounder(slack_bytes=_SLACK_BYTES)
        clean_data = self._clean(data, bounded)
        sheet = _Sheet(
            data=cast("dict[str, object] | None", clean_data),
            coverage=cast("dict[str, object]", self._clean(coverage, Bounder())),
            locator=cast("dict[str, object]", self._clean(looked_at, Bounder())),
            final_url=self._final_url(op, outcome),
            captured_at=datetime.now(UTC),
        )
        sheet.cut = bounded.cut
        if json_bytes(sheet.coverage) > self._shared.limits.result_bytes // 4:
            sheet.coverage = shrink(sheet.coverage, self._shared.limits.result_bytes // 4).data
        return sheet

    def _clean(self, value: object, first: Bounder) -> object:
        """Bound with slack, redact by structure, escape, bound. Cuts are noted in ``first``."""
        if value is None:
            return None
        second = Bounder(text=self._escape)
        redacted = self._shared.redactor.redact(first.bound(value))
        clean = second.bound(redacted)
        first.cut = first.cut or second.cut
        return clean

    def _escape(self, text: str) -> str:
        return escape_invisible(text).text

    def url_of(self, op: Operation) -> str | None:
        """Where the operation's page is, raw; None when it is gone or shows no page."""
        tab = op.held_tab
        if tab is None or tab.page.is_closed() or tab.shows_error:
            return None
        return tab.document.url if tab.document is not None else tab.page.url

    def _final_url(self, op: Operation, outcome: Outcome) -> str | None:
        url = outcome.final_url or self.url_of(op)
        if not url or url.startswith(_BROWSER_PAGES):
            return None
        return self.clean_text(url, SHORT_BYTES["url"])

    def _show(self, sheet: _Sheet, display: Display) -> None:
        bounded = cut_utf8(display.text, self._shared.limits.capture_bytes)
        missing = display.not_captured_bytes
        if len(bounded) < len(display.text):
            missing += len(display.text[len(bounded) :].encode("utf-8", "surrogatepass"))
        escaped = escape_invisible(self._shared.redactor.redact_text(bounded))
        content = escaped.text.encode()
        if escaped.counts:
            flags = cast("dict[str, object]", sheet.coverage.get("flags") or {})
            sheet.coverage["flags"] = {**flags, **escaped.counts}
        told = Counter(flag.kind for flag in flags_of(escaped.text))
        if told:
            sheet.data = {**(sheet.data or {}), "flags": dict(told)}
        sheet.coverage["bytes_captured"] = len(content)
        if missing:
            sheet.coverage["bytes_not_captured"] = missing
        capture = Capture(
            text=escaped.text,
            key=display.key,
            mode=display.mode,
            shown_bytes=display.shown_bytes,
            digest=digest_of_bytes(content),
            total_bytes=len(content),
            data=sheet.data or {},
            extras=display.extras,
            locator=sheet.locator,
            coverage=sheet.coverage,
            final_url=sheet.final_url,
            captured_at=sheet.captured_at,
        )
        self._part(sheet, capture, 0)
        if sheet.capture_digest is not None:
            sheet.blobs.append(content)

    def _continue(self, sheet: _Sheet, place: Continued) -> None:
        capture = place.capture
        sheet.data = dict(capture.data)
        sheet.coverage = dict(capture.coverage)
        sheet.locator = capture.locator
        sheet.final_url = capture.final_url
        sheet.captured_at = capture.captured_at
        self._part(sheet, capture, place.offset)
        sheet.capture_digest = capture.digest

    def _part(self, sheet: _Sheet, capture: Capture, offset: int) -> None:
        """Show what fits of a capture from ``offset`` on; a cursor for the rest."""
        base = {**capture.data, "total_bytes": capture.total_bytes}
        missing = capture.coverage.get("bytes_not_captured", 0)
        base["total_bytes"] = capture.total_bytes + cast("int", missing)
        part = self._fitting_part(sheet, capture, offset, base)
        text = self._shared.redactor.redact_text(part.text)
        extras = self._clean(capture.extras(text) if capture.extras else {}, Bounder())
        others = {**base, **cast("dict[str, object]", extras)}
        self._fit(sheet, others, shown={capture.key: text})
        sheet.cut = sheet.cut or part.next is not None or bool(missing)
        if part.next is not None:
            sheet.cursor = self._captures.keep(capture, part.next)
            sheet.capture_digest = capture.digest

    def _fitting_part(
        self, sheet: _Sheet, capture: Capture, offset: int, base: dict[str, object]
    ) -> Part:
        room = self._room(sheet) - json_bytes(base)
        wanted = capture.shown_bytes or self._shared.limits.snapshot_bytes
        least = min(_LEAST_BYTES, wanted)
        limit = max(least, min(wanted, room))
        part = part_of(capture, offset, limit)
        while (size := json_bytes(part.text)) > room and limit > least:
            limit = max(least, min(limit * 3 // 4, limit * room // size))
            part = part_of(capture, offset, limit)
        return part

    def _fit(self, sheet: _Sheet, data: dict[str, object], *, shown: dict[str, object]) -> None:
        """Put ``shown`` first and as much of the other keys as the Result may hold."""
        room = max(2, self._room(sheet) - json_bytes(shown))
        shrunk = shrink(data, room)
        if shrunk.cut:
            sheet.coverage["cut"] = shrunk.cut
            sheet.cut = True
        sheet.data = {**shown, **shrunk.data}

    def _room(self, sheet: _Sheet) -> int:
        fixed = json_bytes(sheet.coverage) + json_bytes(dict(sheet.locator))
        url = len((sheet.final_url or "").encode())
        return self._shared.limits.result_bytes - _FRAME_BYTES - fixed - url

    def _build(self, op: Operation, outcome: Outcome, sheet: _Sheet) -> Result:
        cut = sheet.cut or outcome.truncated
        fields: dict[str, object] = {
            "operation_id": op.id,
            "final_url": sheet.final_url,
            "captured_at": sheet.captured_at,
            "locator": sheet.locator,
            "effect": outcome.effect or op.effect,
            "coverage": sheet.coverage or None,
            "cursor": sheet.cursor,
            "capture_digest": sheet.capture_digest,
        }
        if outcome.status is Status.OK:
            return Result.ok(sheet.data, truncated=cut, **fields)
        fields["data"], fields["truncated"] = sheet.data, cut
        fail = cast("Callable[..., Result]", Result.failure)
        return fail(
            outcome.status,
            code=outcome.code,
            message=None if outcome.message is None else self.clean_text(outcome.message),
            hint=None if outcome.hint is None else self.clean_text(outcome.hint, 500),
            retryable=outcome.retryable,
            **fields,
        )
