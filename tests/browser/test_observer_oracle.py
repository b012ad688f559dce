"""Roles and names held against Chromium's own accessibility tree, before any policy of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

import pytest
from playwright.async_api import Page

from browser_agent.browser.observer import Observer
from browser_agent.browser.observer_engine import ask
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio

FIXTURES = Path(__file__).parents[2] / "fixtures"
WIDGETS = frozenset(
    (
        *("button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "option"),
        *("menuitemcheckbox", "menuitemradio", "treeitem", "combobox", "listbox", "textbox"),
        *("searchbox", "spinbutton", "slider"),
    )
)
# Chromium's names for what HTML-AAM gives no ARIA role of its own, and the role that we show.
OWN_ROLES = {
    "DisclosureTriangle": "button",
    "DisclosureTriangleGrouped": "button",
    "Date": "textbox",
    "DateTime": "textbox",
    "InputTime": "textbox",
    "ColorWell": "button",
}

Node = dict[str, object]


class Debugger(Protocol):
    """A debugger session, with types."""

    async def send(self, method: str, params: Mapping[str, object] | None = None) -> Node: ...
    async def detach(self) -> None: ...


@dataclass(slots=True)
class Score:
    """How many elements were compared, and those that differ."""

    compared: int = 0
    roles: list[str] = field(default_factory=list[str])
    names: list[str] = field(default_factory=list[str])


def elements_in_order(document: Node) -> dict[int, int]:
    """Backend ids by place in tree order, shadow trees before children, as the engine counts."""
    places: dict[int, int] = {}

    def visit(node: Node) -> None:
        for child in cast("list[Node]", node.get("children", [])):
            if child["nodeType"] != 1:
                continue
            places[cast("int", child["backendNodeId"])] = len(places)
            for shadow in cast("list[Node]", child.get("shadowRoots", [])):
                if shadow.get("shadowRootType") == "open":
                    visit(shadow)
            visit(child)

    visit(document)
    return places


async def chromium_tree(page: Page) -> dict[int, tuple[str, str]]:
    """Role and name of every element that Chromium exposes, by place."""
    session = cast("Debugger", await page.context.new_cdp_session(page))
    document = await session.send("DOM.getDocument", {"depth": -1, "pierce": True})
    places = elements_in_order(cast("Node", document["root"]))
    await session.send("Accessibility.enable")
    nodes = cast("list[Node]", (await session.send("Accessibility.getFullAXTree"))["nodes"])
    await session.detach()
    tree: dict[int, tuple[str, str]] = {}
    for node in nodes:
        place = places.get(cast("int", node.get("backendDOMNodeId", -1)))
        if node.get("ignored") or place is None:
            continue
        role = str(cast("Node", node["role"])["value"])
        name = str(cast("Node", node.get("name") or {}).get("value", ""))
        tree[place] = (OWN_ROLES.get(role, role), " ".join(name.split()))
    return tree


async def compare(page: Page, score: Score) -> None:
    """Hold one page's interactive elements against Chromium's."""
    answer = await ask(page.main_frame, "oracle", timeout_s=120)
    rows = cast("list[tuple[int, str, str, str]]", answer.list("items"))
    ours = {place: (role, " ".join(name.split())) for place, _, role, name in rows}
    for place, (role, name) in (await chromium_tree(page)).items():
        mine = ours.get(place)
        if role not in WIDGETS and mine is None:
            continue
        score.compared += 1
        if mine is None or mine[0] != role:
            score.roles.append(f"{page.url}: {role} {name!r}, ours {mine}")
        elif mine[1] != name:
            score.names.append(f"{page.url}: {role} {name!r}, ours {mine[1]!r}")


def check(score: Score, *, least: int) -> None:
    """At least 99.5 % same roles and 99 % same names."""
    assert score.compared >= least
    assert len(score.roles) <= score.compared * 0.005, score.roles
    assert len(score.names) <= score.compared * 0.01, score.names


async def test_every_control_has_chromiums_role_and_name(page: Page) -> None:
    score = Score()
    async with FixtureSite.serve(FIXTURES / "pages") as site:
        await page.goto(site.at("/controls.html"))
        await compare(page, score)
    check(score, least=140)
    assert (score.roles, score.names) == ([], [])


async def test_roles_and_names_on_the_fixture_site(page: Page, long_run: bool) -> None:
    score = Score()
    root = FIXTURES / "site"
    files = sorted(root.rglob("*.html"))
    async with FixtureSite.serve(root) as site:
        for file in files if long_run else files[::3]:
            await page.goto(site.at(f"/{file.relative_to(root).as_posix()}"))
            await compare(page, score)
    check(score, least=400)


async def test_roles_and_names_on_miniwob_pages(
    page: Page, observer: Observer, long_run: bool
) -> None:
    score = Score()
    session = cast("Debugger", await page.context.new_cdp_session(page))
    spec = find_spec("miniwob")
    assert spec is not None
    assert spec.origin is not None
    root = Path(spec.origin).parent / "html"
    files = sorted((root / "miniwob").glob("*.html"))
    async with FixtureSite.serve(root) as site:
        for file in files if long_run else files[::4]:
            await page.goto(site.at(f"/miniwob/{file.name}"))
            await page.evaluate(
                "() => { Math.seedrandom?.('1'); globalThis.core?.startEpisodeReal?.() }"
            )
            await observer.snapshot()  # asks who listens: an anchor that does is a link
            await session.send("Emulation.setVirtualTimePolicy", {"policy": "pause"})
            await compare(page, score)
            await session.send("Emulation.setVirtualTimePolicy", {"policy": "advance"})
    check(score, least=40)
