"""Matching of recorded requests: what means nothing is folded, everything else counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent import ModelReply, ModelRequest, RecordedModel, RecordingError, ToolCall
from browser_agent.logic.recorded import LocalNames, network_key
from browser_agent.logic.redact import Redactor
from browser_agent.logic.redact_steady import redact_steady
from browser_agent.models.recorded import RecordingModel
from browser_agent.models.scripted import ScriptedModel
from browser_agent.store.recording import Recording, RecordingWriter

SECRET = "correct-horse-battery"


def key(url: str, body: bytes | None = None, method: str = "GET") -> str:
    return network_key(method, url, body, LocalNames())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("http://127.0.0.1:1234/a?x=1", "http://127.0.0.1:4321/a?x=1"),
        ("https://e.com/a?_=1764500000123", "https://e.com/a?_=1764511111456"),
        ("https://e.com/a?q=1764500000", "https://e.com/a?q=1764599999"),
        ("https://e.com/a?cb=x7", "https://e.com/a?cb=y8"),
        ("http://localhost/a", "http://localhost:80/a"),
    ],
)
def test_what_means_nothing_is_folded(left: str, right: str) -> None:
    assert key(left) == key(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("https://e.com/a?x=1", "https://e.com/a?x=2"),
        ("https://e.com/a", "https://e.com/b"),
        ("https://e.com/a", "http://e.com/a"),
        ("https://e.com/2026", "https://e.com/2027"),
    ],
)
def test_everything_else_counts(left: str, right: str) -> None:
    assert key(left) != key(right)


def test_bodies_and_methods_count() -> None:
    assert key("https://e.com/", b"a=1", "POST") != key("https://e.com/", b"a=2", "POST")
    assert key("https://e.com/", b"t=1764500000123", "POST") == key(
        "https://e.com/", b"t=1764500099999", "POST"
    )
    assert key("https://e.com/") != key("https://e.com/", method="HEAD")


def request(text: str) -> ModelRequest:
    return ModelRequest(messages=({"role": "user", "content": text},))


def shown(nonce: str, operation: str, port: int) -> str:
    return (
        f"R1 ok {operation} http://127.0.0.1:{port}/ sha256:aa\n<<<page {nonce}\nat "
        f"2026-11-30T12:00:{port % 60:02d}Z\n{nonce} page>>>"
    )


async def record(folder: Path, entries: list[object], texts: list[str]) -> None:
    writer = RecordingWriter(folder)
    model = RecordingModel(ScriptedModel(entries), writer, Redactor([SECRET]))  # pyright: ignore[reportArgumentType]
    for text in texts:
        await model.complete(request(text))
    writer.write_meta({"plan": {}})
    writer.close()


@pytest.mark.anyio
async def test_a_recorded_model_answers_again_whatever_the_ids_are(tmp_path: Path) -> None:
    first = shown("0123456789abcdef", "op_01ARZ3NDEKTSV4RRFFQ69G5FAV", 1111)
    again = shown("fedcba9876543210", "op_01BX5ZZKBKACTAV9WEVGEMMVRZ", 2222)
    await record(tmp_path, [[("look", {"q": 1})], "done"], ["begin", first])
    model = RecordedModel(tmp_path)
    reply = await model.complete(request("begin"))
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("look", '{"q": 1}')]
    assert (await model.complete(request(again))).text == "done"
    assert model.unused == 0


@pytest.mark.anyio
async def test_a_miss_names_the_difference_to_the_nearest(tmp_path: Path) -> None:
    await record(tmp_path, ["one", "two"], ["alpha beta gamma", "something else"])
    model = RecordedModel(tmp_path)
    with pytest.raises(RecordingError, match="delta") as caught:
        await model.complete(request("alpha beta delta"))
    assert "gamma" in str(caught.value)
    await model.complete(request("alpha beta gamma"))
    with pytest.raises(RecordingError, match="fewer times"):
        await model.complete(request("alpha beta gamma"))


@pytest.mark.anyio
async def test_no_secret_is_recorded(tmp_path: Path) -> None:
    await record(tmp_path, [f"the word is {SECRET}"], [f"use {SECRET} here"])
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


def test_damaged_recordings_are_said(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no recorded model"):
        RecordedModel(tmp_path)
    with pytest.raises(RecordingError, match="holds no recording"):
        Recording(tmp_path)
    writer = RecordingWriter(tmp_path)
    writer.write_meta({"plan": {}})
    writer.add_network({"n": 1, "method": "GET", "url": "http://e/", "status": 200})
    writer.add_network({"n": 2, "method": "GET", "url": "http://e/b", "status": 200})
    writer.close()
    assert len(Recording(tmp_path).network) == 2
    log = tmp_path / "network.jsonl"
    log.write_bytes(log.read_bytes()[:-5])
    assert len(Recording(tmp_path).network) == 1
    log.write_bytes(b"{\n" + log.read_bytes())
    with pytest.raises(RecordingError, match="line 1"):
        Recording(tmp_path)
    (tmp_path / "model.jsonl").write_text('{"key": 1}\n')
    with pytest.raises(RecordingError, match="damaged"):
        RecordedModel(tmp_path)


@given(st.text(max_size=80), st.text(max_size=80))
def test_placeholders_keep_the_length_and_hold_nothing(before: str, after: str) -> None:
    text = f"{before} {SECRET} {after}"
    redactor = Redactor([SECRET])
    clean = redact_steady(text, redactor)
    assert SECRET not in clean
    if SECRET not in before + after and redactor.redact_text(before + after) == before + after:
        assert len(clean) == len(text)
    assert redact_steady(text, redactor) == clean


def test_a_reply_survives_the_recording() -> None:
    call = ToolCall(id="c", name="n", arguments="{}")
    from browser_agent.models.recorded import parse_reply, plain_reply

    reply = ModelReply(text="t", tool_calls=(call,), reasoning="r", answered=False)
    assert parse_reply(plain_reply(reply)) == reply
    with pytest.raises(RecordingError):
        parse_reply({"tool_calls": [{"nonsense": 1}]})
