"""A set of tools by name, in order, with loud errors; and which of them a robot may use.

Immutable: every change gives a new manifest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from browser_agent._json import dumps
from browser_agent.errors import ConfigurationError, InvalidInput, ToolNotFoundError
from browser_agent.tools.tool import Handler, Tool

_FLAGS = ("raise_on_error", "retryable", "halt", "read_only", "destructive", "open_world")
_KEYS = {"name", "description", "parameters", "timeout_s", "side_effect", *_FLAGS}


class ToolManifest:
    """Tools by name. ``manifest["name"]`` and :meth:`fetch` raise ToolNotFoundError."""

    __slots__ = ("_tools",)

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        for item in tools:
            if item.name in self._tools:
                raise ConfigurationError(f"two tools are named {item.name!r}")
            self._tools[item.name] = item

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in order."""
        return tuple(self._tools)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools, in order."""
        return tuple(self._tools.values())

    def fetch(self, name: str) -> Tool:
        """The tool of this name; ToolNotFoundError lists the known ones."""
        if name not in self._tools:
            raise ToolNotFoundError.unknown(name, self._tools)
        return self._tools[name]

    def __getitem__(self, name: str) -> Tool:
        return self.fetch(name)

    def get(self, name: str) -> Tool | None:
        """The tool of this name, or None."""
        return self._tools.get(name)

    def add(self, item: Tool) -> ToolManifest:
        """With one more tool; a name that is taken is a ConfigurationError."""
        return ToolManifest((*self.tools, item))

    def replace(self, item: Tool) -> ToolManifest:
        """With ``item`` in the place of the tool of its name."""
        self.fetch(item.name)
        return ToolManifest(item if old.name == item.name else old for old in self.tools)

    def remove(self, name: str) -> ToolManifest:
        """Without one tool."""
        self.fetch(name)
        return ToolManifest(old for old in self.tools if old.name != name)

    def merge(self, other: ToolManifest) -> ToolManifest:
        """Both together; a name in both is a ConfigurationError."""
        return ToolManifest((*self.tools, *other.tools))

    def only(self, names: Iterable[str]) -> ToolManifest:
        """The named tools, in the order of the names; unknown names are ToolNotFoundErrors."""
        return ToolManifest(self.fetch(name) for name in names)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"ToolManifest({', '.join(self._tools)})"

    def to_dict(self) -> dict[str, object]:
        """``{name: tool.to_dict()}``, in order."""
        return {item.name: item.to_dict() for item in self}

    def to_json(self) -> str:
        """:meth:`to_dict` as JSON."""
        return dumps(self.to_dict())

    @classmethod
    def from_dict(
        cls, value: Mapping[str, object], handlers: Mapping[str, Handler]
    ) -> ToolManifest:
        """The inverse of :meth:`to_dict`; code is no data, so handlers are given by name."""
        return cls(_read(name, spec, handlers) for name, spec in value.items())


def _read(name: str, spec: object, handlers: Mapping[str, Handler]) -> Tool:
    if not isinstance(spec, Mapping):
        raise InvalidInput(f"the tool {name!r} must be a mapping")
    fields = cast("Mapping[str, object]", spec)
    unknown = sorted(set(fields) - _KEYS)
    if unknown or fields.get("name") != name:
        raise InvalidInput(f"the tool {name!r} has a wrong name or unknown keys: {unknown}")
    if name not in handlers:
        raise ToolNotFoundError.unknown(name, handlers)
    return Tool(**fields, handler=handlers[name])  # pyright: ignore[reportArgumentType] - keys checked above


def resolve_names(wanted: object, known: ToolManifest) -> ToolManifest:
    """Which tools an allow-list admits: None means all, a list means exactly these.

    An empty list means none. Unknown names and anything that is no list raise ConfigurationError.
    """
    if wanted is None:
        return known
    if isinstance(wanted, str) or not isinstance(wanted, Sequence):
        raise ConfigurationError("browser_tools must be None (all) or a list of names")
    names = [str(name) for name in cast("Sequence[object]", wanted)]
    try:
        return known.only(names)
    except ToolNotFoundError as exc:
        raise ConfigurationError(exc.message) from None
