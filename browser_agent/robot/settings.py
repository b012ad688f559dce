"""What a robot is made of, checked when it is built. Unknown or contradictory settings are loud."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from browser_agent.errors import ConfigurationError
from browser_agent.logic.budget import Budget
from browser_agent.ports import Browser, Model, Session, provided
from browser_agent.records.approval import ActionPolicy, Approve
from browser_agent.records.limits import RunLimits
from browser_agent.records.model import ModelSettings
from browser_agent.robot.compaction import Compaction
from browser_agent.robot.hooks import Hook, read_hooks
from browser_agent.robot.output import OutputType, read_output_type
from browser_agent.tools.catalog import browser_tools
from browser_agent.tools.manifest import ToolManifest, resolve_names
from browser_agent.tools.spill import SpillLimits
from browser_agent.tools.tool import Tool, tool

DEFAULT_MODEL = "extractive"
MAX_TOOLS = 128
"""Providers refuse more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything a run needs to know of its robot. Built by :func:`build_settings`."""

    name: str
    model: Model
    instructions: str = ""
    browser: Browser | None = None
    session: Session | None = None
    tools: tuple[Tool, ...] = ()
    output: OutputType | None = None
    limits: RunLimits = field(default_factory=RunLimits)
    budget: Budget = field(default_factory=Budget)
    hooks: tuple[Hook, ...] = ()
    model_settings: ModelSettings = field(default_factory=ModelSettings)
    approve: Approve | None = None
    actions: ActionPolicy | None = None
    on_tool_call: Callable[..., object] | None = None
    on_tool_result: Callable[..., object] | None = None
    on_content: Callable[..., object] | None = None
    require_citations: bool = False
    compaction: Compaction = field(default_factory=Compaction)
    spill: SpillLimits = field(default_factory=SpillLimits)


def build_settings(given: dict[str, object]) -> Settings:
    """Check the keywords of a Robot; ConfigurationError or InvalidInput says what is wrong."""
    values = dict(given)
    name = values["name"]
    if not isinstance(name, str) or not name.strip():
        raise ConfigurationError("a robot needs a name")
    values["model"] = resolve_model(values.get("model"))
    values["tools"] = _build_tools(values, name)
    values["hooks"] = read_hooks(cast("Sequence[object]", values.get("hooks") or ()))
    values["output"] = read_output_type(values.pop("output_type", None))
    for key in ("limits", "budget", "model_settings", "compaction", "spill"):
        if values.get(key) is None:
            values.pop(key, None)
    _check_types(values)
    return Settings(**values)  # pyright: ignore[reportArgumentType] - checked one by one above


def resolve_model(model: object) -> Model:
    """A model as it is, or the one that a name stands for; None is the built-in one."""
    if model is None or isinstance(model, str):
        return cast("Model", provided("model")(DEFAULT_MODEL if model is None else model))
    if not callable(getattr(model, "complete", None)):
        raise ConfigurationError("a model is a name or an object with async complete(request)")
    return cast("Model", model)


def _build_tools(values: dict[str, object], name: str) -> tuple[Tool, ...]:
    browser, session = values.get("browser"), values.get("session")
    own, wanted = values.get("tools"), values.pop("browser_tools", None)
    if browser is not None and session is not None:
        raise ConfigurationError("give browser= or session=, not both")
    has_browser = browser is not None or session is not None
    if not has_browser and own is None:
        raise ConfigurationError(
            f"robot {name!r} has no tools: give browser=, session= or tools=[…];"
            " tools=[] says that none are wanted"
        )
    if not has_browser and wanted:
        raise ConfigurationError("browser_tools needs browser= or session=")
    manifest = ToolManifest()
    if has_browser:
        search = cast("str | None", getattr(browser or session, "search_url", None))
        manifest = resolve_names(wanted, ToolManifest(browser_tools(search_url=search)))
    for item in cast("Sequence[object]", own or ()):
        manifest = manifest.add(as_tool(item))
    if len(manifest) > MAX_TOOLS:
        raise ConfigurationError(f"{len(manifest)} tools are more than a model takes ({MAX_TOOLS})")
    return manifest.tools


def as_tool(item: object) -> Tool:
    """A Tool as it is, or one made of a plain function; names are refused with a reason."""
    if isinstance(item, Tool):
        return item
    if isinstance(item, str):
        raise ConfigurationError(f"tools takes tools and functions, not the name {item!r}")
    if callable(item):
        return tool(item)
    raise ConfigurationError(f"{type(item).__name__} is no tool")


_TYPES: dict[str, type] = {
    "instructions": str,
    "limits": RunLimits,
    "budget": Budget,
    "model_settings": ModelSettings,
    "require_citations": bool,
    "compaction": Compaction,
    "spill": SpillLimits,
}


def _check_types(values: dict[str, object]) -> None:
    for key, kind in _TYPES.items():
        if key in values and not isinstance(values[key], kind):
            raise ConfigurationError(f"{key} must be a {kind.__name__}")
    actions = values.get("actions")
    if actions is not None and not isinstance(actions, ActionPolicy):
        raise ConfigurationError("actions must be an ActionPolicy")
    for key in ("approve", "on_tool_call", "on_tool_result", "on_content"):
        if values.get(key) is not None and not callable(values[key]):
            raise ConfigurationError(f"{key} must be callable")
