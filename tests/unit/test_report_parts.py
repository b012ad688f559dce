"""Parts of the report: notes by the marks of the reply, and the reply as safe HTML."""

from __future__ import annotations

from browser_agent.logic.citations import Cited, check_citations, split_reply
from browser_agent.logic.pdf_pages import join_pages, page_spans
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.report.notes import build_notes
from browser_agent.report.reply import Reply

TEXT = join_pages(["The quay is 210 m long and old.", "The pier was built in 1882 of oak."], 2)
PAGE = Result.ok(data={"text": TEXT, "title": "Harbour", "pages": page_spans(TEXT)})


def run_with(reply: str, *tooled: Cited) -> RobotResult:
    _, cited = split_reply(reply)
    citations = check_citations((*cited, *tooled), [PAGE])
    message = {"role": "assistant", "content": reply}
    return RobotResult("r", [message], task="t", results=[PAGE], citations=citations)


def test_claims_of_one_mark_share_a_note_with_its_page() -> None:
    reply = (
        "Built in 1882 [2]. Of oak [2]. It is 210 m long [1].\n"
        '[1] R1 "The quay is 210 m long and old."\n[2] R1 "The pier was built in 1882 of oak."'
    )
    notes = build_notes(run_with(reply))
    assert [(note.id, len(note.citations), note.page) for note in notes] == [
        ("1", 1, 1),
        ("2", 2, 2),
    ]
    assert all(note.verified for note in notes)
    assert notes[0].quote == "The quay is 210 m long and old."


def test_quotes_of_a_tool_come_after_the_marks_of_the_reply() -> None:
    reply = 'Built in 1882 [4].\n[4] R1 "The pier was built in 1882 of oak."'
    tooled = Cited(claim="It is long", quote="The quay is 210 m long and old.", result=1)
    notes = build_notes(run_with(reply, tooled))
    assert [(note.label, note.marked) for note in notes] == [("4", True), ("5", False)]


def test_one_mark_of_two_quotes_has_two_notes() -> None:
    reply = (
        "Old and of oak [1].\n"
        '[1] R1 "The quay is 210 m long and old."\n[1] R1 "The pier was built in 1882 of oak."'
    )
    assert [note.id for note in build_notes(run_with(reply))] == ["1", "1-2"]


def test_what_is_not_verified_says_why_once() -> None:
    reply = 'Built in 1883 [1].\n[1] R1 "The pier was built in 1882 of oak."'
    (note,) = build_notes(run_with(reply))
    assert not note.verified
    assert note.reasons == ("not in the quote: 1883",)


def test_the_reply_keeps_its_text_and_links_its_marks() -> None:
    reply = Reply({"1": "1", "2": "2"})
    shown = reply.render("# Pier\n<b>**Oak** [1, 2] & `x<y` [1] [7]\n\n- one\n- two\n1. three")
    assert "<h3>Pier</h3>" in shown
    assert "&lt;b&gt;<strong>Oak</strong>" in shown
    assert "<code>x&lt;y</code>" in shown
    assert "[7]" in shown
    assert shown.count("<li>") == 3
    assert reply.places == {"1": ["mark-1", "mark-1-2"], "2": ["mark-2"]}
