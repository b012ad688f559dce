"""The one list of browser tools. Adding a tool touches its module, this list and its test."""

from __future__ import annotations

from browser_agent.tools.files import FILES
from browser_agent.tools.interact import INTERACTION
from browser_agent.tools.knowledge import CITE, EXTRACT
from browser_agent.tools.navigate import NAVIGATION, search_tool
from browser_agent.tools.read import READING
from browser_agent.tools.tool import Tool


def browser_tools(*, search_url: str | None = None, cite: bool = True) -> tuple[Tool, ...]:
    """Every tool of the default set, in a stable order.

    ``browser_search`` is offered only with an operator's ``search_url``; ``cite`` belongs to
    robots and not to the server.
    """
    found = [*NAVIGATION, *READING, *INTERACTION, *FILES, EXTRACT]
    if search_url is not None:
        found.append(search_tool(search_url))
    if cite:
        found.append(CITE)
    return tuple(found)
