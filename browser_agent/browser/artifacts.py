"""Screenshots and PDFs as private files below the artifact folder.

Owns masking (password fields and fields that hold a secret are painted over) and the bound on a
full page's height. Pixels never leave in a Result: it names the file, its size and digest.
"""

from __future__ import annotations

import asyncio
import re
import struct
from typing import TYPE_CHECKING, Literal, cast

from browser_agent.browser.aim import take_aim
from browser_agent.browser.failures import is_playwright_error
from browser_agent.browser.hand import Place, ask
from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import PAGE, Outcome, fail
from browser_agent.browser.paths import private_folder, safe_name, write_private
from browser_agent.browser.stage import check_type
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playwright.async_api import FloatRect, Locator

    from browser_agent.browser.core import Core
    from browser_agent.browser.operation import Body, Operation
    from browser_agent.records.result import Result

FULL_PAGE_PX = 16_384
MASKED_FRAMES = 30
_PRINTED = re.compile(rb"(/(?:CreationDate|ModDate) \(D:)([0-9+'\-Z]{4,40})\)")
_JPEG_FRAME = re.compile(rb"\xff[\xc0-\xc2]..\x08(.{4})", re.DOTALL)
_HIDDEN_FIELDS = (
    "input[type=password], input[autocomplete*=password], input[autocomplete=one-time-code], "
    "input[autocomplete^=cc-]"
)


class Artifacts:
    """Pictures and prints of one session's pages."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def screenshot(
        self, *, ref: str | None = None, full_page: bool = False, name: str | None = None
    ) -> Result:
        """A picture of the view, of the whole page, or of one element.

        A ``name`` that ends in ``.jpg`` or ``.jpeg`` asks for a JPEG; every other gives a PNG.
        """
        for value, what in ((ref, "ref"), (name, "name")):
            if value is not None:
                check_type(value, str, what)

        async def act(op: Operation) -> Outcome:
            if ref is not None:
                return await self._of_element(op, ref, name or "element.png")
            return await self._of_page(op, name or "screenshot.png", full_page=full_page)

        return await self._run("screenshot", act)

    async def pdf(self, *, name: str | None = None) -> Result:
        """The page as a PDF; ``unsupported`` where the browser cannot print one."""
        if name is not None:
            check_type(name, str, "name")

        async def act(op: Operation) -> Outcome:
            try:
                content = _undated(await op.call(op.tab.page.pdf()))
            except Exception as error:
                if is_playwright_error(error) and "not implemented" in str(error).lower():
                    fail(ErrorCode.UNSUPPORTED, "This browser cannot print a PDF.")
                raise
            kept = await self._keep(_with_suffix(name or "page", ".pdf"), content)
            return Outcome(data={"artifact": kept})

        return await self._run("pdf", act)

    async def _of_page(self, op: Operation, name: str, *, full_page: bool) -> Outcome:
        page = op.tab.page
        clip: FloatRect | None = None
        height = 0.0
        if full_page:
            size = await ask(op, Place(frame=page.main_frame), "size")
            width, height = float(str(size["width"])), float(str(size["height"]))
            clip = {"x": 0, "y": 0, "width": width, "height": min(height, FULL_PAGE_PX)}
        content = await op.call(
            page.screenshot(
                type=_format_of(name),
                full_page=full_page,
                clip=clip,
                mask=self._masks(op),
                timeout=op.remaining_ms(),
            )
        )
        cut = height > FULL_PAGE_PX
        coverage = {"pixels_not_captured": int(height) - FULL_PAGE_PX} if cut else {}
        data = {"artifact": await self._keep(_picture_name(name), content)}
        return Outcome(data=data, truncated=cut, coverage=coverage, locator=PAGE)

    async def _of_element(self, op: Operation, ref: str, name: str) -> Outcome:
        aim = await take_aim(op, self._core, ref)
        locator = aim.place.frame.locator(aim.place.selector)
        content = await op.call(
            locator.screenshot(
                type=_format_of(name), mask=self._masks(op), timeout=op.remaining_ms()
            )
        )
        data = {"artifact": await self._keep(_picture_name(name), content)}
        return Outcome(data=data, locator=aim.locator)

    def _masks(self, op: Operation) -> list[Locator]:
        frames = op.tab.page.frames[:MASKED_FRAMES]
        masks = [frame.locator(_HIDDEN_FIELDS) for frame in frames]
        return masks + [place.frame.locator(place.selector) for place in secret_places(op)]

    async def _keep(self, name: str, content: bytes) -> Mapping[str, object]:
        shared = self._core.shared

        def write() -> dict[str, object]:
            shared.artifact_dir = private_folder(shared.artifact_dir)
            return write_private(shared.artifact_dir, safe_name(name), [content]).to_data()

        return await asyncio.to_thread(write) | _size_of(content)

    async def _run(self, name: str, body: Body) -> Result:
        limit_s = self._core.limits.action_timeout_s
        return await self._core.run(Kind(name, limit_s, ErrorCode.OBSERVATION_TIMEOUT), body)


def secret_places(op: Operation) -> tuple[Place, ...]:
    """Where secrets were typed in the current tab."""
    noted = op.tab.notes.get("secret_places")
    return tuple(cast("list[Place]", noted)) if isinstance(noted, list) else ()


def _undated(content: bytes) -> bytes:
    """A printed page without the moment of printing: the same page gives the same bytes."""
    return _PRINTED.sub(lambda found: found[1] + b"0" * len(found[2]) + b")", content)


def _format_of(name: str) -> Literal["jpeg", "png"]:
    return "jpeg" if name.lower().endswith((".jpg", ".jpeg")) else "png"


def _picture_name(name: str) -> str:
    return name if _format_of(name) == "jpeg" else _with_suffix(name, ".png")


def _with_suffix(name: str, suffix: str) -> str:
    return name if name.lower().endswith(suffix) else name + suffix


def _size_of(content: bytes) -> dict[str, object]:
    """Width and height in pixels where the picture's head says them."""
    if content[:8] == b"\x89PNG\r\n\x1a\n":
        width, height = struct.unpack(">II", content[16:24])
        return {"width": width, "height": height}
    frame = _JPEG_FRAME.search(content) if content[:2] == b"\xff\xd8" else None
    if frame is None:
        return {}
    height, width = struct.unpack(">HH", frame[1])
    return {"width": width, "height": height}
