"""The one place that imports litellm: late, tamed, and closed again.

Owns its environment switches, what is read from its price table, and its HTTP clients. Without the
switches litellm loads ``.env`` from the working directory, fetches a price map and prints banners.
"""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import cast

import orjson

from browser_agent.records.model import ModelPrice

_SWITCHES = {
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_OFFLINE_MODE": "true",
}
_TABLE = "model_prices_and_context_window_backup.json"
_lock = threading.Lock()
_calls_running = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What the price table says of a model; None and False where it does not know it."""

    price: ModelPrice | None = None
    context_window: int | None = None
    output_schema: bool = False


def load_litellm() -> ModuleType:
    """Import litellm (seconds of CPU the first time) with everything unasked turned off."""
    with _lock:
        os.environ.update(_SWITCHES)
        # deprecations inside litellm are no business of a program that turns warnings into errors
        warnings.filterwarnings("ignore", module=r"litellm(\.|$)")
        import litellm

        litellm.suppress_debug_info = True
        litellm.disable_aiohttp_transport = True
        litellm.num_retries = 0
        litellm.turn_off_message_logging = True
        logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
        return litellm


@cache
def _price_table() -> Mapping[str, Mapping[str, object]]:
    """The table that litellm ships, read from its file: importing litellm would take seconds."""
    spec = find_spec("litellm")
    folders = spec.submodule_search_locations if spec else None
    if not folders:
        return {}
    return cast(
        "Mapping[str, Mapping[str, object]]", orjson.loads(Path(folders[0], _TABLE).read_bytes())
    )


def read_facts(name: str) -> ModelFacts:
    """Look a model up in litellm's own table; no import of litellm, no network, no guess."""
    table = _price_table()
    provider, _, bare = name.partition("/")
    row = table.get(name) or table.get(bare) or {}
    if row.get("litellm_provider") != provider and name not in table:
        return ModelFacts()
    prices = row.get("input_cost_per_token"), row.get("output_cost_per_token")
    window = row.get("max_input_tokens") or row.get("max_tokens")
    return ModelFacts(
        price=_read_price(*prices),
        context_window=window if isinstance(window, int) else None,
        output_schema=row.get("supports_response_schema") is True,
    )


def _read_price(input_usd: object, output_usd: object) -> ModelPrice | None:
    if isinstance(input_usd, int | float) and isinstance(output_usd, int | float):
        return ModelPrice(input_usd=float(input_usd), output_usd=float(output_usd))
    return None


@asynccontextmanager
async def counted_call() -> AsyncGenerator[None]:
    """Count a call, so that closing one model's clients never cuts another's reply."""
    global _calls_running  # noqa: PLW0603 - litellm's client cache is global too
    _calls_running += 1
    try:
        yield
    finally:
        _calls_running -= 1


async def close_clients() -> None:
    """Close litellm's cached HTTP clients, unless another call is using them."""
    if _calls_running:
        return
    litellm = load_litellm()
    await litellm.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()
