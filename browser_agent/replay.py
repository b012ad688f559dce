"""Running a recorded run again: no network, no key, compared step by step.

Owns the comparison and the robot that is built anew from the recording. The pages come from the
recording through the session's tape; with another model it says where that model leaves them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from browser_agent._json import loads
from browser_agent._urls import origin_of
from browser_agent.browser.browser import Browser
from browser_agent.browser.replaying import NetworkReplay
from browser_agent.errors import RecordingError
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.models.recorded import RecordedModel
from browser_agent.ports import Model
from browser_agent.records.ids import ordinalise
from browser_agent.records.limits import RunLimits
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.robot.robot import Robot
from browser_agent.store.recording import Recording, load_recording
from browser_agent.tools.tool import Tool, ToolContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How a replay went. ``same``: every step was as recorded. ``step`` counts from 1.

    ``difference`` names the first one; ``misses`` are requests that the recording lacks.
    """

    same: bool
    steps: int
    step: int | None = None
    difference: str | None = None
    misses: tuple[str, ...] = ()
    result: RobotResult | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain mapping; the result as its export."""
        return {
            "same": self.same,
            "steps": self.steps,
            "step": self.step,
            "difference": self.difference,
            "misses": list(self.misses),
            "result": None if self.result is None else self.result.export(),
        }


async def replay_run(
    run_dir: str | Path, *, model: Model | None = None, executable_path: str | None = None
) -> Comparison:
    """Run a recorded run again and compare it with what was recorded.

    With ``model`` another model runs against the recorded pages. Raises RecordingError for a
    recording that is missing or damaged.
    """
    folder = Path(run_dir)
    recording = load_recording(folder)
    recorded = _recorded_result(folder)
    plan = cast("Mapping[str, Any]", recording.meta["plan"])
    tape = NetworkReplay(
        recording,
        start_ms=cast("int", recording.meta["clock_ms"]),
        seed=cast("int", recording.meta["seed"]),
    )
    async with Browser.launch(
        policy=_policy(recording, plan),
        robots=False,
        executable_path=executable_path,
        search_url=plan.get("search_url"),
    ) as browser:
        inner = model or RecordedModel(recording.folder, browser.redactor)
        robot = _build_robot(plan, recorded, _TapedBrowser(browser, tape), _Strict(inner, tape))
        result = await _run(robot, plan)
    if model is not None:
        return _compare_other(result, tape)
    return compare(recorded, result, tape.misses)


async def _run(robot: Robot, plan: Mapping[str, Any]) -> RobotResult:
    try:
        return await robot.run(plan["task"], start=plan.get("start") or ())
    except Exception as exc:
        result = getattr(exc, "result", None)
        if isinstance(result, RobotResult):
            return result
        raise


def compare(recorded: RobotResult, again: RobotResult, misses: Sequence[str] = ()) -> Comparison:
    """Each step's tool call, status and digest, then the end; the first difference is told."""
    steps = max(len(recorded.tool_calls), len(again.tool_calls))

    def differs(step: int | None, text: str) -> Comparison:
        return Comparison(
            same=False,
            steps=steps,
            step=step,
            difference=text,
            misses=tuple(misses),
            result=again,
        )

    for step, (old, new) in enumerate(
        zip(recorded.tool_calls, again.tool_calls, strict=False), start=1
    ):
        text = _difference(old, new)
        if text is not None:
            return differs(step, text)
    if len(recorded.tool_calls) != len(again.tool_calls):
        step = min(len(recorded.tool_calls), len(again.tool_calls)) + 1
        counts = (
            f"{len(recorded.tool_calls)} calls were recorded, {len(again.tool_calls)} were made"
        )
        return differs(step, counts)
    if misses:
        return differs(None, misses[0])
    if recorded.stop_reason != again.stop_reason:
        return differs(None, f"stopped as {again.stop_reason}, recorded was {recorded.stop_reason}")
    if recorded.checksum != again.checksum:
        return differs(None, "the reply or a tool result differs")
    return Comparison(same=True, steps=steps, result=again)


def _difference(old: Any, new: Any) -> str | None:
    if (old.name, old.arguments) != (new.name, new.arguments):
        return f"called {new.name}, recorded was {old.name} (or other arguments)"
    if old.status != new.status:
        return f"{new.name}: status {new.status}, recorded was {old.status}"
    if isinstance(old.result, Result) and isinstance(new.result, Result):
        same = _content(old.result) == _content(new.result)
        return None if same else f"{new.name}: the digest differs from the recorded one"
    return None if old.result == new.result else f"{new.name}: another result"


def _content(result: Result) -> str:
    return ordinalise(result.preimage().decode(), {})


def _compare_other(again: RobotResult, tape: NetworkReplay) -> Comparison:
    """Another model: where it left the recorded pages."""
    left = tape.misses[0] if tape.misses else None
    return Comparison(
        same=not tape.misses,
        steps=len(again.tool_calls),
        step=len(again.tool_calls) if left else None,
        difference=left,
        misses=tuple(tape.misses),
        result=again,
    )


def _recorded_result(folder: Path) -> RobotResult:
    file = folder / "result.json"
    if not file.is_file():
        raise RecordingError(f"{folder.name} has no result.json: the recorded run did not finish")
    return RobotResult.from_dict(cast("Mapping[str, object]", loads(file.read_bytes())))


def _policy(recording: Recording, plan: Mapping[str, Any]) -> UrlPolicy:
    """Admit what was recorded; the proxy of a replay lets nothing out anyway."""
    urls = [str(entry.get("url", "")) for entry in recording.network] + list(
        plan.get("start") or ()
    )
    origins = sorted({origin for url in urls if (origin := origin_of(url)) is not None})
    return UrlPolicy.public_web(allow_local=[o for o in origins if o.startswith("http")])


class _Strict:
    """A model that is not asked further once the pages missed something."""

    def __init__(self, inner: Model, tape: NetworkReplay) -> None:
        self._inner = inner
        self._tape = tape

    async def complete(self, request: Any) -> Any:
        """The inner model's reply; RecordingError for a miss."""
        self._tape.check()
        return await self._inner.complete(request)


class _TapedBrowser:
    """A browser whose sessions are opened on one tape."""

    def __init__(self, browser: Browser, tape: NetworkReplay) -> None:
        self._browser = browser
        self._tape = tape

    def __getattr__(self, name: str) -> Any:
        return getattr(self._browser, name)

    def session(self, **options: object) -> Any:
        """A session answered by the recording."""
        return self._browser.session(**{**options, "robots": False, "tape": self._tape})


def _build_robot(plan: Mapping[str, Any], recorded: RobotResult, browser: Any, model: Any) -> Robot:
    robot = Robot(
        plan["name"],
        model=model,
        instructions=plan.get("instructions", ""),
        browser=browser,
        browser_tools=plan.get("browser_tools"),
        tools=[_recorded_tool(schema, recorded) for schema in plan.get("own_tools") or ()],
        output_type=plan.get("output_schema"),
        limits=RunLimits(**plan["limits"]),
        require_citations=bool(plan.get("require_citations")),
    )
    if plan.get("history"):
        robot.replace(plan["history"])
    return robot


def _recorded_tool(schema: Mapping[str, Any], recorded: RobotResult) -> Tool:
    """A tool of the operator that gives its recorded results, in order."""
    given = [call for call in recorded.tool_calls if call.name == schema["name"]]
    waiting = iter(given)

    async def handler(_arguments: dict[str, object], _context: ToolContext) -> object:
        call = next(waiting, None)
        if call is None:
            raise RecordingError(f"{schema['name']} was called more often than recorded")
        return call.result

    return Tool(
        name=schema["name"],
        description=schema["description"],
        parameters=schema["parameters"],
        handler=handler,
        halt=bool(schema.get("halt")),
    )
