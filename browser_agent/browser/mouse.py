"""The mouse of a tab: how it gets to a place, as a hand would take it there.

Owns where the mouse was last. It decides nothing: what is pressed there is the caller's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from browser_agent.browser.tab import Tab

_LAST = "mouse"


async def move_to(tab: Tab, x: float, y: float) -> None:
    """Stir the mouse where it rests, then move it to a place (CSS pixels of the viewport).

    A list that opened below a resting mouse takes the next move for one on itself; without the
    stir that would be the move to the target.
    """
    mouse = tab.page.mouse
    last = cast("tuple[float, float] | None", tab.notes.get(_LAST))
    tab.notes[_LAST] = (x, y)
    if last is not None and last != (x, y):
        await mouse.move(last[0] + (1 if x >= last[0] else -1), last[1])
    await mouse.move(x, y)


async def click_at(tab: Tab, x: float, y: float) -> None:
    """Move there and click with the left button."""
    await move_to(tab, x, y)
    await tab.page.mouse.click(x, y)
