"""How recorded requests are matched: what differs from run to run and means nothing is folded.

Pure. Two requests with the same key are the same request. Folded are: operation ids and cursors
(their ordinal), nonces of page markers, moments, time stamps and cache busters of URLs, and ports
of loopback origins.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher, unified_diff
from typing import cast
from urllib.parse import parse_qsl, urlsplit

from browser_agent._freeze import thaw
from browser_agent._json import canonical, dumps, loads
from browser_agent.records.ids import ordinalise

CACHE_BUSTERS = frozenset(
    [
        "_",
        "_t",
        "_ts",
        "cb",
        "cachebust",
        "cachebuster",
        "nocache",
        "rand",
        "random",
        "rnd",
        "t",
        "time",
        "timestamp",
        "ts",
        "v_ts",
        "nonce",
    ]
)
"""Query names whose values differ from load to load."""

_STAMP = re.compile(r"(?<![\w.])1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?(?![\w.])")
_MARKER = re.compile(r"<<<page ([0-9a-f]{8,64})\n")
_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_LOCAL = re.compile(
    r"\b(https?|wss?)://(127(?:\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?", re.IGNORECASE
)
_RANDOM = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")


class LocalNames:
    """Loopback origins by order of appearance, so that a random port means nothing."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._names: dict[str, str] = {}
        for origin in known:
            self.fold(origin)

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins met so far, in order."""
        return tuple(self._names)

    def fold(self, text: str) -> str:
        """Write every loopback origin in ``text`` as ``http://local-1``."""
        return _LOCAL.sub(self._name, text)

    def _name(self, found: re.Match[str]) -> str:
        origin = found.group(0).lower()
        scheme = found.group(1).lower()
        key = origin.partition("://")[2]
        if key not in self._names:
            self._names[key] = f"local-{len(self._names) + 1}"
        return f"{scheme}://{self._names[key]}"


def network_key(method: str, url: str, body: bytes | None, names: LocalNames) -> str:
    """The key of one request of a page: method, folded URL, digest of the folded body."""
    parts = urlsplit(names.fold(url))
    query = "&".join(
        f"{name}={'#' if name.lower() in CACHE_BUSTERS else _STAMP.sub('#', value)}"
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    )
    path = _STAMP.sub("#", parts.path)
    place = f"{parts.scheme}://{parts.netloc}{path}" + (f"?{query}" if query else "")
    if not body:
        return f"{method} {place}"
    folded = _STAMP.sub("#", names.fold(body.decode("utf-8", "replace")))
    return f"{method} {place} {hashlib.sha256(folded.encode()).hexdigest()[:16]}"


def model_request(request: Mapping[str, object], names: LocalNames) -> dict[str, object]:
    """A model request with everything folded that means nothing."""
    text = dumps(request)
    nonces = dict.fromkeys(_MARKER.findall(text.replace("\\n", "\n")))
    for number, nonce in enumerate(nonces, 1):
        text = text.replace(nonce, f"nonce#{number}")
    text = ordinalise(names.fold(text), {})
    text = _MOMENT.sub("time#", text)
    text = _RANDOM.sub("uuid#", text)
    return cast("dict[str, object]", loads(text))


def model_key(folded: Mapping[str, object]) -> str:
    """The hash of a folded request."""
    return hashlib.sha256(canonical(folded)).hexdigest()


def nearest(wanted: str, known: Sequence[str]) -> str | None:
    """The known text most like the wanted one; None when there is none."""
    if not known:
        return None
    return max(known[:500], key=lambda text: SequenceMatcher(None, wanted, text).quick_ratio())


def describe_difference(wanted: object, recorded: object, *, limit_lines: int = 40) -> str:
    """A short line diff of two JSON values, recorded first."""
    left = dumps(thaw(recorded), indent=True).replace("\\n", "\n").splitlines()
    right = dumps(thaw(wanted), indent=True).replace("\\n", "\n").splitlines()
    lines = list(unified_diff(left, right, "recorded", "wanted", lineterm="", n=1))
    if len(lines) > limit_lines:
        lines = [*lines[:limit_lines], f"… {len(lines) - limit_lines} lines more"]
    return "\n".join(line[:200] for line in lines)
