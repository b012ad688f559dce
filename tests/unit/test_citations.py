"""Citations: true quotes hold, altered and absent ones never do, invented figures are named."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from browser_agent import Result
from browser_agent.logic.citations import (
    Cited,
    check_citations,
    find_quote,
    split_reply,
    unsupported_parts,
)
from browser_agent.logic.figures import dates_of, figures_of, missing_figures, names_of

PAGE = (
    "The Eddystone lighthouse was built in 1882 and is 49 metres (161 ft) tall.\n"
    "It was “automated” on 18 May 1982 — the first of its kind.\n"
    "Keepers | 3\nIt is not open to visitors, and 12,500 stones were used."
)
RESULT = Result.ok(
    data={"text": PAGE, "title": "Eddystone", "rows": [["Height", "49 m"]]}, operation_id="op_x"
)


def check(reply: str, *results: Result) -> list[tuple[bool, str | None]]:
    _, cited = split_reply(reply)
    return [(c.verified, c.reason) for c in check_citations(cited, results or (RESULT,))]


def test_a_true_quote_is_verified_with_its_place() -> None:
    _, cited = split_reply(
        'It was built in 1882 [1].\n\n[1] R1 "The Eddystone lighthouse was built in 1882"'
    )
    citation = check_citations(cited, [RESULT])[0]
    assert citation.verified, citation.reason
    assert citation.claim == "It was built in 1882."
    assert (citation.pointer, citation.start, citation.end) == ("/text", 0, 42)
    assert (citation.digest, citation.operation_id) == (RESULT.digest, "op_x")


@pytest.mark.parametrize(
    "reply",
    [
        'Built in 1882 [1]. It is high.\n[1] R1 "lighthouse was built in 1882"',
        'Built in 1882. [1] It is 50 m.\n[1] R1 "lighthouse was built in 1882"',
        'Built in 1882.[1]\n[1] R1 "lighthouse was built in 1882"',
        '- Built in 1882 [1]\n- It is 50 m\n\nSources:\n[1] R1 "lighthouse was built in 1882"',
        'Built in 1882 [^1].\n\n[^1]: R1 "lighthouse was built in 1882"',
        'Automated on May 18, 1982 [1].\n[1] R1 "was "automated" on 18 May 1982 - the first"',
        "Automated 1982-05-18 [1].\n[1] R1: “It was “automated” on 18 May 1982”",
        'Automated in May 1982 [1].\n[1] R1 "It was “automated” on 18 May 1982"',
        'It used 12500 stones [1].\n[1] R1 "12,500 stones were used"',
        'Built in 1882 and 49 m tall [1][2].\n[1] R1 "lighthouse was built in 1882"\n[2] R1 "49 m"',
        'Built in 1882 and 49 m tall [1, 2].\n[1] R1 "lighthouse was built in 1882"\n[2] R1 "49 m"',
        'The page is about Eddystone [1].\n[1] R1 "Eddystone"',
        'There were three keepers [1].\n[1] R1 "Keepers | 3"',
        'The number is 3 [1].\n[1] R1 "3"',
        'It is about keepers, 3 of them [1].\n[1] R1 "of its kind.\nKeepers | 3\nIt is not open"',
        'Sources follow [1][2].\n\n[1] R1 "of its kind.\nKeepers | 3"\n[2] R1 "Eddystone"',
        'Built 1882,\nit is high [1].\n[1] R1 "The   Eddystone\tlighthouse was"',
    ],
)
def test_forms_that_hold(reply: str) -> None:
    found = check(reply)
    assert found
    assert all(verified for verified, _ in found), found


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ('Built in 1883 [1].\n[1] R1 "lighthouse was built in 1882"', "not in the quote: 1883"),
        ('Built in 1882 [1].\n[1] R1 "lighthouse was built in 1883"', "does not stand"),
        ('Built in 188 [1].\n[1] R1 "The Eddystone lighthouse was built in 188"', "does not stand"),
        ('It is open [1].\n[1] R1 "It is open to visitors, and"', "does not stand"),
        ('Built in 1882 [1].\n[1] R2 "lighthouse was built in 1882"', "R2 was not shown"),
        ('Built in 1882 [1].\n[1] R0 "lighthouse was built in 1882"', "R0 was not shown"),
        ('Built in 1882 [1].\n[1] R1 "built in 1882"', "shorter than 20"),
        ('Built in 1882.\n[1] R1 "lighthouse was built in 1882"', "no sentence"),
        ('On 19 May 1982 [1].\n[1] R1 "“automated” on 18 May 1982"', "19 May 1982"),
        ('Tall: 49 m. Old: 140 years [1].\n[1] R1 "lighthouse was built in 1882"', "140"),
        ('It had four keepers [1].\n[1] R1 "Keepers | 3"', "four"),
        ('It used 500 stones [1].\n[1] R1 "500 stones were used."', "does not stand"),
    ],
)
def test_forms_that_do_not_hold(reply: str, reason: str) -> None:
    ((verified, told),) = check(reply)
    assert not verified
    assert told is not None
    assert reason in told


def test_a_row_of_a_markdown_table_is_a_whole_line() -> None:
    table = Result.ok(data={"text": "| Height    | 41 m |\n| Range | 19 |"})
    assert check('It is 41 m tall [1].\n[1] R1 "Height | 41 m"', table) == [(True, None)]


def test_a_footnote_that_is_closed_takes_no_line_below_it() -> None:
    text = 'So [1].\n[1] R1 "lighthouse was built in 1882"\nSee also the "keepers".'
    assert split_reply(text) == (text, ())


def test_a_reply_without_footnotes_is_left_alone() -> None:
    text = 'See [1] and "R1" for more.\n\n'
    assert split_reply(text) == (text, ())


words = st.text(st.characters(categories=["L"], max_codepoint=0x17F), min_size=2, max_size=9)
sentences = st.lists(words | st.integers(10, 99_999).map(str), min_size=6, max_size=20)


@given(sentences, st.data())
def test_planted_quotes_hold_and_altered_ones_never(parts: list[str], data: st.DataObject) -> None:
    page = " ".join(parts)
    result = Result.ok(data={"text": page})
    first = data.draw(st.integers(0, len(parts) - 5))
    quoted = parts[first : first + data.draw(st.integers(5, len(parts)))]
    quote = " ".join(quoted)
    assume(len(quote) >= 20)
    assert check_citations([Cited(claim="so", quote=quote, result=1)], [result])[0].verified
    at = data.draw(st.integers(0, len(quoted) - 1))
    kind = data.draw(st.sampled_from(["word", "negation", "digit", "absent"]))
    altered = list(quoted)
    if kind == "negation":
        altered.insert(at + 1, "not")
    elif kind == "digit" and altered[at].isdigit():
        altered[at] = str(int(altered[at]) + 1)
    elif kind == "absent":
        altered = [word[::-1] + "x" for word in quoted]
    else:
        altered[at] += "x"
    changed = " ".join(altered)
    assume(f" {changed} " not in f" {page} ")
    assert not check_citations([Cited(claim="so", quote=changed, result=1)], [result])[0].verified


@given(st.integers(100, 10**7), st.integers(100, 10**7))
def test_every_invented_figure_is_named(true: int, invented: int) -> None:
    assume(true != invented)
    page = Result.ok(data={"text": f"The count of visitors was {true:,} in that year."})
    missing = unsupported_parts(f"There were {invented:,} visitors, not {true}.", [page])
    assert missing == (f"{invented:,}",)


def test_unsupported_names_numbers_and_dates() -> None:
    reply = "James Douglass finished Eddystone on 3 March 1882 with 12,500 stones and seven men."
    assert unsupported_parts(reply, [RESULT]) == ("3 March 1882", "seven", "James Douglass")
    assert unsupported_parts("However, the Eddystone is 49 m tall.", [RESULT]) == ()


def test_numbers_are_compared_by_value() -> None:
    for left, right in [
        ("1,234.50", "1234.5"),
        ("1.234,5", "1234.5"),
        ("1 234", "1234"),
        ("007", "7"),
        ("twelve", "12"),
        ("twenty-one", "21"),
        ("-5", "\u22125"),
    ]:
        assert figures_of(left).values & figures_of(right).values, (left, right)
    for left, right in [("1.5", "15"), ("12", "21"), ("5", "-5"), ("3.14", "3.15")]:
        assert not figures_of(left).values & figures_of(right).values, (left, right)


def test_dates_are_compared_by_their_parts() -> None:
    for text in ("18 May 1982", "May 18, 1982", "1982-05-18", "18th of May 1982", "18. May 1982"):
        (date,) = dates_of(text)
        assert (date.year, date.month, date.day) == (1982, 5, 18), text
    assert missing_figures("in May 1982", [figures_of("on 18 May 1982")]) == ()
    assert missing_figures("on 18 May 1982", [figures_of("in May 1982")]) == ("18 May 1982",)
    assert dates_of("1982-13-40 and 45 May") == ()


def test_names_leave_out_words_that_open_a_sentence() -> None:
    assert names_of("The Bank of England moved. However, Anna's son stayed in Bonn.") == (
        "Bank of England",
        "Anna",
        "Bonn",
    )


@given(st.text(max_size=200), st.text(max_size=40))
def test_no_text_makes_it_fail(reply: str, quote: str) -> None:
    _, cited = split_reply(f'{reply} [1]\n[1] R1 "{quote}"')
    check_citations(cited, [RESULT])
    unsupported_parts(reply, [RESULT])
    find_quote(quote, RESULT)
