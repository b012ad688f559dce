"""Looking at the page: text, Markdown, snapshots, finds, changes; parts behind a cursor.

Owns what is asked of the observer and how its answers become the data of a Result. It never acts.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast, get_args

from html_to_markdown import ConversionOptions, convert

from browser_agent._text import cut_utf8
from browser_agent.browser.arrival import check_page
from browser_agent.browser.observer_types import SnapshotMode
from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Display, Outcome, fail
from browser_agent.errors import InvalidInput
from browser_agent.logic.pdf_pages import page_spans
from browser_agent.records.codes import ErrorCode
from browser_agent.records.result import Result

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.observer_types import Coverage, Match, Observation
    from browser_agent.browser.operation import Body, Operation

FORMATS = ("text", "markdown")
MODES: tuple[str, ...] = get_args(SnapshotMode)
BASELINES = 64
_INLINE_BYTES = 65_536
_URL_BYTES = 300
_NOTES = 30
_REF_OF_LINE = re.compile(r"^[ \t]*(?:#+ )?(e\d+)\b", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_REF_IN_ROW = re.compile(r"\b(e\d+)\b")
_MARKDOWN = ConversionOptions(heading_style="atx", bullets="-", wrap=False, extract_metadata=False)


class Reader:
    """The observations of one session."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._baselines: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._last: dict[str, str] = {}

    async def read(
        self,
        format: str = "text",
        *,
        ref: str | None = None,
        cursor: str | None = None,
    ) -> Result:
        """Content as text or Markdown; see :meth:`Session.read`."""
        _check_text("format", format, optional=False)
        _check_text("ref", ref)
        _check_text("cursor", cursor)

        async def act(op: Operation) -> Outcome:
            if cursor is not None:
                return self._continued(cursor)
            if format not in FORMATS:
                fail(ErrorCode.INVALID_INPUT, "format must be text or markdown.")
            return await self._content(op, format, ref)

        return await self._run("read", act, needs_page=cursor is None)

    async def snapshot(self, mode: str = "full", *, cursor: str | None = None) -> Result:
        """The page with refs; see :meth:`Session.snapshot`."""
        _check_text("mode", mode, optional=False)
        _check_text("cursor", cursor)

        async def act(op: Operation) -> Outcome:
            if cursor is not None:
                return self._continued(cursor)
            if mode not in MODES:
                fail(ErrorCode.INVALID_INPUT, f"mode must be one of {', '.join(MODES)}.")
            return await self._view(op, cast("SnapshotMode", mode))

        return await self._run("snapshot", act, needs_page=cursor is None)

    async def look(self, op: Operation, form: str) -> Outcome:
        """Text, Markdown or a full snapshot, inside a running operation."""
        if form == "snapshot":
            return await self._view(op, "full")
        return await self._content(op, form, None)

    async def find(
        self, text: str | None = None, *, role: str | None = None, regex: str | None = None
    ) -> Result:
        """Elements by text, role or pattern; see :meth:`Session.find`."""
        for name, value in (("text", text), ("role", role), ("regex", regex)):
            _check_text(name, value)

        async def act(op: Operation) -> Outcome:
            if text is None and role is None and regex is None:
                fail(ErrorCode.INVALID_INPUT, "Give a text, a regex or a role to look for.")
            check_page(self._core, op.tab)
            observer = self._core.observer(op.tab)
            wanted = regex if regex is not None else text or ""
            found = await self._core.look(
                op, observer.find(wanted, regex=regex is not None, role=role)
            )
            data = {"matches": [_match(match) for match in found.matches], "total": found.total}
            return Outcome(data=data, coverage=coverage_of(found.coverage))

        return await self._run("find", act)

    async def changes(self, since: Result | str | None = None) -> Result:
        """What came and went since a snapshot; see :meth:`Session.changes`."""
        if not isinstance(since, Result | str | None):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without a checker
            raise InvalidInput("since must be a Result, an operation id or None")
        operation = since.operation_id if isinstance(since, Result) else since

        async def act(op: Operation) -> Outcome:
            check_page(self._core, op.tab)
            return await self._compare(op, operation)

        return await self._run("changes", act)

    async def _run(self, name: str, body: Body, *, needs_page: bool = True) -> Result:
        kind = Kind(
            name,
            self._core.limits.observation_timeout_s,
            ErrorCode.OBSERVATION_TIMEOUT,
            on_page=needs_page,
        )
        return await self._core.run(kind, body)

    def _continued(self, cursor: str) -> Outcome:
        place = self._core.captures.find(cursor)
        if place is None:
            fail(ErrorCode.CURSOR_EXPIRED)
        return Outcome(display=place)

    def _of_document(self, op: Operation, mode: str) -> Outcome:
        """A text document in place of the page."""
        document = op.tab.document
        assert document is not None
        data: dict[str, object] = {"title": document.title, "content_type": document.content_type}
        if mode in FORMATS:
            data |= {"format": mode, "language": "", "http_status": _status(op)}
        else:
            data |= {"mode": mode, "refs_shown": [], "attributes": {}, **self._around(op)}
        return Outcome(
            data=data,
            display=Display(
                key="text",
                text=document.text,
                mode=mode,
                not_captured_bytes=document.not_captured_bytes,
                extras=_pages if document.paged else None,
            ),
            final_url=document.url,
        )

    async def _content(self, op: Operation, form: str, ref: str | None) -> Outcome:
        check_page(self._core, op.tab)
        if op.tab.document is not None and ref is None:
            return self._of_document(op, form)
        observer = self._core.observer(op.tab)
        if form == "text":
            seen = await self._core.look(op, observer.text(root=ref))
            text = seen.text
        else:
            seen = await self._core.look(op, observer.html(root=ref))
            text = await _markdown(seen.text)
        data = {
            "format": form,
            "title": seen.title,
            "language": seen.language,
            "http_status": _status(op),
        }
        return Outcome(
            data=data,
            display=Display(
                key="text",
                text=text,
                mode=form,
                not_captured_bytes=seen.coverage.bytes_not_captured,
            ),
            locator={"scope": "element", "ref": ref} if ref is not None else None,
            coverage=coverage_of(seen.coverage, seen.flags),
        )

    async def _view(self, op: Operation, mode: SnapshotMode) -> Outcome:
        check_page(self._core, op.tab)
        if op.tab.document is not None:
            return self._of_document(op, mode)
        seen = await self._core.look(op, self._core.observer(op.tab).snapshot(mode))
        if seen.baseline:
            self._remember(op, seen.baseline)
        return Outcome(
            data={"mode": mode, "title": seen.title, **self._around(op)},
            display=Display(
                key="text",
                text=seen.text,
                mode=mode,
                not_captured_bytes=seen.coverage.bytes_not_captured,
                extras=_shown_refs(seen),
            ),
            coverage=coverage_of(seen.coverage, seen.flags),
        )

    def _around(self, op: Operation) -> dict[str, object]:
        """What a snapshot says of the session: its tabs and the pending dialog."""
        current = self._core.tabs.current
        tabs = [
            {"id": tab.id, "url": cut_utf8(tab.page.url, _URL_BYTES), "current": tab is current}
            for tab in self._core.tabs.open
        ]
        return {"tabs": tabs, "dialog": op.tab.dialog}

    def _remember(self, op: Operation, baseline: str) -> None:
        self._baselines[op.id] = (op.tab.id, baseline)
        self._last[op.tab.id] = baseline
        while len(self._baselines) > BASELINES:
            self._baselines.popitem(last=False)

    async def _compare(self, op: Operation, operation: str | None) -> Outcome:
        baseline = self._last.get(op.tab.id)
        if operation is not None:
            tab_id, baseline = self._baselines.get(operation, ("", None))
            if baseline is None:
                fail(ErrorCode.NOT_FOUND, "No snapshot of this operation is kept.")
            if tab_id != op.tab.id:
                fail(ErrorCode.NOT_FOUND, f"That snapshot is of tab {tab_id}.")
        if baseline is None:
            fail(ErrorCode.NOT_FOUND, "No snapshot of this tab was taken yet.")
        found = await self._core.look(op, self._core.observer(op.tab).changes(baseline))
        if found.baseline:
            self._remember(op, found.baseline)
        data: dict[str, object] = {
            "changed": found.changed,
            "changes": {"added": list(found.added), "removed": list(found.removed)},
        }
        if found.lost:
            data["new_document"] = True
        if found.cut:
            data["lines_not_shown"] = found.cut
        return Outcome(data=data, truncated=found.cut > 0)


async def _markdown(html: str) -> str:
    """HTML that holds only what is visible, as Markdown."""
    if len(html) <= _INLINE_BYTES:
        return _convert(html)
    return await asyncio.to_thread(_convert, html)


def _convert(html: str) -> str:
    return convert(html, _MARKDOWN).content or ""


def _shown_refs(seen: Observation):  # noqa: ANN202 - typed below
    def extras(text: str) -> Mapping[str, object]:
        shown = set(_REF_OF_LINE.findall(text))
        for row in _ROW.findall(text):
            shown.update(_REF_IN_ROW.findall(row))
        refs = [ref for ref in seen.refs if ref in shown]
        attributes = {ref: dict(seen.attributes[ref]) for ref in refs if ref in seen.attributes}
        return {"refs_shown": refs, "attributes": attributes}

    return extras


def _pages(text: str) -> Mapping[str, object]:
    """Where the pages of a PDF stand in the part that is shown."""
    return {"pages": page_spans(text)}


def _match(match: Match) -> dict[str, object]:
    return {"ref": match.ref, "role": match.role, "name": match.name, "line": match.line}


def _status(op: Operation) -> int | None:
    load = op.tab.load
    return load.status if load is not None else None


def coverage_of(seen: Coverage, flags: Mapping[str, int] | None = None) -> dict[str, object]:
    """What was looked at, as it stands in a Result; empty parts are left out."""
    found: dict[str, object] = {
        "frames_inspected": len(seen.frames_inspected),
        "frames_not_inspected": [
            {"url": cut_utf8(note.url, _URL_BYTES), "name": note.name[:100], "reason": note.reason}
            for note in seen.frames_not_inspected[:_NOTES]
        ],
        "possibly_closed": list(seen.possibly_closed[:_NOTES]),
        "nodes_not_inspected": seen.nodes_not_inspected,
        "flags": dict(flags or {}),
    }
    return {key: value for key, value in found.items() if value}


def _check_text(name: str, value: object, *, optional: bool = True) -> None:
    if not isinstance(value, str) and not (optional and value is None):
        raise InvalidInput(f"{name} must be a string, got {type(value).__name__}")
