"""Asks the hand (``hand.js``): one element's facts, where a click on it would go, focus, scroll.

Owns the engine's name and the encoding of questions. Answers are raw page data. It dispatches no
input; what it does in the page (focus, scroll, set a date) is said at the method's caller.
"""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from playwright.async_api import Frame, Playwright

    from browser_agent.browser.operation import Operation

ENGINE = "bact"
Answer = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An element by frame and selector; an empty selector is the document of the frame."""

    frame: Frame
    selector: str = ""

    def then(self, step: str) -> Place:
        """The place that one more selector step leads to."""
        joined = f"{self.selector} >> {step}" if self.selector else step
        return Place(frame=self.frame, selector=joined)


async def register_hand(playwright: Playwright) -> None:
    """Install the engine; once for each Playwright instance, before pages are opened."""
    script = files("browser_agent.browser").joinpath("hand.js").read_text(encoding="utf-8")
    await playwright.selectors.register(ENGINE, script, content_script=True)


async def ask(
    op: Operation, place: Place, question: str, *, within_s: float | None = None, **args: object
) -> Answer:
    """One answer of the page about the element at ``place``. TimeoutError when it gives none."""
    asked = place.then(_step({"op": question, "nonce": new_nonce(), **args}))
    limit_s = op.remaining_s() if within_s is None else min(within_s, op.remaining_s())
    locator = asked.frame.locator(asked.selector)
    text = await op.call(locator.text_content(timeout=max(1.0, limit_s * 1000)), within_s=limit_s)
    return cast("Answer", json.loads(text or "{}"))


def go(place: Place, to: str, **args: object) -> Place:
    """The place of an element that belongs to the one at ``place`` (owner, control, label …)."""
    return place.then(_step({"op": "go", "to": to, **args}))


async def exists(op: Operation, place: Place) -> bool:
    """Whether there is an element at ``place`` right now."""
    return await op.call(place.frame.locator(place.selector).count()) > 0


def new_nonce() -> str:
    """A name for one question: the engine answers the same one from memory."""
    return secrets.token_hex(6)


def _step(args: dict[str, object]) -> str:
    body = base64.urlsafe_b64encode(json.dumps(args).encode()).decode().rstrip("=")
    return f"{ENGINE}={body}"
