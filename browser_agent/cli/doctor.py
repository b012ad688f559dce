"""``doctor``: what is here, what is missing, and the command that helps."""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from browser_agent.cli.options import BrowserPath, Json
from browser_agent.cli.output import EXIT_USAGE, Exit, print_json, print_text
from browser_agent.cli.setup import locate
from browser_agent.errors import DISTRIBUTION, BrowserAgentError

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at. ``state``: ok, note or missing."""

    name: str
    state: str
    text: str


def doctor(browser_path: BrowserPath = None, json: Json = False) -> None:
    """Look at this installation: Python, browser, sandbox, models, leftovers.

    Example: browser-agent doctor
    """
    findings = list(_look(browser_path))
    if json:
        print_json(
            {
                "ok": all(f.state != "missing" for f in findings),
                "findings": [{"name": f.name, "state": f.state, "text": f.text} for f in findings],
            }
        )
    else:
        width = max(len(f.name) for f in findings)
        print_text("\n".join(f"{f.state:7} {f.name:{width}} {f.text}" for f in findings))
    if any(f.state == "missing" for f in findings):
        raise Exit(EXIT_USAGE)


def _look(browser_path: Path | None) -> Iterator[Finding]:
    yield Finding(name="python", state="ok", text=platform.python_version())
    yield _platform()
    yield _browser(browser_path)
    yield _sandbox()
    yield _models()
    yield _extra("mcp", "MCP server")
    yield _leftovers()


def _platform() -> Finding:
    if sys.platform.startswith("linux"):
        return Finding(name="platform", state="ok", text="Linux, supported fully")
    if sys.platform == "darwin":
        text = "macOS: supported as far as psutil and Playwright go"
        return Finding(name="platform", state="note", text=text)
    return Finding(name="platform", state="missing", text=f"{sys.platform} is not supported yet")


def _browser(path: Path | None) -> Finding:
    try:
        found = locate(path)
        started = time.monotonic()
        asyncio.run(_launch(found))
    except BrowserAgentError as exc:
        return Finding(name="browser", state="missing", text=exc.message)
    took = time.monotonic() - started
    return Finding(name="browser", state="ok", text=f"{found}, started and closed in {took:.1f} s")


async def _launch(path: str) -> None:
    from browser_agent.browser.browser import Browser
    from browser_agent.logic.url_policy import UrlPolicy

    async with Browser.launch(policy=UrlPolicy.only([]), executable_path=path):
        pass


def _sandbox() -> Finding:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        text = "off, since this is root; run as a normal user to have it (Results say which)"
        return Finding(name="sandbox", state="note", text=text)
    return Finding(name="sandbox", state="ok", text="on")


def _models() -> Finding:
    from browser_agent.models.resolve import model_for_key

    usable = model_for_key()
    text = "the built-in extractive model needs no key"
    if usable is not None:
        text += f"; a provider key is set: --model {usable} would use it"
    return Finding(name="models", state="ok", text=text)


def _extra(name: str, feature: str) -> Finding:
    if find_spec(name) is not None:
        return Finding(name=name, state="ok", text=f"{feature} available")
    text = f"{feature} needs: pip install '{DISTRIBUTION}[{name}]'"
    return Finding(name=name, state="note", text=text)


def _leftovers() -> Finding:
    from browser_agent.browser.reaper import find_dead
    from browser_agent.store.journal import open_journal

    count = len(find_dead(open_journal()))
    if count:
        text = f"{count} browsers of dead processes are recorded; browser-agent reap ends them"
        return Finding(name="leftovers", state="note", text=text)
    return Finding(name="leftovers", state="ok", text="none")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)
