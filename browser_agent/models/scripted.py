"""A model that follows a script: for tests of robots, without network, key or chance.

Owns turning script entries into replies and complaining about calls too many and entries left
over. It reads no pages and makes no decisions.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from browser_agent.errors import InvalidInput
from browser_agent.records.model import ModelDelta, ModelReply, ModelRequest, ToolCall, Usage

Says = str | Sequence[tuple[str, Mapping[str, object] | str]] | ModelReply | BaseException
"""A final text; tool calls as ``(name, arguments)``, arguments raw text or a mapping; a whole
reply; or an exception to raise."""

Entry = Says | Callable[[ModelRequest], "Says | Awaitable[Says]"]


class ScriptedModel:
    """Answers one call with one entry; ``usage`` goes with every reply that brings none.

    An AssertionError comes out of ``run()`` on a call too many and, after a run that stopped as
    ``completed``, on entries left over. ``requests`` holds what the model was asked.
    """

    def __init__(self, script: Iterable[Entry], *, usage: Usage | None = None) -> None:
        self._script = list(script)
        self._usage = usage or Usage()
        self._calls = 0
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Give the reply of the next entry, or raise its exception."""
        self.requests.append(request)
        turn = len(self.requests)
        if turn > len(self._script):
            raise AssertionError(
                f"ScriptedModel was called {turn} times, its script holds {len(self._script)}"
            )
        entry = self._script[turn - 1]
        if callable(entry):
            entry = entry(request)
            entry = await entry if inspect.isawaitable(entry) else entry
        return self._build_reply(entry)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | ModelReply]:
        """Yield reasoning, text and arguments as one delta each, then the reply."""
        reply = await self.complete(request)
        if reply.reasoning:
            yield ModelDelta(kind="reasoning", text=reply.reasoning)
        if reply.text:
            yield ModelDelta(kind="text", text=reply.text)
        for index, call in enumerate(reply.tool_calls):
            yield ModelDelta(
                kind="tool_arguments", text=call.arguments, index=index, tool_name=call.name
            )
        yield reply

    def check_finished(self) -> None:
        """Raise AssertionError when entries are left over."""
        left = len(self._script) - len(self.requests)
        if left > 0:
            raise AssertionError(f"ScriptedModel has {left} of {len(self._script)} entries left")

    def on_run_end(self, stop_reason: str) -> None:
        """The loop calls this: a run that completed must have used the whole script."""
        if stop_reason == "completed":
            self.check_finished()

    def _build_reply(self, entry: object) -> ModelReply:
        match entry:
            case BaseException():
                raise entry
            case ModelReply():
                reply = entry
            case str():
                reply = ModelReply(text=entry, finish_reason="stop")
            case list() | tuple():
                items = cast("Sequence[object]", entry)
                calls = tuple(self._build_call(item) for item in items)
                reply = ModelReply(tool_calls=calls, finish_reason="tool_calls")
            case _:
                raise InvalidInput(f"a script cannot hold a {type(entry).__name__}")
        return replace(reply, usage=self._usage) if reply.usage == Usage() else reply

    def _build_call(self, item: object) -> ToolCall:
        match item:
            case (str(name), str(text)):
                pass
            case (str(name), Mapping()):
                arguments = cast("Mapping[str, object]", item[1])
                text = json.dumps(dict(arguments), ensure_ascii=False)
            case _:
                raise InvalidInput("a scripted call is (tool name, arguments)")
        self._calls += 1
        return ToolCall(id=f"call_{self._calls}", name=name, arguments=text)
