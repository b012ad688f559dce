"""Parse a URL as the browser does, into the parts that rules are matched on.

Owns the WHATWG parse (ada-url) and the canonical form; it judges nothing. ``ws`` and ``wss`` stand
under the names of their http twins. Userinfo is dropped, so that the canonical form never carries
credentials and the host in it is the host that is contacted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

import ada_url

__all__ = ["DEFAULT_PORTS", "UrlParts", "fold_path", "join_url", "parse_url"]

DEFAULT_PORTS = {"http": 80, "https": 443}
LIMIT_CHARS = 2_097_152
"""Chromium opens no longer URL."""

_TWINS = {"ws": "http", "wss": "https"}
_DECODINGS = 3
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:]+")
"""What names and addresses are made of. Browsers differ on ``*`` and the like in a host."""
_REMEMBERED_CHARS = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlParts:
    """A parsed URL: ``href`` is canonical; ``host`` is in A-labels without brackets or root dot.

    ``port`` is the effective one, None where the scheme has none. ``path`` keeps its encoding.
    """

    href: str
    scheme: str
    host: str
    port: int | None
    path: str

    @property
    def origin(self) -> str:
        """``scheme://host[:port]`` with the http twin's scheme, the default port left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        if self.port is None or self.port == DEFAULT_PORTS.get(self.scheme):
            return f"{self.scheme}://{host}"
        return f"{self.scheme}://{host}:{self.port}"


def parse_url(url: str) -> UrlParts | None:
    """The parts of an absolute URL, or None where a browser would refuse to parse it.

    Lone surrogates become U+FFFD first, as in a browser's own conversion. An http(s) host that no
    name or address can have (``a*b``) counts as refused.
    """
    return _parse_known(url) if len(url) <= _REMEMBERED_CHARS else _parse(url)


@lru_cache(maxsize=512)
def _parse_known(url: str) -> UrlParts | None:
    """One request is judged at several places: the parse is the dearest step of each."""
    return _parse(url)


def _parse(url: str) -> UrlParts | None:
    if len(url) > LIMIT_CHARS:
        return None
    text = url.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    try:
        parsed = ada_url.URL(text)
    except ValueError:
        return None
    if parsed.username or parsed.password:
        parsed.username = ""
        parsed.password = ""
    scheme = parsed.protocol.removesuffix(":")
    scheme = _TWINS.get(scheme, scheme)
    host = parsed.hostname.removeprefix("[").removesuffix("]").removesuffix(".")
    if scheme in DEFAULT_PORTS and _HOST.fullmatch(host) is None:
        return None
    port = int(parsed.port) if parsed.port else DEFAULT_PORTS.get(scheme)
    return UrlParts(href=parsed.href, scheme=scheme, host=host, port=port, path=parsed.pathname)


def join_url(base: str, target: str) -> str:
    """``target`` as a browser reads it on a page at ``base``; unchanged where it is no URL."""
    try:
        return ada_url.join_url(base, target)
    except (ValueError, UnicodeEncodeError):
        return target


def fold_path(path: str) -> str:
    """The path as a lenient server may read it.

    Percent-encoding (however often), backslashes, path parameters (``;x``), repeated slashes and
    dot segments are all resolved.
    """
    for _ in range(_DECODINGS):
        path = unquote(path)
    kept: list[str] = []
    segments = path.replace("\\", "/").split("/")
    for segment in segments[1:]:
        name = segment.partition(";")[0]
        if name == "..":
            del kept[-1:]
        elif name not in {"", "."}:
            kept.append(name)
    tail = "/" if kept and segments[-1] in {"", ".", ".."} else ""
    return f"/{'/'.join(kept)}{tail}"
