"""Models of recordings: one that writes down what another model answers, one that answers so again.

Owns the model half. Requests are matched by the hash of their folded form (``logic.recorded``);
a request that was not recorded is a RecordingError with the difference to the nearest one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Protocol, cast

from browser_agent._freeze import thaw
from browser_agent._json import dumps, loads
from browser_agent.errors import InferenceError, InvalidInput, RecordingError
from browser_agent.logic.recorded import (
    LocalNames,
    describe_difference,
    model_key,
    model_request,
    nearest,
)
from browser_agent.logic.redact_steady import Steady
from browser_agent.ports import Model, Redacts
from browser_agent.records.model import ModelReply, ModelRequest, ToolCall, Usage


class Sink(Protocol):
    """Where the model half goes."""

    def add_model(self, entry: Mapping[str, object]) -> None: ...


class RecordingModel:
    """Passes every request on and records it with its reply, both redacted."""

    def __init__(
        self, inner: Model, sink: Sink, redactor: Redacts, steady: Steady | None = None
    ) -> None:
        self._inner = inner
        self._steady = steady or Steady(lambda: redactor)
        self._sink = sink
        self._redactor = redactor
        self._names = LocalNames()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer with the inner model's reply; a failure is recorded and goes on."""
        try:
            reply = await self._inner.complete(request)
        except InferenceError as error:
            failure = self._redactor.redact_text(error.message)
            self._add(request, {"reply": {}, "failure": failure})
            raise
        self._add(request, {"reply": self._steady.value(plain_reply(reply))})
        return reply

    def _add(self, request: ModelRequest, outcome: Mapping[str, object]) -> None:
        folded = model_request(plain_request(request), self._names)
        clean = cast("Mapping[str, object]", self._redactor.redact(folded))
        self._sink.add_model({"key": model_key(clean), "request": clean, **outcome})

    def on_run_end(self, stop_reason: str) -> None:
        """Pass the end of the run on to a model that wants to know."""
        listener = getattr(self._inner, "on_run_end", None)
        if listener is not None:
            listener(stop_reason)


class RecordedModel:
    """Answers as a recorded model did; strict on anything else.

    ``path`` is a ``model.jsonl`` or a folder that holds one (a run folder too).
    """

    def __init__(self, path: str | PathLike[str], redactor: Redacts | None = None) -> None:
        self._entries = _load(Path(path))
        self._redactor = redactor
        self._names = LocalNames()
        self._by_key: dict[str, list[Mapping[str, object]]] = defaultdict(list)
        for entry in self._entries:
            self._by_key[str(entry["key"])].append(entry)
        self._used: dict[str, int] = defaultdict(int)

    @property
    def unused(self) -> int:
        """How many recorded replies were never asked for."""
        return len(self._entries) - sum(self._used.values())

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply to the same request; repeated requests get theirs in order."""
        folded: object = model_request(plain_request(request), self._names)
        if self._redactor is not None:
            folded = self._redactor.redact(folded)
        wanted = cast("Mapping[str, object]", folded)
        key = model_key(wanted)
        recorded = self._by_key.get(key, [])
        if self._used[key] >= len(recorded):
            raise RecordingError(self._miss(wanted, repeated=bool(recorded)))
        entry = recorded[self._used[key]]
        self._used[key] += 1
        if "failure" in entry:
            raise InferenceError(str(entry["failure"]))
        return parse_reply(cast("Mapping[str, object]", entry["reply"]))

    def _miss(self, wanted: Mapping[str, object], *, repeated: bool) -> str:
        if repeated:
            return "the recording holds this model request fewer times than it was made"
        known = {dumps(entry["request"]): entry["request"] for entry in self._entries}
        closest = nearest(dumps(wanted), list(known))
        if closest is None:
            return "the recording holds no model request"
        return "the recording does not hold this model request; the nearest differs:\n" + (
            describe_difference(wanted, known[closest])
        )


def plain_request(request: ModelRequest) -> dict[str, object]:
    """What of a request decides the reply: messages, tools, wanted form, settings."""
    settings = request.settings
    return {
        "messages": [dict(message) for message in request.messages],
        "tools": [thaw(tool) for tool in request.tools],
        "output_schema": thaw(request.output_schema),
        "max_output_tokens": request.max_output_tokens,
        "temperature": settings.temperature,
        "seed": settings.seed,
    }


def plain_reply(reply: ModelReply) -> dict[str, object]:
    """A reply as plain JSON."""
    return {
        "text": reply.text,
        "tool_calls": [
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in reply.tool_calls
        ],
        "reasoning": reply.reasoning,
        "usage": reply.usage.to_dict(),
        "finish_reason": reply.finish_reason,
        "answered": reply.answered,
    }


def parse_reply(value: Mapping[str, object]) -> ModelReply:
    """Read what :func:`plain_reply` wrote; RecordingError when it is damaged."""
    try:
        calls = cast("Sequence[Mapping[str, str]]", value.get("tool_calls") or ())
        return ModelReply(
            text=cast("str | None", value.get("text")),
            tool_calls=tuple(ToolCall(**call) for call in calls),
            reasoning=cast("str | None", value.get("reasoning")),
            usage=Usage(**cast("dict[str, int]", value.get("usage") or {})),
            finish_reason=cast("str | None", value.get("finish_reason")),
            answered=cast("bool | None", value.get("answered")),
        )
    except TypeError:
        raise RecordingError("a recorded model reply is damaged") from None


def _load(path: Path) -> Sequence[Mapping[str, object]]:
    for place in (path, path / "model.jsonl", path / "recording" / "model.jsonl"):
        if place.is_file():
            break
    else:
        raise RecordingError(f"{path.name} holds no recorded model")
    found: list[Mapping[str, object]] = []
    for number, line in enumerate(place.read_bytes().splitlines(), 1):
        try:
            value = loads(line)
        except InvalidInput:
            value = None
        if not isinstance(value, Mapping) or not {"key", "request", "reply"} <= set(
            cast("Mapping[str, object]", value)
        ):
            raise RecordingError(f"{place.name}: line {number} is damaged")
        found.append(cast("Mapping[str, object]", value))
    return found
