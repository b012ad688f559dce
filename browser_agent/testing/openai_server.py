"""A scripted server that speaks the OpenAI chat protocol over real HTTP, faults included.

Owns the wire form of replies and the log of what clients sent. It holds no model, knows nothing
of our own client, and binds loopback only.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Hangup, Request, Response

CHAT_PATH = "/v1/chat/completions"
MODEL_NAME = "test-model"

Body = Mapping[str, object]


def _standard_usage() -> Body:
    return {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call of an answer; ``arguments`` is the raw text, however broken."""

    name: str
    arguments: str = "{}"
    id: str | None = "call_1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A reply. Streamed in pieces when the client asks for it, unless ``ignore_stream``.

    ``usage`` None: the server does not say. ``hang_up_after`` cuts the connection after so many
    chunks; ``end_after`` ends the stream properly there, before any finish reason.
    """

    text: str | None = None
    calls: tuple[Call, ...] = ()
    reasoning: str | None = None
    refusal: str | None = None
    finish_reason: str | None = None
    usage: Body | None = field(default_factory=_standard_usage)
    hang_up_after: int | None = None
    end_after: int | None = None
    ignore_stream: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error answer of the protocol: a status, a message, perhaps headers such as Retry-After."""

    status: int
    message: str = "something went wrong"
    code: str | None = None
    headers: Body = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Any bytes at all with status 200: garbage, an empty object, no choices."""

    body: str
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Stall:
    """Never answers; the connection stays open until the client gives up."""


Entry = Answer | Failure | Raw | Stall


class OpenAIServer:
    """A running server; open it by :meth:`serve`. One entry of the script answers one request."""

    def __init__(self, script: Sequence[Entry], site: FixtureSite, api_key: str | None) -> None:
        self._script = list(script)
        self._site = site
        self._api_key = api_key
        self._calls: list[Body] = []
        site.route(CHAT_PATH)(self._answer)

    @classmethod
    @contextlib.asynccontextmanager
    async def serve(
        cls, script: Sequence[Entry], *, api_key: str | None = None
    ) -> AsyncGenerator[OpenAIServer]:
        """Serve the script on a free port until the block ends; with a key, others get a 401."""
        async with FixtureSite.serve(None) as site:
            yield cls(script, site, api_key)

    @property
    def base_url(self) -> str:
        """What a client takes as its base: ``http://127.0.0.1:<port>/v1``."""
        return self._site.at("/v1")

    @property
    def calls(self) -> tuple[Body, ...]:
        """The JSON body of every request so far."""
        return tuple(self._calls)

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every request so far, with its headers."""
        return self._site.requests

    @property
    def left(self) -> int:
        """How many entries of the script were not used."""
        return len(self._script)

    async def wait_for_call(self, *, count: int = 1, timeout_s: float = 10.0) -> None:
        """Wait until so many requests have arrived; TimeoutError otherwise."""
        await self._site.wait_for(CHAT_PATH, count=count, timeout_s=timeout_s)

    async def _answer(self, request: Request) -> Response:
        body = cast("Body", json.loads(request.body))
        self._calls.append(body)
        if self._api_key and request.headers.get("authorization") != f"Bearer {self._api_key}":
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            return _render_failure(_wrong_key(given))
        if body.get("model") != MODEL_NAME:
            return _render_failure(_no_such_model(str(body.get("model"))))
        if not self._script:
            return _render_failure(Failure(status=400, message="the script holds no more replies"))
        return await _render(self._script.pop(0), streamed=body.get("stream") is True)


async def _render(entry: Entry, *, streamed: bool) -> Response:
    match entry:
        case Failure():
            return _render_failure(entry)
        case Raw():
            return Response(200, {"content-type": entry.content_type}, entry.body)
        case Stall():
            await asyncio.Event().wait()
            raise Hangup
        case Answer():
            if streamed and not entry.ignore_stream:
                return Response(200, {"content-type": "text/event-stream"}, _stream(entry))
            return Response(200, {"content-type": "application/json"}, json.dumps(_whole(entry)))


def _render_failure(failure: Failure) -> Response:
    headers = {"content-type": "application/json"}
    headers |= {name: str(value) for name, value in failure.headers.items()}
    error = {"message": failure.message, "type": "error", "param": None, "code": failure.code}
    return Response(failure.status, headers, json.dumps({"error": error}))


def _wrong_key(given: str) -> Failure:
    message = f"Incorrect API key provided: {given}."
    return Failure(status=401, message=message, code="invalid_api_key")


def _no_such_model(name: str) -> Failure:
    message = f"The model `{name}` does not exist or you do not have access to it."
    return Failure(status=404, message=message, code="model_not_found")


async def _stream(answer: Answer) -> AsyncGenerator[bytes]:
    for number, chunk in enumerate(_chunks(answer)):
        if number == answer.hang_up_after:
            raise Hangup
        if number == answer.end_after:
            return
        yield f"data: {json.dumps(chunk)}\n\n".encode()
        await asyncio.sleep(0)
    yield b"data: [DONE]\n\n"


def _chunks(answer: Answer) -> Iterator[Body]:
    yield _chunk({"role": "assistant", "content": ""})
    for piece in _pieces(answer.reasoning):
        yield _chunk({"reasoning_content": piece})
    for piece in _pieces(answer.text):
        yield _chunk({"content": piece})
    for piece in _pieces(answer.refusal):
        yield _chunk({"refusal": piece})
    for index, call in enumerate(answer.calls):
        yield _chunk({"tool_calls": [_call_head(index, call)]})
        for piece in _pieces(call.arguments):
            part = {"index": index, "function": {"arguments": piece}}
            yield _chunk({"tool_calls": [part]})
    yield _chunk({}, finish_reason=_finish(answer))
    if answer.usage is not None:
        yield _chunk(None, usage=answer.usage)


def _chunk(
    delta: Body | None, *, finish_reason: str | None = None, usage: Body | None = None
) -> Body:
    choices = [] if delta is None else [_choice(delta, finish_reason)]
    chunk: dict[str, object] = _head("chat.completion.chunk") | {"choices": choices}
    return chunk if usage is None else chunk | {"usage": usage}


def _choice(delta: Body, finish_reason: str | None) -> Body:
    return {"index": 0, "delta": delta, "finish_reason": finish_reason}


def _call_head(index: int, call: Call) -> Body:
    function = {"name": call.name, "arguments": ""}
    head = {"index": index, "type": "function", "function": function}
    return head if call.id is None else head | {"id": call.id}


def _whole(answer: Answer) -> Body:
    message: dict[str, object] = {"role": "assistant", "content": answer.text}
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    if answer.refusal is not None:
        message["refusal"] = answer.refusal
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in answer.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
    whole = _head("chat.completion") | {"choices": [choice]}
    return whole if answer.usage is None else whole | {"usage": answer.usage}


def _head(kind: str) -> dict[str, object]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": MODEL_NAME}


def _finish(answer: Answer) -> str:
    return answer.finish_reason or ("tool_calls" if answer.calls else "stop")


def _pieces(text: str | None) -> Iterator[str]:
    """Cut a text into three or so pieces, so that every reader has to put it together again."""
    if not text:
        return
    size = max(1, -(-len(text) // 3))
    for start in range(0, len(text), size):
        yield text[start : start + size]
