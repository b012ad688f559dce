"""``mcp``: serve the tools to an MCP client over stdio."""

from __future__ import annotations

import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from browser_agent.cli import options as o
from browser_agent.cli.output import Exit, UsageFault, exit_code_of, say
from browser_agent.cli.running import launch_options, run_until_signal, session_options
from browser_agent.cli.settings import Shared
from browser_agent.errors import ConfigurationError, DependencyError
from browser_agent.records.limits import BrowserLimits

Viewport = Annotated[str | None, typer.Option("--viewport", metavar="WxH", help="e.g. 1280x720")]
UserAgent = Annotated[str | None, typer.Option("--user-agent", metavar="TEXT")]
Seconds = float | None
ActionTimeout = Annotated[Seconds, typer.Option("--action-timeout", metavar="S")]
NavigationTimeout = Annotated[Seconds, typer.Option("--navigation-timeout", metavar="S")]
CdpEnv = Annotated[
    str | None,
    typer.Option("--cdp-env", metavar="NAME", help="Variable that holds a CDP address."),
]
MaxSessions = Annotated[int | None, typer.Option("--max-sessions", metavar="N", min=1)]
UnsafeEvaluate = Annotated[
    bool | None, typer.Option("--unsafe-evaluate", help="Offer browser_evaluate; see SECURITY.md.")
]


@o.shared_options()
def mcp(
    *,
    shared: Shared,
    viewport: Viewport = None,
    user_agent: UserAgent = None,
    action_timeout: ActionTimeout = None,
    navigation_timeout: NavigationTimeout = None,
    cdp_env: CdpEnv = None,
    max_sessions: MaxSessions = None,
    unsafe_evaluate: UnsafeEvaluate = None,
    json: Annotated[bool, typer.Option("--json", help="Errors as JSON.")] = False,
    quiet: o.Quiet = False,
) -> None:
    """Serve the browser tools to an MCP client over stdin and stdout.

    Example: browser-agent mcp --allow-local http://127.0.0.1:8000
    """
    if find_spec("mcp") is None:
        raise DependencyError.for_extra("MCP", "mcp")
    from browser_agent.mcp_server.server import serve_stdio
    from browser_agent.mcp_server.settings import ServerSettings

    extra: dict[str, object] = {"limits": _limits(action_timeout, navigation_timeout)}
    if user_agent is not None:
        extra["user_agent"] = user_agent
    if cdp_env is not None:
        extra |= {"cdp_url": _cdp_url(cdp_env), "policy": None}
    session = {**session_options(shared), **_viewport(viewport)}
    folder = Path(shared.out) if shared.out else Path(tempfile.mkdtemp(prefix="browser-agent-mcp-"))
    settings = ServerSettings(
        launch={**launch_options(shared), **extra},
        session=session,
        folder=folder,
        search_url=shared.search_url,
        unsafe_evaluate=bool(unsafe_evaluate),
        max_sessions=_at_least_one(max_sessions),
    )
    closing = run_until_signal(serve_stdio(settings))
    if not (quiet or json) and not closing.is_ok:
        say(f"browser-agent: {closing.error_message}")
    code = exit_code_of(closing)
    if code:
        raise Exit(code)


def _limits(action_s: float | None, navigation_s: float | None) -> BrowserLimits:
    given: dict[str, float] = {}
    for flag, name, value in (
        ("--action-timeout", "action_timeout_s", action_s),
        ("--navigation-timeout", "navigation_timeout_s", navigation_s),
    ):
        if value is not None and not 0 < value <= 3600:
            raise UsageFault(f"{flag} must be seconds between 0 and 3600")
        if value is not None:
            given[name] = value
    return BrowserLimits(**given)  # pyright: ignore[reportArgumentType] - the two names above


def _at_least_one(sessions: int | None) -> int:
    if sessions is not None and sessions < 1:
        raise UsageFault("--max-sessions must be 1 or more")
    return sessions or 1


def _viewport(text: str | None) -> dict[str, object]:
    if text is None:
        return {}
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit() and 0 < int(width) <= 8192 >= int(height) > 0):
        raise UsageFault("--viewport must be WIDTHxHEIGHT in pixels, such as 1280x720")
    return {"viewport": {"width": int(width), "height": int(height)}}


def _cdp_url(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise ConfigurationError(f"--cdp-env: the variable {name} is not set")
    return value


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(mcp)
