"""Citations: footnotes of a reply, and whether each one holds.

A quote holds when it stands in the data of the Result that it names, is long enough or a whole
line, cell or field, and carries every number and date of the sentence that cites it. Pure: no
model, no network. Reasoning text is never looked at here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from browser_agent._text import fold, fold_with_map
from browser_agent.logic.figures import Figures, dates_of, figures_of, missing_figures, names_of
from browser_agent.records.citation import Citation
from browser_agent.records.result import Result

MIN_QUOTE_CHARS = 20
"""A shorter quote must be a whole line, cell or field."""

_FOOTNOTE = re.compile(
    r"""^\s*(?:[-*]\s+)?\[\^?(\d{1,3})\]:?\s*R(\d{1,5})\s*[:,\u2013\u2014-]?\s*["\u201c\u201e\u00ab'\u2018](.+)["\u201d\u201c\u00bb'\u2019]\s*\.?\s*$""",
    re.DOTALL,
)
_OPENING = re.compile(r"^\s*(?:[-*]\s+)?\[\^?\d{1,3}\]:?\s*R\d")
_NOTE_LINES = 12
"""A quote of a footnote goes over at most so many lines."""
_HEADING = re.compile(r"^\W*(?:sources|references|citations|footnotes|notes)\W*$", re.IGNORECASE)
_MARK = re.compile(r"\[\^?(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_BREAK = re.compile(
    r"""(?:[.!?\u3002\u2026]["'\u201d\u2019)\]]*(?:\s*\[\^?\d{1,3}(?:\s*,\s*\d{1,3})*\])*\s+(?=[^\sa-z\[]|\Z)|\n\s*)"""
)
_ABBREVIATION = re.compile(
    r"(?:\b[A-Z]|\b(?:dr|mr|mrs|ms|st|no|vol|fig|ca|approx|e\.g|i\.e|vs|jr|sr|prof|inc|ltd))\.\Z",
    re.IGNORECASE,
)
_CELL = re.compile(r"\s*[|\t]\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A claim with its quote, before it is checked. ``result`` is the R number."""

    claim: str
    quote: str
    result: int
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: a JSON pointer into data and a span of code points."""

    pointer: str
    start: int
    end: int


def split_reply(text: str) -> tuple[str, tuple[Cited, ...]]:
    """The reply without its footnote lines, and what each footnote cites.

    A mark belongs to the sentence that carries it; after the full stop it belongs to the one
    before. A footnote that no sentence marks has an empty claim.
    """
    body, notes = _cut_footnotes(text)
    sentences = _sentences(body)
    cited: list[Cited] = []
    for mark, number, quote in notes:
        claims = [s for s in sentences if mark in _marks(s)] or [""]
        cited += [
            Cited(claim=_without_marks(claim), quote=quote, result=number, mark=mark)
            for claim in claims
        ]
    return body, tuple(cited)


def check_citations(cited: Sequence[Cited], results: Sequence[Result]) -> tuple[Citation, ...]:
    """Check each one; the quotes of one sentence are judged together for its figures."""
    together: dict[str, list[str]] = {}
    for one in cited:
        together.setdefault(one.claim, []).append(one.quote)
    return tuple(_check(one, together[one.claim], results) for one in cited)


def find_quote(quote: str, result: Result) -> Place | None:
    """Where the folded quote stands in the Result's data, whole words only; None if nowhere.

    A place where it is a whole line, cell or field is preferred to one inside of a sentence.
    """
    wanted = fold(quote).strip()
    first: Place | None = None
    for pointer, text in strings_of(result.data) if wanted else ():
        for span in _find_in(wanted, text):
            place = Place(pointer, *span)
            if len(wanted) >= MIN_QUOTE_CHARS or _is_whole(place, result):
                return place
            first = first or place
    return first


def unsupported_parts(reply: str, results: Sequence[Result]) -> tuple[str, ...]:
    """Numbers, dates and names of the reply that stand in no Result."""
    body, _ = split_reply(reply)
    plain = _MARK.sub(" ", body)
    texts = [text for result in results for _, text in strings_of(result.data)]
    sources = [figures_of(text) for text in texts]
    missing = list(missing_figures(plain, sources))
    everything = "\n".join(fold(text) for text in texts).casefold()
    for date in dates_of(plain):
        plain = plain.replace(date.text, "; ")
    missing += [name for name in names_of(plain) if fold(name).casefold() not in everything]
    return tuple(dict.fromkeys(missing))


def strings_of(value: object, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Every string of JSON data with its JSON pointer."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            name = key.replace("~", "~0").replace("/", "~1")
            yield from strings_of(item, f"{pointer}/{name}")
    elif isinstance(value, tuple | list):
        for index, item in enumerate(cast("Sequence[object]", value)):
            yield from strings_of(item, f"{pointer}/{index}")


def _cut_footnotes(text: str) -> tuple[str, list[tuple[str, int, str]]]:
    lines = text.rstrip().split("\n")
    notes: list[tuple[str, int, str]] = []
    end = len(lines)
    while end:
        start, match = _last_footnote(lines[:end])
        if match is not None:
            notes.insert(0, (match.group(1), int(match.group(2)), match.group(3)))
        elif lines[end - 1].strip() and not (notes and _HEADING.match(lines[end - 1])):
            break
        end = start
    return ("\n".join(lines[:end]), notes) if notes else (text, [])


def _last_footnote(lines: Sequence[str]) -> tuple[int, re.Match[str] | None]:
    """The footnote that ends here, and the index of its first line: a quote may hold lines."""
    last = len(lines) - 1
    for start in range(last, max(-1, last - _NOTE_LINES), -1):
        if not lines[start].strip() and start == last:
            break
        if _OPENING.match(lines[start]):
            closed = start < last and _FOOTNOTE.match(lines[start]) is not None
            match = None if closed else _FOOTNOTE.match("\n".join(lines[start:]))
            return (start if match else last), match
    return last, None


def _sentences(body: str) -> list[str]:
    found: list[str] = []
    start = 0
    for match in _BREAK.finditer(body):
        head = body[start : match.start() + 1]
        if "\n" not in match.group(0) and _ABBREVIATION.search(head):
            continue
        found.append(body[start : match.end()])
        start = match.end()
    found.append(body[start:])
    return [sentence for sentence in found if sentence.strip()]


def _without_marks(sentence: str) -> str:
    return re.sub(r"\s+(?=[.,;:!?](?:\s|$))", "", _MARK.sub("", sentence)).strip()


def _marks(sentence: str) -> set[str]:
    return {number.strip() for marks in _MARK.findall(sentence) for number in str(marks).split(",")}


def _check(one: Cited, quotes: Iterable[str], results: Sequence[Result]) -> Citation:
    if not 1 <= one.result <= len(results):
        return Citation(
            claim=one.claim,
            quote=one.quote,
            result=one.result,
            reason=f"R{one.result} was not shown in this run",
        )
    result = results[one.result - 1]
    place = find_quote(one.quote, result)
    reason = _reason(one, quotes, result, place)
    return Citation(
        claim=one.claim,
        quote=one.quote,
        result=one.result,
        operation_id=result.operation_id,
        digest=result.digest,
        pointer=None if place is None else place.pointer,
        start=None if place is None else place.start,
        end=None if place is None else place.end,
        verified=reason is None,
        reason=reason,
    )


def _reason(one: Cited, quotes: Iterable[str], result: Result, place: Place | None) -> str | None:
    if place is None:
        return f"the quote does not stand in R{one.result}"
    if len(fold(one.quote).strip()) < MIN_QUOTE_CHARS and not _is_whole(place, result):
        return f"the quote is shorter than {MIN_QUOTE_CHARS} characters and no whole line or field"
    if not one.claim:
        return "no sentence of the reply carries its mark"
    sources: list[Figures] = [figures_of(quote) for quote in quotes]
    missing = missing_figures(one.claim, sources)
    if missing:
        return f"not in the quote: {', '.join(missing)}"
    return None


def _find_in(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    mapped = fold_with_map(text)
    at = mapped.text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not _cuts_word(mapped.text, at) and not _cuts_word(mapped.text, end):
            yield mapped.starts[at], mapped.starts[end]
        at = mapped.text.find(wanted, at + 1)


def _cuts_word(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isalnum() and after.isalnum():
        return True
    # "3" of "3.5" and "12" of "12,500" are no whole numbers
    left, right = text[max(0, at - 2) : at], text[at : at + 2]
    return _joins(before, right) or _joins(after, left[::-1])


def _joins(digit: str, beyond: str) -> bool:
    return digit.isdigit() and len(beyond) == 2 and beyond[0] in ".,:" and beyond[1].isdigit()


def _is_whole(place: Place, result: Result) -> bool:
    text = next(t for pointer, t in strings_of(result.data) if pointer == place.pointer)
    quote = fold(text[place.start : place.end]).strip()
    parts = {
        fold(part).strip()
        for line in text.split("\n")
        for part in (line, line.strip().strip("|"), *_CELL.split(line))
    }
    return quote == fold(text).strip() or quote in parts
