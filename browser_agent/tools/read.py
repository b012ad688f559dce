"""Tools that look and change nothing: snapshot, find, read, changes, listings, verify."""

from __future__ import annotations

from browser_agent.ports import Session
from browser_agent.records.result import Result
from browser_agent.tools.declare import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    REF,
    STRING,
    Arguments,
    browser_tool,
    choice,
    failed,
    optional,
    optional_ref,
    schema,
    session_of,
    text_of,
)
from browser_agent.tools.tool import Tool, ToolContext


async def _snapshot(session: Session, arguments: Arguments) -> Result:
    mode = text_of(arguments, "mode", "full")
    return await session.snapshot(mode, cursor=optional(arguments, "cursor"))


async def _find(session: Session, arguments: Arguments) -> Result:
    text, regex = optional(arguments, "text"), optional(arguments, "regex")
    if (text is None) == (regex is None):
        return failed("invalid_input", "give text or regex, one of them")
    return await session.find(text, regex=regex)


async def _read(session: Session, arguments: Arguments) -> Result:
    return await session.read(
        text_of(arguments, "format", "markdown"),
        ref=optional_ref(arguments),
        cursor=optional(arguments, "cursor"),
    )


async def _wait_for(session: Session, arguments: Arguments) -> Result:
    time_s = arguments.get("time")
    return await session.wait_for(
        text=optional(arguments, "text"),
        text_gone=optional(arguments, "textGone"),
        time_s=float(time_s) if isinstance(time_s, int | float) else None,
    )


async def _console(session: Session, arguments: Arguments) -> Result:
    return await session.console(text_of(arguments, "level", "debug"))


async def _requests(session: Session, arguments: Arguments) -> Result:
    return await session.requests(
        pattern=optional(arguments, "filter"), static=arguments.get("static") is not False
    )


async def _request(session: Session, arguments: Arguments) -> Result:
    index = arguments["index"]
    return await session.request(
        index if isinstance(index, int) else -1, part=optional(arguments, "part")
    )


async def _changes(arguments: Arguments, context: ToolContext) -> object:
    since = optional(arguments, "since")
    if since is None:
        return await session_of(context).changes()
    result = context.result_of(since)
    if result is None:
        return failed("not_found", "since must name an earlier Result, such as R3")
    return await session_of(context).changes(result)


async def _verify(arguments: Arguments, context: ToolContext) -> object:
    operation = text_of(arguments, "operation")
    result = context.result_of(operation)
    return await session_of(context).verify(operation if result is None else result)


_PAGED = {"cursor": STRING}

READING = (
    browser_tool(
        "browser_snapshot",
        "Page as text with refs to act on",
        schema({"mode": choice("full", "interactive", "viewport", "outline"), **_PAGED}),
        _snapshot,
    ),
    browser_tool(
        "browser_find",
        "Find elements by text or regex, with refs",
        schema({"text": STRING, "regex": STRING}),
        _find,
    ),
    browser_tool(
        "browser_read",
        "Read the page's or one element's content",
        schema({"format": choice("markdown", "text"), "target": REF, **_PAGED}),
        _read,
    ),
    Tool(
        name="browser_changes",
        description="What changed since a Result (default: the last snapshot)",
        parameters=schema({"since": {"type": "string", "description": "e.g. R3"}}),
        handler=_changes,
        read_only=True,
    ),
    browser_tool(
        "browser_wait_for",
        "Wait for text to appear or go, or seconds",
        schema({"text": STRING, "textGone": STRING, "time": NUMBER}),
        _wait_for,
    ),
    browser_tool(
        "browser_console_messages",
        "Console messages",
        schema({"level": choice("error", "warning", "info", "debug"), "all": BOOLEAN}),
        _console,
    ),
    browser_tool(
        "browser_network_requests",
        "Requests of the page",
        schema({"filter": STRING, "static": BOOLEAN}),
        _requests,
    ),
    browser_tool(
        "browser_network_request",
        "One request in detail",
        schema(
            {
                "index": INTEGER,
                "part": choice(
                    "request-headers", "request-body", "response-headers", "response-body"
                ),
            },
            required=("index",),
        ),
        _request,
    ),
    Tool(
        name="browser_verify",
        description="Look whether an action of unknown outcome took place; never repeats it",
        parameters=schema(
            {"operation": {"type": "string", "description": "R3 or op_…"}}, required=("operation",)
        ),
        handler=_verify,
        read_only=True,
    ),
)
