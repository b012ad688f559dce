"""From a run folder to one HTML page.

Everything of the web is text here: it is escaped, links keep only http and https and are shown, not
followed. The page holds no script and a policy that lets no request leave it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import cast

from jinja2 import Environment, select_autoescape

from browser_agent._json import dumps, loads
from browser_agent.errors import BrowserAgentError, ConfigurationError
from browser_agent.logic.citations import split_reply
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.report.notes import build_notes, title_of
from browser_agent.report.reply import Reply
from browser_agent.store.verify import verify_run

IMAGE_BYTES = 1_500_000
MAX_IMAGES = 12


def write_report(run_dir: str | Path, target: str | Path) -> Path:
    """Render the run and write the page; gives its path.

    Raises ConfigurationError where there is no finished run or the file cannot be written.
    """
    page = render_report(Path(run_dir))
    path = Path(target)
    try:
        path.write_text(page, "utf-8")
    except OSError as exc:
        raise ConfigurationError(f"cannot write {path}: {exc.strerror}") from None
    return path


def render_report(run_dir: Path) -> str:
    """The page of a run folder."""
    result = _load(run_dir)
    found = verify_run(run_dir)
    environment = Environment(autoescape=select_autoescape(default=True))
    template = environment.from_string(
        (files("browser_agent.report") / "template.html").read_text("utf-8")
    )
    body, _ = split_reply(result.reply or "")
    notes = build_notes(result)
    reply = Reply({note.label: note.id for note in reversed(notes)})
    return template.render(
        result=result,
        body=reply.render(body or "(no answer)"),
        places=reply.places,
        notes=notes,
        turns=_turns(result),
        sources=[_source(number, one) for number, one in enumerate(result.results, 1)],
        images=_images(run_dir, result),
        gaps=_gaps(result),
        denied=[one for one in result.results if one.error_code in _POLICY],
        found=found,
        usage={name: value for name, value in result.usage.to_dict().items() if value is not None},
        verified=sum(note.verified for note in notes),
    )


_POLICY = ("policy_denied", "robots_denied", "approval_denied", "secret_denied", "upload_denied")


def _load(run_dir: Path) -> RobotResult:
    file = run_dir / "result.json"
    if not file.is_file():
        raise ConfigurationError(f"{run_dir} holds no finished run")
    try:
        return RobotResult.from_dict(cast("Mapping[str, object]", loads(file.read_bytes())))
    except BrowserAgentError as exc:
        raise ConfigurationError(f"result.json cannot be read: {exc.message}") from None


def _turns(result: RobotResult) -> list[dict[str, object]]:
    turns: dict[int, list[object]] = {}
    for call in result.tool_calls:
        turns.setdefault(call.turn, []).append(
            {
                "name": call.name,
                "arguments": call.arguments
                if isinstance(call.arguments, str)
                else dumps(call.arguments),
                "status": call.status,
                "error": call.error,
                "duration": call.duration,
                "url": call.result.final_url if isinstance(call.result, Result) else None,
            }
        )
    return [
        {
            "number": number,
            "calls": turns.get(number, []),
            "reasoning": _reasoning(result, number),
        }
        for number in range(1, max([result.turns_used, *turns], default=0) + 1)
    ]


def _reasoning(result: RobotResult, turn: int) -> str | None:
    told = result.reasoning_per_turn
    return told[turn - 1] if turn <= len(told) else None


def _source(number: int, one: Result) -> dict[str, object]:
    return {"number": number, "result": one, "title": title_of(one)}


def _images(run_dir: Path, result: RobotResult) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for one in result.results:
        data = one.data
        shown = (
            cast("Mapping[str, object]", data).get("artifact")
            if isinstance(data, Mapping)
            else None
        )
        if not isinstance(shown, Mapping) or len(found) >= MAX_IMAGES:
            continue
        fields = cast("Mapping[str, object]", shown)
        name, kind = str(fields.get("name")), str(fields.get("media_type"))
        file = run_dir / "artifacts" / Path(name).name
        if kind not in ("image/png", "image/jpeg") or not file.is_file():
            continue
        if file.stat().st_size <= IMAGE_BYTES:
            encoded = base64.b64encode(file.read_bytes()).decode()
            found.append({"name": name, "src": f"data:{kind};base64,{encoded}"})
    return found


def _gaps(result: RobotResult) -> list[str]:
    gaps: list[str] = []
    for number, one in enumerate(result.results, 1):
        coverage: Mapping[str, object] = one.coverage or {}
        for key in ("frames_not_inspected", "possibly_closed", "bytes_not_captured"):
            value = coverage.get(key)
            if value:
                gaps.append(f"R{number}: {key.replace('_', ' ')}: {dumps(value)}")
        if one.truncated:
            gaps.append(f"R{number}: cut at a limit")
    return gaps
