"""A project of somebody else installs the wheel, records with three lines, and passes offline."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sysconfig.get_path("purelib")

SERVED = """
import asyncio, contextlib, os, pytest
from browser_agent.testing import FixtureSite

@pytest.fixture
def anyio_backend():
    return "asyncio"

@pytest.fixture
async def shop():
    if os.environ.get("SERVED") != "yes":
        yield "http://127.0.0.1:1024"
        return
    async with FixtureSite.serve() as site:
        site.page("/", "<title>Shop</title><p>Rope costs nine euros.")
        yield site.url
"""
USED = """
import pytest

@pytest.mark.anyio
async def test_price(recording, shop):
    script = [[("browser_navigate", {"url": shop + "/"}), ("browser_read", {})], "Nine euros."]
    result = await recording("price").run("What is rope?", start=[shop + "/"], model=script)
    assert result.reply == "Nine euros." and "nine euros" in str(result.results[1].data)
"""
OTHERS = """
import pytest
from browser_agent.testing import assert_failed, assert_shows

@pytest.mark.anyio
async def test_fixtures(session, fixture_site, robot_factory, scripted_model):
    url = fixture_site.page("/", "<p>plain")
    await session.navigate(url)
    assert_shows(await session.read(), "plain")
    assert_failed(await session.navigate("http://example.com/"), "policy_denied")
    model = scripted_model([[("browser_navigate", {"url": url})], "done"])
    assert (await robot_factory(model).run("go", start=[url])).reply == "done"

@pytest.mark.anyio
async def test_left_over(scripted_model):
    scripted_model(["never said"])

@pytest.mark.anyio
async def test_never_run(recording):
    recording("nothing")
"""


def run(*words: str | Path, cwd: Path, **variables: str) -> str:
    """Run a program without our paths; its output, whatever it came to."""
    kept = {key: text for key, text in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment of its own that holds our wheel and sees our dependencies."""
    home = tmp_path_factory.mktemp("project")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", home / "dist", cwd=ROOT)
    wheel = next((home / "dist").glob("browser_agent_kit-*.whl"))
    venv.create(home / "env", with_pip=False)
    place = next((home / "env" / "lib").iterdir()) / "site-packages"
    install = ["--no-deps", "--no-index", "--no-compile", "--target", place, wheel]
    said = run(sys.executable, "-m", "pip", "install", "-q", *install, cwd=home)
    assert (place / "browser_agent").is_dir(), said
    (place / "dependencies.pth").write_text(f"{PACKAGES}\n")
    (home / "conftest.py").write_text(SERVED)
    (home / "test_price.py").write_text(USED)
    (home / "test_others.py").write_text(OTHERS)
    return home


def pytest_in(project: Path, *options: str, served: str = "no", file: str = "test_price.py") -> str:
    python = project / "env" / "bin" / "python"
    state = str(project / "state")
    return run(
        python,
        "-m",
        "pytest",
        "-q",
        "-W",
        "error",
        file,
        *options,
        cwd=project,
        SERVED=served,
        BROWSER_AGENT_STATE_DIR=state,
    )


def test_it_records_once_and_then_passes_offline(project: Path) -> None:
    said = run(project / "env/bin/python", "-c", "import browser_agent as b; print(b.__file__)",
               cwd=project)  # fmt: skip
    assert str(project) in said
    assert "--browser-agent-record=once" in pytest_in(project)
    assert "1 passed" in (
        said := pytest_in(project, "--browser-agent-record=once", served="yes")
    ), said
    kept = project / "recordings" / "test_price" / "price"
    assert sorted(path.name for path in kept.iterdir()) == ["recording", "result.json"]
    assert "1 passed" in (said := pytest_in(project)), said
    page = next(path for path in kept.rglob("*") if path.is_file() and b"nine" in path.read_bytes()
                and "bodies" in path.parts)  # fmt: skip
    page.write_bytes(page.read_bytes().replace(b"nine", b"five"))
    said = pytest_in(project)
    assert "differs from the recorded one at step 2 of 2" in said
    assert "+Rope costs five euros." in said
    assert "1 replies that were not used" in said  # the text of the last request changed with it


def test_the_other_fixtures_and_what_fails_a_test(project: Path) -> None:
    said = pytest_in(project, file="test_others.py")
    assert "3 passed, 2 errors" in said, said
    assert "1 of 1 entries left" in said
    assert "was opened and never run" in said
