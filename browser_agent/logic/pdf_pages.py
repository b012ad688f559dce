"""The text of a PDF as one text with its page numbers, and the spans of its pages. Pure.

Each page begins with a line of ours, ``[Page 3 of 12]``; no line of a page can pass for one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEAD = re.compile(r"^\[Page (\d{1,6}) of \d{1,6}\]$", re.MULTILINE)
_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f\ufffe\uffff]")


def join_pages(pages: Sequence[str], total: int) -> str:
    """The pages under their numbers; ``total`` is how many there are in all."""
    return "\n".join(
        f"[Page {number} of {total}]\n{_plain(page)}" for number, page in enumerate(pages, 1)
    )


def _plain(page: str) -> str:
    lines = _CONTROL.sub("", _BREAKS.sub("\n", page)).split("\n")
    kept = [line.rstrip() for line in lines]
    return "\n".join(f" {line}" if _HEAD.match(line) else line for line in kept if line)


def page_spans(text: str) -> list[dict[str, int]]:
    """Where each page stands in a whole text or a part of it: number, start, end in code points.

    A part that begins inside of a page begins with the rest of that page.
    """
    heads = list(_HEAD.finditer(text))
    spans: list[dict[str, int]] = []
    if heads and heads[0].start() > 1:
        number = int(heads[0].group(1)) - 1
        spans.append({"page": number, "start": 0, "end": heads[0].start() - 1})
    for at, head in enumerate(heads):
        start = min(head.end() + 1, len(text))
        end = heads[at + 1].start() - 1 if at + 1 < len(heads) else len(text)
        spans.append({"page": int(head.group(1)), "start": start, "end": max(start, end)})
    return spans
