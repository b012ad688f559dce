"""``setup``: find a Chromium or install one. Idempotent; needs no key."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import typer

from browser_agent.browser.discover import find_browser
from browser_agent.cli.options import BrowserPath, Quiet
from browser_agent.cli.output import say
from browser_agent.errors import BrowserError

_APT = ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium")


def setup(browser_path: BrowserPath = None, quiet: Quiet = False) -> None:
    """Find a Chromium, or install one: Debian's package as root, Playwright's build elsewhere.

    Example: browser-agent setup
    """
    found = locate(browser_path) if browser_path is not None else _find_or_install()
    if not quiet:
        say(f"Chromium: {found}")


def locate(path: os.PathLike[str] | None) -> str:
    """The browser that would be started; BrowserError when there is none."""
    try:
        return find_browser(path, "")
    except BrowserError:
        if path is not None or os.environ.get("BROWSER_AGENT_BROWSER_PATH"):
            raise
        return find_browser(None, _own_download())


def _own_download() -> str:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def _find_or_install() -> str:
    try:
        return locate(None)
    except BrowserError:
        if os.environ.get("BROWSER_AGENT_BROWSER_PATH"):
            raise
    tried: list[str] = []
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say("setup: installing Debian's package chromium")
        tried.append("apt-get install chromium")
        if _runs("apt-get", "update", "-qq") and _runs(*_APT):
            return locate(None)
    say("setup: downloading Playwright's build of Chromium")
    tried.append("playwright install chromium")
    if _runs(sys.executable, "-m", "playwright", "install", "chromium"):
        return locate(None)
    raise BrowserError(
        f"no Chromium is here and none could be installed (tried: {'; '.join(tried)}); install "
        "one, or name it with --browser-path or BROWSER_AGENT_BROWSER_PATH"
    )


def _runs(*command: str) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(  # noqa: S603 - fixed commands, nothing from outside
        command, check=False, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return done.returncode == 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(setup)
