"""URL patterns of a policy: their grammar and how they match.

Owns parsing (label by label, canonical like URLs) and matching; precedence is ``url_policy``'s.

::

    example.com                     that host, ports 80 and 443, http and https
    example.com:8443                that host and port
    *.example.com                   its subdomains, not itself
    https://example.com:8443        that origin; ``:*`` stands for any port
    https://example.com/docs/*      that origin, paths below /docs/
    https://example.com/docs        that origin, exactly this path
    *                               any host

What could be read in two ways (``*foo.com``, ``x.*``, ``/docs*``, a query) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from browser_agent.errors import ConfigurationError
from browser_agent.logic.addresses import literal_address
from browser_agent.logic.url_parts import DEFAULT_PORTS, UrlParts, fold_path, parse_url

__all__ = ["Hosts", "UrlPattern", "parse_pattern", "parse_patterns"]


class Hosts(StrEnum):
    """Which hosts a pattern names."""

    EXACT = "exact"
    SUBDOMAINS = "subdomains"
    ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlPattern:
    """One parsed pattern. ``ports`` None means any; ``path`` None means the whole origin."""

    text: str
    hosts: Hosts
    host: str = ""
    scheme: str | None = None
    ports: frozenset[int] | None = None
    path: str | None = None
    below: bool = False

    @property
    def names_address(self) -> bool:
        """Whether it names one literal address, or ``localhost``, which no DNS answer can move."""
        if self.hosts is not Hosts.EXACT:
            return False
        return literal_address(self.host) is not None or self.host == "localhost"

    def admits(self, url: UrlParts, *, any_path: bool = False) -> bool:
        """Whether it admits ``url``, read strictly; ``any_path`` leaves the path rule out.

        A path must match as it is written and as a lenient server may read it.
        """
        if not self._names_origin(url):
            return False
        if self.path is None or any_path:
            return True
        return _is_path(url.path, self.path, self.below) and _is_path(
            fold_path(url.path), fold_path(self.path), self.below
        )

    def refuses(self, url: UrlParts, *, any_path: bool = False) -> bool:
        """Whether it, as a deny rule, refuses ``url``, read widely.

        A host stands for its subdomains too, a wildcard for its own domain, a bare host for every
        port, a path for all below it. With ``any_path`` a rule that names a path is silent.
        """
        if not self._names_scheme(url) or not self._covers_host(url.host):
            return False
        bare = self.scheme is None and self.ports == _WEB_PORTS
        if not bare and not self._names_port(url):
            return False
        if self.path is None:
            return True
        return not any_path and (
            _is_below(url.path, self.path) or _is_below(fold_path(url.path), fold_path(self.path))
        )

    def _names_origin(self, url: UrlParts) -> bool:
        return self._names_scheme(url) and self._names_host(url.host) and self._names_port(url)

    def _names_scheme(self, url: UrlParts) -> bool:
        return self.scheme in {None, url.scheme}

    def _names_port(self, url: UrlParts) -> bool:
        return self.ports is None or url.port in self.ports

    def _names_host(self, host: str) -> bool:
        if self.hosts is Hosts.EXACT:
            return host == self.host
        return self.hosts is Hosts.ANY or host.endswith(f".{self.host}")

    def _covers_host(self, host: str) -> bool:
        if self.hosts is Hosts.ANY:
            return True
        return host == self.host or host.endswith(f".{self.host}")


_WEB_PORTS = frozenset(DEFAULT_PORTS.values())
_GRAMMAR = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://)?"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^/:\[\]]+)"
    r"(?::(?P<port>\*|[0-9]{1,5}))?"
    r"(?P<path>/.*)?"
)
_SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
_SCHEME_WORDS = frozenset(
    {*_SCHEMES, "about", "blob", "chrome", "data", "file", "ftp", "javascript"}
)
_UNWANTED = re.compile(r"[\s\x00-\x1f\x7f\\?#@]")


def parse_patterns(patterns: Iterable[str], setting: str) -> tuple[UrlPattern, ...]:
    """Parse a list of patterns; ``setting`` names it in the ConfigurationError."""
    _check_list(patterns, setting)
    return tuple(parse_pattern(pattern, setting) for pattern in patterns)


def parse_pattern(text: str, setting: str = "pattern") -> UrlPattern:
    """Parse one pattern; ConfigurationError says what is wrong and what to write instead."""
    _check_text(text, setting)
    if text == "*":
        return UrlPattern(text=text, hosts=Hosts.ANY, ports=_WEB_PORTS)
    if not text or _UNWANTED.search(text):
        raise _refused(setting, text, "white space, userinfo, query and fragment have no place")
    found = _GRAMMAR.fullmatch(text)
    if found is None:
        raise _refused(setting, text, "write host, *.host, scheme://host:port or a path below it")
    scheme = _parse_scheme(setting, text, found["scheme"])
    hosts, host = _parse_host(setting, text, found["host"])
    path, below = _parse_path(setting, text, found["path"], scheme)
    ports = _parse_ports(setting, text, found["port"], scheme)
    return UrlPattern(
        text=text, hosts=hosts, host=host, scheme=scheme, ports=ports, path=path, below=below
    )


def _parse_scheme(setting: str, text: str, scheme: str | None) -> str | None:
    if scheme is None:
        return None
    try:
        return _SCHEMES[scheme.lower()]
    except KeyError:
        raise _refused(setting, text, "only http, https, ws and wss can be named") from None


def _parse_host(setting: str, text: str, host: str) -> tuple[Hosts, str]:
    if host == "*":
        return Hosts.ANY, ""
    hosts = Hosts.SUBDOMAINS if host.startswith("*.") else Hosts.EXACT
    name = host.removeprefix("*.")
    if "*" in name:
        raise _refused(setting, text, "a wildcard stands for whole labels in front: *.example.com")
    if "%" in name or name.startswith(".") or name.lower() in _SCHEME_WORDS:
        raise _refused(setting, text, "write the host plainly, a scheme with ://")
    parts = parse_url(f"http://{name}/")
    if parts is None or not parts.host or "" in parts.host.split("."):
        raise _refused(setting, text, "the host is not valid")
    if hosts is Hosts.SUBDOMAINS and literal_address(parts.host) is not None:
        raise _refused(setting, text, "an address has no subdomains")
    return hosts, parts.host


def _parse_ports(
    setting: str, text: str, port: str | None, scheme: str | None
) -> frozenset[int] | None:
    if port == "*":
        return None
    if port is None:
        return _WEB_PORTS if scheme is None else frozenset({DEFAULT_PORTS[scheme]})
    if not 0 < int(port) <= 65_535:
        raise _refused(setting, text, "the port is out of range")
    return frozenset({int(port)})


def _parse_path(
    setting: str, text: str, path: str | None, scheme: str | None
) -> tuple[str | None, bool]:
    if path is None or path in {"/", "/*"}:
        return None, False
    if scheme is None:
        raise _refused(setting, text, f"a path needs an origin: https://{text}")
    below = path.endswith("/*")
    stem = path[:-1] if below else path
    if "*" in stem:
        raise _refused(setting, text, "a path may end in /* and hold no other star")
    parts = parse_url(f"http://host{stem}")
    if parts is None or fold_path(parts.path) != fold_path(stem) or "//" in stem:
        raise _refused(setting, text, "the path is not valid")
    return parts.path, below


def _is_path(path: str, wanted: str, below: bool) -> bool:
    return path.startswith(wanted) if below else path == wanted


def _is_below(path: str, wanted: str) -> bool:
    stem = wanted.rstrip("/")
    return path.rstrip("/") == stem or path.startswith(f"{stem}/")


def _refused(setting: str, text: str, why: str) -> ConfigurationError:
    return ConfigurationError(f"{setting}: {text!r} is not a pattern: {why}")


def _check_list(patterns: object, setting: str) -> None:
    if isinstance(patterns, str | bytes) or not isinstance(patterns, Iterable):
        kind = type(patterns).__name__
        raise ConfigurationError(f"{setting} must be a list of patterns, not one {kind}")


def _check_text(text: object, setting: str) -> None:
    if not isinstance(text, str):
        raise ConfigurationError(f"{setting} must hold strings, got {type(text).__name__}")
