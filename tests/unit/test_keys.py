"""Names of keys and chords."""

from __future__ import annotations

import pytest

from browser_agent.browser.keys import chord, modifier
from browser_agent.errors import InvalidInput


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("a", "a"),
        ("A", "A"),
        ("+", "+"),
        ("enter", "Enter"),
        ("Return", "Enter"),
        ("esc", "Escape"),
        ("page down", "PageDown"),
        ("page_down", "PageDown"),
        ("ArrowLeft", "ArrowLeft"),
        ("left", "ArrowLeft"),
        ("F5", "F5"),
        ("space", "Space"),
        ("ctrl+a", "Control+a"),
        ("Ctrl + Shift + k", "Control+Shift+K"),
        ("Control++", "Control++"),
        ("cmd+Enter", "Meta+Enter"),
        ("Shift", "Shift"),
        ("ctrl+control+z", "Control+z"),
        ("ü", "ü"),
    ],
)
def test_chord(written: str, wanted: str) -> None:
    assert chord(written) == wanted


@pytest.mark.parametrize("written", ["", "  +", "ctrl+", "abc", "Enter+a", "hyper+x", "F13"])
def test_what_no_keyboard_has_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput):
        chord(written)


def test_modifier_names_the_known_ones() -> None:
    assert modifier("CTRL") == "Control"
    with pytest.raises(InvalidInput, match="Alt, Control, Meta or Shift"):
        modifier("Enter")
