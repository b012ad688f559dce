"""Options that commands share, and how flags, environment, file and defaults combine.

A setting comes from the flag, else ``BROWSER_AGENT_<NAME>``, else ``browser_agent.toml``, else the
default. Secrets never go in arguments: files and environment only.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, TypeAlias, cast

import typer

from browser_agent import __version__
from browser_agent.errors import ConfigurationError, InvalidInput
from browser_agent.logic.url_policy import UrlPolicy

CONFIG_FILE = "browser_agent.toml"
PREFIX = "BROWSER_AGENT_"

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
    "search_url": SearchUrl,
    "out": Out,
    "config": Config,
    "version": Version,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """The shared settings after flags, environment, file and defaults were combined."""

    only: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    allow_local: tuple[str, ...] = ()
    secrets: str | None = None
    storage_state: str | None = None
    approve: str = "ask"
    robots: bool = True
    headed: bool = False
    browser_path: str | None = None
    search_url: str | None = None
    out: str | None = None
    model: str | None = None

    def policy(self) -> UrlPolicy:
        """The URL policy that these settings name."""
        if self.only is not None:
            return UrlPolicy.only(self.only, allow_local=self.allow_local, deny=self.deny)
        return UrlPolicy.public_web(allow_local=self.allow_local, deny=self.deny)


def shared_options(*, model: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared flags; it receives them combined, as its argument ``shared``.

    With ``model`` the command has ``--model`` too, which stands in ``shared.model``.
    """
    flags = {**({"model": Model} if model else {}), **_SHARED}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            item
            for item in signature(command, eval_str=True).parameters.values()
            if item.name != "shared"
        ]
        added = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, kind in flags.items()
        ]

        def call(**given: object) -> None:
            chosen = {name: given.pop(name) for name in flags}
            config = cast("Path | None", chosen.pop("config"))
            del chosen["version"]
            command(shared=load_shared(config, **chosen), **given)

        plain = [item.replace(kind=Parameter.KEYWORD_ONLY) for item in own]
        call.__name__, call.__doc__ = command.__name__, command.__doc__
        call.__annotations__ = {item.name: item.annotation for item in [*plain, *added]}
        setattr(call, "__signature__", Signature([*plain, *added]))  # noqa: B010 - functions declare no such attribute
        return call

    return decorate


def load_shared(config: Path | None, **flags: object) -> Shared:
    """Combine the sources; ConfigurationError names the setting and the source that is wrong."""
    stored = _read_config(config)
    known = {item.name: item for item in fields(Shared)}
    unknown = sorted(set(stored) - set(known))
    if unknown:
        raise ConfigurationError(f"unknown setting in the configuration file: {unknown[0]}")
    values: dict[str, object] = {}
    for name in known:
        value = flags.get(name)
        source = "the flag"
        if value is None:
            value, source = os.environ.get(PREFIX + name.upper()), PREFIX + name.upper()
        if value is None:
            value, source = stored.get(name), "the configuration file"
        if value is not None:
            values[name] = _convert(name, value, source)
    shared = Shared(**values)  # pyright: ignore[reportArgumentType] - converted one by one
    if shared.approve not in ("ask", "deny", "allow"):
        raise ConfigurationError("--approve must be ask, deny or allow")
    if shared.search_url is not None and "{query}" not in shared.search_url:
        raise ConfigurationError("--search-url must hold {query}")
    return shared


def load_secrets(path: str | None) -> dict[str, object]:
    """Secrets of a TOML file: ``name = "value"`` or ``[name]`` with ``value`` and ``origins``.

    Raises ConfigurationError without quoting anything of the file.
    """
    from browser_agent.records.policy import Secret

    if path is None:
        return {}
    try:
        stored = tomllib.loads(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        raise ConfigurationError(f"cannot read the secrets file {path}") from None
    except tomllib.TOMLDecodeError:
        raise ConfigurationError(f"the secrets file {path} is no TOML") from None
    made: dict[str, object] = {}
    for name, value in stored.items():
        try:
            made[name] = _secret(value, Secret)
        except (InvalidInput, KeyError, TypeError):
            raise ConfigurationError(
                f"secret {name!r}: give a string, or a table with value and origins"
            ) from None
    return made


def _secret(value: object, make: type) -> object:
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        return make(table["value"], table.get("origins", ()))
    return make(value)


def _read_config(config: Path | None) -> dict[str, object]:
    path = config or Path(CONFIG_FILE)
    if config is None and not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as exc:
        raise ConfigurationError(f"cannot read {path}: {exc.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise ConfigurationError(f"{path} is no TOML: {exc}") from None


_LISTS = frozenset({"only", "deny", "allow_local"})
_FLAGS = frozenset({"robots", "headed"})
_TRUE, _FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


def _convert(name: str, value: object, source: str) -> object:
    if name in _LISTS:
        items = value.split() if isinstance(value, str) else value
        if not isinstance(items, list | tuple):
            raise ConfigurationError(f"{name} from {source} must be a list of strings")
        return tuple(str(item) for item in cast("list[object]", items))
    if name in _FLAGS:
        word = str(value).lower()
        if word not in _TRUE | _FALSE:
            raise ConfigurationError(f"{name} from {source} must be true or false")
        return word in _TRUE
    return str(value)
