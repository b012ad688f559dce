"""Secrets beside their name in markup: form fields, elements, table cells, multipart bodies."""

from __future__ import annotations

import re
from typing import Final

from browser_agent.logic.redact_judge import Syntax, is_secret_value
from browser_agent.logic.redact_place import Place
from browser_agent.logic.redact_spans import Span

_ELEMENT: Final = re.compile(
    rb"(?:[ \t][^<>]{0,200})?(?:>|&gt;)(?:<!\[CDATA\[)?"
    rb"([^<&]{1,4096}(?:&(?!lt;)[^<&]{0,4096}){0,64})"
    rb"(?=(?:\]\]>)?(?:<\\?/|&lt;\\?/))"
)
_CELL: Final = re.compile(
    rb"(?:[ \t]{0,4}:?[ \t]{0,4}(?:\r?\n[ \t]{0,16})?"
    rb"</?(?!(?i:input|textarea|select|button|script|style)\b)[A-Za-z][^<>]{0,80}>\s{0,16}){1,6}"
    rb"([^<>\s]{1,4096})"
)
_ATTRIBUTE: Final = re.compile(
    rb"(?i)(?:name|id|type|for|autocomplete|key|property|itemprop|placeholder|aria-label)"
    rb"[ ]?=[ ]?[\"']?\Z"
)
_VALUE_ATTRIBUTE: Final = re.compile(
    rb"(?i)\b(?:value|content)[ ]?=[ ]?(?:\"([^\"]{1,4096})|'([^']{1,4096})|([^\s\"'<>]{1,4096}))"
)
_MULTIPART: Final = re.compile(
    rb"[\"']?[^\r\n]{0,200}\r?\n(?:[A-Za-z-]{1,40}:[^\r\n]{0,200}\r?\n){0,4}\r?\n([^\r\n]{1,4096})"
)
_OPEN_TAG: Final = re.compile(rb"(?:<|&lt;)(?:[A-Za-z][\w.-]{0,16}:)?\Z")
_TAG_BYTES: Final = 4096


def attribute(place: Place, found: list[Span]) -> int:
    """``<input name="password" value="…">`` and the fields of a multipart form."""
    if not _ATTRIBUTE.search(place.before):
        return 0
    data = place.data
    if b"form-data" in data[max(0, place.start - 80) : place.start]:
        return _mask_group(place, _MULTIPART.match(data, place.end), Syntax.QUERY, found)
    tag = data.rfind(b"<", max(0, place.start - 512), place.start)
    if tag < 0:
        return 0
    close = data.find(b">", place.end, place.end + _TAG_BYTES)
    end = close if close > 0 else place.end + _TAG_BYTES
    value = _VALUE_ATTRIBUTE.search(data, tag, end)
    if value is None or value.start() <= place.start <= value.end():
        return 1
    group = value.lastindex or 1
    if not is_secret_value(value[group], place.name.level, Syntax.QUOTED):
        return 1
    place.mask(value.start(group), value.end(group), found)
    return max(place.end, value.end())


def element(place: Place, found: list[Span]) -> int:
    """``<password>value</password>``"""
    if not _OPEN_TAG.search(place.before):
        return 0
    return _mask_group(place, _ELEMENT.match(place.data, place.end), Syntax.QUOTED, found)


def cell(place: Place, found: list[Span]) -> int:
    """``<td>Password</td><td>value</td>``"""
    if place.data[place.end : place.end + 12].lstrip()[:1] != b"<":
        return 0
    return _mask_group(place, _CELL.match(place.data, place.end), Syntax.COLON, found)


def _mask_group(
    place: Place, match: re.Match[bytes] | None, syntax: Syntax, found: list[Span]
) -> int:
    if match is None:
        return 0
    value = match[1]
    bare = value.strip()
    if not is_secret_value(bare, place.name.level, syntax):
        return 1
    start = match.start(1) + len(value) - len(value.lstrip())
    return place.mask(start, start + len(bare), found)
