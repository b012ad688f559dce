"""Progress of a run on stderr, one line for each thing that happens."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

_MAX_CHARS = 110


class Progress:
    """A hook that tells what the robot does. It never ends a run."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)

    def line(self, mark: str, text: str, style: str = "dim") -> None:
        """One clipped line; page text is shown as plain text."""
        flat = " ".join(text.split())
        clipped = flat if len(flat) <= _MAX_CHARS else flat[: _MAX_CHARS - 1] + "…"
        self._console.print(Text(f"{mark} {clipped}", style=style))
