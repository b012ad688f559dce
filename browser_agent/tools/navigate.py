"""Tools that go somewhere: navigate, back, forward, reload, tabs, search, close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import quote_plus

from browser_agent.ports import Session
from browser_agent.records.result import Result
from browser_agent.tools.declare import (
    INTEGER,
    STRING,
    Arguments,
    browser_tool,
    choice,
    failed,
    optional,
    schema,
    text_of,
)
from browser_agent.tools.tool import Tool


async def _navigate(session: Session, arguments: Arguments) -> Result:
    return await session.navigate(text_of(arguments, "url"))


async def _back(session: Session, _: Arguments) -> Result:
    return await session.back()


async def _forward(session: Session, _: Arguments) -> Result:
    return await session.forward()


async def _reload(session: Session, _: Arguments) -> Result:
    return await session.reload()


async def _close(session: Session, _: Arguments) -> Result:
    return await session.close()


async def _tabs(session: Session, arguments: Arguments) -> Result:
    action = text_of(arguments, "action", "list")
    if action == "list":
        return await session.tabs()
    if action == "new":
        return await session.new_tab(optional(arguments, "url"))
    listed = await session.tabs()
    if not listed.is_ok:
        return listed
    tab = _tab_id(listed, arguments.get("index"))
    if tab is None:
        return failed("not_found", "no tab has this index; list the tabs first")
    return await (session.select_tab(tab) if action == "select" else session.close_tab(tab))


def _tab_id(listed: Result, index: object) -> str | None:
    data = cast("Mapping[str, object]", listed.data)
    items = cast("Sequence[Mapping[str, object]]", data.get("items", ()))
    if index is None:
        chosen = [item for item in items if item.get("current")]
    elif isinstance(index, int) and 0 <= index < len(items):
        chosen = [items[index]]
    else:
        chosen = [item for item in items if item.get("id") == index]
    return str(chosen[0]["id"]) if chosen else None


NAVIGATION = (
    browser_tool(
        "browser_navigate",
        "Open a URL",
        schema({"url": STRING}, required=("url",)),
        _navigate,
        kind="navigate",
    ),
    browser_tool("browser_navigate_back", "Go back", schema(), _back, kind="navigate"),
    browser_tool("browser_navigate_forward", "Go forward", schema(), _forward, kind="navigate"),
    browser_tool("browser_reload", "Reload the page", schema(), _reload, kind="navigate"),
    browser_tool(
        "browser_tabs",
        "List, open, select or close tabs",
        schema(
            {
                "action": choice("list", "new", "close", "select"),
                "index": INTEGER,
                "url": STRING,
            },
            required=("action",),
        ),
        _tabs,
        kind="navigate",
    ),
    browser_tool("browser_close", "Close the browser session", schema(), _close, kind="destroy"),
)


def search_tool(search_url: str) -> Tool:
    """``browser_search`` over an operator's template such as ``https://host/?q={query}``."""

    async def search(session: Session, arguments: Arguments) -> Result:
        query = quote_plus(text_of(arguments, "query"))
        opened = await session.navigate(search_url.replace("{query}", query))
        return await session.read("markdown") if opened.is_ok else opened

    return browser_tool(
        "browser_search",
        "Search and read the list of hits",
        schema({"query": STRING}, required=("query",)),
        search,
        kind="navigate",
    )
