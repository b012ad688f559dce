"""Settings: the flag before the environment before the file before the default."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_agent.cli.app import run_command
from browser_agent.cli.settings import SHARED, Shared, load_secrets, load_settings
from browser_agent.errors import ConfigurationError

NONE = dict.fromkeys(SHARED)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "settings.toml"
    file.write_text(
        'model = "file"\nonly = ["a.example"]\nrobots = false\nmax_turns = 3\n', "utf-8"
    )
    return file


def test_flag_then_environment_then_file(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings(config, NONE)["model"] == "file"
    monkeypatch.setenv("BROWSER_AGENT_MODEL", "environment")
    assert load_settings(config, NONE)["model"] == "environment"
    assert load_settings(config, {**NONE, "model": "flag"})["model"] == "flag"


def test_values_get_their_kind(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_AGENT_DENY", "x.example *.y.example")
    monkeypatch.setenv("BROWSER_AGENT_ACTION_TIMEOUT", "1.5")
    given = {**NONE, "max_turns": None, "action_timeout": None}
    settings = load_settings(config, given)
    assert settings["only"] == ("a.example",)
    assert settings["deny"] == ("x.example", "*.y.example")
    assert settings["robots"] is False
    assert settings["max_turns"] == 3
    assert settings["action_timeout"] == 1.5
    assert "max_turns" not in load_settings(config, NONE)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("colour = 1", "unknown setting in the configuration file: colour"),
        ("robots = 'perhaps'", "robots from the configuration file must be true or false"),
        ("only = 7", "only from the configuration file must be a list of strings"),
        ("only = [", "is no TOML"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(line, "utf-8")
    with pytest.raises(ConfigurationError, match="TOML" if "TOML" in told else told):
        load_settings(file, NONE)


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BROWSER_AGENT_MAX_TURNS", "many")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ConfigurationError, match="max_turns from BROWSER_AGENT_MAX_TURNS must be a whole number"
    ):
        load_settings(None, {"max_turns": None})


@pytest.mark.parametrize(
    "settings", [{"approve": "maybe"}, {"search_url": "https://h.example/?q="}]
)
def test_settings_that_cannot_hold_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        Shared.of(settings)


def test_the_servers_own_flags_come_from_the_environment_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value, told in [
        ("VIEWPORT", "wide", "--viewport must be"),
        ("ACTION_TIMEOUT", "0", "--action-timeout must be"),
        ("MAX_SESSIONS", "0", "--max-sessions must be"),
        ("CDP_ENV", "NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE is not set"),
    ]:
        with monkeypatch.context() as one:
            one.setenv(f"BROWSER_AGENT_{name}", value)
            assert run_command(["mcp"]) == 2
        assert told in capsys.readouterr().err


def test_secrets_of_a_file_are_read_and_never_quoted(tmp_path: Path) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text('[login]\nvalue = "correct horse"\norigins = ["https://a.example"]\n', "utf-8")
    assert "correct horse" not in repr(load_secrets(str(file)))
    file.write_text('login = "correct horse', "utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_secrets(str(file))
    assert "correct horse" not in str(caught.value)


@pytest.mark.parametrize("command", ["run", "read", "extract", "mcp"])
def test_every_command_that_browses_has_the_shared_flags(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command([command, "--help"]) == 0
    shown = capsys.readouterr().out
    for flag in [
        "--only",
        "--deny",
        "--allow-local",
        "--secrets",
        "--storage-state",
        "--headed",
        "--browser-path",
        "--approve",
        "--robots",
        "--no-robots",
        "--search-url",
        "--out",
        "--json",
        "--quiet",
        "--config",
        "--version",
    ]:
        assert flag in shown
    assert "Example:" in shown
