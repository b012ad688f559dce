"""Events of a run: typed, numbered, redacted, as they come; closing the iterator cancels."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from browser_agent._json import loads
from browser_agent.errors import InferenceError
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.events import Event, RunEnded, TextDelta, ToolCallEnded
from browser_agent.records.limits import RunLimits
from browser_agent.records.model import ModelDelta, ModelReply, ModelRequest, Usage
from browser_agent.records.result import Result
from browser_agent.robot.compaction import Compaction
from browser_agent.robot.robot import Robot
from browser_agent.store.verify import verify_run
from browser_agent.tools.tool import tool

pytestmark = pytest.mark.anyio

KEY = "sk-ant-api03-" + "a1B2c3D4" * 12


@tool
def look(at: int) -> Result:
    """Look."""
    return Result.ok({"text": f"page {at} " + "words " * 200}, operation_id=f"op_{at}")


class Streams:
    """A model that streams what it is told to, piece by piece, each behind a gate."""

    def __init__(self, pieces: list[ModelDelta | ModelReply], *, gated: bool = False) -> None:
        self.pieces = pieces
        self.gate = asyncio.Semaphore(0 if gated else 10**6)
        self.closed = False

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise AssertionError("it streams")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | ModelReply]:
        try:
            for piece in self.pieces:
                await self.gate.acquire()
                yield piece
        finally:
            self.closed = True


def text(words: str) -> ModelDelta:
    return ModelDelta(kind="text", text=words)


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


async def collect(robot: Robot, **options: Any) -> list[Event]:
    return [event async for event in robot.stream("Go.", **options)]


async def test_a_run_is_told_from_start_to_end_in_numbered_events() -> None:
    script = [[("look", {"at": 1})], "It says page 1."]
    model = ScriptedModel(script, usage=Usage(input_tokens=3, output_tokens=2))
    events = await collect(Robot("r", model=model, tools=[look]))
    assert kinds(events) == [
        "run_started",
        "turn_started",
        "tool_arguments_delta",
        "tool_arguments_delta",
        "usage_updated",
        "turn_ended",
        "tool_call_started",
        "tool_call_ended",
        "turn_started",
        "text_delta",
        "text_delta",
        "usage_updated",
        "turn_ended",
        "run_ended",
    ]
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert len({event.id for event in events}) == len(events)
    assert [event.turn for event in events if event.kind == "turn_started"] == [1, 2]
    called = next(event for event in events if isinstance(event, ToolCallEnded))
    assert (called.number, called.status) == (1, "ok")
    assert called.result is not None
    assert "data" not in called.to_dict()["result"]  # type: ignore[operator] - a plain dict
    last = events[-1]
    assert isinstance(last, RunEnded)
    assert (last.result.reply, last.stop_reason, last.status) == (
        "It says page 1.",
        "completed",
        "ok",
    )


async def test_text_arrives_as_it_comes() -> None:
    pieces = [text("Hello "), text("world "), ModelReply(text="Hello world ")]
    model = Streams(pieces, gated=True)
    seen: list[str] = []
    async with (
        asyncio.timeout(10),
        aclosing(Robot("r", model=model, tools=[]).stream("Go.")) as events,
    ):
        async for event in events:
            if isinstance(event, TextDelta):
                seen.append(event.text)
                model.gate.release()
            elif event.kind == "turn_started":
                assert seen == []
                model.gate.release()
            if len(seen) == 2:
                model.gate.release()
    assert seen == ["Hello ", "world "]


async def test_reasoning_and_restarts_are_told() -> None:
    pieces = [
        ModelDelta(kind="reasoning", text="hmm "),
        text("wrong "),
        ModelDelta(kind="restart", text=""),
        text("right "),
        ModelReply(text="right ", reasoning="hmm"),
    ]
    events = await collect(Robot("r", model=Streams(pieces), tools=[]))
    told = [(e.kind, getattr(e, "text", "")) for e in events if e.is_delta]
    assert told == [
        ("reasoning_delta", "hmm "),
        ("text_delta", "wrong "),
        ("restarted", ""),
        ("text_delta", "right "),
    ]


async def test_no_event_and_no_file_holds_a_secret_however_it_was_cut(tmp_path: Path) -> None:
    cut = [text(f"the key is {KEY[:30]}"), text(KEY[30:60]), text(KEY[60:] + " so"), text(" there")]
    pieces = [*cut, ModelReply(text=f"the key is {KEY} so there", reasoning=f"I saw {KEY}")]
    robot = Robot("r", model=Streams([*pieces]), tools=[], instructions=f"Use {KEY}.")
    events = [event async for event in robot.stream(f"Say {KEY}.", run_dir=tmp_path / "run")]
    told = "".join(str(event.to_dict()) for event in events)
    assert "a1B2c3D4a1B2" not in told
    shown = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert shown.startswith("the key is [REDACTED:")
    assert shown.endswith(" so there")
    for file in (tmp_path / "run").rglob("*"):
        if file.is_file():
            assert b"a1B2c3D4a1B2" not in file.read_bytes()


async def test_closing_the_iterator_cancels_the_run_and_cleans_up() -> None:
    model = Streams([text("Hello "), text("world ")], gated=True)
    robot = Robot("r", model=model, tools=[])
    ended: list[object] = []

    class Watch:
        def on_error_run(self, context: Any) -> None:
            ended.append(context.error)

    async with asyncio.timeout(10):
        events = robot.stream("Go.", hooks=[Watch()])
        async for event in events:
            if event.kind == "turn_started":
                break
        await events.aclose()
    assert model.closed
    assert isinstance(ended[0], asyncio.CancelledError)
    assert robot.messages == ()


async def test_a_failed_run_ends_with_its_result_and_then_raises() -> None:
    robot = Robot("r", model=ScriptedModel([InferenceError("overloaded")]), tools=[])
    events: list[Event] = []

    async def gather() -> None:
        async for event in robot.stream("Go."):
            events.append(event)  # noqa: PERF401 - what came before the exception counts

    with pytest.raises(InferenceError, match="overloaded"):
        await gather()
    assert isinstance(events[-1], RunEnded)
    assert events[-1].stop_reason == "model_error"


async def test_a_stream_that_ends_without_a_reply_is_an_error_of_the_model() -> None:
    with pytest.raises(InferenceError, match="without a reply"):
        await collect(Robot("r", model=Streams([text("half ")]), tools=[]))


async def test_events_of_a_run_are_chained_in_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    robot = Robot("r", model=ScriptedModel([[("look", {"at": 1})], "done"]), tools=[look])
    result = await robot.run("Go.", run_dir=folder)
    lines = [loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines] == [  # type: ignore[index] - plain dicts
        "run_started",
        "turn_started",
        "usage_updated",
        "turn_ended",
        "tool_call_started",
        "tool_call_ended",
        "turn_started",
        "usage_updated",
        "turn_ended",
        "run_ended",
        "files",
        "run_finished",
    ]
    assert verify_run(folder).ok
    (blob,) = [path for path in (folder / "blobs").rglob("*") if path.is_file()]
    assert f"sha256:{blob.name}" == result.results[0].digest


async def test_a_long_conversation_is_shortened_before_it_fills_the_window() -> None:
    script: list[Any] = [[("look", {"at": n})] for n in range(1, 7)]
    model = ScriptedModel([*script, "done"])
    seen: list[int] = []

    class Watch:
        def after_compaction(self, context: Any) -> None:
            seen.append(len(context.messages_after))

    robot = Robot(
        "r",
        model=model,
        tools=[look],
        compaction=Compaction(context_window=1500, at=1.0),
        limits=RunLimits(max_turns=10),
        hooks=[Watch()],
    )
    events = await collect(robot)
    assert "compacted" in kinds(events)
    assert seen
    result = events[-1]
    assert isinstance(result, RunEnded)
    whole = [m.text for m in result.result.messages if m.is_tool_result]
    assert all("words words" in text for text in whole), "the result keeps what the model had seen"
    sent = [str(m["content"]) for m in model.requests[-1].messages if m["role"] == "tool"]
    assert "text dropped" in sent[0]
    assert sent[0].startswith("R1 ok op_1 sha256:")
    assert "words words" in sent[-1]
    assert str(model.requests[-1].messages[0]["content"]) == "Go."


async def test_a_hook_can_shorten_in_its_own_way() -> None:
    class Own:
        def before_compaction(self, context: Any) -> None:
            context.messages_after = context.messages_before[:1]

    script: list[Any] = [[("look", {"at": n})] for n in range(1, 6)]
    model = ScriptedModel([*script, "done"])
    robot = Robot("r", model=model, tools=[look], compaction=Compaction(context_window=800))
    await robot.run("Go.", hooks=[Own()])
    assert min(len(request.messages) for request in model.requests[1:]) == 1
