"""What a run does with replies and calls, over a scripted model and tools of one's own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from browser_agent.errors import (
    ConfigurationError,
    InferenceError,
    InvalidInput,
    RecordingError,
    ToolError,
)
from browser_agent.logic.history import check_conversation
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.limits import RunLimits
from browser_agent.records.message import TextMessage
from browser_agent.records.model import ModelReply, ModelRequest, ToolCall, Usage
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.robot.robot import Robot
from browser_agent.tools.tool import Halt, Tool, ToolContext, tool

pytestmark = pytest.mark.anyio


@tool
async def add(a: int, b: int = 0) -> int:
    """Add two numbers."""
    return a + b


@tool
def read_page(number: int) -> Result:
    """Read a page."""
    text = f"The tower number {number} has a height of {number * 110} metres."
    return Result.ok({"text": text}, final_url=f"https://towers.example/{number}")


def robot(*script: Any, **settings: Any) -> Robot:
    given: dict[str, Any] = {"tools": [add, read_page], **settings}
    return Robot("scout", model=ScriptedModel(script), **given)


def last_tool_texts(result: RobotResult) -> list[str]:
    return [str(m["content"]) for m in result.to_openai_messages() if m["role"] == "tool"]


def calls_of(result: RobotResult) -> list[dict[str, Any]]:
    """The tool calls of all assistant messages, in the OpenAI form."""
    messages: list[Any] = result.to_openai_messages()
    return [call for message in messages for call in message.get("tool_calls", ())]


async def test_calls_are_answered_in_order_and_the_last_text_is_the_reply() -> None:
    one = robot([("add", {"a": 1, "b": 2}), ("add", {"a": 5})], "It is 3 and 5.")
    result = await one.run("Add.")
    assert (result.reply, result.reply_source, result.stop_reason) == (
        "It is 3 and 5.",
        "final",
        "completed",
    )
    assert [(c.turn, c.name, c.result, c.status) for c in result.tool_calls] == [
        (1, "add", 3, "ok"),
        (1, "add", 5, "ok"),
    ]
    assert last_tool_texts(result) == ["3", "5"]
    assert (result.turns_used, result.finished_naturally, result.status) == (2, True, "ok")
    assert result.duration > 0
    assert result.tool_errors == ()


async def test_results_are_numbered_rendered_between_markers_and_given_to_the_model() -> None:
    seen: list[ModelRequest] = []

    def answer(request: ModelRequest) -> str:
        seen.append(request)
        return 'It has 220 metres [1].\n[1] R2 "The tower number 2 has a height of 220 metres."'

    one = robot([("read_page", {"number": 1}), ("read_page", {"number": 2})], answer)
    result = await one.run("How high?")
    assert [r.final_url for r in result.results] == [
        "https://towers.example/1",
        "https://towers.example/2",
    ]
    first, second = last_tool_texts(result)
    assert first.startswith("R1 ok https://towers.example/1 sha256:")
    assert second.startswith("R2 ok ")
    nonces = [text.split("<<<page ")[1].split("\n", 1)[0] for text in (first, second)]
    assert nonces[0] != nonces[1]
    assert seen[0].results == result.results
    (citation,) = result.citations
    assert (citation.verified, citation.result) == (True, 2)
    assert result.unsupported == ()
    assert result.verify().ok


async def test_the_three_recipes_work_on_openai_messages() -> None:
    result = await robot([("add", {"a": 1})], "done", instructions="Be brief.").run("Add.")
    messages = result.to_openai_messages()
    assert messages[0] == {"role": "system", "content": "Be brief."}
    assert [m["content"] for m in messages if m["role"] == "assistant" and m["content"]][-1] == (
        "done"
    )
    calls = calls_of(result)
    assert [call["function"]["name"] for call in calls] == ["add"]
    assert json.loads(calls[0]["function"]["arguments"]) == {"a": 1}
    answers = [(m["tool_call_id"], m["content"]) for m in messages if m["role"] == "tool"]
    assert answers == [(calls[0]["id"], "1")]


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("ad", "{}", "Unknown tool 'ad'. Available tools: add, read_page. Did you mean 'add'?"),
        ("add", "", "arguments are empty"),
        ("add", "{}", "'a' is missing"),
        ("add", '{"a": 1', "cut off"),
        ("add", '{"a": "one"}', "'a' must be integer, got a string"),
        ("add", '{"a": 1, "c": 2}', "unknown 'c'"),
        ("add", "[1]", "one JSON object"),
        ("add", "add(1)", "no JSON"),
        ("add", '{"a": 1, "a": 2}', "twice"),
    ],
)
async def test_a_call_that_cannot_be_made_is_told_recorded_and_never_made(
    name: str, arguments: str, says: str
) -> None:
    made: list[int] = []

    @tool(name="add")
    def spy(a: int, b: int = 0) -> int:
        """Add two numbers."""
        made.append(a)
        return a + b

    one = robot([(name, arguments)], "I could not.", tools=[spy, read_page])
    result = await one.run("Add.")
    (text,) = last_tool_texts(result)
    assert text.startswith(f"Error ({name}): ")
    assert says in text
    assert made == []
    (record,) = result.tool_calls
    assert (record.status, record.result) == ("error", None)
    (failure,) = result.tool_errors
    assert (failure.turn, failure.tool_name) == (1, name)
    assert says in failure.error
    for call in calls_of(result):
        json.loads(call["function"]["arguments"])


async def test_slips_of_form_are_mended_and_told_in_the_events() -> None:
    one = robot([("add", "{'a': 2, 'b': 3,}")], "5")
    events = [event.to_dict() async for event in one.stream("Add.")]
    (ended,) = [event for event in events if event["kind"] == "tool_call_ended"]
    assert (ended["mended"], ended["status"]) == ("syntax", "ok")
    (record,) = [e for e in events if e["kind"] == "tool_call_started"]
    assert record["arguments"] == {"a": 2, "b": 3}


async def test_ids_of_calls_are_made_unique() -> None:
    twice = ModelReply(
        tool_calls=(
            ToolCall(id="same", name="add", arguments='{"a": 1}'),
            ToolCall(id="same", name="add", arguments='{"a": 2}'),
            ToolCall(id="", name="add", arguments='{"a": 3}'),
        )
    )
    result = await robot(twice, "done").run("Add.")
    ids = [call.id for call in result.tool_calls]
    assert ids[0] == "same"
    assert len(set(ids)) == 3
    assert "" not in ids
    check_conversation(result.messages)


class BoomError(ToolError):
    """An error of a tool."""


def failing(error: BaseException, **flags: Any) -> Tool:
    async def run(_: dict[str, object], __: ToolContext) -> object:
        raise error

    return Tool(
        name="fail",
        description="Fails.",
        parameters={"type": "object", "properties": {}},
        handler=run,
        **flags,
    )


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (failing(ToolError("no luck")), "Error (fail): no luck"),
        (failing(ToolError("no luck", retryable=True)), "Error (fail): no luck (retryable)"),
        (failing(BoomError("own kind")), "Error (fail): own kind"),
        (failing(ValueError("bad value")), "Error (fail): bad value"),
        (failing(KeyError()), "Error (fail): KeyError"),
        (failing(ValueError("again"), retryable=True), "Error (fail): again (retryable)"),
        (failing(InferenceError("inner model")), "Error (fail): inner model (retryable)"),
        (failing(AssertionError("a tool's own")), "Error (fail): a tool's own"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_a_tool_raises_is_told_to_the_model(made: Tool, text: str) -> None:
    result = await robot([("fail", {})], "It failed.", tools=[made]).run("Try.")
    assert last_tool_texts(result) == [text]
    assert result.stop_reason == "completed"
    assert len(result.tool_errors) == 1


async def test_no_secret_of_an_exception_reaches_anybody() -> None:
    secret = "sk-ant-api03-" + "a1B2c3D4" * 12
    made = failing(RuntimeError(f"key {secret} refused"))
    result = await robot([("fail", {})], "It failed.", tools=[made]).run("Try.")
    assert secret not in json.dumps(result.to_dict())


async def test_a_tool_that_wants_to_end_the_run_does() -> None:
    made = failing(ValueError("fatal"), raise_on_error=True)
    one = robot([("fail", {}), ("fail", {})], tools=[made])
    result = await one.run("Try.")
    assert (result.stop_reason, result.status, len(result.tool_calls)) == ("tool_error", "error", 1)
    check_conversation(result.messages)


async def test_a_tool_is_bounded_in_time_and_says_what_is_not_known() -> None:
    async def hang(_: dict[str, object], __: ToolContext) -> object:
        await asyncio.Event().wait()
        return None

    made = Tool(
        name="hang",
        description="Hangs.",
        parameters={"type": "object", "properties": {}},
        handler=hang,
        timeout_s=0.01,
        side_effect=True,
    )
    result = await robot([("hang", {})], "It hung.", tools=[made]).run("Try.")
    assert last_tool_texts(result) == [
        "Error (hang): timed out after 0.01 s; it may have taken effect"
    ]


async def test_arguments_that_fit_the_schema_but_not_the_types_are_told() -> None:
    @tool
    def visit(day: date) -> str:
        """Visit on a day."""
        return day.isoformat()

    calls = [("visit", {"day": "soon"}), ("visit", {"day": "2026-02-03"})]
    result = await robot(calls, "done", tools=[visit]).run("Visit.")
    assert [call.status for call in result.tool_calls] == ["error", "ok"]
    assert "day: Input should be a valid date" in (result.tool_calls[0].error or "")


async def test_a_timeout_of_the_tools_own_is_an_error_like_others() -> None:
    made = failing(TimeoutError("the far server was slow"), timeout_s=30)
    result = await robot([("fail", {})], "It failed.", tools=[made]).run("Try.")
    assert last_tool_texts(result) == ["Error (fail): the far server was slow"]


async def test_a_recording_that_misses_what_a_tool_wants_stops_the_run() -> None:
    made = failing(RecordingError("no such page"))
    result = await robot([("fail", {})], tools=[made]).run("Try.")
    assert result.stop_reason == "recording_miss"


async def test_a_turn_of_many_long_results_spills_the_longest() -> None:
    @tool
    def book(size: int) -> str:
        """Give a book."""
        return "x" * size

    calls = [("book", {"size": size}) for size in (90_000, 80_000, 70_000)]
    result = await robot(calls, "read", tools=[book]).run("Read.")
    lengths = [len(text) for text in last_tool_texts(result)]
    assert lengths[1:] == [80_000, 70_000]
    assert lengths[0] < 1_700


async def test_a_mapping_with_an_error_counts_as_failed_however_it_is_written() -> None:
    @tool
    def lookup() -> dict[str, object]:
        """Look up."""
        return {"error": {"reason": "gone"}, "exit_code": 0}

    result = await robot([("lookup", {})], "Gone.", tools=[lookup]).run("Try.")
    assert result.tool_calls[0].status == "error"
    assert result.tool_errors[0].error == '{"reason":"gone"}'


async def test_a_result_that_is_no_json_is_an_error_of_the_tool() -> None:
    @tool
    def odd() -> object:
        """Odd."""
        return object()

    @tool
    def endless() -> float:
        """Endless."""
        return float("inf")

    result = await robot([("odd", {}), ("endless", {})], "Odd.", tools=[odd, endless]).run("Try.")
    assert all("is no JSON" in text for text in last_tool_texts(result))


@pytest.mark.parametrize("way", ["flag", "value"])
async def test_halt_ends_the_run_after_the_call(way: str) -> None:
    @tool(halt=way == "flag")
    def submit(text: str) -> object:
        """Submit."""
        return text if way == "flag" else Halt(text)

    one = robot([("submit", {"text": "all"}), ("submit", {"text": "more"})], tools=[submit])
    result = await one.run("Submit.")
    assert (result.stop_reason, result.status) == ("halted", "truncated")
    assert [call.result for call in result.tool_calls] == ["all"]
    assert last_tool_texts(result)[1] == "Not executed: the run stopped (halted)."


async def test_the_reply_falls_back_to_reasoning_then_to_earlier_text() -> None:
    thinking = ModelReply(text="", reasoning="The answer is probably 3.")
    result = await robot(thinking, thinking, thinking).run("Think.")
    assert (result.reply, result.reply_source, result.stop_reason) == (
        "The answer is probably 3.",
        "reasoning",
        "output_invalid",
    )
    assert result.citations == ()
    said = ModelReply(text="Let me add.", tool_calls=(call_add(),))
    result = await robot(said, limits=RunLimits(max_turns=1)).run("Add.")
    assert (result.reply, result.reply_source) == ("Let me add.", "earlier")
    result = await robot([("add", {"a": 1})], limits=RunLimits(max_turns=1)).run("Add.")
    assert (result.reply, result.reply_source, result.output) == (None, None, ())


def call_add(**arguments: int) -> ToolCall:
    return ToolCall(id="c1", name="add", arguments=json.dumps({"a": 1, **arguments}))


async def test_reasoning_usage_and_answered_are_kept_for_every_turn() -> None:
    script = [
        ModelReply(
            reasoning="first", tool_calls=(call_add(),), usage=Usage(input_tokens=10, cost_usd=0.5)
        ),
        ModelReply(text="3", usage=Usage(input_tokens=20, output_tokens=5), answered=False),
    ]
    result = await robot(*script).run("Add.")
    assert result.reasoning_per_turn == ("first", None)
    assert result.usage == Usage(input_tokens=30, output_tokens=5, cost_usd=0.5)
    assert result.answered is False
    plain = await robot("3").run("Add.")
    assert plain.usage == Usage()
    assert (plain.input_tokens, plain.answered) == (None, None)


class Stateful(ScriptedModel):
    def get_state(self) -> Mapping[str, object]:
        return {"seen": len(self.requests), "api_key": "sk-ant-api03-" + "a1B2c3D4" * 12}


async def test_state_and_metadata_of_the_model_are_kept_and_redacted() -> None:
    reply = ModelReply(text="hi", provider_metadata={"model": "x-1"})
    result = await Robot("r", model=Stateful([reply]), tools=[]).run("Hello.")
    assert result.managed_state is not None
    assert result.managed_state["seen"] == 1
    assert "a1B2c3D4" not in json.dumps(result.to_dict())
    assert result.to_dict()["provider_metadata"] == {"model": "x-1"}
    assert "provider_metadata" not in result.export()


async def test_the_same_content_gives_the_same_checksum() -> None:
    def make() -> Robot:
        return robot([("read_page", {"number": 1}), ("add", {"a": 1})], "110 metres")

    first, second = await make().run("How high?"), await make().run("How high?")
    assert first.checksum == second.checksum
    assert first.id != second.id
    other = await robot([("read_page", {"number": 2}), ("add", {"a": 1})], "110 metres").run(
        "How high?"
    )
    assert other.checksum != first.checksum


async def test_a_result_of_a_run_survives_a_round_trip() -> None:
    result = await robot([("read_page", {"number": 1}), ("none", "{")], "110 metres").run("How?")
    assert RobotResult.from_json(result.to_json()) == result
    assert RobotResult.from_dict(result.export()).export() == result.export()


async def test_the_conversation_goes_on_over_runs_without_old_results() -> None:
    seen: list[ModelRequest] = []

    def answer(request: ModelRequest) -> str:
        seen.append(request)
        return "Still 110."

    one = robot([("read_page", {"number": 1})], "110 metres.", answer)
    with pytest.raises(AssertionError, match="left"):
        await one.run("How high?")
    await one.run("And now?")
    contents = [str(message["content"]) for message in seen[0].messages]
    assert contents[0] == "How high?"
    assert contents[2].startswith("(earlier run) ok https://towers.example/1 sha256:")
    assert "<<<" not in contents[2]
    assert contents[3:] == ["110 metres.", "And now?"]


async def test_messages_can_be_cleared_replaced_and_forked() -> None:
    model = ScriptedModel(["one"])
    one = Robot("r", model=model, tools=[])
    await one.run("First.")
    assert [message.text for message in one.messages] == ["First.", "one"]
    copy = one.fork(instructions="Other.")
    one.clear()
    assert one.messages == ()
    assert len(copy.messages) == 2
    one.replace([{"role": "system", "content": "x"}, {"role": "user", "content": "hello there"}])
    assert one.messages == (TextMessage(role="user", content="hello there"),)
    assert [found.text for found in one.search_history("hello there again and again")] == []
    one.replace([TextMessage(role="user", content="a question about hello and there")])
    assert one.search_history("hello there")[0].index == 0
    with pytest.raises(InvalidInput):
        one.replace(
            [{"type": "tool_call", "role": "assistant", "tools": [{"id": "1", "name": "x"}]}]
        )


async def test_concurrent_runs_of_one_robot_share_nothing_but_the_conversation_after_them() -> None:
    def echo(request: ModelRequest) -> str:
        return f"about {request.messages[-1]['content']}"

    one = Robot("r", model=ScriptedModel([echo] * 3), tools=[])
    seen: list[str] = []

    class Gate:
        def __init__(self) -> None:
            self.waiting = 0
            self.all_here = asyncio.Event()

        async def before_run(self, _: object) -> None:
            self.waiting += 1
            if self.waiting == 3:
                self.all_here.set()
            await self.all_here.wait()

    gate = Gate()

    async def ask(task: str) -> None:
        try:
            await one.run(task, hooks=[gate])
        except AssertionError:
            seen.append("left over")

    async with asyncio.timeout(10):
        await asyncio.gather(*(ask(f"task {n}") for n in range(3)))
    assert len(seen) == 2, "the first two runs leave entries of the script"
    assert len(one.messages) == 6
    pairs = [one.messages[index : index + 2] for index in (0, 2, 4)]
    assert all(b.text == f"about {a.text}" for a, b in pairs)


async def test_a_leftover_script_is_an_assertion_and_a_call_too_many_too() -> None:
    with pytest.raises(AssertionError, match="left"):
        await robot("one", "two").run("Hi.")
    with pytest.raises(AssertionError, match="called 2 times"):
        await robot([("add", {"a": 1})]).run("Hi.")


async def test_callbacks_see_calls_results_and_text() -> None:
    calls: list[str] = []
    results: list[object] = []
    texts: list[str] = []

    def on_call(call: Any) -> None:
        calls.append(f"{call.name} {dict(call.arguments)}")

    async def on_result(record: Any) -> None:
        results.append(record.result)

    one = robot(
        [("add", {"a": 4})],
        "It is 4.",
        on_tool_call=on_call,
        on_tool_result=on_result,
        on_content=texts.append,
    )
    await one.run("Add.")
    assert calls == ["add {'a': 4}"]
    assert results == [4]
    assert "".join(texts) == "It is 4."


async def test_a_result_too_long_for_the_model_spills_and_is_read_on() -> None:
    @tool
    def book() -> str:
        """Give a book."""
        return "\n".join(f"line {n}" for n in range(30_000))

    def read_on(request: ModelRequest) -> list[tuple[str, str]]:
        text = str(request.messages[-1]["content"])
        cursor = text.split('cursor="')[1].split('"', maxsplit=1)[0]
        tools: list[Any] = list(request.tools)
        assert [t["function"]["name"] for t in tools] == ["book", "read_more"]
        return [("read_more", json.dumps({"cursor": cursor}))]

    result = await robot([("book", {})], read_on, "read", tools=[book]).run("Read.")
    first, second = last_tool_texts(result)
    assert len(first) < 1_700
    assert "line 200" in second
    assert result.tool_errors == ()


@pytest.mark.parametrize("task", ["", "  ", None, 3])
async def test_a_task_is_a_text(task: Any) -> None:
    with pytest.raises(InvalidInput):
        await robot("x").run(task)


async def test_a_model_that_gives_no_reply_is_an_error_of_the_model() -> None:
    class Odd:
        async def complete(self, request: ModelRequest) -> Any:
            return {"text": "hi"}

    with pytest.raises(InferenceError, match="no ModelReply") as caught:
        await Robot("r", model=Odd(), tools=[]).run("Hi.")
    assert isinstance(caught.value.result, RobotResult)
    assert caught.value.result.stop_reason == "model_error"


async def test_a_setting_that_the_model_refuses_goes_on_as_it_is() -> None:
    one = robot(ConfigurationError("no key for this provider"))
    with pytest.raises(ConfigurationError, match="no key") as caught:
        await one.run("Hi.")
    assert isinstance(caught.value.result, RobotResult)
