"""The command ``browser-agent``: its commands, and how every ending becomes an exit code."""

from __future__ import annotations

import sys

import click
import typer

from browser_agent import __version__
from browser_agent.cli import demo, doctor, offline, read, run, serve, setup
from browser_agent.cli.output import (
    EXIT_SIGINT,
    EXIT_USAGE,
    Exit,
    exit_code_of_error,
    report_error,
)
from browser_agent.errors import BrowserAgentError

app = typer.Typer(
    name="browser-agent",
    help="Robots that drive a real browser and hand back evidence that can be checked.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"browser-agent {__version__}")
        raise typer.Exit


@app.callback()
def _root(  # pyright: ignore[reportUnusedFunction] - registered by the decorator
    _version_flag: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Robots that drive a real browser and hand back evidence that can be checked."""


for module in (run, read, offline, serve, doctor, setup, demo):
    module.register(app)


def main() -> None:
    """Run the command line and exit with the contract's codes."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: list[str]) -> int:
    """Run one command line; returns the exit code instead of leaving the process."""
    as_json = "--json" in arguments
    try:
        outcome = app(args=arguments, standalone_mode=False)
    except Exit as way_out:
        return way_out.code
    except click.exceptions.NoArgsIsHelpError as exc:
        typer.echo(exc.format_message(), err=True)
        return EXIT_USAGE
    except click.ClickException as exc:
        report_error("usage", exc.format_message(), hint=_help_hint(arguments), as_json=as_json)
        return EXIT_USAGE
    except BrowserAgentError as exc:
        report_error(exc.code, exc.message, hint=exc.hint, as_json=as_json)
        return exit_code_of_error(exc)
    except (KeyboardInterrupt, click.Abort):
        report_error("cancelled", "interrupted", as_json=as_json)
        return EXIT_SIGINT
    return outcome if isinstance(outcome, int) else 0


def _help_hint(arguments: list[str]) -> str:
    command = next((word for word in arguments if not word.startswith("-")), "")
    return f"see: browser-agent {command + ' ' if command else ''}--help"
