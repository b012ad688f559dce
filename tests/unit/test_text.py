"""Text that came from outside: repaired, its unseen parts written out, cut and folded safely."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent._text import (
    cut_lines,
    cut_utf8,
    drop_invisible,
    escape_invisible,
    fold,
    fold_with_map,
    repair,
)

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
CLUSTERS = [
    *("a", "é", "e\u0301", "日本", "\r\n", "\n", " ", "\u00a0", "🇩🇪", "❤️", "각", "한국"),
    *("क्ष", "“x”", "—", "\u200b", "\u202e", "\ud83d", "\ude00", "नि", "1️⃣"),
    *("\u1100\u1161\u11a8", "👩\u200d👩\u200d👧"),
]
PIECES = st.lists(st.sampled_from(CLUSTERS), max_size=40).map("".join)

SEEN = [
    "plain text\twith\nlines",
    "naïve café — “quoted” … ©",
    "مرحبا بالعالم — שלום עולם",
    "👩\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈 👩🏽\u200d🚀 👨\u200d⚕️ ❤️\u200d🔥 1️⃣ ☎︎",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "نمی\u200cخواهم",
    "क\u094d\u200dष ශ්\u200dර",
    "葛\U000e0100城",
    "⠓⠑\u2800⠓",
    "\u3000全角　スペース。",
    "\ue001 an icon of a web font",
]

UNSEEN = [
    ("a\u200bb", "a⟨U+200B⟩b", {"zero_width": 1}),
    ("a\x00b\x1b[8m", "a⟨U+0000⟩b⟨U+001B⟩[8m", {"control": 2}),
    ("a\rb\x85", "a⟨U+000D⟩b⟨U+0085⟩", {"control": 2}),
    ("in\u00advisible", "in⟨U+00AD⟩visible", {"soft_hyphen": 1}),
    ("\u202eabc\u2066\u200f", "⟨U+202E⟩abc⟨U+2066⟩⟨U+200F⟩", {"bidi": 3}),
    ("x\U000e0049\U000e0067", "x⟨U+E0049⟩⟨U+E0067⟩", {"tag": 2}),
    ("a\ufe0f\ufe01", "a⟨U+FE0F⟩⟨U+FE01⟩", {"variation": 2}),
    ("❤\ufe0f\ufe0f\ufe0f", "❤⟨U+FE0F⟩⟨U+FE0F⟩⟨U+FE0F⟩", {"variation": 3}),
    ("l\u2028p\u2029", "l⟨U+2028⟩p⟨U+2029⟩", {"separator": 2}),
    ("\u3164\u115f\u2800\u2062", "⟨U+3164⟩⟨U+115F⟩⟨U+2800⟩⟨U+2062⟩", {"filler": 4}),
    ("a\u200db", "a⟨U+200D⟩b", {"zero_width": 1}),
    ("a\u200cb\ufeff", "a⟨U+200C⟩b⟨U+FEFF⟩", {"zero_width": 2}),
    ("\ud83d", "⟨U+D83D⟩", {"surrogate": 1}),
    ("🏴\U000e0078\U000e0079\U000e007f", "🏴⟨U+E0078⟩⟨U+E0079⟩⟨U+E007F⟩", {"tag": 3}),
    ("2\ufe0f", "2⟨U+FE0F⟩", {"variation": 1}),
]


@pytest.mark.parametrize("text", SEEN)
def test_ordinary_writing_is_left_as_it_is(text: str) -> None:
    escaped = escape_invisible(text)
    assert (escaped.text, dict(escaped.counts)) == (text, {})


@pytest.mark.parametrize(("text", "expected", "counts"), UNSEEN)
def test_what_cannot_be_seen_is_written_out_and_counted(
    text: str, expected: str, counts: dict[str, int]
) -> None:
    escaped = escape_invisible(text)
    assert (escaped.text, dict(escaped.counts)) == (expected, counts)


@pytest.mark.parametrize(("text", "_", "__"), UNSEEN)
def test_unseen_characters_are_found_in_long_texts_of_every_script(
    text: str, _: str, __: dict[str, int]
) -> None:
    for filler in ("word ", "wört ", "слово ", "語", "“quoted” — "):
        escaped = escape_invisible(filler * 500 + text + filler * 500)
        assert "⟨U+" in escaped.text


def test_windows_line_ends_become_newlines() -> None:
    assert escape_invisible("a\r\nb").text == "a\nb"


@given(ANY_TEXT | PIECES)
def test_escaping_twice_changes_nothing_and_leaves_text_that_encodes(text: str) -> None:
    once = escape_invisible(text).text
    assert escape_invisible(once).text == once
    once.encode("utf-8")
    assert not any(unicodedata.category(char) == "Cc" and char not in "\n\t" for char in once)


@given(ANY_TEXT | PIECES)
def test_dropping_the_unseen_leaves_nothing_to_escape(text: str) -> None:
    assert dict(escape_invisible(drop_invisible(text)).counts) == {}


def test_split_surrogate_pairs_are_joined_and_lone_ones_replaced() -> None:
    assert repair("a\ud83d\ude00b\ud83dc\udc00") == "a😀b\ufffdc\ufffd"


@given(ANY_TEXT)
def test_repaired_text_encodes_and_intact_text_is_the_same_object(text: str) -> None:
    repaired = repair(text)
    repaired.encode("utf-8")
    assert repair(repaired) is repaired


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("hello", 3, "hel"),
        ("hello", 0, ""),
        ("hello", 99, "hello"),
        ("e\u0301x", 1, ""),
        ("e\u0301x", 2, ""),
        ("e\u0301x", 3, "e\u0301"),
        ("a\r\nb", 2, "a"),
        ("👩\u200d👩 x", 9, ""),
        ("👩\u200d👩 x", 11, "👩\u200d👩"),
        ("🇩🇪🇫🇷", 12, "🇩🇪"),
        ("👍🏽!", 4, ""),
        ("\u1100\u1161\u11a8가", 5, ""),
        ("कि ख", 3, ""),
        ("日本", 4, "日"),
        ("\ud83d\ude00x", 3, ""),
    ],
)
def test_cuts_fall_between_graphemes(text: str, limit: int, expected: str) -> None:
    assert cut_utf8(text, limit) == expected


@given(PIECES | ANY_TEXT, st.integers(0, 80))
def test_a_cut_is_a_beginning_within_its_limit(text: str, limit: int) -> None:
    for cut in (cut_utf8(text, limit), cut_lines(text, limit)):
        assert text.startswith(cut)
        assert len(cut.encode("utf-8", "surrogatepass")) <= limit


def test_hostile_combining_runs_are_cut_all_the_same() -> None:
    zalgo = "a" + "\u0301" * 100_000
    assert 900 < len(cut_utf8(zalgo, 2_000)) <= 1_000


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(5, "one\n"), (3, "one"), (8, "one\ntwo\n"), (2, "on"), (99, "one\ntwo\nthree")],
)
def test_lines_stay_whole_when_one_fits(limit: int, expected: str) -> None:
    assert cut_lines("one\ntwo\nthree", limit) == expected


def test_folding_makes_typography_and_spacing_equal() -> None:
    written = "  He said:\u00a0“it’s\n a — b”\u2009…  Cafe\u0301 "
    assert fold(written) == 'He said: "it\'s a - b" … Café'


@given(PIECES | ANY_TEXT)
def test_the_map_leads_every_folded_span_back(text: str) -> None:
    folded = fold_with_map(text)
    assert folded.text == fold(text)
    assert len(folded.starts) == len(folded.text) + 1
    assert list(folded.starts) == sorted(folded.starts)
    for start in range(0, len(folded.text), 3):
        for end in range(start + 1, min(start + 8, len(folded.text)) + 1):
            original = text[folded.starts[start] : folded.starts[end]]
            assert fold(original) == folded.text[start:end].strip()


def test_the_map_gives_offsets_of_the_original_text() -> None:
    text = "x  Cafe\u0301\n“yes”"
    folded = fold_with_map(text)
    at = folded.text.index('"yes"')
    assert text[folded.starts[at] : folded.starts[at + 5]] == "“yes”"
    at = folded.text.index("Café")
    assert text[folded.starts[at] : folded.starts[at + 4]] == "Cafe\u0301"
