"""The reply of a run as HTML: paragraphs, lists, emphasis, and its marks as links to notes.

Pure. Everything is escaped first; the only tags are those that are written here, and the only
links are those between marks and notes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby

from markupsafe import Markup, escape

_MARK = re.compile(r"\[\^?(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_ITEM = re.compile(r"^\s*(?:[-*\u2022]|\d{1,3}[.)])\s+(.*)$")
_HEADING = re.compile(r"^#{1,6}\s+(.*)$")
_STRONG = re.compile(r"\*\*(\S(?:[^*]*\S)?)\*\*")
_CODE = re.compile(r"`([^`]+)`")


class Reply:
    """Renders one reply. ``places`` says after :meth:`render` where each label is marked."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        self._labels = labels
        self.places: dict[str, list[str]] = {}

    def render(self, text: str) -> Markup:
        """Blocks of the text; ``labels`` maps a mark as written to the id of its note."""
        blocks = re.split(r"\n\s*\n", text.strip())
        parts = [self._block(block) for block in blocks if block.strip()]
        return Markup("\n").join(parts)

    def _block(self, block: str) -> Markup:
        made: list[Markup] = []
        for kind, group in groupby(block.split("\n"), key=_kind_of):
            lines = list(group)
            if kind == "item":
                items = (self._inline(_ITEM.sub(r"\1", line)) for line in lines)
                rows = Markup("").join(Markup("<li>{}</li>").format(item) for item in items)
                made.append(Markup("<ul>{}</ul>").format(rows))
            elif kind == "heading":
                made += [
                    Markup("<h3>{}</h3>").format(self._inline(_HEADING.sub(r"\1", line)))
                    for line in lines
                ]
            else:
                joined = Markup("<br>").join(self._inline(line) for line in lines)
                made.append(Markup("<p>{}</p>").format(joined))
        return Markup("\n").join(made)

    def _inline(self, line: str) -> Markup:
        text = str(escape(line.strip()))
        text = _STRONG.sub(r"<strong>\1</strong>", _CODE.sub(r"<code>\1</code>", text))
        return Markup(_MARK.sub(self._linked, text))  # noqa: S704 - escaped above, own tags only

    def _linked(self, match: re.Match[str]) -> str:
        numbers = [number.strip() for number in match.group(1).split(",")]
        return "".join(self._link(number) for number in numbers)

    def _link(self, number: str) -> str:
        note = self._labels.get(number)
        if note is None:
            return f"[{number}]"
        places = self.places.setdefault(number, [])
        place = f"mark-{note}" if not places else f"mark-{note}-{len(places) + 1}"
        places.append(place)
        name = f'aria-label="Note {number}"'
        return f'<a class="mark" id="{place}" href="#note-{note}" {name}>[{number}]</a>'


def _kind_of(line: str) -> str:
    if _ITEM.match(line):
        return "item"
    return "heading" if _HEADING.match(line) else "text"
