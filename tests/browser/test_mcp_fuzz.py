"""Arguments that no client should send: every one gets a typed answer, and echoes no secret."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, cast

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from browser_agent._freeze import thaw
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.mcp_server.server import McpServer
from browser_agent.mcp_server.settings import ServerSettings
from browser_agent.records.codes import ErrorCode
from browser_agent.records.limits import BrowserLimits
from browser_agent.testing.site import FixtureSite
from browser_agent.tools.catalog import browser_tools
from browser_agent.tools.spill import READ_MORE

PAGE = "<title>Page</title><button>Buy</button><input type=text><select><option>One</select>"
CANARY = "cAn4ry-9f3e77b1c2d84655"
TOOLS = [*browser_tools(search_url="https://h.example/?q={query}", cite=False), READ_MORE]
PARAMETERS = {
    tool.name: cast("dict[str, dict[str, dict[str, Any]]]", thaw(tool.parameters))["properties"]
    for tool in TOOLS
}

texts = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["e1", "[e1]", "ref=e2", "e0", "e999999", "", "\u202e", "\x00", CANARY]),
    st.sampled_from(["javascript:alert(1)", "file:///etc/passwd", "https://[::ffff:127.0.0.1]/"]),
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def fitting(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values that the schema admits, most of which mean nothing on the page."""
    if "enum" in schema:
        return st.sampled_from(list(schema["enum"]))
    if schema.get("type") == "array":
        return st.lists(fitting(schema["items"]), max_size=3)
    if schema.get("type") == "object":
        inner = {key: fitting(one) for key, one in dict(schema.get("properties", {})).items()}
        return st.fixed_dictionaries(inner) if inner else st.dictionaries(st.text(), scalars)
    return {
        "boolean": st.booleans(),
        "integer": st.integers(-5, 2_000),
        "number": st.floats(-1, 2),
    }.get(str(schema.get("type")), texts)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(sorted(PARAMETERS)))
    chosen = [key for key in PARAMETERS[name] if draw(st.booleans())]
    arguments = {key: draw(st.one_of(fitting(PARAMETERS[name][key]), values)) for key in chosen}
    if draw(st.integers(0, 5)) == 0:
        arguments[draw(st.sampled_from(["__proto__", "constructor", "x\ny", ""]))] = draw(values)
    return name, arguments


class Calls(Protocol):
    """One call of a tool: text, structured content, and whether it is an error."""

    def __call__(
        self, name: str, arguments: dict[str, Any]
    ) -> tuple[str, dict[str, Any], bool]: ...


@asynccontextmanager
async def connected(folder: Path) -> AsyncGenerator[Client]:
    quick = BrowserLimits(action_timeout_s=1, navigation_timeout_s=2, observation_timeout_s=2)
    async with FixtureSite.serve() as site:
        policy = UrlPolicy.public_web(allow_local=[site.url])
        launch = {"limits": quick, "robots": False, "policy": policy}
        state = McpServer(
            ServerSettings(folder=folder, launch=launch, search_url=site.url + "/?q={query}")
        )
        try:
            async with Client(state.build()) as client:
                await client.call_tool("browser_navigate", {"url": site.page("/", PAGE)})
                await client.call_tool("browser_snapshot", {})
                yield client
        finally:
            await state.host.close()


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Generator[Calls]:
    """One server and one page for all calls."""
    opened = connected(tmp_path_factory.mktemp("mcp"))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened) as client:

        def one(name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any], bool]:
            reply: Any = portal.call(client.call_tool, name, arguments)
            return reply.content[0].text, reply.structured_content, bool(reply.is_error)

        yield one


def check(text: str, content: dict[str, Any], is_error: bool) -> None:
    assert content["status"] in ("ok", "truncated", "error", "unknown", "cleanup_pending")
    assert is_error == (content["status"] == "error")
    if is_error:
        code = content["error"]["code"]
        assert code in {one.value for one in ErrorCode}
        assert code != ErrorCode.INTERNAL.value, content
        assert CANARY not in text + json.dumps(content)
    assert len(text.encode()) <= 65_536


def test_any_arguments_get_a_typed_answer(call: Calls, long_run: bool) -> None:
    @settings(max_examples=1_000 if long_run else 60)
    @given(calls())
    def play(one: tuple[str, dict[str, Any]]) -> None:
        name, arguments = one
        check(*call(name, arguments))

    play()


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_a_tool_refuses_what_it_does_not_know(call: Calls, name: str) -> None:
    text, content, is_error = call(name, {"no_such\nparameter": "x" * 100_000})
    assert is_error
    assert content["error"]["code"] == "invalid_input"
    assert "no_such" in text
    assert "\nparameter" not in text
    assert len(text) < 2_000
