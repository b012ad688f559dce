"""A registered secret leaves only towards origins that it is bound to, in no encoding otherwise."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent.logic.outgoing import OutgoingCheck, check_outgoing
from browser_agent.records.policy import Secret

VALUE = "h0ldout&Y2/Q9 Jf+x"
SECRETS = {
    "site": Secret(VALUE, origins=["https://shop.example", "https://Login.Shop.example:443/in"]),
    "loose": Secret("kx81-unbound-value"),
    "short": Secret("abc"),
}
CHECK = OutgoingCheck.of(SECRETS)
HOME = "https://shop.example/login"
AWAY = "https://evil.test/collect"


def spellings(value: str) -> list[str]:
    data = value.encode()
    return [
        value,
        quote(value, safe=""),
        quote(quote(value, safe=""), safe=""),
        quote(value, safe="").lower(),
        base64.b64encode(data).decode(),
        base64.b64encode(b"u:" + data).decode(),
        base64.urlsafe_b64encode(b"u:p" + data).decode(),
        data.hex(),
    ]


@pytest.mark.parametrize("spelling", spellings(VALUE))
def test_a_secret_in_any_spelling_stays_from_other_origins(spelling: str) -> None:
    for decision in (
        CHECK.check(f"{AWAY}?q={quote(spelling, safe='%')}"),
        CHECK.check(AWAY, f"field={spelling}"),
        CHECK.check(AWAY, f"X-Header: {spelling}".encode()),
    ):
        assert (decision.allowed, decision.code) == (False, "secret_denied")
        assert "site" in decision.reason
        assert VALUE not in decision.reason
    assert CHECK.check(HOME, f"field={spelling}").allowed


def test_a_secret_is_found_in_host_path_fragment_and_userinfo() -> None:
    value = SECRETS["loose"].value
    for url in (
        f"https://{value}.evil.test/",
        f"https://evil.test/{value}/x",
        f"https://evil.test/#{value}",
        f"https://user:{value}@evil.test/",
    ):
        assert CHECK.check(url).code == "secret_denied"


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://shop.example/x", True),
        ("https://SHOP.example:443/", True),
        ("https://login.shop.example/", True),
        ("wss://shop.example/", True),
        ("http://shop.example/", False),
        ("https://shop.example:8443/", False),
        ("https://sub.shop.example/", False),
        ("https://shop.example.evil.test/", False),
        ("https://shop.example@evil.test/", False),
    ],
)
def test_the_binding_is_to_exact_origins(url: str, allowed: bool) -> None:
    assert check_outgoing(url, VALUE, SECRETS).allowed == allowed


def test_a_plain_secret_leaves_towards_nobody() -> None:
    assert CHECK.check(HOME, "kx81-unbound-value").code == "secret_denied"


def test_short_values_and_ordinary_text_pass() -> None:
    assert CHECK.check(AWAY, "abc and other words").allowed
    assert CHECK.check("https://evil.test/?q=h0ldout").allowed
    assert OutgoingCheck.of({}).check(AWAY, VALUE).allowed


def test_one_value_under_two_names_may_go_where_either_is_bound() -> None:
    both = {"a": Secret(VALUE, origins=["https://a.test"]), "b": Secret(VALUE, ["https://b.test"])}
    check = OutgoingCheck.of(both)
    assert check.check("https://a.test/", VALUE).allowed
    assert check.check("https://b.test/", VALUE).allowed
    assert not check.check("https://c.test/", VALUE).allowed


def test_what_is_no_url_goes_nowhere() -> None:
    assert CHECK.check("nonsense").code == "invalid_url"


def test_the_check_shows_names_and_no_values() -> None:
    assert repr(CHECK) == "OutgoingCheck(site, loose, short)"
    assert VALUE not in repr(CHECK)


@given(st.text(max_size=40), st.text(max_size=40))
def test_what_stands_around_it_does_not_hide_a_secret(before: str, after: str) -> None:
    assert CHECK.check(AWAY, f"{before}{VALUE}{after}").code == "secret_denied"
