"""The engine in the page: its script, its registration, one question to one frame.

Owns the form of requests and answers and how failures of a frame are told apart. It knows nothing
of snapshots.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import count
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

if TYPE_CHECKING:
    from playwright.async_api import Frame, Playwright

NAME = "ba"
_PARTS = (
    *("base", "profile", "paint", "place", "cover", "roles", "names", "refs", "walk"),
    *("lines", "closers", "items", "readers", "diff", "stated", "engine", "ops"),
)
_GRACE_S = 0.3
_requests = count(1)

Head = dict[str, object]


class FrameLost(Exception):  # noqa: N818 - a state of a frame, told apart by `reason`
    """A frame gave no answer. ``reason``: ``timeout``, ``detached``, ``closed``, ``crashed`` …"""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a frame answered: a head of plain values, a body of lines, and its size in bytes."""

    head: Head
    body: str
    sent: int = 0

    @property
    def document(self) -> str:
        """The id of the document that answered."""
        return str(self.head.get("doc", ""))

    def number(self, key: str) -> int:
        """A whole number of the head, 0 where it is absent."""
        value = self.head.get(key)
        return int(value) if isinstance(value, int | float) else 0

    def text(self, key: str) -> str:
        """A string of the head, empty where it is absent."""
        value = self.head.get(key)
        return value if isinstance(value, str) else ""

    def list(self, key: str) -> list[object]:
        """A list of the head, empty where it is absent."""
        value = self.head.get(key)
        return cast("list[object]", value) if isinstance(value, list) else []


@cache
def engine_script() -> str:
    """The parts of the engine as one script."""
    folder = files("browser_agent.browser") / "js"
    source = "\n".join((folder / f"{part}.js").read_text("utf-8") for part in _PARTS)
    return f"(() => {{\n'use strict';\n{source}\nreturn engine;\n}})()"


async def register_engine(playwright: Playwright) -> None:
    """Install the engine in every isolated world of this Playwright instance."""
    await playwright.selectors.register(NAME, engine_script(), content_script=True)


def request_of(op: str, **call: object) -> str:
    """The selector of one request; numbered, so that no two are taken for the same."""
    text = json.dumps({"op": op, "n": next(_requests), **call}, separators=(",", ":"))
    return f"{NAME}={quote(text, safe='')}"


def ref_selector(document: str, number: int) -> str:
    """The selector of exactly one element of one document."""
    return f"{NAME}=r{document}-{number}"


async def ask(frame: Frame, op: str, *, timeout_s: float, **call: object) -> Answer:
    """Ask one frame. FrameLost when it is gone, hangs or fails."""
    selector = request_of(op, **call)
    work = asyncio.ensure_future(
        frame.locator(selector).text_content(timeout=max(1.0, timeout_s * 1000))
    )
    work.add_done_callback(_retrieve)
    try:
        done, _ = await asyncio.wait({work}, timeout=timeout_s + _GRACE_S)
    except asyncio.CancelledError:
        work.cancel()
        raise
    if not done:
        work.cancel()
        raise FrameLost("timeout")
    return _answer_of(work)


def _retrieve(work: asyncio.Future[str | None]) -> None:
    """A late failure of an abandoned question is no news."""
    if not work.cancelled():
        work.exception()


def _answer_of(work: asyncio.Future[str | None]) -> Answer:
    try:
        text = work.result() or ""
    except PlaywrightTimeout:
        raise FrameLost("timeout") from None
    except PlaywrightError as error:
        raise FrameLost(_reason_of(str(error))) from None
    head, _, body = text.partition("\n")
    sent = len(text.encode("utf-8", "replace"))
    answer = Answer(head=cast("Head", json.loads(head or "{}")), body=body, sent=sent)
    if "failed" in answer.head:
        raise FrameLost("engine: " + answer.text("failed"))
    return answer


def _reason_of(message: str) -> str:
    lowered = message.lower()
    if "crash" in lowered:
        return "crashed"
    if "detached" in lowered:
        return "detached"
    if "closed" in lowered or "disconnected" in lowered:
        return "closed"
    if "destroyed" in lowered or "navigat" in lowered:
        return "navigated"
    return "failed"
