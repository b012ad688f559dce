"""What the server is started with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

IDLE_S = 900.0
"""A session that nobody used for so long is closed; the next call opens a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Keywords for ``Browser.launch`` and ``browser.session``, and the server's own settings.

    ``folder`` receives captures and artifacts. ``max_sessions`` bounds sessions that are open or
    still closing at one time.
    """

    launch: Mapping[str, object] = field(default_factory=dict[str, object])
    session: Mapping[str, object] = field(default_factory=dict[str, object])
    folder: Path
    search_url: str | None = None
    unsafe_evaluate: bool = False
    idle_s: float = IDLE_S
    max_sessions: int = 1
