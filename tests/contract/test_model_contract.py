"""What every model promises to the loop, over a real OpenAI server and the scripted double."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager

import pytest

from browser_agent.models.litellm_model import LiteLLMModel
from browser_agent.models.scripted import ScriptedModel
from browser_agent.ports import Model, StreamingModel
from browser_agent.records.model import ModelDelta, ModelReply, ModelRequest
from browser_agent.testing.openai_server import Answer, Call, OpenAIServer

pytestmark = pytest.mark.anyio

LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
REQUEST = ModelRequest(
    messages=({"role": "system", "content": "s"}, {"role": "user", "content": "u"}), tools=(LOOK,)
)
CALLS = [("look", '{"a": 1}'), ("look", '{"b": [2]}')]


@contextlib.asynccontextmanager
async def scripted() -> AsyncGenerator[Model]:
    yield ScriptedModel([list(CALLS), "The end."])


@contextlib.asynccontextmanager
async def over_http() -> AsyncGenerator[Model]:
    calls = tuple(Call(name=n, arguments=a, id=f"c{i}") for i, (n, a) in enumerate(CALLS))
    async with OpenAIServer.serve([Answer(calls=calls), Answer(text="The end.")]) as server:
        model = LiteLLMModel("openai/test-model", api_base=server.base_url)
        yield model
        await model.aclose()


Opener = Callable[[], AbstractAsyncContextManager[Model]]
EVERY = pytest.mark.parametrize("opener", [scripted, over_http])


@EVERY
async def test_a_reply_asks_for_tools_in_order_with_raw_json_and_ids_of_their_own(
    opener: Opener,
) -> None:
    async with opener() as model:
        reply = await model.complete(REQUEST)
    assert [(c.name, json.loads(c.arguments)) for c in reply.tool_calls] == [
        (name, json.loads(text)) for name, text in CALLS
    ]
    assert len({call.id for call in reply.tool_calls}) == len(CALLS)
    assert all(call.id for call in reply.tool_calls)
    assert reply.finish_reason == "tool_calls"
    assert reply.answered is None


@EVERY
async def test_a_final_text_asks_for_nothing(opener: Opener) -> None:
    async with opener() as model:
        await model.complete(REQUEST)
        reply = await model.complete(REQUEST)
    assert (reply.text, reply.tool_calls, reply.finish_reason) == ("The end.", (), "stop")


@EVERY
async def test_a_stream_gives_deltas_and_last_the_reply(opener: Opener) -> None:
    async with opener() as model:
        assert isinstance(model, StreamingModel)
        first = [item async for item in model.stream(REQUEST)]
        second = [item async for item in model.stream(REQUEST)]
    for items in (first, second):
        assert all(isinstance(item, ModelDelta) for item in items[:-1])
        assert isinstance(items[-1], ModelReply)
    texts = [item.text for item in second if isinstance(item, ModelDelta)]
    assert "".join(texts) == "The end."
    pieces = [item for item in first if isinstance(item, ModelDelta)]
    for index, (name, arguments) in enumerate(CALLS):
        mine = [piece for piece in pieces if piece.index == index]
        assert "".join(piece.text for piece in mine) == arguments
        assert {piece.tool_name for piece in mine} == {name}


@EVERY
async def test_the_request_is_not_changed(opener: Opener) -> None:
    before = json.dumps([REQUEST.messages, REQUEST.tools])
    async with opener() as model:
        await model.complete(REQUEST)
    assert json.dumps([REQUEST.messages, REQUEST.tools]) == before
