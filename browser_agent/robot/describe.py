"""What a run was asked for, as plain JSON: enough to build the same robot again for a replay."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from browser_agent._freeze import thaw
from browser_agent.tools.catalog import browser_tools

if TYPE_CHECKING:
    from browser_agent.robot.setup import RunPlan


def describe_plan(plan: RunPlan, task: str) -> dict[str, object]:
    """Settings, task and start; tools of the operator by their schema, without code."""
    settings = plan.settings
    search = getattr(settings.browser, "search_url", None)
    known = {tool.name for tool in browser_tools(search_url=search)}
    output = settings.output
    return {
        "task": task,
        "start": list(plan.start),
        "name": settings.name,
        "instructions": settings.instructions,
        "limits": asdict(settings.limits),
        "browser_tools": [tool.name for tool in settings.tools if tool.name in known],
        "own_tools": [tool.to_dict() for tool in settings.tools if tool.name not in known],
        "output_schema": None if output is None else thaw(output.schema),
        "require_citations": settings.require_citations,
        "search_url": search,
        "history": [message.to_dict() for message in plan.history],
    }
