"""A shown URL holds no userinfo, no secret value and no control character, and stays readable."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent._urls import (
    LIMIT_CHARS,
    MASK,
    display_url,
    is_secret_name,
    origin_of,
    without_query,
)

SECRET = "Zq8vTn3Lw7Rk2Xp9"
SECRET_NAMES = [
    "token", "access_token", "id-token", "refreshToken", "api_key", "APIKEY", "x-api-key",
    "client_secret", "password", "passwd", "pwd", "sig", "signature", "X-Amz-Signature",
    "X-Amz-Credential", "X-Amz-Security-Token", "X-Goog-Signature", "code", "otp", "ticket", "sid",
    "sessionId", "JSESSIONID", "auth", "key", "jwt", "SAMLResponse", "csrf_token",
]  # fmt: skip
PLAIN_NAMES = [
    "q",
    "page",
    "lang",
    "sessionize",
    "tokenizer",
    "keyboard",
    "item",
    "signal",
    "pass2",
]


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_the_value_of_a_secret_field_is_masked_wherever_it_stands(name: str) -> None:
    nested = quote(f"https://b.example/?{name}={SECRET}", safe="")
    for url in [
        f"https://a.example/r?item=42&{name}={SECRET}&lang=en",
        f"https://a.example/r?item=42;{name}={SECRET}",
        f"https://a.example/cb#{name}={SECRET}&type=bearer",
        f"https://a.example/#/reset?{name}={SECRET}",
        f"https://a.example/login?next={nested}",
        f"https://a.example/login?next={quote(nested, safe='')}",
        f"https://a.example/login?next={quote(f'/in?{name}={SECRET}', safe='')}",
    ]:
        shown = display_url(url)
        assert SECRET not in shown
        assert MASK in shown
        assert shown.startswith("https://a.example/")
        assert display_url(shown) == shown


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_ordinary_fields_stay(name: str) -> None:
    url = f"https://a.example/r?{name}={SECRET}"
    assert display_url(url) == url
    assert not is_secret_name(name)


def test_words_with_other_meanings_are_secret_only_when_long() -> None:
    assert (
        display_url("https://a.example/?code=DE&key=name") == "https://a.example/?code=DE&key=name"
    )
    assert is_secret_name("code")
    assert not is_secret_name("code", "DE")
    assert is_secret_name("code", SECRET)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("HTTP://Bob:pw@EX.example:80/A?b=c#d", "http://ex.example/A?b=c#d"),
        ("https://ex.example:8443/", "https://ex.example:8443/"),
        ("wss://u@ex.example:443/x", "wss://ex.example/x"),
        ("https://ex.example:/", "https://ex.example/"),
        ("https://[2606::1]:443/", "https://[2606::1]/"),
        (" https://ex.example/\n\x00a\x7f ", "https://ex.example/a"),
        ("https://ex.example/?token=", "https://ex.example/?token="),
        ("https://x.example/?to=https%3A%2F%2Fu%3Apw%40h%2F", "https://x.example/?to=https://h/"),
        ("data:text/html;base64,PGI+", "data:text/html"),
        ("javascript:alert('pw')", "javascript:"),
        ("blob:https://ex.example/6d0d2a1e", "blob:https://ex.example"),
        ("blob:null/6d0d2a1e", "blob:"),
        ("about:blank", "about:blank"),
        ("file:///etc/hosts", "file:///etc/hosts"),
        ("mailto:a@b.example?body=x", "mailto:a@b.example"),
        ("//bob:pw@ex.example/a", "//ex.example/a"),
        ("http://bob:pw@[::1?token=x", "http://[::1"),
        ("?token=abc", f"?token={MASK}"),
        ("", ""),
    ],
)
def test_display_form(url: str, shown: str) -> None:
    assert display_url(url) == shown


def test_encoding_deeper_than_the_look_is_masked_not_trusted() -> None:
    value = f"token={SECRET}"
    for _ in range(6):
        value = quote(value, safe="")
    assert display_url(f"https://a.example/?x={value}") == f"https://a.example/?x={MASK}"


def test_a_long_url_is_cut_and_says_so() -> None:
    shown = display_url("https://a.example/" + "a" * 10_000)
    assert len(shown) == LIMIT_CHARS
    assert shown.endswith("…")


def test_without_query_drops_query_and_fragment() -> None:
    assert without_query("https://u:p@a.example/x?y=1#z") == "https://a.example/x"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://u@A.example:443/x", "https://a.example"),
        ("ws://a.example:81", "ws://a.example:81"),
        ("about:blank", None),
        ("https://", None),
        ("http://[::1", None),
    ],
)
def test_origin_of(url: str, origin: str | None) -> None:
    assert origin_of(url) == origin


@given(st.text())
def test_display_never_raises_and_is_idempotent_enough_to_compare(text: str) -> None:
    shown = display_url(text)
    assert len(shown) <= LIMIT_CHARS
    assert not any(char < " " for char in shown)


@given(st.text(min_size=1), st.text(), st.sampled_from(["https", "http", "wss"]))
def test_userinfo_never_shows(user: str, path: str, scheme: str) -> None:
    url = f"{scheme}://{quote(user, safe='')}:{SECRET}@ex.example/{quote(path)}"
    assert SECRET not in display_url(url)
