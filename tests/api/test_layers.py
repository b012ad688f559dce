"""Imports point down only, and heavy packages stand behind one lazy boundary each."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "browser_agent"

LAYER_OF = {
    "errors": 0,
    "_json": 0,
    "_freeze": 0,
    "_urls": 0,
    "_digest": 0,
    "_text": 0,
    "records": 1,
    "ports": 2,
    "logic": 2,
    "browser": 3,
    "models": 3,
    "store": 3,
    "tools": 4,
    "robot": 5,
    "__init__": 6,
    "assembly": 6,
    "convenience": 6,
    "__main__": 6,
    "cli": 6,
    "mcp_server": 6,
    "recorder": 6,
    "replay": 6,
    "report": 6,
    "testing": 6,
}
SIBLINGS = {"browser", "models", "store"}
"""Layer 3 parts know nothing of each other."""

LAZY_WITHIN = {
    "litellm": "models",
    "playwright": "browser",
    "mcp": "mcp_server",
    "ray": "fleet",
    "opentelemetry": "robot",
}
"""Packages that are imported inside functions, and in these parts alone."""

ALLOWED_BY_LAYER = {
    0: {"orjson", "yarl"},
    1: {"pydantic", "pydantic_core"},
    2: {
        "ada_url",
        "publicsuffixlist",
        "re2",
        "selectolax",
        "html_to_markdown",
        "json_repair",
        "jsonschema",
        "referencing",
    },
    3: {
        "playwright",
        "litellm",
        "stamina",
        "httpx",
        "psutil",
        "protego",
        "aiolimiter",
        "pypdfium2",
    },
    4: {"mcp"},
    5: {"opentelemetry"},
    6: {"typer", "rich", "jinja2", "markupsafe", "mcp", "mcp_types", "ray", "pytest", "anyio"},
}


def modules() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def part_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports_of(path: Path) -> list[tuple[str, bool, bool]]:
    """(module, at the top, for types only) of every import of a file."""
    tree = ast.parse(path.read_text("utf-8"))
    typing_only: set[ast.stmt] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            typing_only |= {child for child in ast.walk(node) if isinstance(child, ast.stmt)}
    inside = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.walk(node)
        if isinstance(child, ast.stmt)
    }
    found: list[tuple[str, bool, bool]] = []
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found += [(name, node not in inside, node in typing_only) for name in names]
    return found


def own_part(name: str) -> str | None:
    parts = name.split(".")
    if parts[0] != "browser_agent":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in LAYER_OF else "__init__"


def test_every_part_has_a_layer() -> None:
    assert {part_of(path) for path in modules()} <= set(LAYER_OF)


@pytest.mark.parametrize("path", modules(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_imports_point_down(path: Path) -> None:
    part = part_of(path)
    if part == "__init__":
        return
    for name, _, typing_only in imports_of(path):
        other = own_part(name)
        if other is None or other == part:
            continue
        assert LAYER_OF[other] <= LAYER_OF[part], f"{part} imports {name}"
        if part in SIBLINGS and other in SIBLINGS:
            assert typing_only, f"{part} imports its sibling {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_packages_stay_in_their_layer(path: Path) -> None:
    part = part_of(path)
    layer = LAYER_OF[part]
    allowed = set[str]().union(*(ALLOWED_BY_LAYER[at] for at in range(layer + 1)))
    for name, at_top, typing_only in imports_of(path):
        root = name.split(".")[0]
        if root in sys.stdlib_module_names or root == "browser_agent" or typing_only:
            continue
        assert root in allowed, f"{part} (layer {layer}) may not import {root}"
        if root in LAZY_WITHIN:
            assert not at_top or root in ("playwright", "mcp"), f"{root} must be imported lazily"
            assert part == LAZY_WITHIN[root] or part in ("testing", "cli"), f"{root} in {part}"


def test_logic_is_pure() -> None:
    for path in sorted((ROOT / "logic").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            assert not isinstance(node, ast.AsyncFunctionDef | ast.Await), path
        roots = {name.split(".")[0] for name, _, _ in imports_of(path)}
        assert not roots & {"asyncio", "time", "random", "socket", "sqlite3", "subprocess"}, path


def test_no_cycles() -> None:
    graph: dict[str, set[str]] = {}
    names = {
        "browser_agent." + ".".join(p.relative_to(ROOT).with_suffix("").parts) for p in modules()
    }
    for path in modules():
        here = "browser_agent." + ".".join(path.relative_to(ROOT).with_suffix("").parts)
        graph[here] = set()
        for name, _, typing_only in imports_of(path):
            for target in (name, name.rpartition(".")[0]):
                if target in names and not typing_only:
                    graph[here].add(target)
    seen: dict[str, int] = {}

    def visit(node: str, trail: tuple[str, ...]) -> None:
        assert seen.get(node) != 1, f"import cycle: {' > '.join((*trail, node))}"
        if node in seen:
            return
        seen[node] = 1
        for target in sorted(graph.get(node, ())):
            visit(target, (*trail, node))
        seen[node] = 2

    for node in sorted(graph):
        visit(node, ())


def test_importing_the_package_is_light() -> None:
    code = "import sys, browser_agent; print(' '.join(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    heavy = {"litellm", "mcp", "ray", "playwright", "pydantic", "typer", "openai", "numpy"}
    assert not heavy & loaded


def test_launching_a_browser_needs_no_model_library() -> None:
    code = (
        "import sys; from browser_agent import Browser, Robot, Result; "
        "print(' '.join(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"litellm", "mcp", "ray", "openai"} & set(done.stdout.split())
