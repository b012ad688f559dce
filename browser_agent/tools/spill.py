"""Results of user tools that are too long for a model: kept whole, shown as a preview, read on.

The whole text goes to the blobs of the run (redacted before), or stays in memory without a run
folder. Browser Results are bounded at their source and have cursors of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from browser_agent.errors import InvalidInput
from browser_agent.ports import BlobStore
from browser_agent.tools.tool import Tool, ToolContext

FOOTER_CHARS = 100
"""What stands below a preview."""

_CURSOR = re.compile(r"spill_(\d{1,6})_(\d{1,9})\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpillLimits:
    """Characters that one result and one turn may show; beyond, a preview and a cursor.

    ``by_tool`` sets a bound for one tool; 0 there means that it is never cut.
    """

    result_chars: int = 100_000
    turn_chars: int = 200_000
    preview_chars: int = 1_500
    page_chars: int = 20_000
    by_tool: Mapping[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        sizes = (self.result_chars, self.turn_chars, self.preview_chars, self.page_chars)
        if min(sizes) < 1 or any(size < 0 for size in self.by_tool.values()):
            raise InvalidInput("limits of spilled results must be positive")

    def of(self, tool_name: str) -> int | None:
        """The bound of one tool; None when it is never cut."""
        own = self.by_tool.get(tool_name, self.result_chars)
        return own or None

    def scaled(self, context_window: int | None) -> SpillLimits:
        """Bounds that fit a model's window: 15 % a result, 30 % a turn, at 3 characters a token."""
        if context_window is None:
            return self
        chars = context_window * 3
        return SpillLimits(
            result_chars=min(self.result_chars, max(8_000, chars * 15 // 100)),
            turn_chars=min(self.turn_chars, max(16_000, chars * 30 // 100)),
            preview_chars=self.preview_chars,
            page_chars=self.page_chars,
            by_tool=self.by_tool,
        )


class Spill:
    """The spilled results of one run."""

    def __init__(self, limits: SpillLimits, blobs: BlobStore | None = None) -> None:
        self._limits = limits
        self._blobs = blobs
        self._kept: list[str] = []

    @property
    def has_kept(self) -> bool:
        """Whether anything was spilled, so that there is something to read on."""
        return bool(self._kept)

    def fit(self, tool_name: str, text: str) -> str:
        """The text as it is, or its preview when it is over the tool's bound."""
        bound = self._limits.of(tool_name)
        return text if bound is None or len(text) <= bound else self._preview(text)

    def fit_turn(self, shown: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """The texts of one turn as ``(tool name, text)``; the largest spill until all fit."""
        texts = [text for _, text in shown]
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]), reverse=True)
        for index in order:
            if sum(map(len, texts)) <= self._limits.turn_chars:
                break
            can_shrink = len(texts[index]) > self._limits.preview_chars + FOOTER_CHARS
            if can_shrink and self._limits.of(shown[index][0]) is not None:
                texts[index] = self._preview(texts[index])
        return tuple(texts)

    def read(self, cursor: str) -> dict[str, object]:
        """The next part: ``text`` and, where more follows, ``cursor``. InvalidInput if unknown."""
        found = _CURSOR.match(cursor.strip())
        number, start = (int(found.group(1)), int(found.group(2))) if found else (0, 0)
        if not 1 <= number <= len(self._kept):
            raise InvalidInput("this cursor belongs to no result of this run")
        text = self._load(number)
        end = _cut(text, start, self._limits.page_chars)
        made: dict[str, object] = {"text": text[start:end], "total_chars": len(text)}
        if end < len(text):
            made["cursor"] = f"spill_{number}_{end}"
        return made

    def _preview(self, text: str) -> str:
        if self._blobs is not None:
            self._kept.append(self._blobs.put(text.encode()))
        else:
            self._kept.append(text)
        end = _cut(text, 0, self._limits.preview_chars)
        return (
            f"{text[:end]}\n[shown: {end} of {len(text)} characters;"
            f' read_more(cursor="spill_{len(self._kept)}_{end}") gives the rest]'
        )

    def _load(self, number: int) -> str:
        kept = self._kept[number - 1]
        if self._blobs is None:
            return kept
        content = self._blobs.get(kept)
        if content is None:
            raise InvalidInput("the stored result is gone")
        return content.decode()


def _cut(text: str, start: int, size: int) -> int:
    """An end near ``start + size``: behind the last line that is more than half full."""
    end = start + size
    if end >= len(text):
        return len(text)
    line = text.rfind("\n", start + size // 2, end)
    return end if line < 0 else line + 1


async def _read_more(arguments: dict[str, object], context: ToolContext) -> object:
    cursor = str(arguments["cursor"])
    if context.spill is not None and not cursor.startswith("cur_"):
        return context.spill.read(cursor)
    if context.session is None:
        raise InvalidInput("this cursor belongs to no result of this run")
    return await context.session.read(cursor=cursor)


READ_MORE = Tool(
    name="read_more",
    description="Read on where a result was cut",
    parameters={
        "type": "object",
        "properties": {"cursor": {"type": "string"}},
        "required": ["cursor"],
        "additionalProperties": False,
    },
    handler=_read_more,
    read_only=True,
)
