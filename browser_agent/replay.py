"""Running a recorded run again: no network, no key, compared step by step.

Owns the robot that is built anew from the recording and the browser that it gets. The pages come
from the recording through the session's tape; with another model it says where that model leaves
them. Hooks of the recorded robot are code and are not there again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from browser_agent._json import loads
from browser_agent._urls import origin_of
from browser_agent.browser.browser import Browser, Launching
from browser_agent.browser.replaying import NetworkReplay
from browser_agent.errors import RecordingError, ToolError
from browser_agent.logic.budget import Budget
from browser_agent.logic.comparing import Comparison, compare, compare_pages
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.models.recorded import RecordedModel
from browser_agent.ports import Model
from browser_agent.records.approval import ActionPolicy, ActionRule, Approve, Ruling
from browser_agent.records.limits import BrowserLimits, RunLimits
from browser_agent.records.model import ModelPrice, ModelSettings
from browser_agent.records.policy import Secret
from browser_agent.records.run import RobotResult
from browser_agent.robot.robot import Robot
from browser_agent.store.recording import Recording, load_recording
from browser_agent.tools.spill import SpillLimits
from browser_agent.tools.tool import Halt, Tool, ToolContext

__all__ = ["Comparison", "compare", "open_tape", "replay_run"]

Plan = Mapping[str, Any]
_PATIENCE = 3.0
"""A replay gives each part of a step this many times its recorded limit: a machine that is slower
than the one that recorded must not turn an outcome into another. What ran into its limit when it
was recorded waited for something that never came, and does so again."""


async def replay_run(
    run_dir: str | Path,
    *,
    model: Model | None = None,
    executable_path: str | None = None,
    browser: Browser | None = None,
    out: str | Path | None = None,
) -> Comparison:
    """Run a recorded run again and compare it with what was recorded.

    With ``model`` another model runs against the recorded pages. ``browser`` is one that was
    launched by :func:`launch_for` for a recording of the same settings; its network is closed from
    then on. ``out`` is a folder for the new run. Raises RecordingError for a recording that is
    missing or damaged.
    """
    recording = load_recording(run_dir)
    recorded = load_result(Path(run_dir))
    async with AsyncExitStack() as stack:
        if browser is None:
            launching = launch_for(recording, executable_path=executable_path)
            browser = await stack.enter_async_context(launching)
        tape = open_tape(recording)
        replies = RecordedModel(recording.folder, _Following(browser))
        built = _TapedBrowser(browser, tape, recording)
        robot = _build_robot(recording, built, model or replies, tape)
        result = await _run(robot, cast("Plan", recording.meta["plan"]), out)
    if model is not None:
        return compare_pages(result, tape.misses)
    return replace(compare(recorded, result, tape.misses), unused=replies.unused)


def open_tape(recording: Recording) -> NetworkReplay:
    """What a session is opened with to be answered by this recording."""
    meta = recording.meta
    return NetworkReplay(
        recording,
        start_ms=cast("int", meta["clock_ms"]),
        seed=cast("int", meta["seed"]),
        placeholders=cast("Mapping[str, str]", meta.get("placeholders") or {}),
    )


def launch_for(recording: Recording, *, executable_path: str | None = None) -> Launching:
    """A browser like the recorded one, with placeholders in place of its secrets."""
    plan = cast("Plan", recording.meta.get("plan") or {})
    made = cast("Plan", plan.get("browser") or {})
    stand_ins = cast("Sequence[Plan]", recording.meta.get("stand_ins") or ())
    return Browser.launch(
        policy=policy_of(recording),
        limits=_patient(BrowserLimits(**made["limits"])) if "limits" in made else None,
        secrets={one["name"]: Secret(one["text"], one["origins"]) for one in stand_ins},
        robots=False,
        executable_path=executable_path,
        user_agent=made.get("user_agent"),
        search_url=plan.get("search_url"),
    )


def _patient(limits: BrowserLimits) -> BrowserLimits:
    return replace(
        limits,
        navigation_timeout_s=limits.navigation_timeout_s * _PATIENCE,
        action_timeout_s=limits.action_timeout_s * _PATIENCE,
        observation_timeout_s=limits.observation_timeout_s * _PATIENCE,
    )


def policy_of(recording: Recording) -> UrlPolicy:
    """The recorded policy, else one that admits what was recorded. Nothing gets out anyway."""
    plan = cast("Plan", recording.meta.get("plan") or {})
    kept = cast("Plan", plan.get("browser") or {}).get("policy")
    if kept is not None:
        return UrlPolicy.from_dict(kept)
    urls = [str(entry.get("url", "")) for entry in recording.network]
    urls += list(plan.get("start") or ())
    origins = sorted({origin for url in urls if (origin := origin_of(url)) is not None})
    return UrlPolicy.public_web(allow_local=[one for one in origins if one.startswith("http")])


def load_result(folder: Path) -> RobotResult:
    """The recorded result; RecordingError where the run did not finish."""
    file = folder / "result.json"
    if not file.is_file():
        raise RecordingError(f"{folder.name} has no result.json: the recorded run did not finish")
    return RobotResult.from_dict(cast("Mapping[str, object]", loads(file.read_bytes())))


async def _run(robot: Robot, plan: Plan, out: str | Path | None) -> RobotResult:
    try:
        return await robot.run(plan["task"], start=plan.get("start") or (), run_dir=out)
    except Exception as exc:
        result = getattr(exc, "result", None)
        if isinstance(result, RobotResult):
            return result
        raise


class _Following:
    """The redactor of a browser, asked for anew each time: it learns what is typed."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    def redact(self, value: object) -> object:
        return self._browser.redactor.redact(value)

    def redact_text(self, text: str) -> str:
        return self._browser.redactor.redact_text(text)


class _Strict:
    """A model that is not asked further once the pages missed something."""

    def __init__(self, inner: Model, tape: NetworkReplay, about: Plan) -> None:
        self._inner = inner
        self._tape = tape
        self._about = about

    async def complete(self, request: Any) -> Any:
        """The inner model's reply; RecordingError for a miss."""
        self._tape.check()
        return await self._inner.complete(request)

    def price(self) -> ModelPrice | None:
        """The recorded price of a token."""
        price = self._about.get("price")
        return None if price is None else ModelPrice(input_usd=price[0], output_usd=price[1])


class _StrictDescribed(_Strict):
    """One whose recorded model said what it can take."""

    def supports_output_schema(self) -> bool:
        """As recorded."""
        return bool(self._about.get("takes_schema"))

    def context_window(self) -> int | None:
        """As recorded."""
        return self._about.get("window")


class _TapedBrowser:
    """A browser whose sessions are opened on one tape, and who answers as the approver did."""

    def __init__(self, browser: Browser, tape: NetworkReplay, recording: Recording) -> None:
        self._browser = browser
        self._tape = tape
        plan = cast("Plan", recording.meta["plan"])
        asked = cast("Plan", plan.get("approval") or {})
        self.approve = _answers(recording) if asked.get("browser") else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._browser, name)

    def session(self, **options: object) -> Any:
        """A session answered by the recording."""
        return self._browser.session(**{**options, "tape": self._tape})


def _build_robot(recording: Recording, browser: object, model: Model, tape: NetworkReplay) -> Robot:
    plan = cast("Plan", recording.meta["plan"])
    about = cast("Plan", plan.get("model") or {})
    strict = _StrictDescribed if about.get("is_described") else _Strict
    approval = cast("Plan", plan.get("approval") or {})
    answers = _tool_answers(recording)
    own = cast("Sequence[Plan]", plan.get("own_tools") or ())
    robot = Robot(
        plan["name"],
        model=strict(model, tape, about),
        instructions=plan.get("instructions", ""),
        browser=cast("Any", browser),
        browser_tools=plan.get("browser_tools"),
        tools=[_recorded_tool(schema, answers) for schema in own],
        output_type=plan.get("output_schema"),
        limits=RunLimits(**plan["limits"]),
        budget=Budget(**cast("Plan", plan.get("budget") or {})),
        model_settings=ModelSettings(**about["settings"]) if "settings" in about else None,
        approve=_answers(recording) if approval.get("robot") else None,
        actions=_rules(approval.get("rules")),
        spill=SpillLimits(**plan["spill"]) if "spill" in plan else None,
        require_citations=bool(plan.get("require_citations")),
    )
    if plan.get("history"):
        robot.replace(plan["history"])
    return robot


def _rules(given: Plan | None) -> ActionPolicy | None:
    if given is None:
        return None
    rules = tuple(ActionRule(**rule) for rule in given["rules"])
    return ActionPolicy(rules=rules, default=Ruling(given["default"]))


def _answers(recording: Recording) -> Approve:
    """An approver that answers as recorded, in order."""
    given = [str(one["answer"]) for one in recording.tools if one.get("kind") == "approval"]
    waiting = iter(given)

    def approve(_request: object) -> str:
        answer = next(waiting, None)
        if answer is None:
            raise RecordingError("an approval was asked for that was not recorded")
        return answer

    return approve


def _tool_answers(recording: Recording) -> Mapping[str, Iterator[Plan]]:
    by_name: dict[str, list[Plan]] = defaultdict(list)
    for entry in recording.tools:
        if entry.get("kind") == "tool":
            by_name[str(entry["name"])].append(entry)
    return {name: iter(entries) for name, entries in by_name.items()}


def _recorded_tool(schema: Plan, answers: Mapping[str, Iterator[Plan]]) -> Tool:
    """A tool of the operator that gives its recorded results, in order."""
    name = str(schema["name"])

    async def handler(_arguments: dict[str, object], _context: ToolContext) -> object:
        answer = next(answers.get(name, iter(())), None)
        if answer is None:
            raise RecordingError(f"{name} was called more often than recorded")
        if "error" in answer:
            raise ToolError(str(answer["error"]), retryable=bool(answer.get("retryable")))
        return Halt(answer["value"]) if answer.get("halt") else answer["value"]

    given: dict[str, Any] = {**schema, "handler": handler}
    return Tool(**given)
