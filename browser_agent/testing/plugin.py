"""The pytest plugin: fixtures for tests of robots and tools, loaded by pytest's entry point.

Owns fixtures only; what they give is defined in its own module and works without pytest.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from browser_agent.testing.site import FixtureSite


@pytest.fixture
async def fixture_site() -> AsyncGenerator[FixtureSite]:
    """An empty site on 127.0.0.1: give it pages by `page()` and routes by `route()`."""
    async with FixtureSite.serve() as site:
        yield site
