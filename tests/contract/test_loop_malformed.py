"""Whatever a model writes: the run ends in a typed way, and no call is ever made with nothing."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from browser_agent.errors import InferenceError
from browser_agent.logic.history import check_conversation
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.limits import RunLimits
from browser_agent.records.model import ModelReply, ModelRequest, ToolCall
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.records.run_parts import StopReason
from browser_agent.robot.robot import Robot
from browser_agent.tools.tool import tool

QUOTE = "The lighthouse of Cape Hollow was built in the year 1871."


@tool
def page() -> Result:
    """Read the page."""
    return Result.ok({"text": f"History.\n{QUOTE}\nIt is 42 metres tall."})


class Answer(BaseModel):
    year: int
    name: str = "none"


@dataclass
class Point:
    x: int
    day: date


WORDS = ["", " ", "{}", "[]", "null", "{", '{"url":', '"', "[{}]", '{"url": ""}', "\ud83d", "\x00"]
TEXTS = st.sampled_from(WORDS) | st.text(max_size=30)
CALLS = st.lists(
    st.builds(
        ToolCall,
        id=st.sampled_from(["", "a", "a", "b"]),
        name=st.sampled_from(["visit", "Visit", "", "nothing"]) | st.text(max_size=8),
        arguments=TEXTS | st.just('{"url": "https://a.example"}'),
    ),
    max_size=4,
)
REPLIES = st.builds(
    ModelReply,
    text=st.none() | TEXTS,
    tool_calls=CALLS.map(tuple),
    reasoning=st.none() | TEXTS,
    finish_reason=st.sampled_from([None, "stop", "length", "tool_calls", "refusal", "odd"]),
)


class Wild:
    """A model that writes what it was given, over and over."""

    def __init__(self, replies: list[ModelReply]) -> None:
        self.replies = replies
        self.turn = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        json.dumps([dict(message) for message in request.messages], ensure_ascii=False).encode()
        self.turn += 1
        return self.replies[self.turn % len(self.replies)]


def check_wild(replies: list[ModelReply]) -> None:
    visited: list[str] = []

    @tool
    def visit(url: str, again: bool = False) -> str:
        """Visit."""
        visited.append(url)
        return f"page {len(visited)}"

    limits = RunLimits(max_turns=8, max_tool_rounds=20, max_time_s=20)
    robot = Robot("r", model=Wild(replies), tools=[visit], limits=limits)
    result = asyncio.run(robot.run("Go."))
    assert isinstance(result.stop_reason, StopReason)
    check_conversation([m for m in result.messages if m.role != "system"])
    check_conversation(robot.messages)
    assert RobotResult.from_json(result.to_json()) == result
    written = [call.arguments for reply in replies for call in reply.tool_calls]
    for url in visited:
        assert any(url in arguments for arguments in written), "a value that nobody wrote"


@given(st.lists(REPLIES, min_size=1, max_size=5))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_replies_never_hang_and_never_call_with_what_was_not_written(
    replies: list[ModelReply],
) -> None:
    check_wild(replies)


@pytest.mark.long
def test_many_random_replies(long_run: bool) -> None:
    @given(st.lists(REPLIES, min_size=1, max_size=5))
    @settings(
        max_examples=2000 if long_run else 3,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    def check(replies: list[ModelReply]) -> None:
        check_wild(replies)

    check()


def scripted(*script: Any, **given: Any) -> Robot:
    settings_: dict[str, Any] = {"tools": [], **given}
    return Robot("r", model=ScriptedModel(script), **settings_)


@pytest.mark.anyio
@pytest.mark.parametrize("text", ["", "   ", "\n" * 5000, None])
async def test_an_empty_reply_is_asked_for_again_twice_then_the_run_stops(text: str | None) -> None:
    empty = ModelReply(text=text)
    result = await scripted(empty, empty, "at last").run("Go.")
    assert (result.stop_reason, result.reply, result.turns_used) == ("completed", "at last", 3)
    result = await scripted(empty, empty, empty).run("Go.")
    assert (result.stop_reason, result.reply) == ("output_invalid", None)
    told = [m.text for m in result.messages if m.role == "user"][1:]
    assert len(told) == 2
    assert all("held no answer" in text for text in told)


@pytest.mark.anyio
async def test_calls_that_are_no_calls_are_a_failure_of_the_model() -> None:
    wrong: Any = ModelReply(tool_calls=["page"])  # pyright: ignore[reportArgumentType] - wrong on purpose

    def reply(request: ModelRequest) -> ModelReply:
        assert request.messages
        return wrong

    with pytest.raises(InferenceError, match="gave str and no ToolCall") as caught:
        await scripted(reply).run("look")
    assert isinstance(caught.value.result, RobotResult)
    assert caught.value.result.stop_reason is StopReason.MODEL_ERROR


@pytest.mark.anyio
async def test_structured_output_is_read_and_validated() -> None:
    result = await scripted('{"year": 1871, "name": "Hollow"}', output_type=Answer).run("When?")
    assert result.parsed == Answer(year=1871, name="Hollow")
    for text in ('```json\n{"year": 1871}\n```', 'Here it is: {"year": 1871}.', "{'year': 1871,}"):
        result = await scripted(text, output_type=Answer).run("When?")
        assert result.parsed == Answer(year=1871)
    result = await scripted("[1, 2]", output_type=list[int]).run("Which?")
    assert result.parsed == [1, 2]
    result = await scripted('{"x": 1, "day": "2026-02-03"}', output_type=Point).run("Where?")
    assert result.parsed == Point(x=1, day=date(2026, 2, 3))
    assert result.to_dict()["parsed"] == {"x": 1, "day": "2026-02-03"}
    result = await scripted("Words.", output_type=str).run("Say.")
    assert result.parsed == "Words."
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    result = await scripted('{"n": 3}', output_type=schema).run("Which?")
    assert result.to_dict()["parsed"] == {"n": 3}
    result = await scripted('{"n": "x"}', '{"n": 4}', output_type=schema).run("Which?")
    assert result.parsed == {"n": 4}


@pytest.mark.anyio
async def test_wrong_output_is_told_with_its_place_twice_then_the_run_stops() -> None:
    asked: list[str] = []

    def mend(request: ModelRequest) -> str:
        asked.append(str(request.messages[-1]["content"]))
        return '{"year": 1871}'

    result = await scripted('{"year": "soon"}', mend, output_type=Answer).run("When?")
    assert result.parsed == Answer(year=1871)
    assert "year" in asked[0]
    assert "soon" not in asked[0]
    wrong = ["no JSON here", '{"name": "x"}', '{"year": null}']
    result = await scripted(*wrong, output_type=Answer).run("When?")
    assert (result.stop_reason, result.parsed, result.reply) == (
        "output_invalid",
        None,
        '{"year": null}',
    )


class Described(ScriptedModel):
    """A scripted model that says what it can take."""

    native = False

    def supports_output_schema(self) -> bool:
        return self.native

    def context_window(self) -> int | None:
        return None


class Native(Described):
    native = True


@pytest.mark.anyio
async def test_the_schema_goes_the_way_that_the_model_can_take() -> None:
    native = Native(['{"year": 1871}'])
    await Robot("r", model=native, tools=[], output_type=Answer).run("When?")
    assert native.requests[0].output_schema is not None
    assert native.requests[0].tools == ()
    assert native.requests[0].messages[0]["role"] == "user"
    by_tool = Described([[("final_answer", {"year": "x"})], [("final_answer", {"year": 1871})]])
    result = await Robot("r", model=by_tool, tools=[], output_type=Answer).run("When?")
    assert (result.stop_reason, result.parsed) == ("completed", Answer(year=1871))
    assert result.reply == '{"year":1871}'
    assert by_tool.requests[0].output_schema is None
    listed = Described(["[1]"])
    await Robot("r", model=listed, tools=[], output_type=list[int]).run("Which?")
    assert listed.requests[0].tools == ()
    in_words = Described(['{"year": 1871}'])
    result = await Robot("r", model=in_words, tools=[], output_type=Answer).run("When?")
    assert result.parsed == Answer(year=1871)
    assert '"year"' in str(in_words.requests[0].messages[0]["content"])


@pytest.mark.anyio
async def test_required_citations_have_one_chance_to_be_mended() -> None:
    good = f'It was built in 1871 [1].\n[1] R1 "{QUOTE}"'
    wrong = 'It was built in 1871 [1].\n[1] R1 "The lighthouse was built in 1781 by hand."'
    asked: list[str] = []

    def mend(request: ModelRequest) -> str:
        asked.append(str(request.messages[-1]["content"]))
        return good

    given: dict[str, Any] = {"tools": [page], "require_citations": True}
    result = await scripted([("page", {})], wrong, mend, **given).run("When?")
    assert (result.stop_reason, result.citations[0].verified) == ("completed", True)
    assert "does not stand in R1" in asked[0]
    result = await scripted([("page", {})], "In 1871.", wrong, **given).run("When?")
    assert (result.stop_reason, result.reply, result.citations[0].verified) == (
        "output_invalid",
        wrong,
        False,
    )
    unknown = ModelReply(text="The page does not say.", answered=False)
    result = await scripted([("page", {})], unknown, **given).run("When?")
    assert result.stop_reason == "completed"


@pytest.mark.anyio
async def test_a_fabricated_value_is_flagged() -> None:
    result = await scripted(
        [("page", {})], "It is 57 metres tall, says Ada Miller.", tools=[page]
    ).run("?")
    assert result.unsupported == ("57", "Ada Miller")
    assert result.citations == ()
