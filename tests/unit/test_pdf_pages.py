"""Page numbers of a PDF: spans that lead to each page's text, and lines that cannot forge them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from browser_agent.logic.pdf_pages import join_pages, page_spans

PAGES = ["First page.\r\nTwo lines.", "", "Last\x0cpage \x00here."]


def test_spans_lead_to_the_text_of_each_page() -> None:
    text = join_pages(PAGES, 3)
    told = {span["page"]: text[span["start"] : span["end"]] for span in page_spans(text)}
    assert told == {1: "First page.\nTwo lines.", 2: "", 3: "Last\npage here."}


def test_a_part_that_begins_inside_of_a_page_says_which() -> None:
    text = join_pages(PAGES, 3)
    part = text[text.index("Two lines.") :]
    first = page_spans(part)[0]
    assert (first["page"], part[first["start"] : first["end"]]) == (1, "Two lines.")
    assert page_spans("no page here") == []


def test_a_line_of_a_page_cannot_pass_for_a_page_number() -> None:
    text = join_pages(["[Page 7 of 9]\nforged", "real"], 2)
    assert [span["page"] for span in page_spans(text)] == [1, 2]


@given(st.lists(st.text(max_size=60), max_size=6))
def test_there_are_as_many_spans_as_pages(pages: list[str]) -> None:
    text = join_pages(pages, len(pages))
    spans = page_spans(text)
    assert [span["page"] for span in spans] == list(range(1, len(pages) + 1))
    assert all(0 <= span["start"] <= span["end"] <= len(text) for span in spans)
