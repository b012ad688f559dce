"""The command ``browser-agent``: its commands, and how every ending becomes an exit code.

Only the module of the command that was asked for is imported; the list of commands needs none.
"""

from __future__ import annotations

import sys
from importlib import import_module

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError

from browser_agent.cli.options import Version
from browser_agent.cli.output import (
    EXIT_SIGINT,
    EXIT_USAGE,
    Exit,
    UsageFault,
    exit_code_of_error,
    report_error,
)
from browser_agent.errors import BrowserAgentError

COMMANDS = {
    "run": ("run", "Answer a question from real pages, with citations that were checked."),
    "read": ("read", "Read one page as markdown, text or a snapshot."),
    "extract": ("read", "Extract data that fits a JSON Schema, each value with its source."),
    "verify": ("offline", "Check digests, chain and citations of a run, offline."),
    "replay": ("offline", "Run a recorded run again, with no network and no key."),
    "report": ("offline", "Write one static page that shows a run and its evidence."),
    "mcp": ("serve", "Serve the browser tools to an MCP client over stdin and stdout."),
    "doctor": ("doctor", "Look at this installation: Python, browser, models, leftovers."),
    "setup": ("setup", "Find a Chromium, or install one."),
    "demo": ("demo", "The main job on a sample site; no key, no network."),
    "reap": ("offline", "End browsers that dead processes left behind."),
}
"""Name → the module that registers it, and its line in the list."""


def _root(_version: Version = None) -> None:
    """Robots that drive a real browser and hand back evidence that can be checked.

    Example: browser-agent run "Who built the tower?" --start https://example.com
    """


def build_app(command: str | None = None) -> typer.Typer:
    """The command line; ``command`` alone is loaded in full, the others stand as lines."""
    app = typer.Typer(
        name="browser-agent",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    if command in COMMANDS:
        import_module(f"browser_agent.cli.{COMMANDS[command][0]}").register(app)
        return app
    for name, (_, line) in COMMANDS.items():
        app.command(name, help=line)(_stand_in)
    return app


def _stand_in() -> None:
    """Never run: a command that is named is loaded in full."""


def main() -> None:
    """Run the command line and exit with the contract's codes."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: list[str]) -> int:
    """Run one command line; returns the exit code instead of leaving the process."""
    as_json = "--json" in arguments
    try:
        outcome = build_app(_command_of(arguments))(args=arguments, standalone_mode=False)
    except Exit as way_out:
        return way_out.code
    except NoArgsIsHelpError as exc:
        typer.echo(exc.format_message(), err=True)
        return EXIT_USAGE
    except ClickException as exc:
        report_error("usage", exc.format_message(), hint=_help_hint(arguments), as_json=as_json)
        return EXIT_USAGE
    except BrowserAgentError as exc:
        hint = _help_hint(arguments) if isinstance(exc, UsageFault) else exc.hint
        report_error(exc.code, exc.message, hint=hint, as_json=as_json)
        return exit_code_of_error(exc)
    except (KeyboardInterrupt, typer.Abort):
        report_error("cancelled", "interrupted", as_json=as_json)
        return EXIT_SIGINT
    return outcome if isinstance(outcome, int) else 0


def _help_hint(arguments: list[str]) -> str:
    command = _command_of(arguments)
    return f"see: browser-agent {command + ' ' if command in COMMANDS else ''}--help"


def _command_of(arguments: list[str]) -> str:
    return next((word for word in arguments if not word.startswith("-")), "")
