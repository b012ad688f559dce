"""Choosing: options of native selects, of ARIA listboxes and of comboboxes.

Owns matching of options and what is sent. Where nothing matches, the options are listed and
nothing is chosen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn, cast

from browser_agent.browser.actions_pointer import PRESSES
from browser_agent.browser.aim import Aim, find_field, find_spot, looking, take_aim
from browser_agent.browser.hand import Place, ask, exists, go, new_nonce
from browser_agent.browser.mouse import click_at
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.stage import check_type
from browser_agent.browser.trace import Trace
from browser_agent.browser.verdict import ValueCheck
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from browser_agent.browser.operation import Operation
    from browser_agent.browser.stage import Stage
    from browser_agent.records.result import Result

SHOWN_OPTIONS = 30
LIST_S = 1.5
"""How long a list that shows no option may take to show some."""
LIST_QUIET_MS = 150
CHOICES = ("input", "change", "click")
_LISTS = frozenset(
    {"combobox", "listbox", "menu", "tree", "grid", "button", "textbox", "searchbox"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option as the page shows it."""

    index: int
    label: str
    value: str
    selected: bool
    disabled: bool


class Choosing:
    """Selects and lists of one session."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def select(self, ref: str, values: Sequence[str]) -> Result:
        """Choose options by label or value; an option's own ref chooses it when no value is given.

        A text that several options hold is no match: it must be one option's whole label or
        value, or stand in exactly one label.
        """
        check_type(ref, str, "ref")
        if isinstance(values, str):
            raise InvalidInput("values must be a list of strings")
        for value in values:
            check_type(value, str, "a value")

        async def act(op: Operation) -> Outcome:
            aim = await take_aim(op, self._stage.core, ref)
            return await self.select_aimed(op, aim, values)

        return await self._stage.run("select", act)

    async def select_aimed(self, op: Operation, aim: Aim, values: Sequence[str]) -> Outcome:
        """As :meth:`select`, for an element that was aimed at already."""
        if aim.described.tag == "option":
            owner = replace(aim, place=go(aim.place, "owner"))
            return await self._native(op, owner, values or [aim.described.name])
        if aim.described.role == "option" and not values:
            return await self._click_option(op, aim, aim.place, aim.described.name)
        if not values:
            fail(ErrorCode.INVALID_INPUT, "Give at least one label or value to choose.")
        target = await self._list_at(op, aim)
        answer = await ask(op, target.place, "choices", nonce=new_nonce())
        if answer["kind"] == "native":
            return await self._native(op, target, values)
        return await self._aria(op, target, values)

    async def _list_at(self, op: Operation, aim: Aim) -> Aim:
        """The element itself, the control of a label, or the one list inside a wrapper."""
        described = aim.described
        if described.tag == "select" or described.role in _LISTS:
            return aim
        if described.role == "option":
            return aim
        inner = go(aim.place, "control", css="select,[role=combobox],[role=listbox]")
        if not await exists(op, inner):
            hint = described.hint
            fail(
                ErrorCode.NOT_ACTIONABLE,
                f"{aim.shown} is no list to choose from.",
                hint=f"Use {hint} instead." if hint else "Use the ref of a combobox or listbox.",
            )
        return replace(aim, place=inner)

    async def _native(self, op: Operation, aim: Aim, values: Sequence[str]) -> Outcome:
        facts = await find_field(op, self._stage.core, aim)
        answer = await ask(op, aim.place, "choices")
        options = _options(answer)
        if len(values) > 1 and not facts["multiple"]:
            fail(ErrorCode.INVALID_INPUT, f"{aim.shown} takes one value, not {len(values)}.")
        chosen = [_match(options, value) for value in values]
        if None in chosen:
            _no_match(aim, options, values[chosen.index(None)])
        picked = [option for option in chosen if option is not None]
        _check_enabled(aim, picked)
        trace = await self._stage.witness.begin(op, aim=aim, kinds=CHOICES)
        trace.value_changed = {one.index for one in picked} != _selected(options)
        return await self._stage.perform(op, trace, self._set(op, trace, aim, picked))

    async def _set(self, op: Operation, trace: Trace, aim: Aim, picked: Sequence[Option]) -> None:
        locator = aim.place.frame.locator(aim.place.selector)
        indexes = [option.index for option in picked]
        await locator.select_option(index=indexes, force=True, timeout=op.remaining_ms())
        held = _options(await ask(op, aim.place, "choices"))
        _note(trace, _selected(held) == set(indexes), [held[index].label for index in indexes])

    async def _aria(self, op: Operation, aim: Aim, values: Sequence[str]) -> Outcome:
        """Open the list where it is closed, then click one option after the other."""
        outcome: Outcome | None = None
        for value in values:
            option, place = await self._find_option(op, aim, value)
            outcome = await self._click_option(op, aim, place, option.label)
            if outcome.code is not None:
                return outcome
        return outcome or Outcome()

    async def _find_option(self, op: Operation, aim: Aim, value: str) -> tuple[Option, Place]:
        """Look, then open the list, then type. One that shows options is open: no click on it."""
        nonce, options = await self._listed(op, aim, anywhere=False)
        option = _match(options, value)
        for opening in (self._open, self._search):
            if option is not None or (opening == self._open and options):
                continue
            if await opening(op, aim, value):
                nonce, shown = await self._awaited(op, aim, value)
                option, options = _match(shown, value), shown or options
        if option is None:
            await op.call(op.tab.page.keyboard.press("Escape"))
            _no_match(aim, options, value)
        _check_enabled(aim, [option])
        return option, go(aim.place, "option", list=nonce, index=option.index)

    async def _listed(self, op: Operation, aim: Aim, *, anywhere: bool) -> tuple[str, list[Option]]:
        """The options that are shown now, and the name that the page remembers them by."""
        nonce = new_nonce()
        answer = await ask(op, aim.place, "choices", nonce=nonce, anywhere=anywhere)
        return nonce, _options(answer)

    async def _awaited(self, op: Operation, aim: Aim, value: str) -> tuple[str, list[Option]]:
        """The options, after time for a list that a script or a server fills late."""
        loop = asyncio.get_running_loop()
        end = loop.time() + min(LIST_S, op.remaining_s() / 2)
        observer = self._stage.core.observer(op.tab)
        quiet_ms = 0
        while True:
            nonce, options = await self._listed(op, aim, anywhere=True)
            full = bool(options) and quiet_ms > 0
            if full or _match(options, value) is not None or loop.time() >= end:
                return nonce, options
            quiet_ms = LIST_QUIET_MS
            left_s = max(0.05, end - loop.time())
            await looking(op, observer.settle(quiet_ms=quiet_ms, limit_s=left_s, whole=True))

    async def _open(self, op: Operation, aim: Aim, _: str) -> bool:
        """Click the combobox, as a person does; False for a list that is always open."""
        if aim.described.role in ("listbox", "menu", "tree", "grid"):
            return False
        spot = await find_spot(op, self._stage.core, aim)
        op.dispatching()
        await op.call(click_at(op.tab, spot.x, spot.y))
        return True

    async def _search(self, op: Operation, aim: Aim, value: str) -> bool:
        """Type into a combobox that takes text: many list nothing before."""
        if not aim.described.editable:
            return False
        focus = await ask(op, aim.place, "focus", select="all")
        if focus["focused"]:
            op.dispatching()
            await op.call(op.tab.page.keyboard.insert_text(value))
        return bool(focus["focused"])

    async def _click_option(self, op: Operation, aim: Aim, place: Place, label: str) -> Outcome:
        option = replace(aim, place=place)
        spot = await find_spot(op, self._stage.core, option)
        trace = await self._stage.witness.begin(op)
        key = new_nonce()
        await ask(op, Place(frame=place.frame), "listen", key=key, kinds=list(PRESSES))
        trace.ears = ((Place(frame=place.frame), key),)
        trace.extra = {"value": label}
        return await self._stage.perform(op, trace, click_at(op.tab, spot.x, spot.y))


def _note(trace: Trace, matches: bool, labels: Sequence[str]) -> None:
    trace.value_check = ValueCheck.MATCHES if matches else ValueCheck.DIFFERS
    trace.extra = {"value": labels[0] if len(labels) == 1 else list(labels)}


def _options(answer: Mapping[str, object]) -> list[Option]:
    rows = cast("list[dict[str, object]]", answer["options"])
    return [
        Option(
            index=index,
            label=str(row["label"]),
            value=str(row["value"]),
            selected=bool(row["selected"]),
            disabled=bool(row["disabled"]),
        )
        for index, row in enumerate(rows)
    ]


def _selected(options: Sequence[Option]) -> set[int]:
    return {option.index for option in options if option.selected}


def _match(options: Sequence[Option], wanted: str) -> Option | None:
    """The option with that label, else value, else the only one whose label holds the text."""
    text = _fold(wanted)
    by_label = [option for option in options if _fold(option.label) == text]
    same = by_label or [option for option in options if _fold(option.value) == text]
    if same:
        return same[0]
    inside = [option for option in options if text and text in _fold(option.label)]
    return inside[0] if len(inside) == 1 else None


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def _check_enabled(aim: Aim, picked: Sequence[Option]) -> None:
    for option in picked:
        if option.disabled:
            fail(
                ErrorCode.NOT_ACTIONABLE, f"The option '{option.label}' of {aim.shown} is disabled."
            )


def _no_match(aim: Aim, options: Sequence[Option], wanted: str) -> NoReturn:
    labels = [option.label for option in options if option.label][:SHOWN_OPTIONS]
    shown = ", ".join(f"'{label}'" for label in labels) or "none"
    more = f" and {len(options) - len(labels)} more" if len(options) > len(labels) else ""
    fail(
        ErrorCode.NOT_FOUND,
        f"{aim.shown} has no option '{wanted[:60]}'. Options: {shown}{more}.",
        hint="Use one of the options that the message lists.",
        data={"options": labels},
    )
