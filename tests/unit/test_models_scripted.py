from __future__ import annotations

import json

import pytest

from browser_agent.errors import InferenceError, InvalidInput
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.model import ModelDelta, ModelReply, ModelRequest, Usage

REQUEST = ModelRequest(messages=({"role": "user", "content": "hello"},))

pytestmark = pytest.mark.anyio


async def test_entries_become_replies_one_a_call() -> None:
    model = ScriptedModel([[("look", {"url": "ä"}), ("find", '{"broken')], "The end."])
    first = await model.complete(REQUEST)
    assert [call.name for call in first.tool_calls] == ["look", "find"]
    assert json.loads(first.tool_calls[0].arguments) == {"url": "ä"}
    assert first.tool_calls[1].arguments == '{"broken'
    assert len({call.id for call in first.tool_calls}) == 2
    assert first.finish_reason == "tool_calls"
    assert await model.complete(REQUEST) == ModelReply(text="The end.", finish_reason="stop")
    assert model.requests == [REQUEST, REQUEST]


async def test_callables_see_the_request_sync_and_async() -> None:
    async def later(request: ModelRequest) -> str:
        return f"{len(request.messages)} later"

    model = ScriptedModel([lambda request: f"{len(request.messages)} now", later])
    assert (await model.complete(REQUEST)).text == "1 now"
    assert (await model.complete(REQUEST)).text == "1 later"


async def test_a_call_too_many_is_an_assertion() -> None:
    model = ScriptedModel(["only"])
    await model.complete(REQUEST)
    with pytest.raises(AssertionError, match="called 2 times, its script holds 1"):
        await model.complete(REQUEST)


async def test_entries_left_over_matter_only_to_a_completed_run() -> None:
    model = ScriptedModel(["one", "two"])
    await model.complete(REQUEST)
    model.on_run_end("max_turns")
    with pytest.raises(AssertionError, match="1 of 2 entries left"):
        model.on_run_end("completed")
    await model.complete(REQUEST)
    model.on_run_end("completed")


async def test_exceptions_in_the_script_are_raised() -> None:
    model = ScriptedModel([InferenceError("rate limited"), lambda _request: KeyError("x")])
    with pytest.raises(InferenceError, match="rate limited"):
        await model.complete(REQUEST)
    with pytest.raises(KeyError):
        await model.complete(REQUEST)


async def test_usage_is_the_entrys_own_else_the_models() -> None:
    own = ModelReply(text="a", usage=Usage(input_tokens=1, cost_usd=0.5))
    model = ScriptedModel([own, "b"], usage=Usage(input_tokens=9, output_tokens=8))
    assert (await model.complete(REQUEST)).usage == own.usage
    assert (await model.complete(REQUEST)).usage.input_tokens == 9


async def test_stream_gives_deltas_then_the_same_reply() -> None:
    reply = ModelReply(text="said", reasoning="thought")
    model = ScriptedModel([reply, [("look", {"a": 1})]])
    assert [item async for item in model.stream(REQUEST)] == [
        ModelDelta(kind="reasoning", text="thought"),
        ModelDelta(kind="text", text="said"),
        reply,
    ]
    delta, last = [item async for item in model.stream(REQUEST)]
    assert delta == ModelDelta(kind="tool_arguments", text='{"a": 1}', tool_name="look")
    assert isinstance(last, ModelReply)


@pytest.mark.parametrize("entry", [3, None, [("look",)], [("look", 3)], ["look"]])
async def test_what_is_no_entry_is_refused(entry: object) -> None:
    model = ScriptedModel([entry])  # pyright: ignore[reportArgumentType] - the point of the test
    with pytest.raises(InvalidInput):
        await model.complete(REQUEST)
