from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent.errors import InvalidInput
from browser_agent.ports import BlobStore
from browser_agent.records.result import Result
from browser_agent.store.run_folder import BlobFolder
from browser_agent.tools.spill import READ_MORE, Spill, SpillLimits
from browser_agent.tools.tool import ToolContext

SMALL = SpillLimits(result_chars=100, turn_chars=350, preview_chars=40, page_chars=60)


def cursor_in(text: str) -> str:
    found = re.search(r'cursor="(spill_\d+_\d+)"', text)
    assert found is not None
    return found.group(1)


def read_all(spill: Spill, preview: str) -> str:
    text = preview.split("\n[shown: ", maxsplit=1)[0]
    cursor: object = cursor_in(preview)
    while cursor is not None:
        part = spill.read(str(cursor))
        text += str(part["text"])
        cursor = part.get("cursor")
    return text


def test_a_short_result_stays_and_a_long_one_becomes_a_preview_with_a_cursor() -> None:
    spill = Spill(SMALL)
    assert spill.fit("lookup", "x" * 100) == "x" * 100
    assert not spill.has_kept
    long = "\n".join(f"line {index}" for index in range(40))
    preview = spill.fit("lookup", long)
    assert preview.startswith("line 0\nline 1\n")
    assert f"of {len(long)} characters" in preview
    assert spill.has_kept


@given(st.text(min_size=101, max_size=2000))
def test_reading_on_gives_every_character_once(text: str) -> None:
    spill = Spill(SMALL)
    preview = spill.fit("lookup", text)
    head = preview[: preview.rindex("\n[shown: ")]
    cursor: object = cursor_in(preview[len(head) :])
    read = head
    while cursor is not None:
        part = spill.read(str(cursor))
        read += str(part["text"])
        cursor = part.get("cursor")
    assert read == text


def test_with_a_run_folder_the_whole_text_is_a_blob(tmp_path: Path) -> None:
    blobs = BlobFolder(tmp_path / "blobs")
    store: BlobStore = blobs
    spill = Spill(SMALL, store)
    text = "wörter und zahlen 123\n" * 20
    assert read_all(spill, spill.fit("lookup", text)) == text
    (stored,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert stored.read_text() == text
    stored.unlink()
    with pytest.raises(InvalidInput, match="gone"):
        spill.read("spill_1_0")


def test_the_largest_results_of_a_turn_spill_until_it_fits() -> None:
    spill = Spill(SMALL)
    shown = spill.fit_turn([("a", "x" * 120), ("b", "y" * 400), ("c", "z" * 90)])
    assert shown[0] == "x" * 120
    assert shown[1].startswith("y" * 40 + "\n[shown")
    assert shown[2] == "z" * 90
    assert spill.fit_turn([("a", "x" * 90)]) == ("x" * 90,)
    crowd = [("a", "x" * 100)] * 9
    assert spill.fit_turn(crowd) == ("x" * 100,) * 9, "a preview would not be shorter"


def test_one_tool_can_have_its_own_bound_or_none() -> None:
    spill = Spill(SpillLimits(result_chars=100, by_tool={"book": 0, "note": 10}, preview_chars=5))
    assert spill.fit("book", "x" * 5000) == "x" * 5000
    assert spill.fit("note", "x" * 20).startswith("xxxxx\n[")


def test_bounds_shrink_with_the_models_window() -> None:
    assert SpillLimits().scaled(None) == SpillLimits()
    small = SpillLimits().scaled(32_000)
    assert (small.result_chars, small.turn_chars) == (14_400, 28_800)
    tiny = SpillLimits().scaled(1_000)
    assert (tiny.result_chars, tiny.turn_chars) == (8_000, 16_000)
    assert SpillLimits().scaled(10**9) == SpillLimits()


@pytest.mark.parametrize("cursor", ["", "spill_0_0", "spill_2_0", "spill_x_1", "../etc", "cur_1"])
def test_a_cursor_of_nothing_is_refused(cursor: str) -> None:
    spill = Spill(SMALL)
    spill.fit("a", "x" * 200)
    with pytest.raises(InvalidInput):
        spill.read(cursor)
    with pytest.raises(InvalidInput):
        SpillLimits(result_chars=0)


class Pages:
    """A session that reads on."""

    async def read(self, *, cursor: str) -> Result:
        return Result.ok({"text": f"page behind {cursor}"})


@pytest.mark.anyio
async def test_read_more_reads_on_in_spilled_results_and_in_pages() -> None:
    spill = Spill(SMALL)
    cursor = cursor_in(spill.fit("a", "x" * 150))
    alone = ToolContext(redactor=Plain(), spill=spill)
    assert await READ_MORE.handler({"cursor": cursor}, alone) == spill.read(cursor)
    with pytest.raises(InvalidInput):
        await READ_MORE.handler({"cursor": "cur_1"}, alone)
    browsing = ToolContext(redactor=Plain(), spill=spill, session=Pages())  # pyright: ignore[reportArgumentType] - only reads on
    result = await READ_MORE.handler({"cursor": "cur_1"}, browsing)
    assert result == Result.ok({"text": "page behind cur_1"})


class Plain:
    """A redactor with nothing to hide."""

    def redact(self, value: object) -> object:
        return value

    def redact_text(self, text: str) -> str:
        return text
