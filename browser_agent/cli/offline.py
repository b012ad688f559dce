"""Commands that need no network: verify, replay, report, reap."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from browser_agent.cli.options import BrowserPath, Json
from browser_agent.cli.output import (
    EXIT_INTEGRITY,
    EXIT_PENDING,
    Exit,
    UsageFault,
    print_json,
    print_text,
    report_error,
)
from browser_agent.cli.running import run_until_signal
from browser_agent.errors import RecordingError
from browser_agent.store.verify import verify_file, verify_run

if TYPE_CHECKING:
    from browser_agent.records.verification import Verification

Head = Annotated[
    str | None, typer.Option("--head", metavar="HASH", help="The last hash that you kept.")
]
RunDir = Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A run folder.")]
Model = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="Run this model on the pages.")
]
Output = Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE")]
Target = Annotated[Path, typer.Argument(metavar="RUN_DIR|FILE", help="A run folder or a Result.")]


def verify(path: Target, head: Head = None, json: Json = False) -> None:
    """Check digests, chain and citations of a run, offline and without a model.

    Example: browser-agent verify runs/run-ab12
    """
    found = verify_run(path, head) if path.is_dir() else verify_file(path)
    if json:
        print_json(found.to_dict())
    else:
        print_text(describe(found))
    if not found.ok:
        raise Exit(EXIT_INTEGRITY)


def describe(found: Verification) -> str:
    """The Verification in a few lines."""
    lines = [
        f"{'intact' if found.ok else 'NOT intact'}: {found.events} events, {found.blobs} blobs",
        f"{found.citations_verified} of {found.citations} quotes found",
    ]
    if found.head:
        lines.append(f"head: {found.head}")
    lines += [f"problem: {problem}" for problem in found.problems]
    lines += [f"note: {note}" for note in found.notes]
    return "\n".join(lines)


def replay(
    run_dir: RunDir,
    model: Model = None,
    browser_path: BrowserPath = None,
    json: Json = False,
) -> None:
    """Run a recorded run again, with no network and no key, and compare every step.

    Example: browser-agent replay runs/run-ab12
    """
    from browser_agent.models.resolve import resolve_model
    from browser_agent.replay import replay_run

    if not run_dir.is_dir():
        raise UsageFault(f"there is no folder {run_dir}")
    other = None if model is None else resolve_model(model)
    try:
        path = None if browser_path is None else str(browser_path)
        found = run_until_signal(replay_run(run_dir, model=other, executable_path=path))
    except RecordingError as exc:
        report_error(exc.code, exc.message, as_json=json)
        raise Exit(EXIT_INTEGRITY) from None
    if json:
        print_json(found.to_dict())
    elif found.same:
        print_text(f"same as recorded: {found.steps} steps")
    else:
        place = "" if found.step is None else f" at step {found.step} of {found.steps}"
        print_text(f"differs{place}: {found.difference}")
    if not found.same:
        raise Exit(1)


def report(run_dir: RunDir, output: Output = None, json: Json = False) -> None:
    """Write one static page that shows a run and its evidence; no request leaves it.

    Example: browser-agent report runs/run-ab12 -o report.html
    """
    from browser_agent.report.render import write_report

    target = write_report(run_dir, output or run_dir / "report.html")
    if json:
        print_json({"report": str(target), "bytes": target.stat().st_size})
    else:
        print_text(str(target))


def reap(json: Json = False) -> None:
    """End browsers that dead processes of ours left behind, found by record and token.

    Example: browser-agent reap
    """
    from browser_agent.browser.reaper import reap as reap_dead
    from browser_agent.store.journal import open_journal

    found = reap_dead(open_journal())
    if json:
        print_json(asdict(found))
    else:
        print_text(
            f"{found.owners} dead owners, {found.processes} processes ended, "
            f"{found.folders} folders removed, {len(found.operations)} operations marked unknown"
        )
        for name in found.left:
            print_text(f"left: {name}")
    if found.left:
        raise Exit(EXIT_PENDING)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (verify, replay, report, reap):
        app.command()(command)
