"""Limits: frozen, validated, with the defaults of the product. Units are in the names."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from browser_agent.errors import InvalidInput


def _check(record: object) -> None:
    for item in fields(record):  # pyright: ignore[reportArgumentType] - both callers are dataclasses
        value = getattr(record, item.name)
        optional = "None" in str(item.type)
        if value is None and optional:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidInput(f"{item.name} must be a number, got {type(value).__name__}")
        if not math.isfinite(value) or value < 0:
            raise InvalidInput(f"{item.name} must be finite and not negative, got {value}")
        if "float" not in str(item.type) and not isinstance(value, int):
            raise InvalidInput(f"{item.name} must be a whole number, got {value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserLimits:
    """Deadlines (seconds) and bounds (bytes, counts) of a browser and its sessions.

    ``result_bytes`` bounds the UTF-8 of a Result's JSON form, ``snapshot_bytes`` what one Result
    shows of a capture, ``capture_bytes`` what may leave a page and be kept for a cursor.
    """

    navigation_timeout_s: float = 20.0
    action_timeout_s: float = 10.0
    observation_timeout_s: float = 5.0
    close_timeout_s: float = 10.0
    result_bytes: int = 65_536
    snapshot_bytes: int = 24_576
    capture_bytes: int = 2_097_152
    download_bytes: int = 67_108_864
    max_pages: int = 8
    max_dialogs: int = 20

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """Limits of one run. ``max_tool_rounds`` counts tool calls; None means no limit."""

    max_turns: int = 30
    max_tool_rounds: int = 60
    max_time_s: float = 600.0
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    model_timeout_s: float = 120.0
    max_results_bytes: int = 2_000_000

    def __post_init__(self) -> None:
        _check(self)
