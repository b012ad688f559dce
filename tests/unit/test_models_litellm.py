from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import traceback
from collections.abc import AsyncGenerator, Iterator

import pytest
import stamina
from stamina.instrumentation import RetryDetails, set_on_retry_hooks

from browser_agent.errors import ConfigurationError, InferenceError
from browser_agent.models.litellm_model import LiteLLMModel
from browser_agent.records.model import (
    ModelDelta,
    ModelPrice,
    ModelReply,
    ModelRequest,
    ModelSettings,
    Usage,
)
from browser_agent.testing.openai_server import (
    Answer,
    Call,
    Entry,
    Failure,
    OpenAIServer,
    Raw,
    Stall,
)

KEY = "sk-test-0123456789abcdef"
NAME = "openai/test-model"
SYSTEM = {"role": "system", "content": "Be brief."}
LOOK = {
    "type": "function",
    "function": {
        "name": "look",
        "parameters": {"type": "object", "properties": {"url": {"type": "string"}}},
    },
}
REQUEST = ModelRequest(messages=(SYSTEM, {"role": "user", "content": "hello"}), tools=(LOOK,))

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def fast_retries() -> Iterator[None]:
    """Backoff without waiting; the number of attempts stays the model's own."""
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


@contextlib.asynccontextmanager
async def served(
    *script: Entry, name: str = NAME, key: str | None = KEY, **options: object
) -> AsyncGenerator[tuple[LiteLLMModel, OpenAIServer]]:
    async with OpenAIServer.serve(script, api_key=KEY) as server:
        model = LiteLLMModel(name, api_base=server.base_url, api_key=key, **options)  # pyright: ignore[reportArgumentType] - options of each test
        try:
            yield model, server
        finally:
            await model.aclose()


async def test_text_and_reasoning_are_put_together_and_usage_is_the_servers() -> None:
    usage = {
        "prompt_tokens": 20,
        "completion_tokens": 9,
        "total_tokens": 29,
        "prompt_tokens_details": {"cached_tokens": 16},
        "completion_tokens_details": {"reasoning_tokens": 4},
    }
    answer = Answer(text="Hello there, world.", reasoning="A greeting.", usage=usage)
    async with served(answer) as (model, server):
        reply = await model.complete(REQUEST)
        assert server.calls[0]["stream"] is True
        assert server.calls[0]["messages"] == list(REQUEST.messages)
    assert reply.text == "Hello there, world."
    assert reply.reasoning == "A greeting."
    assert reply.finish_reason == "stop"
    assert reply.usage == Usage(
        input_tokens=20, output_tokens=9, cached_tokens=16, reasoning_tokens=4
    )
    assert reply.provider_metadata["model"] == "test-model"


async def test_usage_that_the_server_does_not_report_is_unknown_not_zero() -> None:
    async with served(Answer(text="Hi", usage=None)) as (model, _):
        assert (await model.complete(REQUEST)).usage == Usage()
    async with served(Answer(text="Hi", usage=None), streaming=False) as (model, _):
        assert (await model.complete(REQUEST)).usage == Usage()


async def test_an_explicit_price_gives_a_cost_and_an_unknown_one_none() -> None:
    price = ModelPrice(input_usd=0.001, output_usd=0.01)
    async with served(Answer(text="Hi"), Answer(text="Hi"), price=price) as (model, _):
        assert (await model.complete(REQUEST)).usage.cost_usd == pytest.approx(0.081)
        assert model.price() == price
    async with served(Answer(text="Hi")) as (model, _):
        assert (await model.complete(REQUEST)).usage.cost_usd is None
        assert model.price() is None


@pytest.mark.parametrize("streaming", [True, False])
async def test_tool_calls_are_assembled_in_order_with_their_raw_arguments(
    streaming: bool,
) -> None:
    calls = (
        Call(name="look", arguments='{"url": "https://a.test/ä"}', id="c1"),
        Call(name="look", arguments='{"url": "cut', id="c2"),
    )
    async with served(Answer(calls=calls), streaming=streaming) as (model, server):
        reply = await model.complete(REQUEST)
        assert server.calls[0]["tools"] == [LOOK]
    assert [(c.id, c.arguments) for c in reply.tool_calls] == [
        ("c1", '{"url": "https://a.test/ä"}'),
        ("c2", '{"url": "cut'),
    ]
    assert reply.finish_reason == "tool_calls"
    assert reply.text is None


async def test_calls_without_an_id_get_one_that_is_unique_in_the_conversation() -> None:
    calls = (Call(name="look", id=None), Call(name="look", id=None))
    async with served(Answer(calls=calls)) as (model, _):
        reply = await model.complete(REQUEST)
    assert [call.id for call in reply.tool_calls] == ["call_2_0", "call_2_1"]


async def test_calls_in_the_text_are_found_when_tools_were_offered() -> None:
    text = '<tool_call>{"name": "look", "arguments": {"url": "https://a.test/"}}</tool_call>'
    without = ModelRequest(messages=REQUEST.messages)
    async with served(Answer(text=text), Answer(text=text)) as (model, _):
        found, kept = await model.complete(REQUEST), await model.complete(without)
    assert json.loads(found.tool_calls[0].arguments) == {"url": "https://a.test/"}
    assert (found.text, found.finish_reason) == (None, "tool_calls")
    assert (kept.text, kept.tool_calls) == (text, ())


async def test_settings_and_schema_reach_the_wire() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    settings = ModelSettings(
        temperature=0.0, top_p=0.5, seed=7, stop=("END",), max_output_tokens=50, extra={"top_k": 3}
    )
    request = ModelRequest(
        messages=REQUEST.messages, output_schema=schema, max_output_tokens=40, settings=settings
    )
    async with served(Answer(text='{"a": 1}')) as (model, server):
        await model.complete(request)
        sent = server.calls[0]
    assert (sent["temperature"], sent["top_p"], sent["seed"]) == (0.0, 0.5, 7)
    assert (sent["stop"], sent["max_tokens"], sent["top_k"]) == (["END"], 40, 3)
    assert sent["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": schema, "strict": True},
    }
    assert "tools" not in sent


async def test_settings_cannot_replace_what_the_request_says() -> None:
    request = ModelRequest(messages=(SYSTEM,), settings=ModelSettings(extra={"model": "other"}))
    with pytest.raises(ConfigurationError, match="model settings cannot set model"):
        await LiteLLMModel(NAME).complete(request)


async def test_stream_gives_the_pieces_as_they_come_then_the_whole_reply() -> None:
    answer = Answer(text="Hello there, world.", reasoning="Hm.", calls=(Call(name="look"),))
    async with served(answer) as (model, _):
        items = [item async for item in model.stream(REQUEST)]
    reply = items.pop()
    assert isinstance(reply, ModelReply)
    deltas = [item for item in items if isinstance(item, ModelDelta)]
    assert len(deltas) == len(items)
    joined = {k: "".join(d.text for d in deltas if d.kind == k) for k in ("text", "reasoning")}
    assert joined == {"text": reply.text, "reasoning": reply.reasoning}
    assert sum(d.kind == "text" for d in deltas) > 1
    assert {d.tool_name for d in deltas if d.kind == "tool_arguments"} == {"look"}


async def test_closing_a_stream_ends_the_call() -> None:
    async with served(Stall()) as (model, server):
        stream = model.stream(REQUEST)
        first = asyncio.ensure_future(anext(stream))
        await server.wait_for_call()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await stream.aclose()
        assert not [t for t in asyncio.all_tasks() if "LiteLLMModel" in str(t.get_coro())]


async def test_thinking_that_led_to_calls_is_sent_back_with_them() -> None:
    answer = Answer(reasoning="Look first.", calls=(Call(name="look", id="c9"),))
    async with served(answer, Answer(text="done")) as (model, server):
        reply = await model.complete(REQUEST)
        turn = {
            "role": "assistant",
            "content": "",
            "reasoning_content": reply.reasoning,
            "tool_calls": [
                {"id": "c9", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            ],
        }
        tool = {"role": "tool", "tool_call_id": "c9", "content": "seen"}
        await model.complete(ModelRequest(messages=(*REQUEST.messages, turn, tool)))
        sent = server.calls[1]["messages"]
    assert isinstance(sent, list)
    assert sent[2]["reasoning_content"] == "Look first."


@pytest.mark.parametrize(
    ("answer", "finish", "text"),
    [
        (Answer(text="Cut of", finish_reason="length"), "length", "Cut of"),
        (Answer(text="So", finish_reason="content_filter"), "content_filter", "So"),
        (Answer(finish_reason="content_filter"), "content_filter", None),
        (Answer(text="x", finish_reason="end_turn"), "stop", "x"),
    ],
)
async def test_finish_reasons_are_normalised(answer: Answer, finish: str, text: str | None) -> None:
    async with served(answer) as (model, server):
        reply = await model.complete(REQUEST)
        assert len(server.calls) == 1
    assert (reply.finish_reason, reply.text) == (finish, text)


async def test_a_refusal_is_told_from_an_answer() -> None:
    refusal = Answer(refusal="I will not do that.", usage=None)
    async with served(refusal, refusal) as (model, _):
        reply = await model.complete(REQUEST)
    assert (reply.finish_reason, reply.text) == ("refusal", "I will not do that.")


async def test_a_filter_that_refuses_the_prompt_is_a_reply_not_an_error() -> None:
    failure = Failure(
        status=400, message="content_policy_violation", code="content_policy_violation"
    )
    async with served(failure) as (model, _):
        assert (await model.complete(REQUEST)).finish_reason == "content_filter"


async def test_a_server_that_ignores_streaming_is_read_all_the_same() -> None:
    answer = Answer(text="Whole.", ignore_stream=True)
    async with served(answer, answer) as (model, server):
        assert (await model.complete(REQUEST)).text == "Whole."
        assert [call.get("stream", False) for call in server.calls] == [True, False]


async def test_a_server_that_refuses_streaming_is_asked_without_it_from_then_on() -> None:
    failure = Failure(status=400, message="stream is not supported by this model")
    async with served(failure, Answer(text="One."), Answer(text="Two.")) as (model, server):
        assert (await model.complete(REQUEST)).text == "One."
        assert (await model.complete(REQUEST)).text == "Two."
        assert [call.get("stream", False) for call in server.calls] == [True, False, False]


async def test_an_empty_reply_is_an_empty_reply() -> None:
    async with served(Answer(), Answer()) as (model, _):
        reply = await model.complete(REQUEST)
    assert (reply.text, reply.tool_calls, reply.finish_reason) == (None, (), "stop")


EMPTY_CHUNK = (
    '{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}'
)
SSE = "text/event-stream"
FAULTS: dict[str, tuple[Entry, str]] = {
    "rate_limit": (Failure(status=429, headers={"retry-after": "0"}), "limits the rate (HTTP 429)"),
    "server_error": (Failure(status=500), "the provider failed (HTTP 500)"),
    "unavailable": (Failure(status=503), "the provider failed (HTTP 503)"),
    "cut_stream": (Answer(text="Hello there, world", hang_up_after=3), "broke off midway"),
    "ended_early": (Answer(text="Hello there, world", end_after=3), "broke off midway"),
    "garbage_event": (Raw(body="data: {oops\n\n", content_type=SSE), "broke off midway"),
    "no_choices": (Raw(body=f"data: {EMPTY_CHUNK}\n\ndata: [DONE]\n\n", content_type=SSE), ""),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_a_passing_fault_is_retried(fault: tuple[Entry, str]) -> None:
    entry, _ = fault
    async with served(entry, entry, Answer(text="Good.")) as (model, server):
        assert (await model.complete(REQUEST)).text == "Good."
        assert len(server.calls) == 3


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_a_lasting_fault_is_an_inference_error_after_three_attempts(
    fault: tuple[Entry, str],
) -> None:
    entry, words = fault
    async with served(*[entry] * 9) as (model, server):
        with pytest.raises(InferenceError) as caught:
            await model.complete(REQUEST)
        assert len(server.calls) == 3
    assert caught.value.retryable
    assert words in caught.value.message
    assert caught.value.message.startswith(NAME)


HTML = Raw(body="<html><h1>It works</h1></html>", content_type="text/html")


@pytest.mark.parametrize("entry", [HTML, Raw(body="{}"), Raw(body='{"choices": []}'), Raw(body="")])
async def test_garbage_instead_of_a_reply_is_an_inference_error(entry: Raw) -> None:
    async with served(*[entry] * 9) as (model, _):
        with pytest.raises(InferenceError) as caught:
            await model.complete(REQUEST)
    assert caught.value.retryable
    assert len(caught.value.message) < 400


async def test_a_wait_that_the_provider_asks_for_is_honoured() -> None:
    waits: list[float] = []

    def note(details: RetryDetails) -> None:
        waits.append(details.wait_for)

    stamina.set_testing(False)
    set_on_retry_hooks([note])
    try:
        failure = Failure(status=429, headers={"retry-after": "0.02"})
        async with served(failure, Answer(text="Good.")) as (model, _):
            assert (await model.complete(REQUEST)).text == "Good."
    finally:
        set_on_retry_hooks(None)
    assert waits == [0.02]


async def test_a_wait_beyond_reason_is_not_waited_for() -> None:
    failure = Failure(status=429, headers={"retry-after": "3600"})
    async with served(failure) as (model, server):
        with pytest.raises(InferenceError, match="limits the rate"):
            await model.complete(REQUEST)
        assert len(server.calls) == 1


async def test_a_stream_that_starts_again_says_so() -> None:
    script = (Answer(text="Hello there, world", hang_up_after=3), Answer(text="Good."))
    async with served(*script) as (model, _):
        kinds = [
            i.kind if isinstance(i, ModelDelta) else i.text async for i in model.stream(REQUEST)
        ]
    assert kinds[0] == "text"
    assert kinds.count("restart") == 1
    assert kinds[-1] == "Good."
    assert "text" in kinds[kinds.index("restart") :]


@pytest.mark.parametrize(
    ("entry", "options", "words"),
    [
        (Answer(), {"key": "sk-wrong-9876543210fedcba"}, "refused the API key (HTTP 401)"),
        (Answer(), {"name": "openai/other"}, "no such model or address (HTTP 404)"),
        (Failure(status=400, message="bad tools"), {}, "refused the request (HTTP 400): bad tools"),
        (Failure(status=429, message="x", code="insufficient_quota"), {}, "limits the rate"),
        (
            Failure(
                status=400,
                message="This model's maximum context length is 8 tokens.",
                code="context_length_exceeded",
            ),
            {},
            "longer than the model's window",
        ),
    ],
)
async def test_what_a_retry_cannot_mend_is_said_at_once(
    entry: Entry, options: dict[str, str], words: str
) -> None:
    async with served(entry, **options) as (model, server):
        with pytest.raises(InferenceError) as caught:
            await model.complete(REQUEST)
        assert len(server.calls) == 1
    assert not caught.value.retryable
    assert words in caught.value.message


async def test_no_key_is_in_the_error_its_cause_context_notes_or_traceback_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = "sk-wrong-9876543210fedcba"
    monkeypatch.setenv("SOMEBODYS_API_KEY", "plainwordsecret")
    echo = Failure(status=401, message=f"Incorrect key {wrong}; also plainwordsecret")
    for entry, key in ((Answer(), wrong), (echo, KEY)):
        async with served(entry, key=key) as (model, _):
            with pytest.raises(InferenceError) as caught:
                await model.complete(REQUEST)
        error: BaseException | None = caught.value
        while error is not None:
            shown = f"{error!r} {vars(error)} {getattr(error, '__notes__', '')}"
            assert wrong not in shown
            assert "plainwordsecret" not in shown
            error = error.__cause__ or error.__context__
        text = "".join(traceback.format_exception(caught.value))
        assert wrong not in text
        assert "Bearer" not in text


async def test_a_server_that_never_answers_ends_at_the_deadline() -> None:
    async with served(Stall(), Stall(), Stall(), timeout_s=0.3, max_attempts=1) as (model, _):
        with pytest.raises(InferenceError, match=r"in time|within 0\.3 s"):
            await model.complete(REQUEST)


async def test_nobody_listening_is_a_connection_error() -> None:
    async with served() as (_, server):
        gone = server.base_url
    model = LiteLLMModel(NAME, api_base=gone, api_key=KEY, max_attempts=1)
    with pytest.raises(InferenceError, match="connection to the provider failed"):
        await model.complete(REQUEST)
    await model.aclose()


async def test_cancelling_ends_the_call_and_the_model_serves_on() -> None:
    async with served(Stall(), Answer(text="Still here.")) as (model, server):
        call = asyncio.create_task(model.complete(REQUEST))
        await server.wait_for_call()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await model.complete(REQUEST)).text == "Still here."
        await model.aclose()
        with pytest.raises(InferenceError):
            await model.complete(REQUEST)


async def test_what_the_price_table_knows_of_a_model() -> None:
    model = LiteLLMModel("openai/gpt-4o-mini", api_key=KEY)
    price = model.price()
    assert price is not None
    assert 0 < price.input_usd < price.output_usd
    assert model.supports_output_schema()
    assert (model.context_window() or 0) > 10_000
    unknown = LiteLLMModel("openai/nobody-knows-this", context_window=4096)
    assert (unknown.price(), unknown.supports_output_schema()) == (None, False)
    assert unknown.context_window() == 4096
    assert LiteLLMModel(NAME, supports_output_schema=True).supports_output_schema()


@pytest.mark.parametrize("name", ["", "gpt", "/x", "openai/"])
def test_a_name_without_provider_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="provider/name"):
        LiteLLMModel(name)


def test_importing_the_model_imports_no_litellm_and_reads_no_env_file(tmp_path: object) -> None:
    code = (
        "import sys, os, pathlib; pathlib.Path('.env').write_text('LEAKED=1')\n"
        "import browser_agent.models.litellm_model as m\n"
        "assert m.LiteLLMModel('openai/gpt-4o-mini').price() is not None\n"
        "assert 'litellm' not in sys.modules\n"
        "from browser_agent.models.litellm_setup import load_litellm\n"
        "load_litellm()\n"
        "assert 'LEAKED' not in os.environ\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        cwd=str(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
