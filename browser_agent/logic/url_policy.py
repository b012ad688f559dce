"""Which URLs and addresses may be contacted.

Owns the order of the rules: parse, scheme, never-admitted hosts, deny, local, allow. Pure: names
are resolved elsewhere and their answers handed to :meth:`UrlPolicy.decide_addresses`. A reason
names the flag that would admit the URL and never a resolved address.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from os import PathLike
from pathlib import Path
from typing import Self, cast

from browser_agent.errors import ConfigurationError, InvalidInput
from browser_agent.logic.addresses import (
    LOCAL_CLASSES,
    AddressClass,
    classify,
    is_local_name,
    is_metadata_name,
    literal_address,
)
from browser_agent.logic.patterns import Hosts, UrlPattern, parse_patterns
from browser_agent.logic.url_parts import DEFAULT_PORTS, UrlParts, parse_url
from browser_agent.records.policy import Decision

__all__ = ["BLOCKED_PORTS", "UrlPolicy"]

BLOCKED_PORTS = frozenset(
    {0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101}
    | {102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389}
    | {427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636}
    | {989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566}
    | {6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080}
)
"""Ports that no browser opens (the "bad ports" of the Fetch standard): never admitted."""

_BLANK = "about:blank"
_SETTINGS = ("allow_local", "deny", "only")


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlPolicy:
    """Rules for URLs; hashable and picklable. Build it with one of the class methods.

    ``allow`` None is the public web; an empty tuple admits nothing. ``local`` lifts the rule
    against private addresses for its origins, ``granted`` holds origins that the operator typed.
    Deny beats everything; metadata addresses and ports that browsers block are never admitted.
    """

    allow: tuple[UrlPattern, ...] | None = None
    local: tuple[UrlPattern, ...] = ()
    deny: tuple[UrlPattern, ...] = ()
    granted: tuple[UrlPattern, ...] = ()

    @classmethod
    def public_web(cls, allow_local: Iterable[str] = (), deny: Iterable[str] = ()) -> Self:
        """Every public host on ports 80 and 443, and the origins of ``allow_local``."""
        return cls(local=_parse_local(allow_local), deny=parse_patterns(deny, "deny"))

    @classmethod
    def only(
        cls, patterns: Iterable[str], allow_local: Iterable[str] = (), deny: Iterable[str] = ()
    ) -> Self:
        """What ``patterns`` name and nothing else; no pattern admits nothing.

        ``allow_local`` adds no site: it admits private addresses of sites that a pattern names.
        A pattern that spells one literal address or ``localhost`` needs no such leave.
        """
        return cls(
            allow=parse_patterns(patterns, "only"),
            local=_parse_local(allow_local),
            deny=parse_patterns(deny, "deny"),
        )

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Self:
        """Read ``only``, ``deny`` and ``allow_local`` (lists) from a file, or its ``[policy]``."""
        try:
            text = Path(path).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"policy file cannot be read: {type(error).__name__}"
            ) from None
        return cls.parse_toml(text)

    @classmethod
    def parse_toml(cls, text: str) -> Self:
        """:meth:`from_toml` for text at hand."""
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ConfigurationError(f"policy file is not TOML: {error}") from None
        table: object = document.get("policy", document)
        if not isinstance(table, dict):
            raise ConfigurationError("policy must be a table")
        return cls._from_table(cast("dict[str, object]", table))

    @classmethod
    def _from_table(cls, table: dict[str, object]) -> Self:
        lists: dict[str, list[str]] = {}
        for key, value in table.items():
            name = key.replace("-", "_")
            if name not in _SETTINGS:
                known = ", ".join(_SETTINGS)
                raise ConfigurationError(f"unknown policy setting {key!r}; known are {known}")
            if not isinstance(value, list):
                raise ConfigurationError(f"{name} must be a list of patterns")
            lists[name] = cast("list[str]", value)
        policy = cls.public_web(lists.get("allow_local", ()), lists.get("deny", ()))
        if "only" not in lists:
            return policy
        return replace(policy, allow=parse_patterns(lists["only"], "only"))

    def to_dict(self) -> dict[str, list[str]]:
        """The patterns by setting, ``granted`` too; ``only`` where there is an allow-list."""
        given = {"allow_local": self.local, "deny": self.deny, "granted": self.granted}
        if self.allow is not None:
            given["only"] = self.allow
        return {name: [one.text for one in patterns] for name, patterns in given.items()}

    @classmethod
    def from_dict(cls, value: Mapping[str, Iterable[str]]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        lists = {name: list(value.get(name, ())) for name in _SETTINGS if name in value}
        policy = cls._from_table(cast("dict[str, object]", lists))
        for origin in value.get("granted", ()):
            policy = policy.grant(origin)
        return policy

    @property
    def has_path_rules(self) -> bool:
        """Whether a rule names a path, which a proxy cannot see on https."""
        rules = (*(self.allow or ()), *self.deny)
        return any(rule.path is not None for rule in rules)

    def grant(self, url: str) -> Self:
        """A policy that also admits the exact origin of a URL which the operator gave.

        Local origins and unusual ports too; denied and metadata hosts stay refused. A URL without
        an http(s) origin changes nothing.
        """
        parts = parse_url(url)
        if parts is None or parts.scheme not in DEFAULT_PORTS or not parts.host:
            return self
        pattern = UrlPattern(
            text=parts.origin,
            hosts=Hosts.EXACT,
            host=parts.host,
            scheme=parts.scheme,
            ports=frozenset({parts.port or 0}),
        )
        if pattern in self.granted:
            return self
        return replace(self, granted=(*self.granted, pattern))

    def decide(self, url: str) -> Decision:
        """Judge a URL by its text: scheme, literal address, port, patterns, path.

        ``Decision.url`` is the canonical form (userinfo dropped), the one to use afterwards; it is
        empty where the URL cannot be parsed. Raises InvalidInput for anything but a string.
        """
        return self._judge(url, None, any_path=False)

    def decide_origin(
        self, url: str, addresses: Iterable[str | IPv4Address | IPv6Address] | None = None
    ) -> Decision:
        """Like :meth:`decide` and :meth:`decide_addresses`, with path rules left out.

        For a tunnel, whose path cannot be seen: it is refused where the whole origin is.
        """
        return self._judge(url, addresses, any_path=True)

    def decide_addresses(
        self, url: str, addresses: Iterable[str | IPv4Address | IPv6Address]
    ) -> Decision:
        """Judge a URL and every address that its host resolved to; each of them must pass.

        No address: ``dns_failed``.
        """
        return self._judge(url, addresses, any_path=False)

    def _judge(
        self,
        url: str,
        addresses: Iterable[str | IPv4Address | IPv6Address] | None,
        *,
        any_path: bool,
    ) -> Decision:
        _check_text(url)
        parts = parse_url(url)
        if parts is None:
            hint = "" if "://" in url else "; write it with its scheme: https://example.com"
            return Decision(allowed=False, url="", code="invalid_url", reason=f"not a URL{hint}")
        if parts.href == _BLANK and self.allow is None:
            return Decision(allowed=True, url=parts.href)
        refusal = self._refusal(parts, any_path=any_path)
        if refusal is None and addresses is not None:
            return self._judge_addresses(parts, list(addresses))
        if refusal is None:
            return Decision(allowed=True, url=parts.href)
        return Decision(allowed=False, url=parts.href, code="policy_denied", reason=refusal)

    def _refusal(self, url: UrlParts, *, any_path: bool) -> str | None:
        if url.scheme not in DEFAULT_PORTS:
            return f"only http and https can be visited, not {url.scheme[:32]}:"
        if "" in url.host.split("."):
            return "the host has an empty label"
        denied = next((rule for rule in self.deny if rule.refuses(url, any_path=any_path)), None)
        if denied is not None:
            return f"refused by --deny {denied.text}"
        return self._host_refusal(url) or self._allow_refusal(url, any_path=any_path)

    def _host_refusal(self, url: UrlParts) -> str | None:
        if url.port in BLOCKED_PORTS:
            return f"port {url.port} is one that browsers block; no setting admits it"
        kind = _host_class(url.host)
        if kind is AddressClass.PUBLIC:
            return None
        if kind is AddressClass.METADATA:
            return "metadata services are never contacted; no setting admits them"
        if kind not in LOCAL_CLASSES:
            return f"{kind} addresses are never contacted; no setting admits them"
        if self._is_local(url):
            return None
        return f"{url.host} is on a private network or this host: {_local_flag(url)} would admit it"

    def _allow_refusal(self, url: UrlParts, *, any_path: bool) -> str | None:
        if self._admitted(url, any_path=any_path):
            return None
        if self.allow is not None:
            return f"not in the list of admitted sites: --only {url.origin} would admit it"
        return f"port {url.port} of public hosts is closed: --only {url.origin} would admit it"

    def _admitted(self, url: UrlParts, *, any_path: bool) -> bool:
        if any(grant.admits(url) for grant in self.granted):
            return True
        if self.allow is not None:
            return any(rule.admits(url, any_path=any_path) for rule in self.allow)
        return url.port in DEFAULT_PORTS.values() or any(rule.admits(url) for rule in self.local)

    def _is_local(self, url: UrlParts) -> bool:
        literal = (rule for rule in self.allow or () if rule.names_address)
        return any(
            rule.admits(url, any_path=True) for rule in (*self.local, *self.granted, *literal)
        )

    def _judge_addresses(
        self, url: UrlParts, addresses: list[str | IPv4Address | IPv6Address]
    ) -> Decision:
        if not addresses:
            return Decision(
                allowed=False, url=url.href, code="dns_failed", reason="the host has no address"
            )
        kinds = {classify(address) for address in addresses}
        wanted = {AddressClass.PUBLIC}
        if self._is_local(url):
            wanted |= LOCAL_CLASSES
        if _is_loopback_name(url.host):
            wanted = {AddressClass.LOOPBACK}
        if kinds <= wanted:
            return Decision(allowed=True, url=url.href)
        hint = f": {_local_flag(url)} would admit it" if kinds <= wanted | LOCAL_CLASSES else ""
        reason = f"{url.host} leads to an address that is not public{hint}"
        return Decision(allowed=False, url=url.href, code="policy_denied", reason=reason)


def _parse_local(origins: Iterable[str]) -> tuple[UrlPattern, ...]:
    parsed = parse_patterns(origins, "allow_local")
    for pattern in parsed:
        if pattern.hosts is not Hosts.EXACT or pattern.path is not None:
            raise ConfigurationError(
                f"allow_local: {pattern.text!r} must be one origin, like http://127.0.0.1:8000"
            )
    return parsed


def _check_text(url: object) -> None:
    if not isinstance(url, str):
        raise InvalidInput(f"a URL must be a string, got {type(url).__name__}")


@lru_cache(maxsize=512)
def _host_class(host: str) -> AddressClass:
    address = literal_address(host)
    if address is not None:
        return classify(address)
    if is_metadata_name(host):
        return AddressClass.METADATA
    return AddressClass.PRIVATE if is_local_name(host) else AddressClass.PUBLIC


def _is_loopback_name(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _local_flag(url: UrlParts) -> str:
    return f"--allow-local {url.origin}"
