"""The pytest plugin: fixtures for tests of robots and tools, loaded by pytest's entry point.

Owns fixtures and the one option; what they give is defined in its own module and works without
pytest. Async fixtures need an async test runner: anyio's is asked for by ``@pytest.mark.anyio``.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from browser_agent.testing.site import FixtureSite

if TYPE_CHECKING:
    from browser_agent.browser.browser import Browser
    from browser_agent.browser.session import Session
    from browser_agent.models.scripted import Entry, ScriptedModel
    from browser_agent.records.model import Usage
    from browser_agent.robot.robot import Robot
    from browser_agent.testing.recordings import TestRecording

MODES = ("once", "none", "rewrite", "live")
_OPTION = "--browser-agent-record"
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--browser-agent-record``."""
    group = parser.getgroup("browser-agent")
    group.addoption(
        _OPTION,
        choices=MODES,
        default="none",
        help="once: record what is missing; none: only replay, no network; rewrite: record all"
        " anew; live: neither record nor replay",
    )


@pytest.fixture
async def fixture_site() -> AsyncGenerator[FixtureSite]:
    """An empty site on 127.0.0.1: give it pages by `page()` and routes by `route()`."""
    async with FixtureSite.serve() as site:
        yield site


@pytest.fixture
async def browser() -> AsyncGenerator[Browser]:
    """A browser that may visit sites of this host and no others; robots.txt is not asked for."""
    from browser_agent.testing.recordings import launch_local

    async with launch_local() as launched:
        yield launched


@pytest.fixture
async def session(browser: Browser) -> AsyncGenerator[Session]:
    """A session of ``browser``."""
    async with browser.session() as opened:
        yield opened


@pytest.fixture
def scripted_model() -> Generator[Callable[..., ScriptedModel]]:
    """Makes ScriptedModels; at the end of the test each must have said all that it was given."""
    from browser_agent.models.scripted import ScriptedModel

    made: list[ScriptedModel] = []

    def make(script: Iterable[Entry], *, usage: Usage | None = None) -> ScriptedModel:
        made.append(ScriptedModel(script, usage=usage))
        return made[-1]

    yield make
    for model in made:
        model.check_finished()


@pytest.fixture
def robot_factory(browser: Browser) -> Callable[..., Robot]:
    """Makes robots over ``browser``; a list in place of a model is a script."""
    from browser_agent.testing.recordings import build_robot

    def make(model: object, **settings: Any) -> Robot:
        return build_robot(browser, model, **settings)

    return make


@pytest.fixture
def recording(request: pytest.FixtureRequest) -> Generator[Callable[..., TestRecording]]:
    """``recording("name")``: a run beside the test file that is recorded once and then replayed.

    It stands in ``recordings/<test module>/<name>``. Recorded replies that a test did not use
    fail it.
    """
    from browser_agent.testing.recordings import TestRecording

    mode = cast("str", request.config.getoption(_OPTION))
    home = Path(request.path).parent / "recordings" / Path(request.path).stem
    made: list[TestRecording] = []

    def open_one(name: str, **settings: Any) -> TestRecording:
        made.append(TestRecording(home / _UNSAFE.sub("-", name), mode=mode, **settings))
        return made[-1]

    yield open_one
    for one in made:
        one.check_used()
