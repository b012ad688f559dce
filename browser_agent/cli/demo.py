"""``demo``: the main job on a small site that comes with the package; no key, no network."""

from __future__ import annotations

import json
import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from browser_agent.cli.options import BrowserPath, Out, Quiet
from browser_agent.cli.output import EXIT_INTEGRITY, Exit, print_text
from browser_agent.cli.run import Work, render_run
from browser_agent.cli.settings import Shared, load_settings
from browser_agent.records.limits import RunLimits
from browser_agent.store.verify import verify_run
from browser_agent.testing.site import serve_folder

if TYPE_CHECKING:
    from browser_agent.records.run import RobotResult
    from browser_agent.records.verification import Verification


def demo(browser_path: BrowserPath = None, out: Out = None, quiet: Quiet = False) -> None:
    """Answer a question from six sample pages, verify the answer, then tamper with it.

    Example: browser-agent demo
    """
    with as_file(files("browser_agent.testing") / "sample_site") as folder:
        asked = json.loads((folder / "demo.json").read_text("utf-8"))
        print_text(f"Question: {asked['question']}\n")
        with serve_folder(folder) as base:
            start = base.rstrip("/") + asked["start"]
            settings = load_settings(None, {"browser_path": browser_path, "out": out})
            shared = Shared.of({**settings, "approve": "deny"})
            work = Work(
                task=asked["question"],
                start=(start,),
                shared=shared,
                limits=RunLimits(),
                quiet=quiet,
            )
            result, run_dir, signalled = work.run()
    print_text(render_run(result, run_dir))
    if signalled or not result.is_ok:
        raise Exit(signalled or 1)
    _show_verification(result, run_dir)
    print_text(
        "\nTry it on your own page:\n"
        '  browser-agent run "your question" --start https://example.com/\n'
        "  browser-agent read https://example.com/"
    )


def _show_verification(result: RobotResult, run_dir: Path) -> None:
    found = verify_run(run_dir)
    print_text(f"\nVerified offline: {_sentence(found)}")
    changed = _changed_copy(result, run_dir)
    try:
        broken = verify_run(changed)
    finally:
        shutil.rmtree(changed.parent)
    print_text(f"After one byte of a capture was changed: {_sentence(broken)}")
    for problem in broken.problems[:2]:
        print_text(f"  {problem}")
    if not found.ok or broken.ok or not found.citations_verified:
        raise Exit(EXIT_INTEGRITY)


def _sentence(found: Verification) -> str:
    verdict = "intact" if found.ok else "NOT intact"
    return f"{found.citations_verified} of {found.citations} quotes found, run folder {verdict}"


def _changed_copy(result: RobotResult, run_dir: Path) -> Path:
    """A copy of the run in which one letter of a quoted capture differs."""
    copied = Path(tempfile.mkdtemp(prefix="browser-agent-demo-")) / run_dir.name
    shutil.copytree(run_dir, copied)
    citation = next(c for c in result.citations if c.verified and c.digest)
    name = str(citation.digest).removeprefix("sha256:")
    blob = copied / "blobs" / name[:2] / name
    content = blob.read_bytes()
    word = next(word for word in citation.quote.split() if word.isascii() and word.isalpha())
    at = content.index(word.encode())
    letter = b"x" if content[at : at + 1] != b"x" else b"y"
    blob.write_bytes(content[:at] + letter + content[at + 1 :])
    return copied


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)
