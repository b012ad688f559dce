"""One classifier for network addresses and for names that never leave a private network.

Owns the table: which class an address or a name belongs to. It resolves nothing and decides
nothing; ``url_policy`` says which classes are admitted. The standard library's ``is_global`` is
not the rule: on Python 3.11 it calls multicast, site-local, NAT64 and 6to4 of private addresses
global. IPv6 is public only inside 2000::/3; an IPv4 address that is embedded in an IPv6 address is
taken out and judged too, because a translator or tunnel would deliver there.
"""

from __future__ import annotations

from enum import StrEnum
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
)

__all__ = [
    "LOCAL_CLASSES",
    "AddressClass",
    "classify",
    "embedded_v4",
    "is_local_name",
    "is_metadata_name",
    "literal_address",
]


class AddressClass(StrEnum):
    """Where an address leads."""

    PUBLIC = "public"
    LOOPBACK = "loopback"
    PRIVATE = "private"
    LINK_LOCAL = "link_local"
    SHARED = "shared"
    UNSPECIFIED = "unspecified"
    BENCHMARKING = "benchmarking"
    DOCUMENTATION = "documentation"
    MULTICAST = "multicast"
    RESERVED = "reserved"
    METADATA = "metadata"


LOCAL_CLASSES = frozenset(
    {
        AddressClass.LOOPBACK,
        AddressClass.PRIVATE,
        AddressClass.LINK_LOCAL,
        AddressClass.SHARED,
        AddressClass.UNSPECIFIED,
        AddressClass.BENCHMARKING,
    }
)
"""Classes that ``allow_local`` may admit; the rest but public are never admitted."""

_V4_TABLE: tuple[tuple[IPv4Network, AddressClass], ...] = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", AddressClass.UNSPECIFIED),  # RFC 1122: this host on this network
        ("10.0.0.0/8", AddressClass.PRIVATE),  # RFC 1918
        ("100.64.0.0/10", AddressClass.SHARED),  # RFC 6598: carrier-grade NAT
        ("127.0.0.0/8", AddressClass.LOOPBACK),  # RFC 1122
        ("169.254.0.0/16", AddressClass.LINK_LOCAL),  # RFC 3927
        ("172.16.0.0/12", AddressClass.PRIVATE),  # RFC 1918
        ("192.0.0.0/24", AddressClass.RESERVED),  # RFC 6890: protocol assignments
        ("192.0.2.0/24", AddressClass.DOCUMENTATION),  # RFC 5737
        ("192.88.99.0/24", AddressClass.RESERVED),  # RFC 7526: 6to4 relays, withdrawn
        ("192.168.0.0/16", AddressClass.PRIVATE),  # RFC 1918
        ("198.18.0.0/15", AddressClass.BENCHMARKING),  # RFC 2544
        ("198.51.100.0/24", AddressClass.DOCUMENTATION),  # RFC 5737
        ("203.0.113.0/24", AddressClass.DOCUMENTATION),  # RFC 5737
        ("224.0.0.0/4", AddressClass.MULTICAST),  # RFC 5771
        ("240.0.0.0/4", AddressClass.RESERVED),  # RFC 1112, broadcast included
    )
)

_V6_TABLE: tuple[tuple[IPv6Network, AddressClass], ...] = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/128", AddressClass.UNSPECIFIED),
        ("::1/128", AddressClass.LOOPBACK),
        ("64:ff9b:1::/48", AddressClass.PRIVATE),  # RFC 8215: NAT64 for local use
        ("2001::/23", AddressClass.RESERVED),  # RFC 2928: Teredo, ORCHID, benchmarking …
        ("2001:db8::/32", AddressClass.DOCUMENTATION),  # RFC 3849
        ("3fff::/20", AddressClass.DOCUMENTATION),  # RFC 9637
        ("fc00::/7", AddressClass.PRIVATE),  # RFC 4193: unique local
        ("fe80::/10", AddressClass.LINK_LOCAL),  # RFC 4291
        ("fec0::/10", AddressClass.PRIVATE),  # RFC 3879: site local, deprecated
        ("ff00::/8", AddressClass.MULTICAST),  # RFC 4291
    )
)
_V6_UNICAST = IPv6Network("2000::/3")

_MAPPED = IPv6Network("::ffff:0:0/96")  # RFC 4291: the socket layer dials the IPv4 address
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: a translator dials the IPv4 address
_SIX_TO_FOUR = IPv6Network("2002::/16")  # RFC 3056
_TEREDO = IPv6Network("2001::/32")  # RFC 4380
_TAIL_FORMS = (
    IPv6Network("::/96"),  # RFC 4291: IPv4-compatible, deprecated
    IPv6Network("::ffff:0:0:0/96"),  # RFC 7915: SIIT
)
_NAT64_LOCAL = IPv6Network("64:ff9b:1::/48")
_RFC6052_LENGTHS = (48, 56, 64, 96)
"""Prefix lengths of RFC 6052 that fit into the /48 of RFC 8215; 32 and 40 cannot."""

_METADATA_V4 = tuple(
    IPv4Network(network)
    for network in (
        "169.254.169.0/24",  # instance metadata of most clouds, and their DNS beside it
        "169.254.170.0/24",  # container and pod credentials (.2, .23)
        "169.254.42.42/32",
        "169.254.0.23/32",
        "100.100.100.200/32",
        "192.0.0.192/32",
        "168.63.129.16/32",  # a public address that only a cloud's own hosts reach
    )
)
_METADATA_V6 = tuple(
    IPv6Network(network)
    for network in (
        "fd00:ec2::/32",
        "fd20:ce::254/128",
        "fd00:42::42/128",
        "fe80::a9fe:a9fe/128",
    )
)
_METADATA_NAMES = frozenset(
    {
        "instance-data",
        "instance-data.ec2.internal",
        "metadata",
        "metadata.aws.internal",
        "metadata.azure.internal",
        "metadata.goog",
        "metadata.google.internal",
        "metadata.oraclecloud.com",
        "metadata.oci.oraclecloud.com",
        "metadata.packet.net",
        "metadata.platformequinix.com",
        "metadata.tencentyun.com",
    }
)
_LOCAL_SUFFIXES = (
    "localhost",  # RFC 6761; Chromium sends it to loopback without asking DNS
    "local",  # RFC 6762
    "home.arpa",  # RFC 8375
    "internal",  # reserved by ICANN for private use
    "localdomain",
    "intranet",
    "lan",
    "corp",  # never to be delegated, like the next one
    "home",
)


def classify(address: str | IPv4Address | IPv6Address) -> AddressClass:
    """The class of an address; ``reserved`` for text that is no address.

    A zone id is ignored. An IPv6 address that carries IPv4 addresses takes the worst class.
    """
    parsed = _parsed(address)
    if parsed is None:
        return AddressClass.RESERVED
    if isinstance(parsed, IPv4Address):
        return _classify_v4(parsed)
    return _classify_v6(parsed)


def embedded_v4(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Every IPv4 address that a translator or tunnel could read out of ``address``."""
    if address in _MAPPED or address in _NAT64 or any(address in net for net in _TAIL_FORMS):
        return (_bits(address, 96),)
    found: list[IPv4Address] = []
    if address in _SIX_TO_FOUR:
        found.append(_bits(address, 16))
    if address in _TEREDO:
        found += [_bits(address, 32), IPv4Address(int(_bits(address, 96)) ^ 0xFFFFFFFF)]
    if address in _NAT64_LOCAL:
        found += [_rfc6052(address, length) for length in _RFC6052_LENGTHS]
    if int(_bits(address, 64)) & 0xFDFFFFFF == 0x00005EFE:  # RFC 5214: ISATAP
        found.append(_bits(address, 96))
    return tuple(found)


def literal_address(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a canonical URL host spells, brackets or not; None for a name."""
    return _parsed(host.removeprefix("[").removesuffix("]"))


def is_local_name(host: str) -> bool:
    """Say whether a name, in lower-case A-labels without root dot, is never a public one."""
    return "." not in host or any(
        host == suffix or host.endswith(f".{suffix}") for suffix in _LOCAL_SUFFIXES
    )


def is_metadata_name(host: str) -> bool:
    """Say whether a name is known to lead to a cloud's metadata service."""
    return host in _METADATA_NAMES


def _parsed(address: str | IPv4Address | IPv6Address) -> IPv4Address | IPv6Address | None:
    if not isinstance(address, str):
        return address
    try:
        return ip_address(address.partition("%")[0])
    except (AddressValueError, ValueError):
        return None


def _classify_v4(address: IPv4Address) -> AddressClass:
    if any(address in network for network in _METADATA_V4):
        return AddressClass.METADATA
    return next((kind for network, kind in _V4_TABLE if address in network), AddressClass.PUBLIC)


def _classify_v6(address: IPv6Address) -> AddressClass:
    if any(address in network for network in _METADATA_V6):
        return AddressClass.METADATA
    inner = {_classify_v4(found) for found in embedded_v4(address)}
    if AddressClass.METADATA in inner:
        return AddressClass.METADATA
    if address in _MAPPED or address in _NAT64:
        return inner.pop()
    outer = _outer_class(address)
    hidden = inner - {AddressClass.PUBLIC}
    if outer is AddressClass.PUBLIC and hidden:
        return min(sorted(hidden), key=lambda kind: kind in LOCAL_CLASSES)
    return outer


def _outer_class(address: IPv6Address) -> AddressClass:
    named = next((kind for network, kind in _V6_TABLE if address in network), None)
    if named is not None:
        return named
    return AddressClass.PUBLIC if address in _V6_UNICAST else AddressClass.RESERVED


def _bits(address: IPv6Address, start: int) -> IPv4Address:
    return IPv4Address(int(address) >> (96 - start) & 0xFFFFFFFF)


def _rfc6052(address: IPv6Address, length: int) -> IPv4Address:
    """The IPv4 address after a prefix of ``length`` bits; bits 64 to 71 are skipped (RFC 6052)."""
    if length == 96:
        return _bits(address, 96)
    octets = [byte for index, byte in enumerate(address.packed) if index != 8]
    start = length // 8
    return IPv4Address(bytes(octets[start : start + 4]))
