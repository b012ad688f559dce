"""Where settings come from: the flag, else ``BROWSER_AGENT_<NAME>``, else ``browser_agent.toml``.

Owns the table of settings and their kinds. Secrets never go in arguments: files and environment
only. It declares no flag; those stand in ``cli/options.py`` and beside their commands.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import cast

from browser_agent.errors import ConfigurationError, InvalidInput
from browser_agent.logic.url_policy import UrlPolicy

CONFIG_FILE = "browser_agent.toml"
PREFIX = "BROWSER_AGENT_"


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
    upload_dir: tuple[str, ...] = ()
    search_url: str | None = None
    out: str | None = None
    model: str | None = None

    @classmethod
    def of(cls, settings: Mapping[str, object]) -> Shared:
        """Shared settings that fit each other; ConfigurationError says which does not."""
        made = cls(**settings)  # pyright: ignore[reportArgumentType] - converted by the table
        if made.approve not in ("ask", "deny", "allow"):
            raise ConfigurationError("--approve must be ask, deny or allow")
        if made.search_url is not None and "{query}" not in made.search_url:
            raise ConfigurationError("--search-url must hold {query}")
        return made

    def policy(self) -> UrlPolicy:
        """The URL policy that these settings name."""
        if self.only is not None:
            return UrlPolicy.only(self.only, allow_local=self.allow_local, deny=self.deny)
        return UrlPolicy.public_web(allow_local=self.allow_local, deny=self.deny)


SHARED = frozenset(item.name for item in fields(Shared))


def load_settings(config: Path | None, given: Mapping[str, object]) -> dict[str, object]:
    """The settings that are set anywhere, of those that ``given`` names (None: no flag).

    Raises ConfigurationError with the setting and the source that is wrong.
    """
    stored = _read_config(config)
    unknown = sorted(set(stored) - set(_KINDS))
    if unknown:
        raise ConfigurationError(f"unknown setting in the configuration file: {unknown[0]}")
    settings: dict[str, object] = {}
    for name in _KINDS:
        if name not in given:
            continue
        variable = PREFIX + name.upper()
        sources = (
            ("the flag", given[name]),
            (variable, os.environ.get(variable)),
            ("the configuration file", stored.get(name)),
        )
        source, value = next((one for one in sources if one[1] is not None), ("", None))
        if value is not None:
            settings[name] = _convert(name, value, source)
    return settings


def _convert(name: str, value: object, source: str) -> object:
    kind, what = _KINDS[name]
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise ConfigurationError(f"{name} from {source} must be {what}") from None


def _to_list(value: object) -> tuple[str, ...]:
    items = value.split() if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise TypeError
    return tuple(str(item) for item in cast("list[object]", items))


def _to_flag(value: object) -> bool:
    word = str(value).lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ValueError


def _to_count(value: object) -> int:
    if isinstance(value, bool):
        raise TypeError
    return int(str(value))


def _to_number(value: object) -> float:
    if isinstance(value, bool):
        raise TypeError
    return float(str(value))


_Kind = tuple[Callable[[object], object], str]
_LIST: _Kind = (_to_list, "a list of strings")
_FLAG: _Kind = (_to_flag, "true or false")
_COUNT: _Kind = (_to_count, "a whole number")
_NUMBER: _Kind = (_to_number, "a number")
_TEXT: _Kind = (str, "a string")

_KINDS: Mapping[str, _Kind] = {
    **dict.fromkeys(("only", "deny", "allow_local", "upload_dir"), _LIST),
    **dict.fromkeys(("robots", "headed", "unsafe_evaluate"), _FLAG),
    **dict.fromkeys(("max_turns", "max_tool_rounds", "max_tokens", "max_sessions"), _COUNT),
    **dict.fromkeys(("max_cost", "max_time", "action_timeout", "navigation_timeout"), _NUMBER),
    **dict.fromkeys(
        ("secrets", "storage_state", "approve", "browser_path", "search_url", "out", "model"), _TEXT
    ),
    **dict.fromkeys(("viewport", "user_agent", "cdp_env"), _TEXT),
}
"""Every setting that the environment or the file may hold: how it is read, and what it must be."""


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
