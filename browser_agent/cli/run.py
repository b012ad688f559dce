"""``run``: one robot, one task, one run folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from browser_agent.cli import options as o
from browser_agent.cli.output import (
    Exit,
    UsageFault,
    exit_code_of_run,
    print_json,
    print_text,
    say,
)
from browser_agent.cli.progress import Progress
from browser_agent.cli.read import load_schema
from browser_agent.cli.running import (
    approval,
    launch_options,
    operator_url,
    run_until_signal,
    session_options,
)
from browser_agent.cli.settings import Shared
from browser_agent.logic.citations import split_reply
from browser_agent.records.approval import ActionPolicy
from browser_agent.records.limits import RunLimits

if TYPE_CHECKING:
    from browser_agent.records.run import RobotResult

Task = Annotated[str, typer.Argument(metavar="TASK|-", help="What to find out; - reads stdin.")]
Start = Annotated[
    list[str] | None, typer.Option("--start", metavar="URL", help="Where to begin; repeatable.")
]
Schema = Annotated[
    Path | None, typer.Option("--schema", metavar="FILE", help="JSON Schema of the answer.")
]
MaxTurns = Annotated[int | None, typer.Option("--max-turns", metavar="N", min=1)]
MaxRounds = Annotated[int | None, typer.Option("--max-tool-rounds", metavar="N", min=0)]
MaxCost = Annotated[float | None, typer.Option("--max-cost", metavar="USD", min=0)]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", metavar="N", min=0)]
MaxTime = Annotated[float | None, typer.Option("--max-time", metavar="S", min=0)]
Record = Annotated[bool, typer.Option("--record", help="Keep what a replay needs.")]


@o.shared_options(model=True)
def run(
    *,
    shared: Shared,
    task: Task,
    start: Start = None,
    schema: Schema = None,
    max_turns: MaxTurns = None,
    max_tool_rounds: MaxRounds = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_time: MaxTime = None,
    record: Record = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Answer a question from real pages, with citations that were checked.

    Example: browser-agent run "Who built the tower?" --start https://example.com
    """
    given = {
        "max_turns": max_turns,
        "max_tool_rounds": max_tool_rounds,
        "max_cost_usd": max_cost,
        "max_tokens": max_tokens,
        "max_time_s": max_time,
    }
    limits = RunLimits(**{name: value for name, value in given.items() if value is not None})  # pyright: ignore[reportArgumentType] - typed by the options
    wanted = None if schema is None else load_schema(schema)
    work = Work(
        task=_task(task),
        start=tuple(operator_url(url, "--start") for url in start or ()),
        shared=shared,
        limits=limits,
        schema=wanted,
        record=record,
        quiet=quiet or json,
    )
    finish(*work.run(), json=json, quiet=quiet)


class Work:
    """One run from the command line: its settings, and how signals end it."""

    def __init__(
        self,
        *,
        task: str,
        start: tuple[str, ...],
        shared: Shared,
        limits: RunLimits,
        schema: object = None,
        record: bool = False,
        quiet: bool = False,
    ) -> None:
        self.task, self.start, self.shared, self.limits = task, start, shared, limits
        self.schema, self.record, self.quiet = schema, record, quiet
        self._robot: Any = None
        model = shared.model or "extractive"
        if model == "extractive" and not start and shared.search_url is None:
            raise UsageFault(
                "say where to begin: give --start URL, or --search-url with a search page"
            )
        if shared.model is None and not quiet:
            self._hint_at_key()

    @staticmethod
    def _hint_at_key() -> None:
        from browser_agent.models.resolve import model_for_key

        usable = model_for_key()
        if usable is not None:
            say(f"using the built-in model; a provider key is set: --model {usable} would use it")

    def run(self) -> tuple[RobotResult, Path, int | None]:
        """The result, the run folder, and the exit code of a signal if one came."""
        from browser_agent.store.run_folder import new_run_dir

        folder = Path(self.shared.out) if self.shared.out else new_run_dir()
        received: list[int] = []
        result = run_until_signal(self._go(folder), on_signal=self._cancel, received=received)
        code = received[0] if received else None
        return result, folder, code

    def _cancel(self) -> None:
        if self._robot is not None:
            self._robot.cancel()

    async def _go(self, folder: Path) -> RobotResult:
        from browser_agent.browser.browser import Browser
        from browser_agent.robot.robot import Robot

        shared = self.shared
        async with Browser.launch(**launch_options(shared, run_dir=folder)) as browser:
            options = session_options(shared)
            if not options:
                return await self._run(Robot, folder, browser=browser)
            async with browser.session(**options) as session:
                return await self._run(Robot, folder, session=session)

    async def _run(self, make: Callable[..., Any], folder: Path, **place: object) -> RobotResult:
        robot = make(
            "robot",
            model=self.shared.model or "extractive",
            limits=self.limits,
            output_type=self.schema,
            approve=approval(self.shared.approve),
            actions=ActionPolicy(),
            hooks=[] if self.quiet else [Progress()],
            **place,
        )
        self._robot = robot
        return await robot.run(
            self.task, start=list(self.start), run_dir=folder, record=self.record
        )


def finish(
    result: RobotResult, folder: Path, signalled: int | None, *, json: bool, quiet: bool
) -> None:
    """Print the run and leave with its code."""
    if json:
        print_json(result.export())
    else:
        print_text(render_run(result, folder))
    if result.status != "ok" and not quiet:
        say(f"{result.status.value}: the run stopped with {result.stop_reason.value}")
    code = signalled or exit_code_of_run(result)
    if code:
        raise Exit(code)


def render_run(result: RobotResult, folder: Path) -> str:
    """The reply, numbered footnotes (title, URL, quote), the run folder."""
    body, _ = split_reply(result.reply or "")
    lines = [body.strip() or "(no answer)", ""]
    for number, citation in enumerate(result.citations, 1):
        index = citation.result
        source = result.results[index - 1] if index and index <= len(result.results) else None
        data = (
            {} if source is None else cast("dict[str, object]", source.to_dict().get("data") or {})
        )
        title = data.get("title") or "untitled"
        url = source.final_url if source is not None else ""
        mark = "" if citation.verified else f"  (NOT verified: {citation.reason})"
        lines.append(f'[{number}] {title}, {url}\n    "{citation.quote}"{mark}')
    if result.unsupported:
        lines.append(f"not found in any page: {', '.join(result.unsupported)}")
    lines.append(f"run folder: {folder}")
    return "\n".join(lines)


def _task(task: str) -> str:
    text = sys.stdin.read() if task == "-" else task
    if not text.strip():
        raise UsageFault("the task is empty")
    return text.strip()


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(run)
