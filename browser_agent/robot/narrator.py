"""A hook that says in one line each what a robot does. It never breaks a run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import IO

from browser_agent._json import dumps
from browser_agent.robot.hooks import ModelCallContext, ToolCallContext

CLIP_CHARS = 80


class Narrator:
    """``Robot(hooks=[Narrator()])``: model calls, tool calls and failures, to stderr by default."""

    def __init__(self, out: IO[str] | None = None) -> None:
        self._out = out

    def after_model_call(self, context: ModelCallContext) -> None:
        """One line a model call."""
        reply = context.reply
        if reply is None:
            return
        asks = ", ".join(call.name for call in reply.tool_calls)
        says = asks or _clip(reply.text or "")
        self._say(f"{context.robot_name} turn {context.turn}: {says or 'nothing'}")

    def before_tool_call(self, context: ToolCallContext) -> None:
        """One line a tool call, with its first argument."""
        self._say(f"  {context.call.name}({_first(context.arguments)})")

    def on_error_tool_call(self, context: ToolCallContext) -> None:
        """One line a failure: the kind of the error, as its text may quote a page."""
        self._say(f"  {context.call.name} failed: {type(context.error).__name__}")

    def _say(self, line: str) -> None:
        try:
            (self._out or sys.stderr).write(line + "\n")
        except (OSError, ValueError):
            self._out = _Silent()


class _Silent:
    """Where a narrator speaks when its stream is gone."""

    def write(self, text: str) -> int:
        return len(text)


def _first(arguments: Mapping[str, object]) -> str:
    for name, value in arguments.items():
        return _clip(f"{name}={dumps(value)}")
    return ""


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= CLIP_CHARS else line[: CLIP_CHARS - 1] + "…"
