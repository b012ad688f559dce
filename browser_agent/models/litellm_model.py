"""A language model behind litellm: streaming inside, our own retries, cost or None.

Owns one call from request to reply. It raises InferenceError only, with a message that holds no
key; it executes no tool and keeps no conversation, except the signed thinking that some providers
want to see again.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any, cast

import stamina

from browser_agent.errors import ConfigurationError, InferenceError
from browser_agent.models.litellm_calls import Answer, Emit, complete_once, stream_once, table_cost
from browser_agent.models.litellm_request import build_arguments, build_messages
from browser_agent.models.litellm_setup import (
    close_clients,
    counted_call,
    load_litellm,
    read_facts,
)
from browser_agent.models.provider_errors import (
    ProviderError,
    describe_failure,
    is_content_filter,
    refuses_streaming,
)
from browser_agent.records.model import (
    JsonDict,
    ModelDelta,
    ModelPrice,
    ModelReply,
    ModelRequest,
    Usage,
)

MAX_RETRY_AFTER_S = 60.0
"""A provider that asks for a longer wait gets no further call."""

_KEPT_TURNS = 256
_NO_KEY = "none"


class LiteLLMModel:
    """A model by its litellm name (``openai/…``, ``anthropic/…``).

    ``timeout_s`` bounds one :meth:`complete`, retries included; ``max_attempts`` counts the first
    try. ``price`` (US dollars a token) beats the price table. ``supports_output_schema`` and
    ``context_window`` (tokens) override what the table says, for models it does not know.
    ``streaming`` False asks for whole replies only.
    """

    def __init__(
        self,
        name: str,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
        max_attempts: int = 3,
        price: ModelPrice | None = None,
        supports_output_schema: bool | None = None,
        context_window: int | None = None,
        streaming: bool = True,
    ) -> None:
        provider, slash, bare = name.partition("/")
        if not (provider and slash and bare):
            raise ConfigurationError(f"a model is named provider/name, got {name!r}")
        if timeout_s <= 0 or max_attempts < 1:
            raise ConfigurationError("timeout_s must be above 0 and max_attempts at least 1")
        self.name = name
        self._provider = provider
        self._api_base = api_base
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._max_attempts = max_attempts
        self._price = price
        self._schema = supports_output_schema
        self._window = context_window
        self._streaming = streaming
        self._blocks: OrderedDict[str, tuple[JsonDict, ...]] = OrderedDict()

    def __repr__(self) -> str:
        return f"LiteLLMModel({self.name!r})"

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer one request. Raises InferenceError after the retries."""
        return await self._call(request, _ignore)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | ModelReply]:
        """Yield pieces as they arrive, then the reply. Closing the iterator ends the call."""
        queue: asyncio.Queue[ModelDelta | None] = asyncio.Queue()
        task = asyncio.create_task(self._call(request, queue.put_nowait))
        task.add_done_callback(lambda _task: queue.put_nowait(None))
        try:
            while (delta := await queue.get()) is not None:
                yield delta
            yield await task
        finally:
            task.cancel()
            await asyncio.wait([task])

    def price(self) -> ModelPrice | None:
        """US dollars a token; None when neither the caller nor the price table says."""
        return self._price or read_facts(self.name).price

    def supports_output_schema(self) -> bool:
        """Whether ``output_schema`` binds the reply; False where the table does not know."""
        return read_facts(self.name).output_schema if self._schema is None else self._schema

    def context_window(self) -> int | None:
        """Tokens of input; None when nobody knows."""
        return self._window or read_facts(self.name).context_window

    async def aclose(self) -> None:
        """Close the HTTP clients; a later call opens new ones."""
        await close_clients()

    async def _call(self, request: ModelRequest, emit: Emit) -> ModelReply:
        arguments = build_arguments(request)
        await asyncio.to_thread(load_litellm)
        try:
            async with asyncio.timeout(self._timeout_s), counted_call():
                return await self._retry(request, arguments, emit)
        except TimeoutError:
            pass
        raise InferenceError(f"{self.name}: no whole reply within {self._timeout_s:g} s")

    async def _retry(
        self, request: ModelRequest, arguments: dict[str, object], emit: Emit
    ) -> ModelReply:
        shown: list[bool] = []

        def show(delta: ModelDelta) -> None:
            shown.append(True)
            emit(delta)

        async for attempt in stamina.retry_context(
            on=_wait_before_retry, attempts=self._max_attempts, timeout=None
        ):
            with attempt:
                if shown:
                    shown.clear()
                    emit(ModelDelta(kind="restart", text=""))
                return await self._attempt(request, arguments, show)
        raise AssertionError("a retry loop ends with a reply or raises")

    async def _attempt(
        self, request: ModelRequest, arguments: dict[str, object], emit: Emit
    ) -> ModelReply:
        full = arguments | self._connection() | {"messages": self._messages(request)}
        try:
            return self._finish(request, await self._ask(full, emit))
        except Exception as exc:  # noqa: BLE001 - whatever a provider raises becomes an InferenceError
            if is_content_filter(exc):
                return ModelReply(finish_reason="content_filter")
            failure = describe_failure(self.name, exc, [self._api_key or ""])
        raise failure  # outside the handler, or its context would hold the provider's exception

    async def _ask(self, full: dict[str, Any], emit: Emit) -> Answer:
        """Stream, and ask once more for a whole reply where a stream brought nothing."""
        spent = Usage()
        if self._streaming:
            try:
                answer = await stream_once(full, emit)
            except Exception as exc:
                if not refuses_streaming(exc):
                    raise
                self._streaming = False
            else:
                if not answer.builder.says_nothing:
                    return answer
                spent = answer.usage
        whole = await complete_once(full, emit)
        return replace(whole, usage=spent + whole.usage)

    def _finish(self, request: ModelRequest, answer: Answer) -> ModelReply:
        cost = (
            self._price.cost_of(answer.usage)
            if self._price
            else table_cost(self.name, answer.usage)
        )
        reply = answer.builder.build(request, replace(answer.usage, cost_usd=cost))
        blocks = cast("tuple[JsonDict, ...]", reply.provider_metadata.get("thinking_blocks", ()))
        if blocks and reply.tool_calls:
            self._blocks[reply.tool_calls[0].id] = blocks
            while len(self._blocks) > _KEPT_TURNS:
                self._blocks.popitem(last=False)
        return reply

    def _messages(self, request: ModelRequest) -> list[dict[str, object]]:
        return build_messages(
            request,
            provider=self._provider,
            own_base=self._api_base is not None,
            blocks=self._blocks,
        )

    def _connection(self) -> dict[str, object]:
        key = self._api_key
        if key is None and self._provider == "openai" and not os.environ.get("OPENAI_API_KEY"):
            key = _NO_KEY  # servers of one's own need none, but the client insists on one
        given = {"api_base": self._api_base, "api_key": key}
        return {
            "model": self.name,
            "timeout": self._timeout_s,
            "max_retries": 0,
            **{name: value for name, value in given.items() if value is not None},
        }


def _ignore(_delta: ModelDelta) -> None:
    """The sink of a call that nobody watches."""


def _wait_before_retry(exc: Exception) -> bool | float:
    """For stamina: no retry, its own backoff, or the seconds that the provider asked for."""
    if not isinstance(exc, ProviderError) or not exc.retryable:
        return False
    if exc.retry_after_s is None:
        return True
    return exc.retry_after_s if exc.retry_after_s <= MAX_RETRY_AFTER_S else False
