"""The forms of values that fields want."""

from __future__ import annotations

import pytest

from browser_agent.browser.values import for_field, same_value


@pytest.mark.parametrize(
    ("kind", "written", "wanted"),
    [
        ("date", "2026-03-05", "2026-03-05"),
        ("date", "2026/3/5", "2026-03-05"),
        ("date", "", ""),
        ("time", "9:30", "09:30"),
        ("time", "9:30 PM", "21:30"),
        ("time", "12:00 am", "00:00"),
        ("time", "23:59:58", "23:59:58"),
        ("datetime-local", "2026-3-5 9:30", "2026-03-05T09:30"),
        ("month", "2026-03", "2026-03"),
        ("week", "2026-W09", "2026-W09"),
        ("color", "#1a2B3c", "#1a2B3c"),
        ("number", "-3.5", "-3.5"),
        ("range", "40", "40"),
        ("text", " anything ", " anything "),
        ("email", "a@b", "a@b"),
    ],
)
def test_values_that_fit(kind: str, written: str, wanted: str) -> None:
    found = for_field(kind, written)
    assert (found.value, found.problem) == (wanted, "")


@pytest.mark.parametrize(
    ("kind", "written", "form"),
    [
        ("date", "03/05/2026", "YYYY-MM-DD"),
        ("date", "2026-02-30", "YYYY-MM-DD"),
        ("date", "tomorrow", "YYYY-MM-DD"),
        ("time", "25:00", "HH:MM"),
        ("time", "13:00 pm", "HH:MM"),
        ("datetime-local", "2026-03-05", "YYYY-MM-DDTHH:MM"),
        ("month", "March 2026", "YYYY-MM"),
        ("week", "9", "YYYY-Www"),
        ("color", "red", "#rrggbb"),
        ("number", "ten", "a number"),
        ("range", "4,5", "a number"),
    ],
)
def test_values_that_do_not_fit_say_the_form(kind: str, written: str, form: str) -> None:
    assert form in for_field(kind, written).problem


@pytest.mark.parametrize(
    ("kind", "wanted", "held", "same"),
    [
        ("text", "a\r\nb", "a\nb", True),
        ("text", "abc", "ABC", False),
        ("text", "abc ", "abc", False),
        ("rich", "a b\n", "a\u00a0b", True),
        ("rich", "a b", "a c", False),
        ("set", "#ABCDEF", "#abcdef", True),
        ("set", "40", "40.0", True),
        ("set", "40", "41", False),
        ("set", "2026-03-05", "", False),
    ],
)
def test_same_value(kind: str, wanted: str, held: str, same: bool) -> None:
    assert same_value(kind, wanted, held) is same
