"""The one door: bounded, redacted, escaped, frozen, digested, in that order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser_agent._digest import digest_of, digest_of_bytes
from browser_agent.browser.capture import CaptureStore, Continued
from browser_agent.browser.door import Door
from browser_agent.browser.egress import EgressProxy
from browser_agent.browser.operation import Kind, Operation
from browser_agent.browser.outcome import Display, Outcome
from browser_agent.browser.shared import Shared
from browser_agent.logic.redact import Redactor
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.codes import ErrorCode, Status
from browser_agent.records.limits import BrowserLimits
from browser_agent.records.result import Result

SECRET = "hunter2-correct-horse-battery"


class Room:
    """A door with what it needs, and one operation for it."""

    def __init__(self, **limits: int) -> None:
        shared = Shared(
            limits=BrowserLimits(**limits),  # pyright: ignore[reportArgumentType] - whole numbers
            policy=UrlPolicy.public_web(),
            proxy=cast("EgressProxy", None),
            redactor=Redactor(secrets=[SECRET]),
        )
        self.captures = CaptureStore()
        self.limits = shared.limits
        self.door = Door(shared, self.captures, keeps_blobs=True)
        self.op = Operation(kind=Kind("read", 5.0, ErrorCode.OBSERVATION_TIMEOUT), deadline=0.0)

    def seal(self, outcome: Outcome) -> Result:
        return self.door.seal(self.op, outcome)

    def show(self, text: str, *, missing: int = 0, **data: object) -> Result:
        display = Display(key="text", text=text, mode="text", not_captured_bytes=missing)
        return self.seal(Outcome(data=data, display=display))

    def pages(self, first: Result) -> list[Result]:
        found = [first]
        while found[-1].cursor is not None:
            place = self.captures.find(found[-1].cursor)
            assert isinstance(place, Continued)
            found.append(self.seal(Outcome(display=place)))
        return found


def text_of(result: Result) -> str:
    data = result.data
    assert isinstance(data, Mapping)
    return str(cast("Mapping[str, object]", data)["text"])


def test_small_data_comes_out_whole_with_a_digest_that_matches() -> None:
    result = Room().seal(Outcome(data={"title": "Häfen", "n": 3}, final_url="https://x.test/a"))
    assert result.status is Status.OK
    assert result.to_dict()["data"] == {"title": "Häfen", "n": 3}
    wanted = {"data": {"title": "Häfen", "n": 3}, "final_url": "https://x.test/a"}
    assert result.digest == digest_of({**wanted, "locator": {"scope": "page"}})
    assert Result.from_json(result.to_json(), verify=True) == result


def test_registered_secret_is_gone_from_data_url_message_and_text() -> None:
    room = Room()
    failed = room.seal(
        Outcome(
            status=Status.ERROR,
            code=ErrorCode.INTERNAL,
            message=f"no {SECRET}",
            hint=f"use {SECRET}",
            data={"a": [f"x{SECRET}y", {SECRET: 1}]},
            locator={"scope": "element", "ref": "e1", "name": SECRET},
            coverage={"note": SECRET},
            final_url=f"https://x.test/?q={SECRET}",
        )
    )
    shown = room.show(f"before {SECRET} after")
    assert SECRET not in failed.to_json() + repr(failed)
    assert SECRET not in shown.to_json()
    assert "before" in text_of(shown)
    assert all(SECRET.encode() not in blob for blob in room.op.blobs)


def test_secret_at_the_cut_of_a_part_leaves_no_half() -> None:
    room = Room(snapshot_bytes=100)
    first = room.show("x" * 90 + SECRET + "\n" + "y" * 300)
    shown = "".join(text_of(part) for part in room.pages(first))
    assert all(SECRET[:cut] not in shown for cut in (8, 12, 20))


def test_secret_at_the_cut_of_a_long_field_leaves_no_half() -> None:
    result = Room().seal(Outcome(data={"value": "x" * 8_180 + SECRET + "z" * 50_000}))
    assert SECRET[:8] not in result.to_json()
    assert result.status is Status.TRUNCATED


def test_parts_behind_cursors_add_up_to_the_capture() -> None:
    room = Room(snapshot_bytes=1_000)
    text = "\n".join(f"line {number} größer 😀" for number in range(400))
    pages = room.pages(room.show(text, title="t"))
    assert len(pages) > 5
    assert "\n".join(text_of(page) for page in pages) == text
    assert {page.capture_digest for page in pages} == {digest_of_bytes(text.encode())}
    assert [page.status for page in pages] == [Status.TRUNCATED] * (len(pages) - 1) + [Status.OK]
    assert {page.captured_at for page in pages} == {pages[0].captured_at}
    assert text.encode() in room.op.blobs
    assert pages[0].preimage() in room.op.blobs


def test_part_is_cut_between_lines() -> None:
    first = Room(snapshot_bytes=50).show("a" * 30 + "\n" + "b" * 30 + "\n" + "c" * 30)
    assert text_of(first) == "a" * 30


def test_one_endless_line_is_cut_between_graphemes() -> None:
    room = Room(snapshot_bytes=100)
    text = "👩‍👩‍👧" * 50
    pages = room.pages(room.show(text))
    assert "".join(text_of(page) for page in pages) == text
    assert all(len(text_of(page)) % 5 == 0 for page in pages)


def test_what_did_not_leave_the_page_is_said_on_every_part() -> None:
    room = Room(snapshot_bytes=100)
    pages = room.pages(room.show("word\n" * 60, missing=7_000))
    assert {page.status for page in pages} == {Status.TRUNCATED}
    for page in pages:
        assert page.coverage is not None
        assert page.coverage["bytes_not_captured"] == 7_000
        data = cast("Mapping[str, object]", page.data)
        assert data["total_bytes"] == 7_300


def test_text_beyond_capture_bytes_is_cut_here_too() -> None:
    result = Room(capture_bytes=1_000).show("x" * 5_000)
    assert result.coverage is not None
    assert result.coverage["bytes_captured"] == 1_000
    assert result.coverage["bytes_not_captured"] == 4_000


def test_unseen_characters_are_written_out_and_counted() -> None:
    result = Room().show("a\x00b\x1b[31mc\u200bd\u202ee")
    assert text_of(result) == "a⟨U+0000⟩b⟨U+001B⟩[31mc⟨U+200B⟩d⟨U+202E⟩e"
    assert result.coverage is not None
    assert result.coverage["flags"] == {"control": 2, "zero_width": 1, "bidi": 1}


def test_lone_surrogates_never_reach_json() -> None:
    result = Room().show("a\ud83db", title="\udc00")
    result.to_json().encode("utf-8")


@pytest.mark.parametrize("limit", [1_500, 4_000, 65_536])
def test_json_form_stays_below_its_bound_whatever_the_data(limit: int) -> None:
    heavy = {
        "title": "t" * 100_000,
        "items": [{"url": "https://x.test/" + "p" * 3_000} for _ in range(5_000)],
        "deep": {"a": {"b": ['"' * 20_000] * 40}},
    }
    result = Room(result_bytes=limit).seal(Outcome(data=heavy))
    assert len(result.to_json().encode()) <= limit
    assert result.status is Status.TRUNCATED
    assert result.coverage is not None
    assert result.coverage["cut"]


@pytest.mark.parametrize("char", ['"', "\\", "ä", "\t", "😀", "\x01"])
def test_text_with_many_escapes_fits_the_json_bound(char: str) -> None:
    room = Room(result_bytes=8_000, snapshot_bytes=24_576)
    first = room.show(f"{char * 70}\n" * 800)
    assert all(len(page.to_json().encode()) <= 8_000 for page in room.pages(first))


def test_extras_are_of_the_shown_part_only() -> None:
    room = Room(snapshot_bytes=60)
    display = Display(
        key="text",
        text="\n".join(f"button [e{number}]" for number in range(100)),
        mode="full",
        extras=lambda text: {"refs_shown": [word for word in text.split() if word[0] == "["]},
    )
    for page in room.pages(room.seal(Outcome(data={}, display=display))):
        data = cast("Mapping[str, object]", page.data)
        refs = cast("tuple[str, ...]", data["refs_shown"])
        assert refs
        assert all(ref in text_of(page) for ref in refs)


def test_cursor_of_an_evicted_capture_is_unknown() -> None:
    room = Room(snapshot_bytes=10)
    cursor = room.show("first\n" * 20).cursor
    assert cursor is not None
    for number in range(40):
        room.show(f"other {number}\n" * 20)
    assert room.captures.find(cursor) is None


def test_same_place_gets_the_same_cursor() -> None:
    room = Room(snapshot_bytes=10)
    first = room.show("first\n" * 20)
    place = room.captures.find(first.cursor or "")
    assert place is not None
    again = [room.seal(Outcome(display=place)).cursor for _ in range(3)]
    assert len(set(again)) == 1


def test_browser_pages_are_no_final_url() -> None:
    result = Room().seal(Outcome(data={}, final_url="chrome-error://chromewebdata/"))
    assert result.final_url is None


def test_failure_keeps_partial_data_and_says_that_it_was_cut() -> None:
    outcome = Outcome(
        status=Status.UNKNOWN, code=ErrorCode.OUTCOME_UNKNOWN, data={"v": "x" * 100_000}
    )
    result = Room().seal(outcome)
    assert result.status is Status.UNKNOWN
    assert result.truncated
    assert json.loads(result.to_json())["data"]["v"].endswith("…")


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=60,
)


@given(data=st.dictionaries(st.text(max_size=12), json_like), text=st.text(max_size=3_000))
@settings(max_examples=120, deadline=None)
def test_any_data_gives_a_bounded_result_that_verifies(data: dict[str, object], text: str) -> None:
    room = Room(result_bytes=3_000, snapshot_bytes=500)
    plain = room.seal(Outcome(data=data))
    shown = room.show(text)
    for result in (plain, *room.pages(shown)):
        assert len(result.to_json().encode("utf-8")) <= 3_000
        assert Result.from_json(result.to_json(), verify=True) == result
