"""Wiring: which adapter stands behind which port. Imports an adapter only when it is asked for.

Owns the table and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from browser_agent import ports

_ADAPTERS = {
    "journal": ("browser_agent.store.journal", "open_journal"),
    "run_folder": ("browser_agent.store.run_folder", "open_run_folder"),
    "model": ("browser_agent.models.resolve", "resolve_model"),
    "browser_tools": ("browser_agent.tools.catalog", "browser_tools"),
    "extraction": ("browser_agent.tools.extraction", "Extraction"),
    "recorder": ("browser_agent.recorder", "open_recorder"),
}


def _lazy(module: str, name: str) -> Callable[..., object]:
    def make(*args: object, **kwargs: object) -> object:
        adapter = cast("Callable[..., object]", getattr(import_module(module), name))
        return adapter(*args, **kwargs)

    return make


def wire() -> None:
    """Plug every adapter in; cheap, and safe to call again."""
    for port, (module, name) in _ADAPTERS.items():
        ports.provide(port, _lazy(module, name))
