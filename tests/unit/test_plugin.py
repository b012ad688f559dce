"""The pytest plugin, as a project that uses it sees it: in a pytest run of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TEST_OF_A_USER = """
import urllib.request
import anyio.to_thread
import pytest

@pytest.fixture
def anyio_backend():
    return "asyncio"

@pytest.mark.anyio
async def test_site(fixture_site):
    url = fixture_site.page("/hello.html", "<h1>Hello")
    answer = await anyio.to_thread.run_sync(urllib.request.urlopen, url)
    with answer:
        assert answer.read() == b"<h1>Hello"
    assert fixture_site.requests[0].path == "/hello.html"
"""


def test_the_plugin_gives_a_site(tmp_path: Path) -> None:
    (tmp_path / "test_user.py").write_text(TEST_OF_A_USER)
    plugins = ["-p", "anyio", "-p", "browser_agent.testing.plugin"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", *plugins, "test_user.py"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
