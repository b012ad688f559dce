"""What a MiniWoB policy sees and does: lines of a snapshot, and the session's own tools.

Nothing here reads the page in another way than a robot could.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from browser_agent.browser.session import Session
from browser_agent.records.result import Result

_LINE = re.compile(r"^( *)(?:(e\d+) )?(.*)$")
_NAME = re.compile(r'^(?:(\w+)((?: [\w#./-]+)*?))? ?~?"(.*)"(.*)$')
_CELLS = re.compile(r"^\|(.*)$")
ORDINALS = {"1st": 0, "2nd": 1, "3rd": 2}


class Stuck(Exception):  # noqa: N818 - a policy's way to give up
    """The policy cannot go on, or an action was no success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a snapshot."""

    ref: str | None
    role: str
    name: str
    raw: str
    indent: int

    @property
    def value(self) -> str:
        """What stands behind the equals sign."""
        return self.raw.partition(" = ")[2]


def parse(text: str) -> list[Line]:
    """The lines of a snapshot's text."""
    found: list[Line] = []
    for raw in text.split("\n"):
        match = _LINE.match(raw)
        if match is None:
            continue
        indent, ref, rest = match.groups()
        named = _NAME.match(rest)
        role = (named.group(1) or "") if named else rest.split(" ")[0].rstrip(":")
        name = named.group(3) if named else ""
        found.append(Line(ref=ref, role=role, name=name, raw=rest, indent=len(indent)))
    return found


class View:
    """The page at one moment."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = parse(text)

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return "Episodes done: 1" in self.text

    def all(self, *roles: str) -> list[Line]:
        """Lines with a ref and one of the roles, in order."""
        return [line for line in self.lines if line.ref and (not roles or line.role in roles)]

    def find(self, name: str, *roles: str) -> Line | None:
        """The line with that name, else None."""
        named = self.all(*roles)
        exact = [line for line in named if line.name == name]
        same = [line for line in named if _plain(line.name) == _plain(name)]
        return next(iter(exact or same), None)

    def ref(self, name: str, *roles: str) -> str:
        """The ref of the line with that name."""
        line = self.find(name, *roles)
        if line is None or line.ref is None:
            raise Stuck(f"nothing is named {name!r}")
        return line.ref

    def after(self, label: str, *roles: str) -> Line:
        """The first line with a ref (and role) below a line that holds ``label``."""
        at = next((i for i, line in enumerate(self.lines) if label in line.raw), None)
        if at is None:
            raise Stuck(f"no line holds {label!r}")
        for line in self.lines[at:]:
            if line.ref and (not roles or line.role in roles):
                return line
        raise Stuck(f"nothing to act on below {label!r}")


class Wob:
    """One episode."""

    def __init__(self, session: Session, goal: str) -> None:
        self.session = session
        self.goal = goal

    @property
    def quoted(self) -> list[str]:
        """What stands in quotes in the goal."""
        return re.findall(r'"([^"]*)"', self.goal)

    def match(self, pattern: str) -> list[str]:
        """Groups of a pattern in the goal."""
        found = re.search(pattern, self.goal)
        if found is None:
            raise Stuck(f"the goal does not read like {pattern!r}: {self.goal}")
        return [group or "" for group in found.groups()]

    async def look(self) -> View:
        """A snapshot without the first line, which is the goal."""
        result = await self.session.snapshot()
        text = str(self._data(result)["text"])
        return View(text.partition("\n")[2])

    async def shows(self, name: str, *roles: str) -> Line:
        """The line with that name, which may take a moment to appear."""
        for _ in range(30):
            line = (await self.look()).find(name, *roles)
            if line is not None:
                return line
            await self.wait(0.1)
        raise Stuck(f"nothing is named {name!r}")

    async def text(self) -> str:
        """The page's readable text."""
        return str(self._data(await self.session.read())["text"])

    async def click(self, ref: str | None) -> dict[str, Any]:
        """Click a ref."""
        return self._data(await self.session.click(_known(ref)))

    async def press_named(self, name: str, *roles: str) -> dict[str, Any]:
        """Click what has that name now."""
        return await self.click((await self.look()).ref(name, *roles))

    async def fill(self, ref: str | None, text: str) -> dict[str, Any]:
        """Fill a field."""
        return self._data(await self.session.fill(_known(ref), text))

    async def holds_lines(self, ref: str | None) -> bool:
        """Whether a field keeps a line break: a text area does."""
        return (await self.session.fill(_known(ref), "a\nb")).is_ok

    async def key(self, key: str, ref: str | None = None) -> dict[str, Any]:
        """Press a key."""
        return self._data(await self.session.press(key, ref=ref))

    async def check(self, ref: str | None) -> dict[str, Any]:
        """Check a box or button."""
        return self._data(await self.session.check(_known(ref)))

    async def select(self, ref: str | None, values: Sequence[str]) -> dict[str, Any]:
        """Choose options."""
        return self._data(await self.session.select(_known(ref), values))

    async def hover(self, ref: str | None) -> dict[str, Any]:
        """Move the mouse."""
        return self._data(await self.session.hover(_known(ref)))

    async def drag(self, start: str | None, end: str | None) -> dict[str, Any]:
        """Drag from ref to ref."""
        return self._data(await self.session.drag(_known(start), _known(end)))

    async def scroll_to(self, end: Literal["top", "bottom"], ref: str | None) -> dict[str, Any]:
        """Scroll a part of the page to one of its ends."""
        return self._data(await self.session.scroll(end, ref=ref))

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        self._data(await self.session.wait_for(time_s=seconds))

    async def wait_text(self, text: str) -> None:
        """Wait until a text is there."""
        self._data(await self.session.wait_for(text=text))

    def _data(self, result: Result) -> dict[str, Any]:
        if not result.is_ok:
            raise Stuck(f"{result.error_code}: {result.error_message}")
        return cast("dict[str, Any]", result.to_dict()["data"])


def _plain(name: str) -> str:
    return name.strip(" .,").casefold()


def _known(ref: str | None) -> str:
    if ref is None:
        raise Stuck("no ref")
    return ref
