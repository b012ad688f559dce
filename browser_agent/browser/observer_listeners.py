"""Which elements of a page listen for clicks: asked of the browser, told to the engine.

Page script adds listeners where the engine's world cannot see them. Chromium names all of them in
one answer of its debugger; the elements are handed to the engine as objects of its own world, so
nothing of it can be seen by the page. Owns that one debugger session. Browsers without it, nodes
beyond the bound and frames of other processes are left as they are: this only ever adds refs.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol, cast

from playwright.async_api import Error as PlaywrightError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from playwright.async_api import Page

NODES = 500
_WORLD = "__playwright_utility_world"
_CLICKS = frozenset(
    ("click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend")
)
_TELL = "function (...elements) { globalThis.browserAgentListening(elements); }"

Event = dict[str, object]


class _Session(Protocol):
    """The two calls of a debugger session, with types."""

    async def send(self, method: str, params: Mapping[str, object] | None = None) -> Event:
        """Ask the browser."""
        ...

    def on(self, event: str, listener: Callable[[Event], None]) -> None:
        """Listen."""


class Listeners:
    """The click listeners of one page's top document."""

    def __init__(self, page: Page, *, limit_s: float) -> None:
        self._page = page
        self._limit_s = limit_s
        self._session: _Session | None = None
        self._context = 0
        self._absent = False
        self._lock = asyncio.Lock()

    @property
    def available(self) -> bool:
        """Whether the browser can be asked at all."""
        return not self._absent

    async def tell_engine(self) -> None:
        """Ask the browser and tell the engine of the document that is shown now."""
        if self._absent:
            return
        async with self._lock:
            try:
                async with asyncio.timeout(self._limit_s):
                    await self._tell()
            except TimeoutError:
                return
            except PlaywrightError:
                self._absent = self._session is None

    async def _tell(self) -> None:
        session = await self._opened()
        self._context = 0
        _, found = await asyncio.gather(
            session.send("Runtime.enable"),
            session.send("Runtime.evaluate", {"expression": "document"}),
        )
        try:
            nodes = await _listening(session, _object_id(found, "result"))
            if nodes and self._context:
                await self._hand_over(session, nodes)
        finally:
            await session.send("Runtime.disable")

    async def _opened(self) -> _Session:
        if self._session is None:
            opened = await self._page.context.new_cdp_session(self._page)
            session = cast("_Session", opened)
            session.on("Runtime.executionContextCreated", self._note_context)
            self._session = session
        return self._session

    def _note_context(self, event: Event) -> None:
        context = cast("Mapping[str, object]", event["context"])
        extra = cast("Mapping[str, object]", context.get("auxData") or {})
        frame_id = str(extra.get("frameId", ""))
        named = str(context.get("name", "")).startswith(_WORLD)
        if named and not self._context and frame_id:
            self._context = cast("int", context["id"])

    async def _hand_over(self, session: _Session, nodes: list[int]) -> None:
        """Resolve the nodes in the engine's world; one that is gone is left out."""
        answers = await asyncio.gather(
            *(
                session.send(
                    "DOM.resolveNode",
                    {
                        "backendNodeId": node,
                        "executionContextId": self._context,
                        "objectGroup": "listening",
                    },
                )
                for node in nodes
            ),
            return_exceptions=True,
        )
        objects = [
            {"objectId": _object_id(answer, "object")}
            for answer in answers
            if not isinstance(answer, BaseException)
        ]
        if objects:
            call = {
                "functionDeclaration": _TELL,
                "executionContextId": self._context,
                "arguments": objects,
            }
            await session.send("Runtime.callFunctionOn", call)
        await session.send("Runtime.releaseObjectGroup", {"objectGroup": "listening"})


def _object_id(answer: Event, key: str) -> str:
    return str(cast("Mapping[str, object]", answer[key])["objectId"])


async def _listening(session: _Session, document: str) -> list[int]:
    answer = await session.send(
        "DOMDebugger.getEventListeners", {"objectId": document, "depth": -1, "pierce": True}
    )
    return _nodes_of(cast("Iterable[Event]", answer["listeners"]))


def _nodes_of(listeners: Iterable[Event]) -> list[int]:
    nodes = (
        cast("int", one["backendNodeId"])
        for one in listeners
        if one.get("type") in _CLICKS and "backendNodeId" in one
    )
    return list(dict.fromkeys(nodes))[:NODES]
