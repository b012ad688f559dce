"""How a server ends, and what no page can keep it from.

The server is a real process; its client is one too where the client is what dies. Every ending is
watched at the browser's own processes.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from browser_agent.testing.site import FixtureSite, Request, Response

pytestmark = pytest.mark.anyio
SERVE = "from browser_agent.cli.app import main; main()"
LOADED_S = 25.0
"""A machine that does much else may take longer than the promised five seconds; never this long."""
SPIN = "<title>Busy</title><button onclick='for(;;){}'>Spin</button>"
ALERTS = "<title>Alerts</title><script>setInterval(() => { for (;;) alert('again') }, 50)</script>"
POPUPS = "<title>Flood</title><button onclick='for (let i=0;i<200;i++) open(\"/p\"+i)'>Go</button>"
NEVER = "<title>Never</title><p>here<script>fetch('/slow')</script><img src=/slow>"


class Server:
    """One server process, spoken to line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._ids = 0

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        """One request, and its answer."""
        self._ids += 1
        await self._write({"id": self._ids, "method": method, "params": params})
        stdout = cast("asyncio.StreamReader", self.process.stdout)
        while True:
            answer = json.loads(await asyncio.wait_for(stdout.readline(), 90))
            if answer.get("id") == self._ids:
                return answer["result"]

    async def _write(self, message: dict[str, Any]) -> None:
        stdin = cast("asyncio.StreamWriter", self.process.stdin)
        stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await stdin.drain()

    async def greet(self) -> None:
        """The handshake."""
        await self.send(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "tests", "version": "1"},
        )
        await self._write({"method": "notifications/initialized"})

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """One tool call: the structured content, with the text beside it."""
        reply = await self.send("tools/call", name=name, arguments=arguments)
        return {**reply["structuredContent"], "shown": reply["content"][0]["text"]}

    def browsers(self) -> list[psutil.Process]:
        """The browser processes below the server."""
        below = psutil.Process(self.process.pid).children(recursive=True)
        return [one for one in below if "--browser-agent-owner" in " ".join(one.cmdline())]


def flags(site: FixtureSite, folder: Path) -> list[str]:
    return ["mcp", "--allow-local", site.url, "--out", str(folder / "out")]


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "BROWSER_AGENT_STATE_DIR": str(folder / "state")}


@asynccontextmanager
async def served(
    site: FixtureSite, folder: Path, *more: str, shell: bool = False
) -> AsyncGenerator[Server]:
    command = [sys.executable, "-c", SERVE, *flags(site, folder), *more]
    if shell:
        command = ["sh", "-c", f"{shlex.join(command)}; true"]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment(folder),
        limit=2**24,
    )
    try:
        server = Server(process)
        await server.greet()
        yield server
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def gone(processes: list[psutil.Process]) -> bool:
    """Whether all of them end in time."""
    assert processes
    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, LOADED_S)
    return not alive


@pytest.mark.parametrize("shell", [False, True])
async def test_a_closed_stdin_ends_the_browser(tmp_path: Path, shell: bool) -> None:
    async with FixtureSite.serve() as site, served(site, tmp_path, shell=shell) as server:
        await server.call("browser_navigate", url=site.page("/", SPIN))
        browsers = server.browsers()
        cast("asyncio.StreamWriter", server.process.stdin).close()
        assert await gone(browsers)
        assert await asyncio.wait_for(server.process.wait(), LOADED_S) == 0


@pytest.mark.parametrize("shell", [False, True])
async def test_a_client_that_is_killed_leaves_no_browser(tmp_path: Path, shell: bool) -> None:
    async with FixtureSite.serve() as site:
        url = site.page("/", "<title>Page</title>")
        command = [sys.executable, "-c", SERVE, *flags(site, tmp_path)]
        if shell:
            command = ["sh", "-c", f"{shlex.join(command)}; true"]
        client = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            CLIENT,
            json.dumps({"command": command, "url": url}),
            stdout=asyncio.subprocess.PIPE,
            env=environment(tmp_path),
        )
        stdout = cast("asyncio.StreamReader", client.stdout)
        assert (await asyncio.wait_for(stdout.readline(), 90)).strip() == b"ready"
        below = psutil.Process(client.pid).children(recursive=True)
        assert any("--browser-agent-owner" in " ".join(one.cmdline()) for one in below)
        client.kill()
        await client.wait()
        assert await gone(below)


CLIENT = """
import json, subprocess, sys, time
given = json.loads(sys.argv[1])
server = subprocess.Popen(given["command"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(**message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")
    server.stdin.flush()
def answer(number):
    while json.loads(server.stdout.readline()).get("id") != number:
        pass
info = {"name": "tests", "version": "1"}
send(id=1, method="initialize",
     params={"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
answer(1)
send(method="notifications/initialized")
send(id=2, method="tools/call",
     params={"name": "browser_navigate", "arguments": {"url": given["url"]}})
answer(2)
print("ready", flush=True)
sys.stdout.close()
server.wait()
"""


async def test_a_signal_closes_and_says_so(tmp_path: Path) -> None:
    async with FixtureSite.serve() as site, served(site, tmp_path) as server:
        await server.call("browser_navigate", url=site.page("/", "<title>Page</title>"))
        browsers = server.browsers()
        server.process.send_signal(signal.SIGTERM)
        assert await gone(browsers)
        assert await asyncio.wait_for(server.process.wait(), LOADED_S) == 143


async def test_what_a_killed_server_left_is_gone_after_the_next_start(tmp_path: Path) -> None:
    async with FixtureSite.serve() as site:
        url = site.page("/", "<title>Page</title>")
        async with served(site, tmp_path) as server:
            await server.call("browser_navigate", url=url)
            browsers = server.browsers()
            server.process.kill()
            await server.process.wait()
        async with served(site, tmp_path) as server:
            assert (await server.call("browser_navigate", url=url))["status"] == "ok"
            assert await gone(browsers)


async def test_ten_clients_at_once_have_a_session_each(tmp_path: Path) -> None:
    async with FixtureSite.serve() as site:

        async def work(number: int) -> str:
            folder = tmp_path / str(number)
            url = site.page(f"/{number}", f"<title>Page</title><h1>Number {number}</h1>")
            async with served(site, folder) as server:
                await server.call("browser_navigate", url=url)
                shown = (await server.call("browser_snapshot"))["shown"]
                closed = await server.call("browser_close")
                assert closed["status"] == "ok", closed
                assert not server.browsers()
                return shown

        shown = await asyncio.gather(*(work(number) for number in range(10)))
        for number, text in enumerate(shown):
            assert f"# Number {number}" in text


@pytest.mark.parametrize("body", [SPIN, ALERTS, POPUPS, NEVER])
async def test_no_page_keeps_a_call_or_the_closing(tmp_path: Path, body: str) -> None:
    quick = ("--action-timeout", "2", "--navigation-timeout", "3")
    async with FixtureSite.serve() as site, served(site, tmp_path, *quick) as server:

        @site.route("/slow")
        async def _(_request: Request) -> Response:
            await asyncio.Event().wait()
            return Response()

        first = await server.call("browser_navigate", url=site.page("/", body))
        assert first["status"] in ("ok", "error", "unknown")
        for name, arguments in (
            ("browser_click", {"target": "e1"}),
            ("browser_snapshot", {}),
            ("browser_press_key", {"key": "Tab"}),
            ("browser_tabs", {"action": "list"}),
        ):
            answer = await server.call(name, **arguments)
            assert answer["status"] in ("ok", "truncated", "error", "unknown")
            assert answer.get("error", {}).get("code") != "internal", answer
        browsers = server.browsers()
        closed = await server.call("browser_close")
        assert closed["status"] == "ok", closed
        assert await gone(browsers)
