"""Options that commands share: their flags, and the decorator that gives them to a command.

Where a setting comes from when no flag names it is decided in ``cli/settings.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, TypeAlias, cast

import typer

from browser_agent import __version__
from browser_agent.cli.settings import CONFIG_FILE, SHARED, Shared, load_settings

_SAFETY, _OUTPUT = "Safety", "Output"

Only: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--only", metavar="PATTERN", help="Admit these hosts alone.", rich_help_panel=_SAFETY
    ),
]
Deny: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--deny", metavar="PATTERN", help="Refuse these hosts.", rich_help_panel=_SAFETY),
]
AllowLocal: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-local", metavar="ORIGIN", help="Admit a private origin.", rich_help_panel=_SAFETY
    ),
]
SecretsFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--secrets", metavar="FILE", help="TOML file of secrets.", rich_help_panel=_SAFETY
    ),
]
StorageState: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--storage-state", metavar="FILE", help="Cookies to start with.", rich_help_panel=_SAFETY
    ),
]
Approve: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--approve", metavar="ask|deny|allow", help="Risky actions.", rich_help_panel=_SAFETY
    ),
]
Robots: TypeAlias = Annotated[
    bool | None,
    typer.Option("--robots/--no-robots", help="Respect robots.txt.", rich_help_panel=_SAFETY),
]
Headed: TypeAlias = Annotated[bool | None, typer.Option("--headed", help="Show the browser.")]
BrowserPath: TypeAlias = Annotated[
    Path | None, typer.Option("--browser-path", metavar="PATH", help="The Chromium to use.")
]
UploadDir: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--upload-dir", metavar="DIR", help="Files may be given from here.", rich_help_panel=_SAFETY
    ),
]
SearchUrl: TypeAlias = Annotated[
    str | None,
    typer.Option("--search-url", metavar="TEMPLATE", help="e.g. https://host/?q={query}"),
]
Out: TypeAlias = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Where to write.", rich_help_panel=_OUTPUT),
]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="One JSON document on stdout.", rich_help_panel=_OUTPUT)
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", help="No progress on stderr.", rich_help_panel=_OUTPUT)
]


def print_version(value: bool) -> None:
    """Print the version and leave, before anything else is looked at."""
    if value:
        typer.echo(f"browser-agent {__version__}")
        raise typer.Exit


Version: TypeAlias = Annotated[
    bool | None,
    typer.Option("--version", callback=print_version, is_eager=True, help="Print the version."),
]
Config: TypeAlias = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help=f"Default: {CONFIG_FILE}.")
]
Model: TypeAlias = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="e.g. anthropic/…; default: built in, no key."),
]

_SHARED: Mapping[str, object] = {
    "only": Only,
    "deny": Deny,
    "allow_local": AllowLocal,
    "secrets": SecretsFile,
    "storage_state": StorageState,
    "approve": Approve,
    "robots": Robots,
    "headed": Headed,
    "browser_path": BrowserPath,
    "upload_dir": UploadDir,
    "search_url": SearchUrl,
    "out": Out,
    "config": Config,
    "version": Version,
}


def shared_options(*, model: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared flags; it receives them combined, as its argument ``shared``.

    With ``model`` the command has ``--model`` too, which stands in ``shared.model``. The command's
    own options that are settings are looked up in the same way where no flag gave them.
    """
    flags = {**({"model": Model} if model else {}), **_SHARED}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            item
            for item in signature(command, eval_str=True).parameters.values()
            if item.name != "shared"
        ]
        names = [item.name for item in own]
        added = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, kind in flags.items()
        ]

        def call(**given: object) -> None:
            del given["version"]
            settings = load_settings(cast("Path | None", given.pop("config")), given)
            shared = {name: settings[name] for name in SHARED & settings.keys()}
            command(
                shared=Shared.of(shared),
                **{name: settings.get(name, given[name]) for name in names},
            )

        plain = [item.replace(kind=Parameter.KEYWORD_ONLY) for item in own]
        call.__name__, call.__doc__ = command.__name__, command.__doc__
        call.__annotations__ = {item.name: item.annotation for item in [*plain, *added]}
        setattr(call, "__signature__", Signature([*plain, *added]))  # noqa: B010 - functions declare no such attribute
        return call

    return decorate
