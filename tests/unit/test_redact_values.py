"""A registered value is found in whatever encoding a page, a log or a protocol gives it back."""

from __future__ import annotations

import base64
import html
import json
import string
import unicodedata
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from browser_agent.logic.redact import Redactor, encodings_of

VALUE = "hunter2&Out/Q9Jf+x?"
REDACTOR = Redactor(secrets={"pw": VALUE})


def _full_width(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def _json_twice(text: str) -> str:
    return json.dumps(json.dumps(text))[3:-3]


ENCODERS: dict[str, Callable[[str], str]] = {
    "raw": str,
    "percent": lambda text: quote(text, safe=""),
    "percent, lower hex": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "form": quote_plus,
    "percent twice": lambda text: quote(quote(text, safe=""), safe=""),
    "percent three times": lambda text: quote(quote(quote(text, safe=""), safe=""), safe=""),
    "html": html.escape,
    "html twice": lambda text: html.escape(html.escape(text)),
    "decimal references": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "hex references": lambda text: "".join(f"&#x{ord(char):X};" for char in text),
    "json": lambda text: json.dumps(text)[1:-1],
    "json twice": _json_twice,
    "json \\u": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "json \\/": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "repr": lambda text: repr(text)[1:-1],
    "bytes repr": lambda text: repr(text.encode())[2:-1],
    "\\x": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()),
    "hex": lambda text: text.encode().hex(),
    "hex, upper": lambda text: text.encode().hex().upper(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 after one byte": lambda text: base64.b64encode(b":" + text.encode() + b"x").decode(),
    "base64 after two": lambda text: base64.b64encode(b"u:" + text.encode() + b"xy").decode(),
    "base64url": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "base64 in lines": lambda text: "\n".join(
        base64.b64encode(text.encode()).decode()[at : at + 8] for at in range(0, 80, 8)
    ),
    "zero width": "\u200b".join,
    "soft hyphens": "\u00ad".join,
    "zero width, escaped": "⟨U+200B⟩".join,
    "full width": _full_width,
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "spaced out": " ".join,
    "over two lines": lambda text: text[:6] + "\n" + text[6:],
    "reversed": lambda text: text[::-1],
    "upper case": str.upper,
    "references, then percent": lambda text: quote(html.escape(text), safe=""),
    "percent, then json": lambda text: json.dumps(quote(text, safe=""))[1:-1],
}


@pytest.mark.parametrize("name", ENCODERS)
def test_a_value_is_masked_in_every_encoding(name: str) -> None:
    encoded = ENCODERS[name](VALUE)
    clean = REDACTOR.redact_text(f"before {encoded} after")
    assert encoded not in clean
    assert "[REDACTED:pw]" in clean
    assert clean.startswith("before ")
    assert clean.endswith(" after")


@pytest.mark.parametrize("encoded", sorted(encodings_of(VALUE)))
def test_every_listed_encoding_is_masked(encoded: str) -> None:
    assert encoded not in REDACTOR.redact_text(f'x="{encoded}"')


def test_the_list_of_encodings_holds_the_usual_ones() -> None:
    listed = encodings_of(VALUE)
    for name in ("raw", "percent", "percent twice", "form", "html", "decimal references", "json",
                 "hex", "base64url", "bytes repr", "json \\u", "json \\/"):  # fmt: skip
        assert ENCODERS[name](VALUE) in listed


def test_an_id_is_known_in_upper_case_and_in_a_path() -> None:
    ident = "cec3daa1-6be5-4645-9d44-b3b54896c548"
    redactor = Redactor(secrets=[ident])
    text = f"session {ident.upper()} at https://api.example/v1/sessions/{ident}/debug"
    assert redactor.redact_text(text) == (
        "session [REDACTED:secret] at https://api.example/v1/sessions/[REDACTED:secret]/debug"
    )


def test_a_value_that_is_a_word_is_not_looked_for_across_words() -> None:
    redactor = Redactor(secrets=["thecatsat"])
    assert redactor.redact_text("the cat sat") == "the cat sat"
    assert redactor.redact_text("TheCatSat") == "TheCatSat"
    assert redactor.redact_text("thecat\u200bsat") == "[REDACTED:secret]"


def test_an_encoded_looking_value_does_not_mask_what_it_decodes_to() -> None:
    redactor = Redactor(secrets=["%41%42%43"])
    assert redactor.redact_text("ABC stays, %41%42%43 goes") == "ABC stays, [REDACTED:secret] goes"


def test_values_of_several_lines_are_known_escaped_and_in_one_line() -> None:
    redactor = Redactor(secrets=["first line 1\nsecond line 2"])
    for text in (
        "first line 1\nsecond line 2",
        "first line 1\\nsecond line 2",
        "first line 1 second line 2",
    ):
        assert redactor.redact_text(f"<{text}>") == "<[REDACTED:secret]>"


def test_names_of_values_in_a_text_are_told() -> None:
    redactor = Redactor(secrets={"a": "value-one-1", "b": "value-two-2"})
    assert set(redactor.registered_in("x=value%2Dtwo%2D2&y=value-one-1")) == {"a", "b"}
    assert redactor.registered_in("nothing here") == ()


VALUES = st.text(
    string.ascii_letters + string.digits + "!@#$%^&*()_+-=[]{}|;:',.<>?/~` \"äéñ日本пароль€",
    min_size=9,
    max_size=28,
)  # no backslash: what follows one belongs to it, and with it the value's end
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]
CONTEXTS = st.text(string.ascii_letters + " .,;:\n/", max_size=30)


def _plant(count: int) -> None:
    @settings(max_examples=count, deadline=None, suppress_health_check=SLOW)
    @given(VALUES, st.sampled_from(sorted(ENCODERS)), CONTEXTS, CONTEXTS)
    def check(value: str, name: str, before: str, after: str) -> None:
        value = value.strip()
        assume(len("".join(value.split())) >= 9)
        kinds = (str.islower, str.isupper, str.isdigit)
        assume(sum(any(map(kind, value)) for kind in kinds) >= 2)  # a strong value
        assume(name != "upper case" or value.upper().lower() == value.lower())
        encoded = ENCODERS[name](value)
        redactor = Redactor(secrets=[value])
        clean = redactor.redact_text(f"{before} {encoded} {after}")
        assert encoded not in clean
        assert redactor.redact_text(clean) == clean

    check()


def test_a_planted_value_never_survives(*, long_run: bool) -> None:
    _plant(10_000 if long_run else 200)
