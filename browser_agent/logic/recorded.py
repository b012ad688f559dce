"""How recorded requests are matched: what differs from run to run and means nothing is folded.

Pure. Two requests with the same key are the same request. Folded are: operation ids and cursors
(their ordinal), nonces of page markers, moments, time stamps and cache busters of URLs, boundaries
of forms, ports of loopback origins, and what :class:`Normalise` declares for one recording.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from typing import Self, cast
from urllib.parse import parse_qsl, urlsplit

from browser_agent._freeze import thaw
from browser_agent._json import canonical, dumps, loads
from browser_agent.errors import ConfigurationError
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
_BOUNDARY = re.compile(r"-{2,6}WebKitFormBoundary[A-Za-z0-9]{16}")
_FRAME = re.compile(r"\b[0-9A-F]{32}\b")
"""The name that a browser gives a frame of its own, as in its PDF viewer."""
_RANDOM = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")


@dataclass(frozen=True, slots=True)
class Normalise:
    """What differs from run to run at the sites of one recording, declared by its owner.

    ``query`` are names of query parameters whose values mean nothing; ``patterns`` are regular
    expressions whose matches are folded in addresses and posted bodies.
    """

    query: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for pattern in self.patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ConfigurationError(f"normalise: {pattern!r}: {error}") from None

    @classmethod
    def from_dict(cls, value: object) -> Self:
        """Read what :meth:`to_dict` wrote; None is nothing declared."""
        given = cast("Mapping[str, Sequence[str]]", value or {})
        return cls(tuple(given.get("query", ())), tuple(given.get("patterns", ())))

    def to_dict(self) -> dict[str, object]:
        """Plain mapping."""
        return {"query": list(self.query), "patterns": list(self.patterns)}

    def fold(self, text: str) -> str:
        """``text`` with every declared pattern written ``#``."""
        for pattern in self.patterns:
            text = re.sub(pattern, "#", text)
        return text


NOTHING = Normalise()


class LocalNames:
    """Loopback origins by order of appearance, so that a random port means nothing.

    With ``recorded`` an origin that stands in a recording keeps its name there, and one that does
    not takes the next name that the replay has not met: the same site on another port.
    """

    def __init__(self, recorded: LocalNames | None = None) -> None:
        self._recorded = {} if recorded is None else recorded._names
        self._names: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """Write every loopback origin in ``text`` as ``http://local-1``."""
        return _LOCAL.sub(self._name, text)

    def _name(self, found: re.Match[str]) -> str:
        origin = found.group(0).lower()
        scheme = found.group(1).lower()
        key = origin.partition("://")[2]
        if key not in self._names:
            self._names[key] = self._recorded.get(key) or self._next()
        return f"{scheme}://{self._names[key]}"

    def _next(self) -> str:
        met = set(self._names.values())
        free = [name for name in self._recorded.values() if name not in met]
        taken = met | set(self._recorded.values())
        return free[0] if free else f"local-{len(taken) + 1}"


def network_key(
    method: str,
    url: str,
    body: bytes | None,
    names: LocalNames,
    *,
    normalise: Normalise = NOTHING,
    part: str | None = None,
) -> str:
    """The key of one request of a page: method, folded URL, digest of the folded body.

    ``part`` is the Range header of a request for a part.
    """
    parts = urlsplit(names.fold(url))
    mute = CACHE_BUSTERS | set(normalise.query)
    query = "&".join(
        f"{name}={'#' if name.lower() in mute or name in mute else _STAMP.sub('#', value)}"
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    )
    path = _STAMP.sub("#", parts.path)
    place = f"{parts.scheme}://{parts.netloc}{path}" + (f"?{query}" if query else "")
    place = normalise.fold(place) + (f" [{part}]" if part else "")
    if not body:
        return f"{method} {place}"
    text = _BOUNDARY.sub("#", body.decode("utf-8", "replace"))
    folded = normalise.fold(_STAMP.sub("#", names.fold(text)))
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
    text = _FRAME.sub("frame#", text)
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
