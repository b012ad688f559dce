from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from browser_agent.logic.delta_redaction import MAX_HELD_CHARS, DeltaRedactor

SECRET = "hunter2-and-more"


def redact(text: str) -> str:
    plain = text.replace(SECRET, "[REDACTED:secret]")
    return re.sub(r"(password: )\S+", r"\1[REDACTED:password]", plain)


@given(
    st.lists(
        st.sampled_from(["word ", "a", "\n", SECRET, "password: xyz ", " ", "ü"]), max_size=12
    ),
    st.data(),
)
def test_a_secret_never_shows_wherever_the_pieces_are_cut(
    words: list[str], data: st.DataObject
) -> None:
    text = "".join(words)
    pieces = DeltaRedactor(redact)
    shown, position = "", 0
    while position < len(text):
        size = data.draw(st.integers(1, len(text)))
        shown += pieces.add(text[position : position + size])
        position += size
        assert "hunter2" not in shown
        assert "xyz" not in shown
    shown += pieces.flush()
    assert shown == redact(text)


def test_whole_words_are_shown_at_once() -> None:
    pieces = DeltaRedactor(redact)
    assert pieces.add("Hello wor") == "Hello "
    assert pieces.add("ld ") == "world "
    assert pieces.add("") == ""
    assert pieces.flush() == ""


def test_a_secret_of_several_words_is_held_back_as_far_as_asked() -> None:
    pieces = DeltaRedactor(lambda text: text.replace("open sesame now", "[X]"), hold_chars=15)
    shown = "".join(pieces.add(piece) for piece in ("say open", " sesame", " now and", " go home "))
    assert "open" not in shown
    assert shown + pieces.flush() == "say [X] and go home "


def test_a_word_without_an_end_is_let_go_some_time() -> None:
    pieces = DeltaRedactor(lambda text: text)
    assert pieces.add("x" * (MAX_HELD_CHARS + 1)) == "x" * (MAX_HELD_CHARS + 1)
