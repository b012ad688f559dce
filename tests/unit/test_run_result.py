"""The RobotResult: complete, immutable, lossless, self-checking."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from browser_agent import (
    BudgetExceeded,
    Citation,
    InferenceError,
    IntegrityError,
    InvalidInput,
    Result,
    RobotResult,
    RunStopped,
    Status,
    StopReason,
    TextMessage,
    ToolCallMessage,
    ToolCallRecord,
    ToolFailure,
    ToolLoopError,
    ToolMessage,
    ToolResultMessage,
    Usage,
    digest_of,
)
from browser_agent._freeze import FrozenMapping

OP = "op_01ARZ3NDEKTSV4RRFFQ69G5FAV"
OTHER_OP = "op_01ARZ3NDEKTSV4RRFFQ69G5FAW"


def call(name: str = "lookup", result: object = None, **arguments: object) -> ToolCallRecord:
    return ToolCallRecord(id="c1", turn=1, name=name, arguments=arguments, result=result)  # pyright: ignore[reportArgumentType]


def conversation() -> list[object]:
    tool = ToolMessage(id="c1", name="lookup", input={"isbn": "1"})  # pyright: ignore[reportArgumentType]
    found: list[object] = [
        {"role": "system", "content": "be brief"},
        TextMessage(role="user", content="find it"),
        ToolCallMessage(tools=(tool,), content="looking", reasoning="hm"),
        ToolResultMessage(tool=tool, content=FrozenMapping({"title": "A book"})),
        TextMessage(role="assistant", content="It is A book."),
    ]
    return found


def full(**changes: object) -> RobotResult:
    page = Result.ok(data={"text": "A book of 300 pages"}, operation_id=OP)
    fields: dict[str, object] = {
        "task": "find it",
        "messages": conversation(),
        "results": [page],
        "tool_calls": [call(result=page, isbn="1"), call(result={"title": "A book"})],
        "citations": [Citation(claim="c", quote="A book of 300 pages", result=1)],
        "unsupported": ["7"],
        "usage": Usage(input_tokens=0, output_tokens=5, cost_usd=0.1),
        "turns_used": 2,
        "reasoning_per_turn": ["hm", None],
        "tool_errors": [
            ToolFailure.build(
                turn=1, tool_name="x", arguments="a" * 3000, error="e", tool_result="r"
            )
        ],
        "closing": Result.ok(data={"closed": {}}),
        "parsed": {"n": [1, 2]},
        "answered": True,
        "reply_source": "final",
        "duration": 1.25,
        "managed_state": {"k": 1},
        "provider_metadata": {"model": "m"},
        "prompt": "be brief",
        "history": [{"role": "user", "content": "before"}],
    }
    output = [{"role": "assistant", "content": "It is A book."}]
    return RobotResult("reader", output, **{**fields, **changes})


def test_round_trips_lose_nothing() -> None:
    made = full()
    assert RobotResult.from_dict(made.to_dict()) == made
    assert RobotResult.from_json(made.to_json()).to_json() == made.to_json()
    assert pickle.loads(pickle.dumps(made)) == made
    assert copy.deepcopy(made) is made
    assert RobotResult.from_dict(made.export()).export() == made.export()


def test_export_leaves_out_debug_fields_and_both_carry_schema_and_integrity() -> None:
    made = full()
    assert set(made.to_dict()) - set(made.export()) == {"provider_metadata", "prompt", "history"}
    for form in (made.to_dict(), made.export()):
        assert list(form)[-2:] == ["schema", "integrity"]
        integrity = form.pop("integrity")
        assert integrity == digest_of(form)


def test_zero_tokens_and_unknown_tokens_differ() -> None:
    assert full().input_tokens == 0
    assert full(usage=Usage()).input_tokens is None


@pytest.mark.parametrize("key", ["reply", "task", "checksum", "status", "results", "integrity"])
def test_edits_are_found(key: str) -> None:
    stored: dict[str, Any] = json.loads(full().to_json())
    stored[key] = [] if key == "results" else "error"
    with pytest.raises((IntegrityError, InvalidInput)):
        RobotResult.from_dict(stored)


def test_a_consistent_lie_about_the_checksum_is_found() -> None:
    stored = full().to_dict()
    del stored["integrity"]
    stored["checksum"] = "0" * 64
    stored["integrity"] = digest_of(stored)
    with pytest.raises(IntegrityError, match="checksum"):
        RobotResult.from_dict(stored)


@pytest.mark.parametrize("output", ["text", 1, [1], [None], [["x"]], [b"x"]])
def test_output_must_be_messages(output: object) -> None:
    with pytest.raises(InvalidInput, match=r"^Invalid message: must be Message or mapping$"):
        RobotResult("r", output)


def test_other_wrong_shapes_are_refused() -> None:
    for fields in (
        {"tool_calls": [1]},
        {"tool_calls": "x"},
        {"tool_calls": [{"id": "1"}]},
        {"stop_reason": "tired"},
        {"nonsense": 1},
        {"results": [{"status": "x"}]},
        {"citations": [{"claim": "c"}]},
        {"messages": [{"role": "wizard", "content": "x"}]},
        {"messages": [{"type": "song", "role": "user"}]},
        {"messages": [{"role": "user", "content": "x", "more": 1}]},
        {"task": 1},
    ):
        with pytest.raises(InvalidInput):
            RobotResult("r", [], **fields)
    with pytest.raises(InvalidInput):
        RobotResult.from_dict({"output": []})
    with pytest.raises(InvalidInput):
        full().replace(nonsense=1)


def test_it_cannot_be_changed() -> None:
    made = full()
    before = made.to_json()
    for name in ("reply", "results", "status", "new"):
        with pytest.raises(AttributeError):
            setattr(made, name, None)
    made.to_dict()["messages"].clear()  # pyright: ignore
    made.to_openai_messages().clear()
    made.__init__("other")  # pyright: ignore[reportCallIssue]
    assert not hasattr(made, "__dict__")
    assert made.to_json() == before
    changed = made.replace(task="other")
    assert (changed.task, made.task, changed.id) == ("other", "find it", made.id)


def test_parsed_models_come_back_as_copies() -> None:
    class Item(BaseModel):
        tags: list[str]

    made = full(parsed=Item(tags=["a"]))
    first = made.parsed
    assert isinstance(first, Item)
    first.tags.append("b")
    assert made.parsed == Item(tags=["a"])
    assert made.to_dict()["parsed"] == {"tags": ["a"]}


def test_three_recipes_run_on_openai_messages() -> None:
    messages: list[dict[str, Any]] = full().to_openai_messages()
    answers = [m["content"] for m in messages if m["role"] == "assistant" and m.get("content")]
    names = [c["function"]["name"] for m in messages for c in m.get("tool_calls", [])]
    results = [(m["tool_call_id"], m["content"]) for m in messages if m["role"] == "tool"]
    assert answers[-1] == "It is A book."
    assert names == ["lookup"]
    assert results == [("c1", '{"title":"A book"}')]
    assert messages[0] == {"role": "system", "content": "be brief"}
    arguments = messages[2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {"isbn": "1"}
    assert messages[2]["reasoning_content"] == "hm"


def test_the_system_prompt_is_included_where_messages_lack_it() -> None:
    made = full(messages=[{"role": "user", "content": "x"}], prompt="sys")
    assert made.to_openai_messages()[0] == {"role": "system", "content": "sys"}


def test_checksum_depends_on_content_alone() -> None:
    def made(op: str, when: str) -> RobotResult:
        page = Result.ok(data={"settles": op}, operation_id=op, captured_at=when)
        return full(results=[page], tool_calls=[call(result=page, operation=op)])

    first = made(OP, "2026-01-01T00:00:00Z")
    second = made(OTHER_OP, "2027-01-01T00:00:00Z")
    assert first.id != second.id
    assert first.checksum == second.checksum
    assert first.checksum != first.replace(task="other").checksum
    assert first.checksum != full().checksum


unknown = Result.failure("unknown", code="outcome_unknown", operation_id=OP, effect="dispatched")
read_unknown = Result.failure("unknown", code="observation_timeout", operation_id=OP)
settled = Result.ok(data={"settles": OP, "evidence": []})
open_still = Result.failure("unknown", code="outcome_unknown", data={"settles": OP})
pending = Result.failure("cleanup_pending", code="cleanup_unconfirmed")


@pytest.mark.parametrize(
    ("reason", "results", "closing", "status"),
    [
        ("completed", [], None, "ok"),
        ("completed", [unknown], None, "unknown"),
        ("completed", [unknown, settled], None, "ok"),
        ("completed", [unknown, open_still], None, "unknown"),
        ("completed", [settled, unknown], None, "unknown"),
        ("completed", [read_unknown], None, "ok"),
        ("completed", [], pending, "cleanup_pending"),
        ("max_turns", [unknown], pending, "unknown"),
        ("max_turns", [], pending, "cleanup_pending"),
        ("max_turns", [], None, "truncated"),
        ("budget_cost", [], None, "truncated"),
        ("no_progress", [], None, "truncated"),
        *[
            (reason, [unknown], pending, "error")
            for reason in (
                "cancelled",
                "model_error",
                "refused",
                "content_filter",
                "browser_error",
                "tool_error",
                "recording_miss",
            )
        ],
    ],
)
def test_status_follows_the_first_rule_that_holds(
    reason: str, results: list[Result], closing: Result | None, status: str
) -> None:
    made = full(stop_reason=reason, results=results, tool_calls=[], closing=closing)
    assert made.status == Status(status)
    assert made.finished_naturally == (reason == "completed")


@pytest.mark.parametrize("reason", list(StopReason))
def test_raise_for_stop_gives_the_typed_exception(reason: StopReason) -> None:
    made = full(stop_reason=reason)
    if reason is StopReason.COMPLETED:
        made.raise_for_stop()
        return
    expected = {
        StopReason.MAX_TOOL_ROUNDS: ToolLoopError,
        StopReason.MODEL_ERROR: InferenceError,
    }.get(reason, BudgetExceeded if reason.value.startswith("budget_") else RunStopped)
    with pytest.raises(expected) as caught:
        made.raise_for_stop()
    assert caught.value.result is made
    assert type(caught.value) is expected


def test_failures_say_what_was_cut() -> None:
    failure = full().tool_errors[0]
    assert (len(failure.arguments), failure.arguments_cut, failure.tool_result_cut) == (
        2000,
        True,
        False,
    )


def test_verify_needs_no_network_and_finds_wrong_bytes() -> None:
    page = Result.ok(data={"text": "A book of 300 pages"})
    citation = Citation(
        claim="c",
        quote="A book of 300 pages",
        result=1,
        digest=page.digest,
        pointer="/text",
        start=0,
        end=19,
        verified=True,
    )
    made = full(results=[page], citations=[citation], tool_calls=[])
    assert made.verify().ok
    assert made.verify({page.digest: page.preimage()}.get).citations_verified == 1
    assert not made.verify(lambda _: None).ok
    assert not made.verify(lambda _: page.preimage().replace(b"300", b"301")).ok
    moved = made.replace(citations=[Citation(**{**citation.to_dict(), "start": 1})])  # pyright: ignore
    assert not moved.verify().ok


@given(st.text(), st.dictionaries(st.text(), st.text(), max_size=3))
def test_any_text_round_trips(text: str, arguments: dict[str, str]) -> None:
    made = RobotResult(
        "r",
        [{"role": "assistant", "content": text}],
        task=text,
        tool_calls=[call(result=arguments, a=arguments)],
    )
    assert RobotResult.from_json(made.to_json()) == made
