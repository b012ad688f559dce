"""What commands that drive a browser share: launch options, URLs, signals, approval."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from browser_agent._json import dumps
from browser_agent._text import escape_invisible
from browser_agent.cli.output import EXIT_SIGINT, EXIT_SIGTERM, Exit, UsageFault
from browser_agent.cli.settings import load_secrets
from browser_agent.errors import ConfigurationError
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.approval import ApprovalRequest, Approve

if TYPE_CHECKING:
    from browser_agent.cli.settings import Shared

T = TypeVar("T")
_CODES = {signal.SIGINT: EXIT_SIGINT, signal.SIGTERM: EXIT_SIGTERM}


def operator_url(url: str, name: str) -> str:
    """The canonical form of a URL that the operator typed; a usage error for anything else."""
    decision = UrlPolicy.public_web().decide(url)
    absolute = url.lower().startswith(("http://", "https://"))
    if not absolute or decision.code == "invalid_url":
        raise UsageFault(f"{name} must be an absolute http or https URL")
    return url


def launch_options(shared: Shared, *, run_dir: Path | None = None) -> dict[str, Any]:
    """Keywords for ``Browser.launch``."""
    made: dict[str, Any] = {
        "policy": shared.policy(),
        "secrets": load_secrets(shared.secrets),
        "headless": not shared.headed,
        "executable_path": shared.browser_path,
        "robots": shared.robots,
        "upload_dirs": shared.upload_dir,
        "search_url": shared.search_url,
        "approve": approval(shared.approve),
        "run_dir": run_dir,
    }
    return {key: value for key, value in made.items() if value is not None}


def session_options(shared: Shared) -> dict[str, Any]:
    """Keywords for ``browser.session``."""
    if shared.storage_state is None:
        return {}
    if not Path(shared.storage_state).is_file():
        raise ConfigurationError(f"cannot read the storage state {shared.storage_state}")
    return {"storage_state": shared.storage_state}


def approval(mode: str) -> Approve:
    """Who approves risky actions: nobody, everybody, or the person at the terminal."""

    def ask(action: ApprovalRequest) -> bool:
        if mode == "allow":
            return True
        if mode == "deny" or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return False
        return typer.confirm(_question(action), default=False, err=True)

    return ask


def _question(action: ApprovalRequest) -> str:
    """One line for a terminal: nothing in it can move the cursor or hide what is asked."""
    arguments = escape_invisible(dumps(action.arguments)[:500]).text
    return f"The robot wants {action.tool} ({action.reason}) with {arguments}. Allow it?"


def run_until_signal(
    work: Coroutine[object, object, T],
    *,
    on_signal: Callable[[], object] | None = None,
    received: list[int] | None = None,
) -> T:
    """Run to the end; SIGINT and SIGTERM end it with cleanup and exit 130 or 143.

    With ``on_signal`` the first signal only asks the work to end, so that it can still hand over
    what it gathered (``received`` then holds the exit code); a second one cancels it.
    """
    codes: list[int] = [] if received is None else received

    async def go() -> T:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()

        def caught(number: signal.Signals) -> None:
            codes.append(_CODES[number])
            if on_signal is not None and len(codes) == 1:
                on_signal()
            else:
                task.cancel()

        for number in _CODES:
            loop.add_signal_handler(number, caught, number)
        return await task

    try:
        outcome = asyncio.run(go())
    except asyncio.CancelledError:
        raise Exit(codes[0] if codes else 1) from None
    if codes and on_signal is None:
        raise Exit(codes[0])
    return outcome
