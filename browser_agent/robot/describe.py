"""What a run was asked for, as plain JSON: enough to build the same robot again for a replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from browser_agent._freeze import thaw
from browser_agent.ports import DescribedModel, PricedModel
from browser_agent.tools.catalog import browser_tools

if TYPE_CHECKING:
    from browser_agent.records.approval import ActionPolicy
    from browser_agent.robot.settings import Settings
    from browser_agent.robot.setup import RunPlan


@runtime_checkable
class _SelfDescribing(Protocol):
    """A browser that says what it was launched with."""

    def describe(self) -> Mapping[str, object]: ...


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
        "budget": _budget(settings),
        "browser_tools": [tool.name for tool in settings.tools if tool.name in known],
        "own_tools": [tool.to_dict() for tool in settings.tools if tool.name not in known],
        "output_schema": None if output is None else thaw(output.schema),
        "require_citations": settings.require_citations,
        "search_url": search,
        "history": [message.to_dict() for message in plan.history],
        "model": _model(settings),
        "approval": _approval(settings),
        "spill": {**asdict(settings.spill), "by_tool": dict(settings.spill.by_tool)},
        "browser": settings.browser.describe()
        if isinstance(settings.browser, _SelfDescribing)
        else {},
    }


def _budget(settings: Settings) -> dict[str, object]:
    """What was left when the run began."""
    budget = settings.budget
    spent = budget.used_cost_usd
    return {
        "tokens": budget.remaining_tokens,
        "cost_usd": None if budget.cost_usd is None else max(0.0, budget.cost_usd - spent),
        "allow_unknown_cost": budget.allow_unknown_cost,
    }


def _model(settings: Settings) -> dict[str, object]:
    """What the loop asks of a model besides replies."""
    model, given = settings.model, settings.model_settings
    price = model.price() if isinstance(model, PricedModel) else None
    described = isinstance(model, DescribedModel)
    return {
        "is_described": described,
        "takes_schema": model.supports_output_schema() if described else None,
        "window": model.context_window() if described else None,
        "price": None if price is None else [price.input_usd, price.output_usd],
        "settings": {**asdict(given), "extra": {}},
    }


def _approval(settings: Settings) -> dict[str, object]:
    """The rules for actions, and whether the robot or its browser had somebody to ask."""
    asked = getattr(settings.browser, "approve", None) is not None
    return {
        "robot": settings.approve is not None,
        "browser": asked,
        "rules": None if settings.actions is None else _rules(settings.actions),
    }


def _rules(policy: ActionPolicy) -> dict[str, object]:
    return {"rules": [asdict(rule) for rule in policy.rules], "default": policy.default.value}
