from __future__ import annotations

import asyncio
import io
from typing import Any, ClassVar

import pytest

from browser_agent.errors import ConfigurationError
from browser_agent.records.model import ModelReply, ModelRequest, ToolCall
from browser_agent.robot.hooks import (
    NAMES,
    Hook,
    HookChain,
    ModelCallContext,
    RunContext,
    ToolCallContext,
    hook,
    read_hooks,
    register_hooks,
    use_hooks,
)
from browser_agent.robot.narrator import Narrator

pytestmark = pytest.mark.anyio


def run_context() -> RunContext:
    return RunContext(run_id="1", robot_name="r", task="t")


def noting(name: str, seen: list[str]) -> list[Hook]:
    """Hooks of every phase around a run that note their names."""

    def before(_: RunContext) -> None:
        seen.append(f"before {name}")

    async def around(_: RunContext, call_next: Any) -> None:
        seen.append(f"into {name}")
        await call_next()
        seen.append(f"out of {name}")

    async def after(_: RunContext) -> None:
        seen.append(f"after {name}")

    def on_error(context: RunContext) -> None:
        seen.append(f"error {name}: {context.error}")

    return [
        hook("before_run")(before),
        hook("around_run")(around),
        hook("after_run")(after),
        hook("on_error_run")(on_error),
    ]


async def run_chain(chain: HookChain, seen: list[str], *, fail: bool = False) -> None:
    async def core(_: RunContext) -> None:
        seen.append("core")
        if fail:
            raise ValueError("broken")

    await chain.around("run", run_context(), core)


async def test_levels_add_up_and_the_first_around_is_the_outermost() -> None:
    seen: list[str] = []
    chain = HookChain.build(tuple(noting("robot", seen)), tuple(noting("run", seen)))
    await run_chain(chain, seen)
    assert seen == [
        "before robot",
        "before run",
        "into robot",
        "into run",
        "core",
        "out of run",
        "out of robot",
        "after robot",
        "after run",
    ]


async def test_global_and_surrounding_hooks_come_first_and_can_be_taken_out() -> None:
    seen: list[str] = []
    remove = register_hooks(*noting("global", seen))
    try:
        with use_hooks(*noting("around", seen)):
            chain = HookChain.build(tuple(noting("robot", seen)), ())
    finally:
        remove()
    await run_chain(chain, seen)
    assert seen[:3] == ["before global", "before around", "before robot"]
    assert HookChain.build((), ()).hooks == ()


async def test_surrounding_hooks_reach_tasks_and_threads() -> None:
    def count() -> int:
        return len(HookChain.build((), ()).hooks)

    async def count_later() -> int:
        return count()

    with use_hooks(*noting("x", [])):
        assert await asyncio.create_task(count_later()) == 4
        assert await asyncio.to_thread(count) == 4
    assert await asyncio.to_thread(count) == 0


async def test_an_exception_is_told_to_on_error_and_goes_on() -> None:
    seen: list[str] = []
    chain = HookChain(tuple(noting("a", seen)))
    with pytest.raises(ValueError, match="broken"):
        await run_chain(chain, seen, fail=True)
    assert seen == ["before a", "into a", "core", "error a: broken"]


async def test_a_hook_that_raises_is_not_swallowed() -> None:
    @hook("before_run")
    def refuse(_: RunContext) -> None:
        raise PermissionError("no")

    with pytest.raises(PermissionError):
        await run_chain(HookChain((refuse,)), [])


async def test_an_around_hook_can_answer_without_calling() -> None:
    @hook("around_model_call")
    async def canned(context: ModelCallContext, _: Any) -> None:
        context.reply = ModelReply(text="canned")

    async def core(_: ModelCallContext) -> None:
        raise AssertionError("not reached")

    context = ModelCallContext(run_id="1", robot_name="r", request=ModelRequest(messages=()))
    await HookChain((canned,)).around("model_call", context, core)
    assert context.reply == ModelReply(text="canned")


async def test_an_object_or_class_registers_the_methods_that_it_has() -> None:
    class Watch:
        seen: ClassVar[list[str]] = []

        def before_run(self, _: RunContext) -> None:
            self.seen.append("before")

        async def after_run(self, _: RunContext) -> None:
            self.seen.append("after")

        def helper(self) -> None:
            raise AssertionError("no hook")

    for given in (Watch, Watch()):
        Watch.seen.clear()
        await run_chain(HookChain(read_hooks([given])), [])
        assert Watch.seen == ["before", "after"]


class Misspelled:
    def before_toolcall(self, _: object) -> None: ...


class Empty:
    pass


@pytest.mark.parametrize("given", [Misspelled, Misspelled(), Empty, 3, "before_run"])
async def test_what_could_never_fire_is_refused(given: object) -> None:
    with pytest.raises(ConfigurationError):
        read_hooks([given])


async def test_every_family_has_every_phase() -> None:
    assert len(NAMES) == 16
    for name in NAMES:
        made = hook(name)(lambda *_: None)
        assert f"{made.phase}_{made.family}" == name
    with pytest.raises(ConfigurationError, match="known are"):
        hook("around_everything")


def tool_context(**arguments: object) -> ToolCallContext:
    call = ToolCall(id="c", name="lookup", arguments="{}")
    return ToolCallContext(run_id="1", robot_name="scout", call=call, arguments=arguments)


async def test_the_narrator_says_one_short_line_each() -> None:
    out = io.StringIO()
    narrator = Narrator(out)
    context = ModelCallContext(
        run_id="1", robot_name="scout", turn=2, request=ModelRequest(messages=())
    )
    narrator.after_model_call(context)
    context.reply = ModelReply(text="an\nanswer " + "x" * 100)
    narrator.after_model_call(context)
    context.reply = ModelReply(tool_calls=(ToolCall(id="c", name="lookup", arguments=""),))
    narrator.after_model_call(context)
    narrator.before_tool_call(tool_context(isbn="7" * 200, second="unsaid"))
    narrator.before_tool_call(tool_context())
    failed = tool_context()
    failed.error = ValueError("secret words")
    narrator.on_error_tool_call(failed)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("scout turn 2: an answer xxx")
    assert lines[1] == "scout turn 2: lookup"
    assert lines[2].startswith('  lookup(isbn="777')
    assert lines[3:] == ["  lookup()", "  lookup failed: ValueError"]
    assert max(map(len, lines)) < 110
    assert "unsaid" not in out.getvalue()


async def test_the_narrator_never_breaks_a_run() -> None:
    out = io.StringIO()
    narrator = Narrator(out)
    out.close()
    narrator.before_tool_call(tool_context())
    narrator.before_tool_call(tool_context())
