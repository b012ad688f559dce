"""Tools over files: upload, drop, screenshot, PDF."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from browser_agent.ports import Session
from browser_agent.records.result import Result
from browser_agent.tools.declare import (
    BOOLEAN,
    REF,
    STRING,
    STRINGS,
    Arguments,
    browser_tool,
    choice,
    failed,
    optional,
    optional_ref,
    ref_of,
    schema,
    strings,
)


async def _upload(session: Session, arguments: Arguments) -> Result:
    return await session.upload(strings(arguments, "paths"), ref=optional_ref(arguments))


async def _drop(session: Session, arguments: Arguments) -> Result:
    paths = strings(arguments, "paths")
    data = cast("Mapping[str, str] | None", arguments.get("data"))
    if bool(paths) == bool(data):
        return failed("invalid_input", "give paths or data, one of them")
    return await session.drop(ref_of(arguments), paths=paths, data=data)


async def _screenshot(session: Session, arguments: Arguments) -> Result:
    kind, name = optional(arguments, "type"), optional(arguments, "filename")
    if kind == "jpeg" and not (name or "").lower().endswith((".jpg", ".jpeg")):
        name = f"{name or 'screenshot'}.jpeg"
    return await session.screenshot(
        ref=optional_ref(arguments), full_page=bool(arguments.get("fullPage")), name=name
    )


async def _pdf(session: Session, arguments: Arguments) -> Result:
    return await session.pdf(name=optional(arguments, "filename"))


FILES = (
    browser_tool(
        "browser_file_upload",
        "Give files to an open file chooser or a file field",
        schema({"paths": STRINGS, "target": REF}),
        _upload,
        kind="act",
    ),
    browser_tool(
        "browser_drop",
        "Drop files, or data by MIME type, on an element",
        schema(
            {
                "target": REF,
                "element": STRING,
                "paths": STRINGS,
                "data": {"type": "object", "additionalProperties": STRING},
            },
            required=("target",),
        ),
        _drop,
        kind="act",
    ),
    browser_tool(
        "browser_take_screenshot",
        "Save a screenshot",
        schema(
            {
                "target": REF,
                "element": STRING,
                "fullPage": BOOLEAN,
                "type": choice("png", "jpeg"),
                "filename": STRING,
            }
        ),
        _screenshot,
    ),
    browser_tool("browser_pdf_save", "Save the page as PDF", schema({"filename": STRING}), _pdf),
)
