from __future__ import annotations

from browser_agent.logic.reply_builder import CallPiece, ReplyBuilder, ReplyPiece
from browser_agent.records.model import ModelRequest, Usage

REQUEST = ModelRequest(messages=({"role": "user", "content": "u"},))


def test_calls_that_all_claim_the_same_index_stay_apart() -> None:
    builder = ReplyBuilder()
    for number in ("a", "b"):
        piece = CallPiece(index=0, id=number, name="look", arguments=f'{{"n": "{number}"}}')
        builder.add(ReplyPiece(calls=(piece,)))
    reply = builder.build(REQUEST, Usage())
    assert [(c.id, c.arguments) for c in reply.tool_calls] == [
        ("a", '{"n": "a"}'),
        ("b", '{"n": "b"}'),
    ]


def test_a_name_repeated_in_every_chunk_of_one_call_starts_no_other() -> None:
    builder = ReplyBuilder()
    for part in ('{"n', '": 1}'):
        piece = CallPiece(index=0, id="a", name="look", arguments=part)
        builder.add(ReplyPiece(calls=(piece,)))
    (call,) = builder.build(REQUEST, Usage()).tool_calls
    assert call.arguments == '{"n": 1}'


def test_interleaved_calls_are_told_apart_by_index() -> None:
    builder = ReplyBuilder()
    for index, name in ((0, "look"), (1, "find")):
        builder.add(ReplyPiece(calls=(CallPiece(index=index, id=name, name=name),)))
    for index, part in ((0, "a"), (1, "b"), (0, "c")):
        (delta,) = builder.add(ReplyPiece(calls=(CallPiece(index=index, arguments=part),)))
        assert (delta.index, delta.tool_name) == (index, ("look", "find")[index])
    reply = builder.build(REQUEST, Usage())
    assert [call.arguments for call in reply.tool_calls] == ["ac", "b"]


def test_thinking_parts_are_joined_until_one_is_signed() -> None:
    builder = ReplyBuilder()
    blocks = (
        {"type": "thinking", "thinking": "first ", "signature": ""},
        {"type": "thinking", "thinking": "thought", "signature": ""},
        {"type": "thinking", "thinking": "", "signature": "SIG1"},
        {"type": "thinking", "thinking": "second", "signature": "SIG2"},
        {"type": "redacted_thinking", "data": "x"},
    )
    for block in blocks:
        builder.add(ReplyPiece(thinking_blocks=(block,)))
    assert builder.build(REQUEST, Usage()).provider_metadata["thinking_blocks"] == (
        {"type": "thinking", "thinking": "first thought", "signature": "SIG1"},
        {"type": "thinking", "thinking": "second", "signature": "SIG2"},
        {"type": "redacted_thinking", "data": "x"},
    )


def test_think_tags_are_reasoning_only_where_none_came_apart() -> None:
    builder = ReplyBuilder()
    builder.add(ReplyPiece(text="<think>hm</think>Yes."))
    reply = builder.build(REQUEST, Usage())
    assert (reply.text, reply.reasoning) == ("Yes.", "hm")


def test_a_reason_of_tool_calls_without_calls_is_a_stop() -> None:
    builder = ReplyBuilder()
    builder.add(ReplyPiece(text="Yes.", finish_reason="tool_calls"))
    assert builder.build(REQUEST, Usage()).finish_reason == "stop"


def test_only_an_unexplained_silence_says_nothing() -> None:
    silent, filtered, spoken = ReplyBuilder(), ReplyBuilder(), ReplyBuilder()
    filtered.add(ReplyPiece(finish_reason="content_filter"))
    spoken.add(ReplyPiece(text="x"))
    assert (silent.says_nothing, filtered.says_nothing, spoken.says_nothing) == (True, False, False)
