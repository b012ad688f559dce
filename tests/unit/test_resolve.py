"""Model names: the built-in one, providers with and without keys, and what is refused."""

from __future__ import annotations

import pytest

from browser_agent.errors import ConfigurationError
from browser_agent.models.extractive import ExtractiveModel
from browser_agent.models.litellm_model import LiteLLMModel
from browser_agent.models.resolve import base_for, model_for_key, resolve_model

KEYED = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYED:
        monkeypatch.delenv(name, raising=False)


def test_extractive_needs_nothing() -> None:
    assert isinstance(resolve_model("extractive"), ExtractiveModel)


@pytest.mark.parametrize("name", ["", "gpt", "extractive/", "/model", "Extractive"])
def test_a_name_without_provider_and_model_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="no model is called"):
        resolve_model(name)


def test_a_provider_without_its_key_is_refused_by_the_key_s_name() -> None:
    with pytest.raises(ConfigurationError, match="ANTHROPIC_API_KEY"):
        resolve_model("anthropic/some-model")


@pytest.mark.parametrize("variable", KEYED)
def test_a_key_or_an_address_of_one_s_own_is_enough(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    assert isinstance(resolve_model("anthropic/some-model"), LiteLLMModel)


def test_a_local_provider_needs_no_key() -> None:
    assert isinstance(resolve_model("ollama/some-model"), LiteLLMModel)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, None),
        ({"OPENAI_API_KEY": ""}, None),
        ({"OPENAI_API_KEY": "x"}, "openai/…"),
        ({"GOOGLE_API_KEY": "x"}, "gemini/…"),
        ({"OPENAI_API_BASE": "http://127.0.0.1"}, None),
    ],
)
def test_a_key_names_the_model_that_would_use_it(
    environ: dict[str, str], expected: str | None
) -> None:
    assert model_for_key(environ) == expected


def test_an_empty_address_is_none() -> None:
    assert base_for("openai", {"OPENAI_API_BASE": "", "OPENAI_BASE_URL": "http://b"}) == "http://b"
    assert base_for("openai", {}) is None
