"""One browser for all tests of this folder; a site, a session and finders for each."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from playwright.async_api import Browser as PlainBrowser
from playwright.async_api import Page, Route, async_playwright

from browser_agent.browser.browser import Browser
from browser_agent.browser.discover import find_browser
from browser_agent.browser.observer import Observer, RefTable
from browser_agent.browser.observer_types import ObserverLimits
from browser_agent.browser.session import Session
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.limits import BrowserLimits
from browser_agent.store.journal import SqliteJournal, open_journal
from browser_agent.store.state_dir import VARIABLE
from browser_agent.testing.site import FixtureSite

LOCAL = UrlPolicy.public_web(
    allow_local=["http://127.0.0.1:*", "https://127.0.0.1:*", "http://localhost:*"]
)

PATIENT = ObserverLimits(timeout_s=120, frame_timeout_s=120, walk_ms=120_000, listeners_s=120)

Finder = Callable[..., Awaitable[str]]
"""``await ref(session, "Name", role=None)``: the ref of the best match."""


@pytest.fixture(scope="session", autouse=True)
def state_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A journal of the test run's own."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(folder))
        yield folder


@pytest.fixture
def own_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteJournal:
    """A journal of one test's own, for what it launches."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "own-state"))
    return open_journal()


@pytest.fixture
def local_web() -> UrlPolicy:
    """A policy that admits every port of this host."""
    return LOCAL


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


@pytest.fixture(scope="session")
async def impatient(anyio_backend: str) -> AsyncIterator[Browser]:
    """A browser for pages that never answer: short limits everywhere."""
    assert anyio_backend == "asyncio"
    limits = BrowserLimits(navigation_timeout_s=6, action_timeout_s=3, observation_timeout_s=3)
    async with Browser.launch(policy=LOCAL, robots=False, limits=limits) as launched:
        yield launched


@pytest.fixture
async def silent_url(anyio_backend: str) -> AsyncIterator[str]:
    """The URL of a server that takes connections and never says a word."""
    assert anyio_backend == "asyncio"
    done = asyncio.Event()

    async def wait(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await done.wait()
        writer.close()

    server = await asyncio.start_server(wait, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    done.set()
    server.close()


@pytest.fixture(scope="session")
def self_signed(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """A server's side of TLS with a certificate that nobody trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)
    return context


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


@pytest.fixture(scope="session")
async def chromium(anyio_backend: str) -> AsyncIterator[PlainBrowser]:
    """A bare browser with the observer's engine, for tests of the observer alone."""
    assert anyio_backend == "asyncio"
    async with async_playwright() as playwright:
        await Observer.register(playwright)
        launched = await playwright.chromium.launch(
            executable_path=find_browser(None, playwright.chromium.executable_path),
            args=["--no-sandbox"],
        )
        yield launched
        await launched.close()


@pytest.fixture(scope="session")
async def remote_port(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[int]:
    """The CDP port of a Chromium that is somebody else's: not started by the product."""
    assert anyio_backend == "asyncio"
    profile = tmp_path_factory.mktemp("remote")
    switches = ("--headless=new", "--no-sandbox", "--no-first-run", "--remote-debugging-port=0")
    process = subprocess.Popen(
        [find_browser(None, ""), *switches, f"--user-data-dir={profile}", "about:blank"],
        stderr=subprocess.DEVNULL,
    )
    told = profile / "DevToolsActivePort"
    async with asyncio.timeout(60):
        while not told.exists() or not told.read_text().strip():
            await asyncio.sleep(0.02)
    yield int(told.read_text().splitlines()[0])
    process.terminate()
    process.wait(30)
    shutil.rmtree(profile, ignore_errors=True)


async def _answer_blank(route: Route) -> None:
    await route.fulfill(content_type="text/html", body="<title>Blank</title>")


@pytest.fixture
async def page(chromium: PlainBrowser) -> AsyncIterator[Page]:
    """A blank page of the bare browser, in a context of its own."""
    context = await chromium.new_context(viewport={"width": 1000, "height": 700})
    opened = await context.new_page()
    await opened.route("http://page.test/**", _answer_blank)
    await opened.goto("http://page.test/folder/index.html")
    yield opened
    await context.close()


@pytest.fixture
async def observer(page: Page) -> AsyncIterator[Observer]:
    """The observer of ``page``, with so much time that a slow machine decides nothing."""
    looking = Observer(page, refs=RefTable(), limits=PATIENT)
    yield looking
    looking.close()
