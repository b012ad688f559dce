from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent._freeze import FrozenMapping
from browser_agent.errors import InvalidInput
from browser_agent.logic.compress import (
    Thresholds,
    drop_old_results,
    note_of,
    plan_compression,
)
from browser_agent.logic.convergence import (
    cosine,
    has_converged,
    search_texts,
    similarity,
    terms_of,
)
from browser_agent.logic.history import (
    carry_over,
    check_conversation,
    close_dangling,
    find_dangling,
)
from browser_agent.records.message import (
    Message,
    TextMessage,
    ToolCallMessage,
    ToolMessage,
    ToolResultMessage,
)
from browser_agent.robot.compaction import Compaction, compress, make_room, size_of


def said(role: str, text: str) -> TextMessage:
    return TextMessage(role=role, content=text)


def tool(number: int) -> ToolMessage:
    return ToolMessage(id=f"c{number}", name="look", input=FrozenMapping())


def called(*numbers: int) -> ToolCallMessage:
    return ToolCallMessage(tools=tuple(tool(number) for number in numbers))


def answered(number: int, text: str = "done") -> ToolResultMessage:
    return ToolResultMessage(tool=tool(number), content=text)


PAGE = "R3 ok op_1 https://a.example sha256:1234\n<<<page\n" + "words of a page " * 100


def test_every_call_without_an_answer_gets_one_in_its_place() -> None:
    messages = [said("user", "go"), called(1, 2, 3), answered(1), said("user", "next"), called(4)]
    assert [call.id for call in find_dangling(messages)] == ["c2", "c3", "c4"]
    closed = close_dangling(messages, lambda call: f"not executed: {call.id}")
    assert [message.text for message in closed] == [
        "go",
        "",
        "done",
        "not executed: c2",
        "not executed: c3",
        "next",
        "",
        "not executed: c4",
    ]
    check_conversation(closed)
    assert find_dangling(closed) == ()


@given(
    st.lists(
        st.one_of(
            st.lists(st.integers(0, 5), max_size=4, unique=True).map(lambda n: called(*n)),
            st.integers(0, 5).map(answered),
            st.sampled_from(["user", "assistant"]).map(lambda role: said(role, "words")),
        ),
        max_size=12,
    )
)
def test_closing_leaves_no_call_without_an_answer_and_changes_nothing_else(
    messages: list[Message],
) -> None:
    closed = close_dangling(messages, lambda _: "closed")
    assert find_dangling(closed) == ()
    assert [m for m in closed if m.text != "closed"] == messages
    assert close_dangling(closed, lambda _: "again") == closed


@pytest.mark.parametrize(
    "messages",
    [[called(1)], [answered(1)], [called(1), answered(1), answered(1)], [called(1), answered(2)]],
    ids=["dangling", "orphan", "twice", "other id"],
)
def test_a_conversation_that_a_model_would_refuse_is_told(messages: list[Message]) -> None:
    with pytest.raises(InvalidInput):
        check_conversation(messages)


def test_results_of_an_earlier_run_keep_one_line_and_no_number() -> None:
    short = answered(2, "3")
    carried = carry_over(
        [said("system", "rules"), said("user", "go"), called(1, 2), answered(1, PAGE), short]
    )
    assert [message.role for message in carried] == [
        "user",
        "assistant",
        "tool_result",
        "tool_result",
    ]
    assert carried[2].text == (
        "(earlier run) ok op_1 https://a.example sha256:1234; its text was dropped"
    )
    assert carried[3] is short
    assert carry_over(carried) == carried


def test_similarity_is_about_words_and_not_their_order_or_endings() -> None:
    left = "The tower was completed in the year 1889 by engineers"
    right = "By an engineer the towers were being completed in years: 1889"
    assert similarity(left, right) > 0.6
    assert similarity(left, left) == pytest.approx(1)
    assert similarity(left, "Completely different words about cooking soup at home") < 0.2
    assert similarity("short", "short") == 0
    assert has_converged(left, left)
    assert not has_converged(left, right, threshold=0.99)
    for wrong in (-0.1, 1.1):
        with pytest.raises(InvalidInput):
            has_converged(left, right, threshold=wrong)


@given(st.text(max_size=80), st.text(max_size=80))
def test_similarity_is_symmetric_and_between_0_and_1(left: str, right: str) -> None:
    score = cosine(terms_of(left), terms_of(right))
    assert 0 <= score <= 1
    assert score == pytest.approx(cosine(terms_of(right), terms_of(left)))


def test_search_gives_the_best_texts_first_and_no_misses() -> None:
    texts = [
        ("user", "How tall is the Eiffel tower in Paris?"),
        ("assistant", "The Eiffel tower is 330 metres tall."),
        ("assistant", "Soup is cooked with water and salt."),
        ("user", "tower"),
    ]
    found = search_texts("eiffel tower tall metres", texts)
    assert [item.index for item in found] == [1, 0]
    assert found[0].role == "assistant"
    assert search_texts("eiffel tower", texts, limit=1)[0].index in (0, 1)
    with pytest.raises(InvalidInput):
        search_texts("x", texts, limit=0)


OLD = [
    said("system", "rules of the house, which are long enough to be judged"),
    said("user", "Tell me about the weather on the moon and nothing else"),
    said("assistant", "The solar panels of the roof need cleaning twice a year"),
    said("assistant", "yes"),
    called(1),
    answered(1, PAGE),
    said("assistant", "Solar panels on a roof make power from light, but rain and snow"),
]
RECENT = [
    said("user", "How much power do solar panels on a roof make from light?"),
    said("assistant", "Solar panels on a roof make about 4 kilowatts of power from light"),
]
ONE_TURN = Thresholds(recent_turns=1)


def test_older_parts_stay_shrink_or_go_by_what_they_are() -> None:
    steps = plan_compression([*OLD, *RECENT], ONE_TURN)
    assert [step.action for step in steps] == [
        "keep",
        "drop",
        "summarise",
        "keep",
        "keep",
        "note",
        "keep",
        "keep",
        "keep",
    ]
    pinned = plan_compression([*OLD, *RECENT], ONE_TURN, pinned=OLD[1])
    assert pinned[1].action == "keep"


def test_a_short_conversation_stays_as_it_is() -> None:
    assert {step.action for step in plan_compression(RECENT, Thresholds())} == {"keep"}


@pytest.mark.parametrize("wrong", [{"keep": 0.2}, {"drop": 0.9}, {"recent_turns": 0}], ids=str)
def test_thresholds_that_contradict_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        Thresholds(**wrong)


@pytest.mark.anyio
async def test_a_summariser_shortens_what_is_between_and_without_one_it_goes() -> None:
    async def shorter(text: str) -> str:
        return f"summary of {text[:9]}"

    with_it = await compress([*OLD, *RECENT], Compaction(thresholds=ONE_TURN, summariser=shorter))
    assert with_it[1] == said("assistant", "summary of The solar")
    without = await compress([*OLD, *RECENT], Compaction(thresholds=ONE_TURN))
    assert len(without) == len(with_it) - 1
    check_conversation(with_it)

    async def silent(_: str) -> str:
        return "  "

    silenced = await compress([*OLD, *RECENT], Compaction(thresholds=ONE_TURN, summariser=silent))
    assert silenced == without


def test_old_results_shrink_to_their_line_with_the_digest() -> None:
    messages = [called(1), answered(1, PAGE), called(2), answered(2, PAGE), called(3), answered(3)]
    shrunk = drop_old_results(messages, keep_last=1)
    assert shrunk[1].text == (
        "R3 ok op_1 https://a.example sha256:1234 (text dropped; read it again if needed)"
    )
    assert shrunk[2:] == tuple(messages[2:])
    assert note_of(answered(3, "word")).text.startswith("word (")


@pytest.mark.anyio
async def test_room_is_made_the_gentlest_way_first() -> None:
    talk = [said("user", "Tell me about the weather on the moon and nothing else")]
    for number in range(1, 6):
        talk += [called(number), answered(number, PAGE)]
    gentle = await make_room(talk, size_of(talk) - 1, Compaction())
    assert size_of(gentle) < size_of(talk)
    assert [m.text == PAGE for m in gentle if isinstance(m, ToolResultMessage)] == [False] * 3 + [
        True,
        True,
    ]
    hard = await make_room(talk, 10, Compaction(), pinned=talk[0])
    check_conversation(hard)
    assert hard[0] is talk[0]
    assert size_of(hard) < size_of(gentle)


def test_the_limit_of_a_conversation_comes_from_the_window() -> None:
    assert Compaction().limit_bytes(None) is None
    assert Compaction().limit_bytes(1000) == 2400
    assert Compaction(at=0.5, context_window=100).limit_bytes(1000) == 150
    assert Compaction(auto=False).limit_bytes(1000) is None
    for wrong in ({"at": 0}, {"at": 1.1}, {"context_window": 0}):
        with pytest.raises(InvalidInput):
            Compaction(**wrong)  # pyright: ignore[reportArgumentType] - wrong on purpose
