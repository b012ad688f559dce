"""Structures lose secrets by what their keys, names and headers say."""

from __future__ import annotations

import datetime as dt

import pytest

from browser_agent.logic.redact import Redactor
from browser_agent.records.policy import Secret

TOKEN = "q7Wm2ZxK9bTr4LpVn8Hd3FsY6cJg5Ae1"
PASSWORD = "hunter2&Out/Q9Jf+x?"
REDACTOR = Redactor(secrets={"site_password": PASSWORD})

MASKED: list[tuple[object, object]] = [
    ({"Cookie": f"a={TOKEN}; b=2"}, {"Cookie": "a=[REDACTED:cookie]; b=[REDACTED:cookie]"}),
    (
        {"set-cookie": [f"a={TOKEN}; Path=/; HttpOnly"]},
        {"set-cookie": ["a=[REDACTED:cookie]; Path=/; HttpOnly"]},
    ),
    ({"cookies": {"sid": "abc"}}, {"cookies": {"sid": "[REDACTED:cookie]"}}),
    (
        [{"name": "n", "value": "abc", "domain": "a.example", "path": "/"}],
        [{"name": "n", "value": "[REDACTED:cookie]", "domain": "a.example", "path": "/"}],
    ),
    ({"value": TOKEN, "name": "SID"}, {"value": "[REDACTED:session]", "name": "SID"}),
    (
        {"localStorage": [{"name": "any", "value": "kept here"}]},
        {"localStorage": [{"name": "any", "value": "[REDACTED:storage]"}]},
    ),
    ({"sessionStorage": {"k": "v"}}, {"sessionStorage": {"k": "[REDACTED:storage]"}}),
    ({"Authorization": f"Bearer {TOKEN}"}, {"Authorization": "Bearer [REDACTED:authorization]"}),
    ({"proxy-authorization": TOKEN}, {"proxy-authorization": "[REDACTED:authorization]"}),
    ({"X-Any-Key": TOKEN}, {"X-Any-Key": "[REDACTED:key]"}),
    (
        [{"name": "Authorization", "value": f"Basic {TOKEN}"}],
        [{"name": "Authorization", "value": "Basic [REDACTED:authorization]"}],
    ),
    (("cookie", f"a={TOKEN}"), ("cookie", "a=[REDACTED:cookie]")),
    ({"password": "x"}, {"password": "[REDACTED:password]"}),
    ({"password": 1234}, {"password": "[REDACTED:password]"}),
    ({"password": {"value": "letmein"}}, {"password": {"value": "[REDACTED:password]"}}),
    (
        {"type": "password", "name": "q", "value": "letmein"},
        {"type": "password", "name": "q", "value": "[REDACTED:password]"},
    ),
    ({"cvv": 123, "otp": "482913"}, {"cvv": "[REDACTED:cvv]", "otp": "[REDACTED:otp]"}),
    ({"api_keys": [TOKEN]}, {"api_keys": ["[REDACTED:key]"]}),
    (
        {"connectUrl": "wss://connect.example/?id=1"},
        {"connectUrl": "[REDACTED:endpoint]"},
    ),
    ({"note": f"typed {PASSWORD}"}, {"note": "typed [REDACTED:site_password]"}),
    ({PASSWORD: 1}, {"[REDACTED:site_password]": 1}),
    (PASSWORD.encode(), b"[REDACTED:site_password]"),
    (Secret(PASSWORD), "[REDACTED:secret]"),
    ({"deep": [({"x": [PASSWORD]},)]}, {"deep": [({"x": ["[REDACTED:site_password]"]},)]}),
]

KEPT: list[object] = [
    {"password": None, "token": True},
    {"max_tokens": 4096, "token_count": 5, "input_tokens": 12},
    {"name": "color", "value": "blue"},
    ["Password", "Show"],
    {"password": "Password", "hint": "Enter your password"},
    {"type": "string", "title": "Password", "format": "password"},
    {"password": "[REDACTED:password]"},
    {"secret": "<secret:site_password>"},
    {"token": "hello", "pos": "NOUN"},
    {"key": "ArrowDown", "code": "Enter"},
    {"cookies": True},
    {"at": dt.datetime(2026, 11, 30, tzinfo=dt.UTC), "n": 1.5},
    {
        "status": "ok",
        "digest": "sha256:" + "ab12" * 16,
        "operation_id": "op_01HZX3K5J7N9QBVWXYZ234567A",
    },
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), MASKED)
def test_structures_are_redacted_by_their_keys(value: object, expected: object) -> None:
    assert REDACTOR.redact(value) == expected
    assert REDACTOR.redact(expected) == expected


@pytest.mark.parametrize("value", KEPT)
def test_structures_that_only_talk_of_secrets_stay(value: object) -> None:
    assert REDACTOR.redact(value) == value


def test_keys_that_become_equal_are_told_apart() -> None:
    redactor = Redactor(secrets=["first-value-1", "second-value-2"])
    assert redactor.redact({"first-value-1": 1, "second-value-2": 2}) == {
        "[REDACTED:secret]": 1,
        "[REDACTED:secret] (2)": 2,
    }


def test_containers_are_new_and_the_given_ones_unchanged() -> None:
    given = {"a": [PASSWORD]}
    assert REDACTOR.redact(given) == {"a": ["[REDACTED:site_password]"]}
    assert given == {"a": [PASSWORD]}


def test_circles_and_depth_end() -> None:
    circle: list[object] = []
    circle.append(circle)
    assert "[REDACTED:nesting]" in str(REDACTOR.redact(circle))


def test_unknown_objects_are_shown_redacted_when_they_show_a_secret() -> None:
    class Harmless:
        def __str__(self) -> str:
            return "harmless"

    class Telling:
        def __str__(self) -> str:
            return f"login with {PASSWORD}"

    class Hostile:
        def __str__(self) -> str:
            raise RuntimeError(PASSWORD)

    harmless = Harmless()
    assert REDACTOR.redact([harmless, Telling(), Hostile()]) == [
        harmless,
        "login with [REDACTED:site_password]",
        "[REDACTED:object]",
    ]
