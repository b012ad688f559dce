"""The notes of a report: each quote once, in its passage, with the claims that rest on it.

Pure. A note is labelled as the reply marks it; quotes that were cited by a tool alone come after.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from browser_agent._freeze import list_of, mapping_of
from browser_agent.logic.citations import split_reply
from browser_agent.records.citation import Citation
from browser_agent.records.recheck import resolve_pointer
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult

SIDE_CHARS = 220
SIDE_LINES = 3
_RULE = re.compile(r"[\s|:-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """``citations`` share label and quote; ``id`` is unique in the report.

    ``before`` and ``after`` are the passage around the quote, ``page`` its page in a PDF.
    """

    id: str
    label: str
    marked: bool
    citations: tuple[Citation, ...]
    title: str
    url: str | None
    before: str
    quote: str
    after: str
    page: int | None = None

    @property
    def first(self) -> Citation:
        """The citation that the note shows the place of."""
        return self.citations[0]

    @property
    def verified(self) -> bool:
        """Whether every claim that rests on the quote holds."""
        return all(one.verified for one in self.citations)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why not, each reason once."""
        return tuple(dict.fromkeys(one.reason or "" for one in self.citations if not one.verified))


def build_notes(result: RobotResult) -> list[Note]:
    """The notes in the order of the citations."""
    grouped: dict[tuple[str, str, int | None], list[Citation]] = {}
    marks = _marks_of(result)
    free = max([int(mark) for mark in marks if mark is not None], default=0)
    tooled: dict[tuple[str, int | None], str] = {}
    for one, mark in zip(result.citations, marks, strict=True):
        label = mark
        if label is None:
            label = tooled.setdefault((one.quote, one.result), str(free + len(tooled) + 1))
        grouped.setdefault((label, one.quote, one.result), []).append(one)
    written = frozenset(mark for mark in marks if mark is not None)
    notes: list[Note] = []
    for (label, _, _), group in grouped.items():
        same = sum(note.label == label for note in notes)
        name = label if not same else f"{label}-{same + 1}"
        notes.append(_note(name, label, tuple(group), result, marked=label in written))
    return notes


def _marks_of(result: RobotResult) -> list[str | None]:
    """The mark of each citation; None where the reply has no footnote for it."""
    _, cited = split_reply(result.reply or "")
    open_notes = list(cited)
    marks: list[str | None] = []
    for one in result.citations:
        fit = next((c for c in open_notes if (c.quote, c.result) == (one.quote, one.result)), None)
        if fit is not None:
            open_notes.remove(fit)
        marks.append(None if fit is None else fit.mark)
    return marks


def _note(
    name: str, label: str, citations: tuple[Citation, ...], result: RobotResult, *, marked: bool
) -> Note:
    first = citations[0]
    source = source_of(first, result)
    before, quote, after = _passage(first, source)
    return Note(
        id=name,
        label=label,
        marked=marked,
        citations=citations,
        title=title_of(source),
        url=source.final_url if source is not None else None,
        before=before,
        quote=quote,
        after=after,
        page=_page_of(first, source),
    )


def _page_of(citation: Citation, source: Result | None) -> int | None:
    data = mapping_of(source.data) if source is not None else None
    if data is None or citation.pointer != "/text" or citation.start is None:
        return None
    for span in map(mapping_of, list_of(data.get("pages")) or ()):
        inside = span is not None and cast("int", span["start"]) <= citation.start
        if span is not None and inside and citation.start < cast("int", span["end"]):
            return cast("int", span["page"])
    return None


def _passage(citation: Citation, source: Result | None) -> tuple[str, str, str]:
    data = source.data if source is not None else None
    text = resolve_pointer(data, citation.pointer) if citation.pointer else None
    start, end = citation.start, citation.end
    if not isinstance(text, str) or start is None or end is None:
        return "", citation.quote, ""
    before = "\n".join(_filled(text[:start])[-SIDE_LINES:])
    after = "\n".join(_filled(text[end:])[:SIDE_LINES])
    if len(before) > SIDE_CHARS:
        before = "…" + before[-SIDE_CHARS:].partition(" ")[2]
    if len(after) > SIDE_CHARS:
        after = after[:SIDE_CHARS].rpartition(" ")[0] + "…"
    return before, text[start:end], after


def _filled(text: str) -> list[str]:
    """The lines that hold something; the part of a line that touches the quote is kept as it is."""
    lines = text.split("\n")
    last = len(lines) - 1
    return [
        line
        for at, line in enumerate(lines)
        if at in (0, last) or (line.strip() and not _RULE.fullmatch(line))
    ]


def source_of(citation: Citation, result: RobotResult) -> Result | None:
    """The Result that a citation names."""
    number = citation.result
    return result.results[number - 1] if number and number <= len(result.results) else None


def title_of(source: Result | None) -> str:
    """The title of the page that a Result is of."""
    data: Sequence[object] | Mapping[str, object] | object = source.data if source else None
    title = cast("Mapping[str, object]", data).get("title") if isinstance(data, Mapping) else None
    return str(title) if title else "untitled"
