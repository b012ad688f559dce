"""What never answers is cut at its limit, typed, and holds up nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast

import psutil
import pytest

from browser_agent import Browser, BrowserError, BrowserLimits, Result, UrlPolicy
from browser_agent.browser.session import Session
from browser_agent.records.codes import Status
from browser_agent.store.journal import SqliteJournal
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
T = TypeVar("T")
SPIN = "<title>Spin</title><p>words</p><script>setTimeout(()=>{while(true){}},50)</script>"
SHORT = BrowserLimits(
    navigation_timeout_s=8, action_timeout_s=4, observation_timeout_s=4, close_timeout_s=4
)
HASTY = BrowserLimits(
    navigation_timeout_s=4, action_timeout_s=3, observation_timeout_s=2, close_timeout_s=2
)
"""For browsers in which nothing answers."""
HANG_S = 60.0
"""Nobody waits this long: a call that does hangs."""


async def ends(work: Awaitable[T]) -> T:
    """What ``work`` gives; it must not hang."""
    async with asyncio.timeout(HANG_S):
        return await work


async def arrive(session: Session, url: str) -> None:
    """Go there, however busy the machine is."""
    async with asyncio.timeout(HANG_S):
        while not (await session.navigate(url)).is_complete:
            pass


@contextlib.contextmanager
def stopped(process: psutil.Process) -> Generator[None]:
    """A process that does not run for a while."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGCONT)


def process_of(browser: Browser, role: str) -> psutil.Process:
    return psutil.Process(browser._running.ledger.processes[role].pid)


def data_of(result: Result) -> dict[str, object]:
    return cast("dict[str, object]", result.to_dict()["data"])


@pytest.fixture(scope="module")
async def short(anyio_backend: str, local_web_module: UrlPolicy) -> AsyncIterator[Browser]:
    """A browser with very short limits."""
    assert anyio_backend == "asyncio"
    async with Browser.launch(local_web_module, SHORT, robots=False) as launched:
        yield launched


@pytest.fixture(scope="module")
def local_web_module() -> UrlPolicy:
    return UrlPolicy.public_web(allow_local=["http://127.0.0.1:*"])


async def every_kind(session: Session) -> list[Result]:
    """One operation of each family at once; they wait for the page in turn."""
    return await asyncio.gather(
        session.read(),
        session.snapshot(),
        session.find("words"),
        session.click("e1"),
        session.press("Enter"),
        session.scroll(),
        session.screenshot(),
        session.wait_for(text="never"),
    )


async def test_spinning_page_blocks_neither_other_sessions_nor_its_own_way_on(
    short: Browser, site: FixtureSite
) -> None:
    spin, fine = site.page("/spin", SPIN), site.page("/fine", "<p>fine</p>")
    async with short.session() as wedged, short.session() as other:
        await ends(wedged.navigate(spin))
        waiting = asyncio.create_task(every_kind(wedged))
        for _ in range(3):
            assert (await ends(other.navigate(fine))).is_complete
            assert "fine" in str(data_of(await ends(other.read()))["text"])
        results = await ends(waiting)
        assert {result.status for result in results} <= {Status.ERROR, Status.UNKNOWN}
        assert all(result.error_code for result in results)
        again = await ends(wedged.navigate(fine))
        assert "fine" in str(data_of(await ends(wedged.read()))["text"])
    assert again.is_complete
    assert again.coverage is not None
    assert again.coverage["recovered"] == "unresponsive"


async def test_session_with_a_spinning_page_closes_confirmed(
    short: Browser, site: FixtureSite
) -> None:
    async with short.session() as session:
        await ends(session.navigate(site.page("/spin", SPIN)))
        reading = asyncio.create_task(session.read())
        await asyncio.wait({reading}, timeout=0.2)
        closing = await ends(session.close())
        assert (await ends(reading)).error_code in ("session_closed", "observation_timeout")
    assert closing.is_complete
    assert (await ends(short.read(site.page("/fine", "<p>fine</p>")))).is_complete


async def test_page_that_never_finishes_is_read_as_far_as_it_is(
    short: Browser, site: FixtureSite
) -> None:
    never = asyncio.Event()

    async def drip() -> AsyncIterator[bytes]:
        yield b"<title>Drip</title><p>first words</p>" + b" " * 4096
        await never.wait()

    @site.route("/drip")
    async def _drip(_: Request) -> Response:
        return Response(200, {"content-type": "text/html"}, drip())

    @site.route("/image")
    async def _image(_: Request) -> Response:
        await never.wait()
        return Response(200, {}, b"")

    async with short.session() as session:
        dripping = await ends(session.navigate(site.at("/drip")))
        assert (dripping.status, dripping.truncated) == (Status.TRUNCATED, True)
        assert "first words" in str(data_of(await ends(session.read()))["text"])
        open_ended = site.page("/open", "<p>there</p><img src=/image>")
        loaded = await ends(session.navigate(open_ended))
        assert loaded.is_complete
        assert "there" in str(data_of(await ends(session.read()))["text"])
    never.set()


async def test_server_that_says_nothing_is_a_navigation_timeout(
    short: Browser, silent_url: str, site: FixtureSite
) -> None:
    async with short.session() as session:
        reading = asyncio.create_task(short.read(silent_url))
        silent = await ends(session.navigate(silent_url))
        assert (silent.status, silent.error_code) == (Status.ERROR, "navigation_timeout")
        assert (await ends(session.navigate(site.page("/fine", "<p>fine</p>")))).is_complete
        once = await ends(reading)
    assert (once.status, once.error_code) == (Status.ERROR, "navigation_timeout")


@pytest.mark.parametrize("role", ["browser", "driver"])
async def test_silent_process_is_typed_and_ended_and_blocks_no_other_browser(
    short: Browser,
    local_web: UrlPolicy,
    site: FixtureSite,
    own_journal: SqliteJournal,
    role: str,
) -> None:
    """A stopped browser is a socket that takes everything and answers nothing."""
    fine = site.page("/fine", "<p>fine</p>")
    async with Browser.launch(local_web, HASTY, robots=False) as browser:
        session = await ends(browser.session().__aenter__())
        await arrive(session, fine)
        with stopped(process_of(browser, role)):
            waiting = asyncio.gather(
                session.read(),
                session.navigate(fine),
                browser.read(fine),
                browser.session().__aenter__(),
                return_exceptions=True,
            )
            assert (await ends(short.read(fine))).is_complete
            read, navigated, once, opened = await ends(waiting)
            closing = await ends(browser.close())
    assert isinstance(read, Result)
    assert isinstance(navigated, Result)
    assert isinstance(once, Result)
    assert isinstance(opened, BrowserError)
    assert read.status is Status.ERROR
    assert read.error_code in ("observation_timeout", "page_closed")
    assert (navigated.status, navigated.error_code) == (Status.ERROR, "navigation_timeout")
    assert (once.status, once.error_code) == (Status.ERROR, "browser_disconnected")
    assert opened.code == "browser_disconnected"
    assert closing.is_complete
    assert data_of(closing)["left"] == []
    assert own_journal.owners() == []


async def test_session_of_a_silent_browser_is_cleanup_pending_with_its_name(
    local_web: UrlPolicy, site: FixtureSite
) -> None:
    async with Browser.launch(local_web, HASTY, robots=False) as browser:
        session = await browser.session().__aenter__()
        await arrive(session, site.page("/fine", "<p>fine</p>"))
        with stopped(process_of(browser, "browser")):
            closing = await ends(session.close())
    assert (closing.status, closing.error_code) == (Status.CLEANUP_PENDING, "cleanup_unconfirmed")
    assert data_of(closing)["left"] == ["context"]
    assert closing.coverage is not None
    assert browser.closing is not None
    assert browser.closing.is_complete


OWNER = """
import asyncio, signal, sys
from browser_agent import Browser, BrowserLimits, UrlPolicy
LIMITS = BrowserLimits(navigation_timeout_s=3, close_timeout_s=3)
async def main():
    policy = UrlPolicy.public_web(allow_local=["http://127.0.0.1:*"])
    async with Browser.launch(policy, LIMITS, robots=False) as browser:
      async with browser.session() as session:
        await session.navigate(sys.argv[1])
        reading = asyncio.create_task(session.read())
        await asyncio.sleep(0)
    print(browser.closing.status.value, flush=True)
asyncio.run(main())
"""


async def test_process_ends_although_a_page_spins(site: FixtureSite) -> None:
    owner = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", OWNER, site.page("/spin", SPIN)),
        stdout=subprocess.PIPE,
        cwd=Path.cwd(),
    )
    said, _ = await ends(owner.communicate())
    assert (said.strip(), owner.returncode) == (b"ok", 0)


@dataclass(eq=False)
class Valve:
    """A TCP relay to one port that forwards until it is shut; then it is silent."""

    port: int
    target: int
    server: asyncio.Server
    is_open: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, target: int) -> AsyncGenerator[Valve]:
        opened = asyncio.Event()
        opened.set()
        tasks: set[asyncio.Task[None]] = set()

        async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                while content := await reader.read(65_536):
                    await opened.wait()
                    writer.write(content)
                    await writer.drain()
            except ConnectionError:
                pass
            finally:
                writer.close()
                with contextlib.suppress(ConnectionError):
                    await writer.wait_closed()

        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there, back = await asyncio.open_connection("127.0.0.1", target)
            tasks.add(asyncio.ensure_future(pump(reader, back)))
            tasks.add(asyncio.ensure_future(pump(there, writer)))

        server = await asyncio.start_server(take, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            yield cls(port, target, server, opened)
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def test_silent_socket_of_a_remote_browser_is_typed_and_left_behind(
    remote_port: int, short: Browser, site: FixtureSite
) -> None:
    fine = site.page("/fine", "<p>fine</p>")
    async with Valve.open(remote_port) as valve:
        url = f"http://127.0.0.1:{valve.port}"
        async with Browser.launch(None, HASTY, cdp_url=url, robots=False) as browser:
            browser.admit(fine)
            session = await ends(browser.session().__aenter__())
            await arrive(session, fine)
            valve.is_open.clear()
            reading = asyncio.create_task(session.read())
            going = asyncio.create_task(session.navigate(fine))
            assert (await ends(short.read(fine))).is_complete
            assert (await ends(reading)).error_code == "observation_timeout"
            assert (await ends(going)).error_code == "navigation_timeout"
            closing = await ends(session.close())
            last = await ends(browser.close())
            valve.is_open.set()
    assert (closing.status, data_of(closing)["left"]) == (Status.CLEANUP_PENDING, ["context"])
    assert (last.status, data_of(last)["left"]) == (Status.CLEANUP_PENDING, ["session 1"])
