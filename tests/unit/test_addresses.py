"""Every address has one class, and an IPv4 address inside an IPv6 one does not hide."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent.logic.addresses import (
    LOCAL_CLASSES,
    AddressClass,
    classify,
    embedded_v4,
    is_local_name,
    is_metadata_name,
    literal_address,
)

CLASSES = {
    "public": [
        "1.1.1.1", "93.184.215.14", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1",
        "126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.1", "172.15.255.255",
        "172.32.0.1", "192.0.1.1", "192.167.255.255", "192.169.0.1", "198.17.255.255",
        "198.20.0.1", "223.255.255.254", "2606:4700:4700::1111", "2a00:1450:4001::1",
        "64:ff9b::5db8:d70e", "::ffff:1.1.1.1", "2002:5db8:d70e::1", "2001:200::1",
    ],
    "loopback": ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1",
                 "2002:7f00:1::1", "2620:0:1::5efe:127.0.0.1"],
    "private": ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1",
                "fc00::1", "fdff::1", "fec0::1", "feff::1", "64:ff9b:1::1", "64:ff9b:1:ffff::1",
                "::ffff:10.0.0.1", "64:ff9b::c0a8:101", "2002:a00:1::", "2620:0:1::5efe:10.0.0.1",
                "2620:0:1:0:200:5efe:10.0.0.1"],
    "link_local": ["169.254.0.1", "169.254.255.255", "fe80::1", "febf::1", "fe80::1%eth0",
                   "fe80::5efe:127.0.0.1"],
    "shared": ["100.64.0.1", "100.127.255.254", "::ffff:100.64.0.1"],
    "unspecified": ["0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0"],
    "benchmarking": ["198.18.0.1", "198.19.255.255"],
    "documentation": ["192.0.2.1", "198.51.100.7", "203.0.113.9", "2001:db8::1", "3fff::1",
                      "3fff:fff:ffff::1"],
    "multicast": ["224.0.0.1", "239.255.255.250", "ff02::1", "ff0e::1"],
    "reserved": ["192.0.0.1", "192.88.99.1", "240.0.0.1", "255.255.255.255", "::127.0.0.1",
                 "::93.184.215.14", "::ffff:0:1.1.1.1", "100::1", "100:0:0:1::1", "5f00::1",
                 "2001::1", "2001:1ff:ffff::1", "4000::1", "e000::1", "200::1", "nonsense", "",
                 "1.2.3", "127.1"],
    "metadata": ["169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.42.42",
                 "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254",
                 "fd00:ec2::23", "fd20:ce::254", "::ffff:a9fe:a9fe", "::a9fe:a9fe",
                 "::ffff:0:a9fe:a9fe", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::",
                 "fe80::5efe:169.254.169.254", "64:ff9b:1:a9fe:a9:fe00::",
                 "64:ff9b:1:a9:fe:a9fe::", "64:ff9b:1:0:a9:fea9:fe00:0", "64:ff9b:1::a9fe:a9fe",
                 "2001:0:a9fe:a9fe::1", "2001:0:101:101:0:0:5601:5601"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("address", "kind"), [(address, kind) for kind, found in CLASSES.items() for address in found]
)
def test_each_address_has_its_class(address: str, kind: str) -> None:
    assert classify(address) == kind


def test_the_table_above_covers_every_class() -> None:
    assert set(CLASSES) == set(AddressClass)


def test_metadata_reserved_and_multicast_can_never_be_admitted_as_local() -> None:
    assert LOCAL_CLASSES.isdisjoint(
        {AddressClass.PUBLIC, AddressClass.METADATA, AddressClass.MULTICAST, AddressClass.RESERVED}
    )


@given(st.ip_addresses())
def test_classify_is_total_and_reads_text_and_objects_alike(
    address: IPv4Address | IPv6Address,
) -> None:
    assert classify(address) is classify(str(address))


@given(st.ip_addresses(v=4))
def test_an_embedded_address_is_never_more_public_than_itself(address: IPv4Address) -> None:
    number = int(address)
    wrapped = [
        0xFFFF << 32 | number,
        number,
        0xFFFF << 48 | number,
        0x64FF9B << 96 | number,
        0x2002 << 112 | number << 80,
        0x20010000 << 96 | number << 64,
        0x20010000 << 96 | 0x01010101 << 64 | number ^ 0xFFFFFFFF,
        0x2620 << 112 | 0x5EFE << 32 | number,
        0x2620 << 112 | 0x02005EFE << 32 | number,
    ]
    plain = classify(address)
    for value in wrapped:
        assert address in embedded_v4(IPv6Address(value))
        if plain is not AddressClass.PUBLIC:
            assert classify(IPv6Address(value)) is not AddressClass.PUBLIC
        if plain is AddressClass.METADATA:
            assert classify(IPv6Address(value)) is AddressClass.METADATA


@given(st.ip_addresses(v=4), st.sampled_from([48, 56, 64, 96]))
def test_local_nat64_is_unwrapped_at_every_prefix_length(address: IPv4Address, length: int) -> None:
    octets = list(bytes.fromhex("0064ff9b0001") + bytes(10))
    places = [12, 13, 14, 15] if length == 96 else [i for i in range(length // 8, 16) if i != 8]
    for place, octet in zip(places, address.packed, strict=False):
        octets[place] = octet
    assert address in embedded_v4(IPv6Address(bytes(octets)))


@given(st.ip_addresses(v=6))
def test_no_ipv6_address_outside_global_unicast_is_public(address: IPv6Address) -> None:
    if classify(address) is AddressClass.PUBLIC:
        translated = int(address) >> 32 in {0xFFFF, 0x64FF9B << 64}
        assert int(address) >> 125 == 1 or translated


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("::1", "::1"), ("example.com", None)],
)
def test_a_literal_host_is_read_with_and_without_brackets(host: str, address: str | None) -> None:
    assert literal_address(host) == (ip_address(address) if address else None)


@pytest.mark.parametrize(
    "host",
    ["localhost", "app.localhost", "printer", "printer.local", "router.home.arpa", "x.internal"],
)
def test_names_of_private_networks_are_local(host: str) -> None:
    assert is_local_name(host)


@pytest.mark.parametrize(
    "host",
    ["example.com", "internal.example.com", "local.example", "home.example", "notlocalhost.test"],
)
def test_public_names_are_not_local(host: str) -> None:
    assert not is_local_name(host)


def test_metadata_names_are_known_by_the_whole_name() -> None:
    assert is_metadata_name("metadata.google.internal")
    assert not is_metadata_name("metadata.example.com")
