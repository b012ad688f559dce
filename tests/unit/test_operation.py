"""One deadline, one Result: how an operation ends, whatever its body does."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from browser_agent.browser.observer_types import ObserverError
from browser_agent.browser.operation import OVERRUN_S, Body, Kind, Operation, Runner
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.tab import Tab
from browser_agent.records.codes import Effect, ErrorCode, Status
from browser_agent.records.result import Result

QUICK = Kind("act", 0.2, ErrorCode.ACTION_TIMEOUT, effectful=True, on_page=False)
LOOK = Kind("look", 0.2, ErrorCode.OBSERVATION_TIMEOUT, on_page=False)


class Host:
    """A session's side of the runner that keeps what it is told."""

    def __init__(self) -> None:
        self.is_closed = False
        self.gone: ErrorCode | None = None
        self.journal: list[str] = []
        self.published: list[Result] = []

    async def acquire_tab(self, op: Operation) -> Tab:
        fail(ErrorCode.PAGE_CLOSED)

    def seal(self, op: Operation, outcome: Outcome) -> Result:
        if outcome.status is Status.OK:
            return Result.ok(outcome.data, operation_id=op.id, effect=op.effect)
        return Result.failure(
            outcome.status,
            code=cast("str", outcome.code),
            message=outcome.message,
            data=outcome.data,
            operation_id=op.id,
            effect=op.effect,
        )

    def gone_code(self, op: Operation) -> ErrorCode | None:
        return self.gone

    def note_cut(self, op: Operation) -> None:
        self.journal.append("cut")

    async def begin(self, op: Operation) -> None:
        self.journal.append(f"begin {op.kind.name}")

    async def end(self, op: Operation, status: str) -> None:
        self.journal.append(f"end {status}")

    async def publish(self, op: Operation, result: Result) -> None:
        self.published.append(result)


async def run(body: Body, kind: Kind = QUICK, host: Host | None = None) -> Result:
    return await Runner(host or Host()).run(kind, body)


@pytest.mark.anyio
async def test_outcome_becomes_a_result_and_is_published_and_journalled() -> None:
    host = Host()

    async def body(op: Operation) -> Outcome:
        assert host.journal == ["begin act"]
        return Outcome(data={"x": 1})

    result = await run(body, host=host)
    assert result.is_complete
    assert host.journal == ["begin act", "end ok"]
    assert host.published == [result]


@pytest.mark.anyio
async def test_looking_is_not_journalled() -> None:
    host = Host()

    async def body(_: Operation) -> Outcome:
        return Outcome()

    await run(body, LOOK, host)
    assert host.journal == []


@pytest.mark.anyio
async def test_endless_body_ends_at_its_deadline_with_the_code_of_its_kind() -> None:
    async def body(_: Operation) -> Outcome:
        await asyncio.Event().wait()
        return Outcome()

    result = await run(body)
    assert (result.status, result.error_code) == (Status.ERROR, "action_timeout")


@pytest.mark.anyio
async def test_body_that_swallows_cancellation_cannot_outlive_its_bound() -> None:
    release = asyncio.Event()
    over = asyncio.Event()

    async def body(_: Operation) -> Outcome:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        over.set()
        return Outcome()

    async with asyncio.timeout(QUICK.timeout_s + OVERRUN_S + 5):
        result = await run(body)
        assert result.error_code == "action_timeout"
        release.set()
        await over.wait()


@pytest.mark.anyio
@pytest.mark.parametrize("effect", ["dispatching", "acknowledged"])
async def test_timeout_after_the_dispatch_is_unknown(effect: str) -> None:
    async def body(op: Operation) -> Outcome:
        op.not_dispatched()
        getattr(op, effect)()
        await asyncio.Event().wait()
        return Outcome()

    result = await run(body)
    assert (result.status, result.error_code) == (Status.UNKNOWN, "outcome_unknown")
    assert result.effect in (Effect.DISPATCHED, Effect.ACKNOWLEDGED)


@pytest.mark.anyio
async def test_timeout_before_the_dispatch_is_an_error() -> None:
    async def body(op: Operation) -> Outcome:
        op.not_dispatched()
        await asyncio.Event().wait()
        return Outcome()

    result = await run(body)
    assert (result.status, result.effect) == (Status.ERROR, Effect.NOT_DISPATCHED)


@pytest.mark.anyio
async def test_call_is_bounded_by_what_is_left() -> None:
    async def body(op: Operation) -> Outcome:
        await op.call(asyncio.Event().wait())
        return Outcome()

    assert (await run(body, LOOK)).error_code == "observation_timeout"


@pytest.mark.anyio
async def test_failure_keeps_its_data() -> None:
    async def body(_: Operation) -> Outcome:
        fail(ErrorCode.NOT_FOUND, "Nothing.", data={"seen": 3})

    result = await run(body)
    assert (result.error_code, result.error_message) == ("not_found", "Nothing.")
    assert result.to_dict()["data"] == {"seen": 3}


@pytest.mark.anyio
async def test_foreign_exception_is_internal_and_its_text_stays_inside() -> None:
    async def body(_: Operation) -> Outcome:
        raise RuntimeError("fill('hunter2') at https://u:p@host/?token=abc")

    result = await run(body)
    assert result.error_code == "internal"
    assert "hunter2" not in result.to_json()
    assert "token" not in result.to_json()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("code", "expected"),
    [("ref_stale", "ref_stale"), ("observation_timeout", "action_timeout")],
)
async def test_observer_errors_keep_their_code(code: str, expected: str) -> None:
    async def body(_: Operation) -> Outcome:
        raise ObserverError(code, "words")

    assert (await run(body)).error_code == expected


@pytest.mark.anyio
async def test_gone_browser_is_the_cause_and_unknown_once_dispatched() -> None:
    host = Host()
    host.gone = ErrorCode.BROWSER_DISCONNECTED

    async def look(_: Operation) -> Outcome:
        raise RuntimeError("socket closed")

    async def act(op: Operation) -> Outcome:
        op.dispatching()
        raise RuntimeError("socket closed")

    looked, acted = await run(look, LOOK, host), await run(act, QUICK, host)
    assert (looked.status, looked.error_code) == (Status.ERROR, "browser_disconnected")
    assert (acted.status, acted.error_code) == (Status.UNKNOWN, "browser_disconnected")


@pytest.mark.anyio
async def test_cancellation_propagates_after_the_body_let_go_and_the_journal_has_it() -> None:
    host = Host()
    started, cleaned = asyncio.Event(), asyncio.Event()

    async def body(_: Operation) -> Outcome:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()
        return Outcome()

    task = asyncio.create_task(
        run(body, Kind("act", 30, QUICK.timeout_code, effectful=True, on_page=False), host)
    )
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned.is_set()
    assert host.journal == ["begin act", "end unknown"]
    assert host.published == []


@pytest.mark.anyio
async def test_closed_session_answers_without_running_anything() -> None:
    host = Host()
    host.is_closed = True

    async def body(_: Operation) -> Outcome:
        raise AssertionError("must not run")

    assert (await run(body, host=host)).error_code == "session_closed"
    assert host.journal == []
