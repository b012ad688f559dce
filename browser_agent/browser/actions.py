"""Every action of a session, as one door to the parts that send them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

from browser_agent.browser.actions_choice import Choosing
from browser_agent.browser.actions_files import Sending
from browser_agent.browser.actions_form import Forms
from browser_agent.browser.actions_pointer import Pointer
from browser_agent.browser.actions_scroll import Scrolling
from browser_agent.browser.actions_text import Keyboard
from browser_agent.browser.aim import take_aim
from browser_agent.browser.hand import ask
from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.stage import check_type
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from playwright.async_api import ViewportSize

    from browser_agent.browser.operation import Operation
    from browser_agent.browser.stage import Stage
    from browser_agent.records.result import Result

SMALLEST_PX, LARGEST_PX = 50, 10_000


class Actions:
    """What a person does on a page. Every method gives the Result of one operation."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._pointer = Pointer(stage)
        self._keyboard = Keyboard(stage)
        self._choosing = Choosing(stage)
        self._scrolling = Scrolling(stage)
        self._sending = Sending(stage)
        self._forms = Forms(stage, self._keyboard, self._pointer, self._choosing)

    async def click(self, ref: str, *, button: str, count: int, modifiers: Sequence[str]) -> Result:
        """See :meth:`Pointer.click`."""
        return await self._pointer.click(ref, button=button, count=count, modifiers=modifiers)

    async def hover(self, ref: str) -> Result:
        """See :meth:`Pointer.hover`."""
        return await self._pointer.hover(ref)

    async def drag(self, start: str, end: str) -> Result:
        """See :meth:`Pointer.drag`."""
        return await self._pointer.drag(start, end)

    async def check(self, ref: str, checked: bool) -> Result:
        """See :meth:`Pointer.check`."""
        return await self._pointer.check(ref, checked)

    async def fill(self, ref: str, text: str) -> Result:
        """See :meth:`Keyboard.fill`."""
        return await self._keyboard.fill(ref, text)

    async def type(self, ref: str, text: str, *, submit: bool, slowly: bool) -> Result:
        """See :meth:`Keyboard.type`."""
        return await self._keyboard.type(ref, text, submit=submit, slowly=slowly)

    async def fill_form(self, fields: Sequence[Mapping[str, object]]) -> Result:
        """See :meth:`Forms.fill_form`."""
        return await self._forms.fill_form(fields)

    async def press(self, key: str, *, ref: str | None) -> Result:
        """See :meth:`Keyboard.press`."""
        return await self._keyboard.press(key, ref=ref)

    async def select(self, ref: str, values: Sequence[str]) -> Result:
        """See :meth:`Choosing.select`."""
        return await self._choosing.select(ref, values)

    async def drop(
        self, ref: str, *, paths: Sequence[str | PathLike[str]], data: Mapping[str, str] | None
    ) -> Result:
        """See :meth:`Sending.drop`."""
        return await self._sending.drop(ref, paths=paths, data=data)

    async def upload(self, paths: Sequence[str | PathLike[str]], *, ref: str | None) -> Result:
        """See :meth:`Sending.upload`."""
        return await self._sending.upload(paths, ref=ref)

    async def scroll(
        self, direction: str, *, ref: str | None, to_text: str | None, amount: int | None
    ) -> Result:
        """See :meth:`Scrolling.scroll`."""
        return await self._scrolling.scroll(direction, ref=ref, to_text=to_text, amount=amount)

    async def resize(self, width: int, height: int) -> Result:
        """Set the size of the viewport, in CSS pixels."""
        check_type(width, int, "width")
        check_type(height, int, "height")

        async def act(op: Operation) -> Outcome:
            if not all(SMALLEST_PX <= size <= LARGEST_PX for size in (width, height)):
                fail(
                    ErrorCode.INVALID_INPUT,
                    f"width and height must be from {SMALLEST_PX} to {LARGEST_PX}.",
                )
            size: ViewportSize = {"width": width, "height": height}
            op.dispatching()
            await op.call(op.tab.page.set_viewport_size(size))
            op.acknowledged()
            return Outcome(data={"changed": True, "width": width, "height": height})

        return await self._stage.run("resize", act)

    async def describe(self, ref: str) -> Result:
        """What an element is and where its form would go: what approval rules need to know."""
        check_type(ref, str, "ref")

        async def act(op: Operation) -> Outcome:
            core = self._stage.core
            aim = await take_aim(op, core, ref)
            about = aim.described
            data: dict[str, object] = {
                "role": about.role,
                "name": about.name,
                "tag": about.tag,
                "type": about.kind,
                "href": about.href,
                "frame_url": aim.place.frame.url,
            }
            return Outcome(data=data | await ask(op, aim.place, "form"))

        limit_s = self._stage.core.limits.observation_timeout_s
        kind = Kind("describe", limit_s, ErrorCode.OBSERVATION_TIMEOUT)
        return await self._stage.core.run(kind, act)
