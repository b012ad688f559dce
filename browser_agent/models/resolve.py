"""Which model a name stands for.

``extractive`` is built in; ``provider/name`` goes through litellm. Owns the table of providers and
the variables that hold their keys. A key in the environment alone chooses nothing and costs
nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from browser_agent.errors import ConfigurationError
from browser_agent.models.extractive import ExtractiveModel
from browser_agent.models.litellm_model import LiteLLMModel
from browser_agent.models.litellm_setup import load_litellm
from browser_agent.ports import Model

EXTRACTIVE = "extractive"

_KEYS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "openai": ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "mistral": ("MISTRAL_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "xai": ("XAI_API_KEY",),
    "groq": ("GROQ_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_AI_TOKEN", "TOGETHER_AI_API_KEY"),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY"),
    "cohere_chat": ("COHERE_API_KEY", "CO_API_KEY"),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "moonshot": ("MOONSHOT_API_KEY",),
}
_KEYLESS = frozenset(
    {"azure", "bedrock", "hosted_vllm", "lm_studio", "llamafile", "ollama", "ollama_chat"}
    | {"sagemaker", "vertex_ai", "vllm"}
)
_BASES = ("{}_API_BASE", "{}_BASE_URL")


def resolve_model(name: str) -> Model:
    """The model that a name stands for. Raises ConfigurationError for an unknown one.

    A provider that needs a key must find it in the environment, unless the environment gives an
    address of one's own (``OPENAI_API_BASE`` and the like).
    """
    if name == EXTRACTIVE:
        return ExtractiveModel()
    provider, slash, bare = name.partition("/")
    if not (slash and provider and bare):
        raise ConfigurationError(
            f"no model is called {name!r}",
            hint="Name it as provider/name, or 'extractive' for the built-in one.",
        )
    _check_provider(provider, name)
    return LiteLLMModel(name, api_base=base_for(provider))


def model_for_key(environ: Mapping[str, str] | None = None) -> str | None:
    """What ``--model`` would use a key that is set, such as ``anthropic/…``; None without one."""
    given = os.environ if environ is None else environ
    return next((f"{provider}/…" for provider, keys in _KEYS.items() if _any(keys, given)), None)


def base_for(provider: str, environ: Mapping[str, str] | None = None) -> str | None:
    """The address of one's own server that the environment names for a provider."""
    given = os.environ if environ is None else environ
    names = (form.format(provider.upper()) for form in _BASES)
    return next((given[name] for name in names if given.get(name)), None)


def _check_provider(provider: str, name: str) -> None:
    keys = _KEYS.get(provider)
    if keys is not None:
        if not _any(keys, os.environ) and base_for(provider) is None:
            raise ConfigurationError(
                f"the model {name} needs a key: set {keys[0]} in the environment"
            )
        return
    if provider not in _KEYLESS and provider not in _litellm_providers():
        raise ConfigurationError(
            f"no provider is called {provider!r} (model {name!r})",
            hint=f"Known ones are {', '.join(sorted(_KEYS))} and others of litellm.",
        )


def _litellm_providers() -> frozenset[str]:
    providers: Iterable[object] = load_litellm().provider_list
    return frozenset(str(getattr(provider, "value", provider)) for provider in providers)


def _any(names: Iterable[str], environ: Mapping[str, str]) -> bool:
    return any(environ.get(name) for name in names)
