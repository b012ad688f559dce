"""One browser for all tests of this folder; a site, a session and finders for each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import cast

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.limits import BrowserLimits
from browser_agent.testing.site import FixtureSite

LOCAL = UrlPolicy.public_web(allow_local=["http://127.0.0.1:*", "http://localhost:*"])

Finder = Callable[..., Awaitable[str]]
"""``await ref(session, "Name", role=None)``: the ref of the best match."""


@pytest.fixture(scope="session")
def upload_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the shared browser may send files from."""
    return tmp_path_factory.mktemp("uploads")


@pytest.fixture(scope="session")
def download_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where files go that pages of the shared browser give."""
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
async def browser(
    anyio_backend: str, upload_dir: Path, download_dir: Path
) -> AsyncIterator[Browser]:
    """A browser with default limits that may visit loopback sites."""
    assert anyio_backend == "asyncio"
    async with Browser.launch(
        policy=LOCAL, robots=False, upload_dirs=[upload_dir], download_dir=download_dir
    ) as launched:
        yield launched


@pytest.fixture(scope="session")
async def hasty_browser(anyio_backend: str) -> AsyncIterator[Browser]:
    """A browser whose actions have one second."""
    assert anyio_backend == "asyncio"
    limits = BrowserLimits(action_timeout_s=1.0)
    async with Browser.launch(policy=LOCAL, robots=False, limits=limits) as launched:
        yield launched


@pytest.fixture
async def site(anyio_backend: str) -> AsyncIterator[FixtureSite]:
    """A site without files: tests register their pages."""
    assert anyio_backend == "asyncio"
    async with FixtureSite.serve() as served:
        yield served


@pytest.fixture
async def session(browser: Browser) -> AsyncIterator[Session]:
    """A session of the shared browser."""
    async with browser.session() as opened:
        yield opened


@pytest.fixture
async def hasty(hasty_browser: Browser) -> AsyncIterator[Session]:
    """A session whose actions have one second."""
    async with hasty_browser.session() as opened:
        yield opened


@pytest.fixture
def ref() -> Finder:
    """Finds the ref of an element by its name, and role where given."""

    async def find(where: Session, name: str, role: str | None = None) -> str:
        found = await where.find(name, role=role)
        data = cast("dict[str, list[dict[str, str | None]]]", found.require())
        refs = [match["ref"] for match in data["matches"] if match["ref"] is not None]
        assert refs, f"no ref for {name!r}: {found.to_dict()}"
        return refs[0]

    return find
