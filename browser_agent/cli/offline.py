"""Commands that need no network: verify, replay, report, reap."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from browser_agent.cli.options import Json
from browser_agent.cli.output import EXIT_INTEGRITY, Exit, print_json, print_text
from browser_agent.store.verify import verify_file, verify_run

if TYPE_CHECKING:
    from browser_agent.records.verification import Verification

Head = Annotated[
    str | None, typer.Option("--head", metavar="HASH", help="The last hash that you kept.")
]
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


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(verify)
