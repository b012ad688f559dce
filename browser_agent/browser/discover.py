"""Which Chromium to start: explicit path, environment, Playwright's own download, PATH.

Owns the order and the words of the error when there is none. It starts nothing.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from browser_agent.errors import BrowserError, ConfigurationError

VARIABLE = "BROWSER_AGENT_BROWSER_PATH"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHANNELS = frozenset(
    {"chrome", "chrome-beta", "chrome-dev", "chrome-canary", "chromium", "msedge", "msedge-beta"}
)


def check_channel(channel: str | None) -> None:
    """Refuse channels that Playwright does not know."""
    if channel is not None and channel not in CHANNELS:
        raise ConfigurationError(f"unknown channel: choose one of {', '.join(sorted(CHANNELS))}")


def find_browser(executable_path: str | os.PathLike[str] | None, own_download: str) -> str:
    """The path of the browser to start.

    ``own_download`` is where Playwright would have installed one. BrowserError when an explicitly
    named file is missing, or when nothing is found; it names the commands that help.
    """
    for source, given in (("executable_path", executable_path), (VARIABLE, _from_environment())):
        if given is not None:
            return _checked(source, os.fspath(given))
    if Path(own_download).is_file():
        return own_download
    for name in NAMES:
        found = shutil.which(name)
        if found is not None:
            return found
    raise BrowserError(
        "no Chromium found. Install one with 'playwright install chromium' or "
        f"'apt-get install chromium', or set {VARIABLE} to a browser's path",
        hint="Run browser-agent setup.",
    )


def _from_environment() -> str | None:
    return os.environ.get(VARIABLE) or None


def _checked(source: str, path: str) -> str:
    if Path(path).is_file() and os.access(path, os.X_OK):
        return path
    raise BrowserError(
        f"{source} names no program that can be run: {Path(path).name}. Give the path of a "
        "Chromium, or leave it out to use one that 'playwright install chromium' brought",
        hint="Run browser-agent setup.",
    )
