"""Filling a form: several fields in one operation, each by the action that its kind needs.

Owns the order and the report on every field. The first field that fails ends it; what was filled
before stays and is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from browser_agent.browser.aim import Aim, looking, take_aim
from browser_agent.browser.hand import ask
from browser_agent.browser.outcome import OperationFailed, Outcome, fail
from browser_agent.browser.witness import CHANGES_BYTES
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import Effect, ErrorCode, Status

if TYPE_CHECKING:
    from browser_agent.browser.actions_choice import Choosing
    from browser_agent.browser.actions_pointer import Pointer
    from browser_agent.browser.actions_text import Keyboard
    from browser_agent.browser.operation import Operation
    from browser_agent.browser.stage import Stage
    from browser_agent.records.result import Result

MOST_FIELDS = 50
_YES = frozenset({"true", "on", "yes", "1", "checked"})
_NO = frozenset({"false", "off", "no", "0", "unchecked", ""})
_TICKS = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
_CHOICES = frozenset({"listbox", "combobox", "option"})

Value = str | bool | Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field to fill: its ref and a string, a bool, or a list of options."""

    ref: str
    value: Value


class Forms:
    """Forms of one session."""

    def __init__(
        self, stage: Stage, keyboard: Keyboard, pointer: Pointer, choosing: Choosing
    ) -> None:
        self._stage = stage
        self._keyboard = keyboard
        self._pointer = pointer
        self._choosing = choosing

    async def fill_form(self, fields: Sequence[Mapping[str, object]]) -> Result:
        """Fill fields in order; ``data["fields"]`` says how each went."""
        wanted = [_field(field) for field in fields]

        async def act(op: Operation) -> Outcome:
            if not 1 <= len(wanted) <= MOST_FIELDS:
                fail(ErrorCode.INVALID_INPUT, f"Give 1 to {MOST_FIELDS} fields.")
            observer = self._stage.core.observer(op.tab)
            baseline = await looking(op, observer.baseline())
            rows: list[dict[str, object]] = []
            outcome = Outcome()
            for field in wanted:
                outcome = await self._fill_one(op, field)
                rows.append(_row(field, outcome))
                if outcome.status is not Status.OK:
                    break
            if outcome.code is None:
                changes = await looking(op, observer.changes(baseline, limit_bytes=CHANGES_BYTES))
                shown = {"added": list(changes.added), "removed": list(changes.removed)}
                outcome = replace(outcome, data={**(outcome.data or {}), "changes": shown})
            return _whole(op, outcome, rows)

        return await self._stage.run("fill_form", act)

    async def _fill_one(self, op: Operation, field: Field) -> Outcome:
        try:
            aim = await take_aim(op, self._stage.core, field.ref)
            return await self._by_kind(op, aim, field.value)
        except OperationFailed as failed:
            return failed.outcome

    async def _by_kind(self, op: Operation, aim: Aim, value: Value) -> Outcome:
        facts = await ask(op, aim.place, "read")
        role = aim.described.role
        if facts["type"] in _TICKS or role in _TICKS:
            return await self._pointer.check_aimed(op, aim, checked=_as_bool(aim, value))
        if facts["kind"] == "select" or (role in _CHOICES and not aim.described.editable):
            return await self._choosing.select_aimed(op, aim, _as_list(value))
        if not isinstance(value, str):
            fail(ErrorCode.INVALID_INPUT, f"{aim.shown} takes a text.")
        return await self._keyboard.fill_aimed(op, aim, value)


def _field(given: Mapping[str, object]) -> Field:
    ref, value = given.get("ref", given.get("target")), given.get("value")
    if not isinstance(ref, str):
        raise InvalidInput("every field needs a ref")
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str | bool):
        return Field(ref=ref, value=value)
    if isinstance(value, Sequence):
        items = cast("Sequence[object]", value)
        return Field(ref=ref, value=[str(item) for item in items])
    raise InvalidInput("every field needs a value: a string, a bool or a list of strings")


def _as_bool(aim: Aim, value: Value) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else "?"
    yes = word in _YES or word == aim.described.name.strip().lower()
    if not yes and word not in _NO:
        fail(ErrorCode.INVALID_INPUT, f"{aim.shown} takes true or false.")
    return yes


def _as_list(value: Value) -> list[str]:
    if isinstance(value, bool):
        return [str(value).lower()]
    return [value] if isinstance(value, str) else list(value)


def _row(field: Field, outcome: Outcome) -> dict[str, object]:
    row: dict[str, object] = {"ref": field.ref, "status": str(outcome.status)}
    value = (outcome.data or {}).get("value")
    if value is not None:
        row["value"] = value
    if outcome.code is not None:
        row["error"] = str(outcome.code)
    return row


def _whole(op: Operation, last: Outcome, rows: list[dict[str, object]]) -> Outcome:
    """The last field's outcome speaks for the form; its effect covers the fields before."""
    data = {key: value for key, value in (last.data or {}).items() if key != "value"}
    data["fields"] = rows
    if last.code is None:
        return replace(last, data=data)
    filled = len(rows) - 1
    words = f"Field {len(rows)}: {last.message or last.code}"
    if filled:
        words += f" The {filled} before it are filled."
    effect = Effect.ACKNOWLEDGED if filled else last.effect
    return replace(last, data=data, message=words, effect=effect or op.effect)
