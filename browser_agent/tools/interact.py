"""Tools that act on the page: click, type, choose, move, answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from browser_agent.logic.refs import parse_ref
from browser_agent.ports import Session
from browser_agent.records.result import Result
from browser_agent.tools.declare import (
    BOOLEAN,
    INTEGER,
    REF,
    STRING,
    STRINGS,
    Arguments,
    browser_tool,
    choice,
    optional,
    optional_ref,
    ref_of,
    schema,
    strings,
    text_of,
)


async def _click(session: Session, arguments: Arguments) -> Result:
    return await session.click(
        ref_of(arguments),
        button=text_of(arguments, "button", "left"),
        count=2 if arguments.get("doubleClick") else 1,
        modifiers=strings(arguments, "modifiers"),
    )


async def _type(session: Session, arguments: Arguments) -> Result:
    ref, text = ref_of(arguments), text_of(arguments, "text")
    submit, slowly = bool(arguments.get("submit")), bool(arguments.get("slowly"))
    if submit or slowly:
        return await session.type(ref, text, submit=submit, slowly=slowly)
    return await session.fill(ref, text)


async def _fill_form(session: Session, arguments: Arguments) -> Result:
    given = cast("list[Mapping[str, object]]", arguments["fields"])
    fields = [
        {"ref": parse_ref(str(field["target"])), "value": field["value"], "type": field.get("type")}
        for field in given
    ]
    return await session.fill_form(fields)


async def _press(session: Session, arguments: Arguments) -> Result:
    return await session.press(text_of(arguments, "key"))


async def _select(session: Session, arguments: Arguments) -> Result:
    return await session.select(ref_of(arguments), strings(arguments, "values"))


async def _check(session: Session, arguments: Arguments) -> Result:
    return await session.check(ref_of(arguments), True)


async def _uncheck(session: Session, arguments: Arguments) -> Result:
    return await session.check(ref_of(arguments), False)


async def _hover(session: Session, arguments: Arguments) -> Result:
    return await session.hover(ref_of(arguments))


async def _drag(session: Session, arguments: Arguments) -> Result:
    return await session.drag(ref_of(arguments, "startTarget"), ref_of(arguments, "endTarget"))


async def _scroll(session: Session, arguments: Arguments) -> Result:
    return await session.scroll(
        text_of(arguments, "direction", "down"),
        ref=optional_ref(arguments),
        to_text=optional(arguments, "toText"),
    )


async def _dialog(session: Session, arguments: Arguments) -> Result:
    return await session.answer_dialog(bool(arguments["accept"]), optional(arguments, "promptText"))


async def _resize(session: Session, arguments: Arguments) -> Result:
    width, height = arguments["width"], arguments["height"]
    return await session.resize(cast("int", width), cast("int", height))


_TARGET = {"target": REF, "element": STRING}
_FIELD = {
    "type": "object",
    "properties": {
        "target": REF,
        "value": STRING,
        "name": STRING,
        "type": choice("textbox", "checkbox", "radio", "combobox", "slider"),
    },
    "required": ["target", "value"],
    "additionalProperties": False,
}

INTERACTION = (
    browser_tool(
        "browser_click",
        "Click an element",
        schema(
            {
                **_TARGET,
                "doubleClick": BOOLEAN,
                "button": choice("left", "right", "middle"),
                "modifiers": STRINGS,
            },
            required=("target",),
        ),
        _click,
        kind="act",
    ),
    browser_tool(
        "browser_type",
        "Replace a field's text; submit presses Enter, slowly types key by key",
        schema(
            {**_TARGET, "text": STRING, "submit": BOOLEAN, "slowly": BOOLEAN},
            required=("target", "text"),
        ),
        _type,
        kind="act",
    ),
    browser_tool(
        "browser_fill_form",
        "Fill several fields",
        schema({"fields": {"type": "array", "items": _FIELD}}, required=("fields",)),
        _fill_form,
        kind="act",
    ),
    browser_tool(
        "browser_press_key",
        "Press a key or chord, e.g. Enter, Control+A",
        schema({"key": STRING}, required=("key",)),
        _press,
        kind="act",
    ),
    browser_tool(
        "browser_select_option",
        "Select options by label or value",
        schema({**_TARGET, "values": STRINGS}, required=("target", "values")),
        _select,
        kind="act",
    ),
    browser_tool(
        "browser_check",
        "Check a checkbox, radio or switch",
        schema(_TARGET, required=("target",)),
        _check,
        kind="act",
    ),
    browser_tool(
        "browser_uncheck",
        "Uncheck a checkbox or switch",
        schema(_TARGET, required=("target",)),
        _uncheck,
        kind="act",
    ),
    browser_tool(
        "browser_hover",
        "Move the mouse over an element",
        schema(_TARGET, required=("target",)),
        _hover,
        kind="act",
    ),
    browser_tool(
        "browser_drag",
        "Drag one element onto another",
        schema(
            {
                "startTarget": REF,
                "endTarget": REF,
                "startElement": STRING,
                "endElement": STRING,
            },
            required=("startTarget", "endTarget"),
        ),
        _drag,
        kind="act",
    ),
    browser_tool(
        "browser_scroll",
        "Scroll the page or an element, or to a text",
        schema(
            {"direction": choice("down", "up", "left", "right"), "target": REF, "toText": STRING}
        ),
        _scroll,
        kind="act",
    ),
    browser_tool(
        "browser_handle_dialog",
        "Answer an open dialog",
        schema({"accept": BOOLEAN, "promptText": STRING}, required=("accept",)),
        _dialog,
        kind="act",
    ),
    browser_tool(
        "browser_resize",
        "Set the viewport size",
        schema({"width": INTEGER, "height": INTEGER}, required=("width", "height")),
        _resize,
        kind="navigate",
    ),
)
