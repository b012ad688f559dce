"""Progress of a run on stderr, one line for each thing that happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from browser_agent._json import dumps
from browser_agent.records.result import Result

if TYPE_CHECKING:
    from browser_agent.robot.hooks import ToolCallContext

_MAX_CHARS = 110
_STYLES = {"ok": "green", "truncated": "yellow", "unknown": "magenta", "error": "red"}


class Progress:
    """A hook that tells what the robot does. It never ends a run."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)

    def before_tool_call(self, context: ToolCallContext) -> None:
        """One line a call, with its arguments."""
        arguments = dumps(dict(context.arguments)) if context.arguments else ""
        self._line("\u25b8", f"{context.call.name} {arguments}", "dim")

    def after_tool_call(self, context: ToolCallContext) -> None:
        """One line an answer, with status and address."""
        result = context.result
        if not isinstance(result, Result):
            return
        words = [result.status.value, result.final_url or ""]
        if result.error is not None:
            words += [result.error.code, result.error.message]
        self._line(" ", " ".join(words), _STYLES.get(result.status.value, "dim"))

    def _line(self, mark: str, text: str, style: str) -> None:
        flat = " ".join(text.split())
        clipped = flat if len(flat) <= _MAX_CHARS else flat[: _MAX_CHARS - 1] + "\u2026"
        self._console.print(Text(f"{mark} {clipped}", style=style))
