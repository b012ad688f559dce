"""Actions of the keyboard: fill, type, press; and filling a whole form.

Owns what is sent, the forms of values that fields want, and secrets on their way into a field.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from browser_agent.browser.aim import Aim, find_field, take_aim
from browser_agent.browser.hand import Answer, Place, ask, new_nonce
from browser_agent.browser.keys import chord
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.secret_input import Typed, expand, holds_secret
from browser_agent.browser.stage import check_type, spoken
from browser_agent.browser.trace import Expected, Trace
from browser_agent.browser.values import for_field
from browser_agent.browser.verdict import ValueCheck
from browser_agent.records.codes import Effect, ErrorCode

if TYPE_CHECKING:
    from browser_agent.browser.operation import Operation
    from browser_agent.browser.stage import Stage
    from browser_agent.records.result import Result

INPUTS = ("input", "beforeinput", "keydown", "change")
KEYS = ("keydown", "keypress", "keyup", "input")
LISTENED_FRAMES = 20
NOTED_SECRETS = 50
PIECE = 16


class Keyboard:
    """The keyboard of one session."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def fill(self, ref: str, text: str) -> Result:
        """Replace the value of a field at once."""
        check_type(ref, str, "ref")
        check_type(text, str, "text")

        async def act(op: Operation) -> Outcome:
            aim = await take_aim(op, self._stage.core, ref)
            return await self.fill_aimed(op, aim, text)

        return await self._stage.run("fill", act)

    async def type(self, ref: str, text: str, *, submit: bool, slowly: bool) -> Result:
        """Replace the value of a field, key by key with ``slowly``; Enter after it, if asked."""
        check_type(ref, str, "ref")
        check_type(text, str, "text")
        check_type(submit, bool, "submit")
        check_type(slowly, bool, "slowly")

        async def act(op: Operation) -> Outcome:
            aim = await take_aim(op, self._stage.core, ref)
            return await self.fill_aimed(op, aim, text, slowly=slowly, submit=submit)

        return await self._stage.run("type", act)

    async def press(self, key: str, *, ref: str | None) -> Result:
        """Press a key or chord, on an element or wherever the focus is."""
        check_type(key, str, "key")
        if ref is not None:
            check_type(ref, str, "ref")

        async def act(op: Operation) -> Outcome:
            keys = spoken(chord, key)
            if ref is None:
                return await self._press_anywhere(op, keys)
            aim = await take_aim(op, self._stage.core, ref)
            return await self._press_on(op, aim, keys)

        return await self._stage.run("press", act)

    async def fill_aimed(
        self, op: Operation, aim: Aim, text: str, *, slowly: bool = False, submit: bool = False
    ) -> Outcome:
        """As :meth:`type`, for an element that was aimed at already."""
        facts = await find_field(op, self._stage.core, aim)
        _check_editable(aim, facts)
        typed = self._expand(op, aim, facts, text)
        wanted = for_field(str(facts["type"]), typed.text)
        if wanted.problem:
            fail(ErrorCode.INVALID_INPUT, wanted.problem, hint="Write the value in that form.")
        expected = Expected(place=aim.place, value=wanted.value, secret=typed.secret)
        trace = await self._stage.witness.begin(op, aim=aim, kinds=INPUTS)
        entry = _Entry(kind=str(facts["kind"]), slowly=slowly, submit=submit)
        send = self._enter(op, trace, expected, entry)
        outcome = await self._stage.perform(op, trace, send, expected=expected)
        return _with_limit(outcome, facts, wanted.value)

    def _expand(self, op: Operation, aim: Aim, facts: Answer, text: str) -> Typed:
        shared = self._stage.core.shared
        typed = expand(text, shared.secrets, aim.place.frame.url)
        secret = typed.secret or bool(facts["secret"]) or holds_secret(text, shared.secrets)
        if secret and typed.text:
            shared.redactor = shared.redactor.with_secrets({"password": typed.text})
            _note_secret(op, aim.place)
        return Typed(text=typed.text, secret=secret)

    async def _enter(self, op: Operation, trace: Trace, expected: Expected, entry: _Entry) -> None:
        """Put the value in; Enter follows only where the field holds what was asked for."""
        trace.expected = expected
        if entry.kind == "set":
            answer = await ask(op, expected.place, "assign", value=expected.value)
            trace.value_changed = answer["before"] != answer["value"]
        else:
            focus = await ask(op, expected.place, "focus", select="all")
            trace.value_changed = focus["before"] != expected.value
            if focus["focused"]:
                await _write(op, expected.value, slowly=entry.slowly)
        if entry.submit:
            await self._stage.witness.compare(op, trace, expected)
            if trace.value_check is ValueCheck.MATCHES:
                await op.tab.page.keyboard.press("Enter")

    async def _press_on(self, op: Operation, aim: Aim, keys: str) -> Outcome:
        await find_field(op, self._stage.core, aim)
        trace = await self._stage.witness.begin(op, aim=aim, kinds=KEYS)
        op.dispatching()
        focus = await ask(op, aim.place, "focus")
        if not focus["focused"]:
            fail(
                ErrorCode.NOT_ACTIONABLE,
                f"{aim.shown} does not take the focus, so it takes no keys.",
                effect=Effect.NOT_DISPATCHED,
            )
        return await self._stage.perform(op, trace, op.tab.page.keyboard.press(keys))

    async def _press_anywhere(self, op: Operation, keys: str) -> Outcome:
        """Keys go to the focused element of any frame: every frame is listened to."""
        key = new_nonce()
        places = [Place(frame=frame) for frame in op.tab.page.frames[:LISTENED_FRAMES]]
        trace = await self._stage.witness.begin(op)
        await asyncio.gather(
            *(ask(op, place, "listen", key=key, kinds=list(KEYS)) for place in places)
        )
        trace.ears = tuple((place, key) for place in places)
        return await self._stage.perform(op, trace, op.tab.page.keyboard.press(keys))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """How a value goes in; ``kind`` is the hand's word for the field."""

    kind: str
    slowly: bool
    submit: bool


async def _write(op: Operation, text: str, *, slowly: bool) -> None:
    """Over the selection. In pieces, so that a cut does not leave keys on their way for long."""
    keyboard = op.tab.page.keyboard
    if not text:
        await keyboard.press("Delete")
    elif not slowly:
        await keyboard.insert_text(text)
    else:
        for start in range(0, len(text), PIECE):
            await keyboard.type(text[start : start + PIECE])


def _check_editable(aim: Aim, facts: Answer) -> None:
    kind = facts["kind"]
    if facts["readonly"]:
        fail(ErrorCode.NOT_ACTIONABLE, f"{aim.shown} is read-only.")
    if kind in ("text", "rich", "set"):
        return
    other = {"checkbox": "check", "radio": "check", "select": "select", "file": "upload"}
    better = other.get(str(kind))
    if better is not None:
        fail(ErrorCode.NOT_ACTIONABLE, f"{aim.shown} takes no text; use {better} for it.")
    hint = aim.described.hint
    near = f" The nearest field is {hint}." if hint else ""
    fail(
        ErrorCode.NOT_ACTIONABLE,
        f"{aim.shown} is no field and takes no text.{near}",
        hint=f"Use {hint}." if hint else "Use the ref of a field, such as a textbox.",
    )


def _note_secret(op: Operation, place: Place) -> None:
    """Remember where a secret stands, so that pictures of the page hide it."""
    noted = cast("list[Place]", op.tab.notes.setdefault("secret_places", []))
    if place not in noted:
        noted.append(place)
    del noted[:-NOTED_SECRETS]


def _with_limit(outcome: Outcome, facts: Answer, value: str) -> Outcome:
    """Say why a text was cut where the field has a limit."""
    limit = int(str(facts["maxlength"]))
    if outcome.code is not ErrorCode.NO_EFFECT or not 0 < limit < len(value):
        return outcome
    words = f"{outcome.message} It takes at most {limit} characters; the text has {len(value)}."
    return replace(outcome, message=words)
