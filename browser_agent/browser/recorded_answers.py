"""Which recorded answer a request gets: by key, in order, in parts, or none and a miss.

Owns the order of repeated requests and what is no miss (an icon that the browser asks for by
itself). It sends nothing.
"""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

from browser_agent.browser.pdf_text import PdfText
from browser_agent.errors import RecordingError
from browser_agent.logic.recorded import (
    LocalNames,
    Normalise,
    describe_difference,
    nearest,
    network_key,
)

_ICON = "/favicon.ico"
_UNREAD = frozenset({"image", "media", "font", "ping", "other"})
"""Kinds of which no Result shows anything: without a recorded body they fail quietly."""
_RANGE = re.compile(r"bytes=(\d+)-(\d*)\Z")
_RETRY = "retry: 86400000\n\n"
"""A stream that ended would be asked for again; a replay says: not today."""

Entry = Mapping[str, object]


class NetworkSource(Protocol):
    """A recording that was read. ``meta`` may declare what to normalise."""

    @property
    def meta(self) -> Mapping[str, object]: ...

    @property
    def network(self) -> Sequence[Entry]: ...

    def body(self, digest: str) -> bytes: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a request gets. ``failed`` is the browser's word (``net::ERR_…``); ``pending``: it was
    never answered; ``decision`` is what the egress proxy had said of it.
    """

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    failed: str | None = None
    pending: bool = False
    decision: Mapping[str, str | None] | None = None


class RecordedAnswers:
    """The network entries of one recording, by key."""

    def __init__(self, source: NetworkSource) -> None:
        self._source = source
        self._normalise = Normalise.from_dict(source.meta.get("normalise"))
        self._recorded = LocalNames()
        self._by_key: dict[str, list[Entry]] = defaultdict(list)
        self._used: dict[str, int] = defaultdict(int)
        self._events: dict[str, list[Entry]] = defaultdict(list)
        self._robots: dict[str, bool] = {}
        self._texts: dict[str, Entry] = {}
        self.sockets: dict[str, list[list[Entry]]] = defaultdict(list)
        self.misses: list[str] = []
        self._index()
        self._names = LocalNames(self._recorded)

    def find(self, method: str, url: str, posted: str | None, *, part: str | None) -> Answer | None:
        """The recorded answer: in order for repeated requests, the last one again after that."""
        url = url.partition("#")[0]
        body = None if posted is None else posted[:20_000].encode()
        key = self._key(method, url, body, part, self._names)
        found = self._by_key.get(key)
        if not found and body is not None:
            key, found = self._blind(key, method, url)
        if not found and part is not None:
            return self._slice(url, part, key)
        if not found or (self._used[key] >= len(found) and method not in ("GET", "HEAD")):
            self.miss(key)
            return None
        at = min(self._used[key], len(found) - 1)
        self._used[key] += 1
        return self._answer(found[at], url)

    def _blind(self, key: str, method: str, url: str) -> tuple[str, list[Entry] | None]:
        """A request with a body that the browser did not tell when it was recorded: files."""
        bare = self._key(method, url, None, None, self._names)
        found = self._by_key.get(bare)
        return (bare, found) if found and found[0].get("blind") else (key, None)

    def fold(self, url: str) -> str:
        """An address of the replay as the recording names it."""
        return self._normalise.fold(self._names.fold(url))

    def robots(self, url: str) -> bool:
        """What robots.txt had said; what was never asked is admitted."""
        return self._robots.get(self.fold(url), True)

    def document(self, url: str) -> PdfText | None:
        """The recorded text of a document; None where there was none."""
        entry = self._texts.get(self.fold(url))
        if entry is None or "text" not in entry:
            return None
        title, text = str(entry.get("title", "")), str(entry["text"])
        return PdfText(title=title, text=text, cut=bool(entry.get("cut")))

    def miss(self, key: str) -> None:
        """Note a request that was not recorded."""
        place = key.split("?", maxsplit=1)[0]
        if place.endswith(_ICON):
            return
        closest = nearest(key, list(self._by_key))
        detail = ""
        if closest is not None:
            detail = "; the nearest differs:\n" + describe_difference(key.split(), closest.split())
        self.misses.append(f"the recording does not hold {place[:200]}{detail}")

    def _index(self) -> None:
        sockets: dict[object, list[Entry]] = {}
        for entry in sorted(self._source.network, key=lambda one: cast("int", one.get("n", 0))):
            url, kind = str(entry.get("url", "")), entry.get("kind")
            if kind == "ws":
                sockets[entry["n"]] = []
                place = self._normalise.fold(self._recorded.fold(url))
                self.sockets[place].append(sockets[entry["n"]])
            elif kind == "frame":
                sockets[entry["socket"]].append(entry)
            elif kind == "event":
                self._events[url].append(entry)
            elif kind == "robots":
                place = self._normalise.fold(self._recorded.fold(url))
                self._robots[place] = bool(entry.get("allowed"))
            elif kind == "text":
                self._texts[self._normalise.fold(self._recorded.fold(url))] = entry
            else:
                self._by_key[self._key_of(entry)].append(entry)

    def _key_of(self, entry: Entry) -> str:
        posted = str(entry["post_text"]).encode() if "post_text" in entry else None
        part = cast("str | None", entry.get("range"))
        url = str(entry.get("url")).partition("#")[0]
        return self._key(str(entry.get("method")), url, posted, part, self._recorded)

    def _key(
        self, method: str, url: str, body: bytes | None, part: str | None, names: LocalNames
    ) -> str:
        return network_key(method, url, body, names, normalise=self._normalise, part=part)

    def _answer(self, entry: Entry, url: str) -> Answer:
        made = Answer(
            status=cast("int", entry.get("status", 0)),
            headers=self._headers(entry),
            failed=cast("str | None", entry.get("failed")),
            pending=bool(entry.get("pending")),
            decision=cast("Mapping[str, str | None] | None", entry.get("decision")),
        )
        if made.failed is not None or made.pending:
            return made
        if entry.get("stream") and "partial" not in entry:
            return replace(made, body=self._stream(str(entry.get("url"))))
        return self._with_body(made, entry, url)

    def _headers(self, entry: Entry) -> dict[str, str]:
        headers = dict(cast("Mapping[str, str]", entry.get("headers") or {}))
        if "location" in entry:
            headers["location"] = str(entry["location"])
        return headers

    def _with_body(self, made: Answer, entry: Entry, url: str) -> Answer:
        digest = entry.get("body")
        if digest is None and "location" in entry:
            return made
        if digest is None:
            if entry.get("kind") not in _UNREAD:
                place = url.split("?", maxsplit=1)[0][:200]
                why = entry.get("partial", "it was not recorded")
                self.misses.append(f"the recording lacks the body of {place}: {why}")
            return replace(made, failed="net::ERR_FAILED")
        try:
            body = self._source.body(str(digest))
        except RecordingError as error:
            self.misses.append(error.message)
            return replace(made, failed="net::ERR_FAILED")
        return replace(made, body=codecs.BOM_UTF8 + body if entry.get("utf8") else body)

    def _stream(self, url: str) -> bytes:
        """The recorded messages of an event stream, all at once."""
        lines = [_RETRY]
        for event in self._events[url]:
            data = "".join(f"data: {line}\n" for line in str(event.get("text", "")).split("\n"))
            lines.append(f"event: {event.get('name')}\n{data}\n")
        return "".join(lines).encode()

    def _slice(self, url: str, part: str, key: str) -> Answer | None:
        """A part of a body that was recorded whole."""
        whole = self._by_key.get(self._key("GET", url, None, None, self._names))
        wanted = _RANGE.fullmatch(part)
        if not whole or wanted is None:
            self.miss(key)
            return None
        answer = self._answer(whole[-1], url)
        start, end = int(wanted[1]), int(wanted[2] or len(answer.body) - 1)
        piece = answer.body[start : end + 1]
        span = f"bytes {start}-{start + len(piece) - 1}/{len(answer.body)}"
        headers = {**answer.headers, "content-range": span}
        return replace(answer, status=206, headers=headers, body=piece)
