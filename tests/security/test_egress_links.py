"""Bytes arrive whole, early, late, slowly or in pieces, and nothing is left behind.

Claims: P6.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest

from browser_agent.browser.egress import EgressProxy
from browser_agent.browser.egress_dial import Names, dial, resolve_by_system
from browser_agent.browser.egress_owner import OwnerCheck
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.policy import Decision

pytestmark = pytest.mark.anyio

WAIT_S = 30.0
BIG = 24_000_000
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def server(serve: Serve) -> AsyncGenerator[int]:
    """A far end that runs ``serve`` for each connection; gives its port."""
    tasks: set[asyncio.Task[None]] = set()

    async def run(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with suppress(OSError, asyncio.CancelledError):
            await serve(reader, writer)
        await close(writer)

    listening = await asyncio.start_server(run, "127.0.0.1", 0)
    try:
        yield int(listening.sockets[0].getsockname()[1])
    finally:
        listening.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)
        await listening.wait_closed()


async def close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


@asynccontextmanager
async def client(proxy: EgressProxy) -> AsyncGenerator[Streams]:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    try:
        async with asyncio.timeout(WAIT_S):
            yield reader, writer
    finally:
        await close(writer)


@asynccontextmanager
async def proxy_for(
    resolver: Callable[[str], Awaitable[Sequence[str]]] | None = None,
    origins: Sequence[str] = ("http://127.0.0.1:*", "http://late.example:*"),
    upstream: str | None = None,
) -> AsyncGenerator[EgressProxy]:
    policy = UrlPolicy.public_web(allow_local=origins)
    proxy = await EgressProxy.start(
        policy=policy, resolver=resolver, owner=lambda _: False, upstream=upstream
    )
    try:
        yield proxy
    finally:
        await proxy.close()


def tunnel(host: str, port: int) -> bytes:
    return f"CONNECT {host}:{port} HTTP/1.1\r\n\r\n".encode()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()


async def test_a_fast_server_waits_for_a_slow_browser() -> None:
    written = asyncio.Event()
    payload = os.urandom(BIG)

    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(payload)
        written.set()
        await writer.drain()

    async with server(flood) as port, proxy_for() as proxy, client(proxy) as (reader, writer):
        writer.write(tunnel("127.0.0.1", port))
        await reader.readuntil(b"\r\n\r\n")
        await written.wait()
        assert await reader.readexactly(BIG) == payload
        assert proxy.decisions()[0].bytes == BIG


async def test_a_fast_browser_waits_for_a_slow_server() -> None:
    sent = asyncio.Event()
    got: list[bytes] = []

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await sent.wait()
        await reader.readuntil(b"\r\n\r\n")
        got.append(await reader.readexactly(BIG))
        writer.write(b"done")

    payload = os.urandom(BIG)
    async with server(slow) as port, proxy_for() as proxy, client(proxy) as (reader, writer):
        head = f"PUT http://127.0.0.1:{port}/ HTTP/1.1\r\nContent-Length: {BIG}\r\n\r\n"
        writer.write(head.encode() + payload)
        sent.set()
        assert await reader.readexactly(4) == b"done"
    assert got == [payload]


async def test_what_is_sent_before_the_tunnel_stands_is_not_lost() -> None:
    asked, go = asyncio.Event(), asyncio.Event()
    payload = os.urandom(300_000)

    async def resolve(_: str) -> Sequence[str]:
        asked.set()
        await go.wait()
        return ["127.0.0.1"]

    async with server(echo) as port, proxy_for(resolve) as proxy, client(proxy) as (reader, writer):
        writer.write(tunnel("late.example", port) + payload)
        await asked.wait()
        go.set()
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(len(payload)) == payload


async def test_a_server_that_speaks_first_is_heard() -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 hello")
        await reader.read()

    async with server(greet) as port, proxy_for() as proxy, client(proxy) as (reader, writer):
        writer.write(tunnel("127.0.0.1", port))
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(9) == b"220 hello"


async def test_a_server_that_hangs_up_ends_the_connection() -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    async with server(hang_up) as port, proxy_for() as proxy, client(proxy) as (reader, writer):
        writer.write(f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n".encode())
        assert await reader.read() == b""


async def test_a_request_may_come_in_pieces() -> None:
    async with server(echo) as port, proxy_for() as proxy, client(proxy) as (reader, writer):
        text = f"POST http://127.0.0.1:{port}/x HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
        for number in range(0, len(text), 7):
            writer.write(text[number : number + 7].encode())
            await writer.drain()
            await asyncio.sleep(0)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"POST /x HTTP/1.1\r\n")
        assert await reader.readexactly(5) == b"hello"
    assert len(proxy.decisions()) == 1


async def test_a_browser_that_leaves_while_a_name_is_resolved_leaves_nothing_behind() -> None:
    asked, let_go = asyncio.Event(), asyncio.Event()

    async def resolve(_: str) -> Sequence[str]:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            let_go.set()
        return []

    async with proxy_for(resolve) as proxy:
        async with client(proxy) as (_, writer):
            writer.write(tunnel("late.example", 80))
            await asked.wait()
        async with asyncio.timeout(WAIT_S):
            await let_go.wait()


async def test_a_failure_of_our_own_drops_the_connection_and_is_logged_without_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def guard(url: str, text: bytes) -> Decision:
        raise RuntimeError(url + text.decode())

    async with proxy_for() as proxy, client(proxy) as (reader, writer):
        proxy.set_guard(guard)
        writer.write(b"GET http://127.0.0.1/?q=hunter2 HTTP/1.1\r\n\r\n")
        with caplog.at_level(logging.ERROR), suppress(ConnectionError):
            assert await reader.read() == b""
    assert "RuntimeError" in caplog.text
    assert "hunter2" not in caplog.text


async def test_an_upstream_without_a_credential_is_asked_plainly() -> None:
    async with server(echo) as port, proxy_for() as outer, proxy_for(upstream=outer.url) as proxy:
        async with client(proxy) as (reader, writer):
            writer.write(f"GET http://127.0.0.1:{port}/a?b HTTP/1.1\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"GET /a?b HTTP/1.1\r\n")
        assert b"proxy-authorization" not in head.lower()


@pytest.mark.parametrize("reply", [b"", b"HTTP/1.1 407 No\r\n\r\n", b"x" * 70_000])
async def test_an_upstream_that_gives_no_tunnel_is_connect_failed(reply: bytes) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)

    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(server(refuse))
        proxy = await stack.enter_async_context(proxy_for(upstream=f"http://127.0.0.1:{port}"))
        reader, writer = await stack.enter_async_context(client(proxy))
        writer.write(tunnel("127.0.0.1", port))
        assert b"connect_failed" in await reader.read()


async def test_the_system_resolver_gives_addresses_and_a_bounded_number_is_kept() -> None:
    assert await resolve_by_system("127.0.0.1") == ["127.0.0.1"]
    calls: list[str] = []

    async def resolve(host: str) -> Sequence[str]:
        calls.append(host)
        return ["127.0.0.1", "127.0.0.1"]

    names = Names(resolve, keep_s=1_000, timeout_s=1)
    for number in range(300):
        assert await names.lookup(f"h{number}.example") == ("127.0.0.1",)
    await names.lookup("h299.example")
    assert len(calls) == 300
    await names.lookup("h0.example")
    assert len(calls) == 301


async def test_an_unexpected_failure_of_a_dial_is_not_taken_for_a_dead_address() -> None:
    async def connect(_: str) -> asyncio.Transport:
        raise RuntimeError("ours")

    with pytest.raises(RuntimeError, match="ours"):
        await dial(["a", "b"], connect)


def test_a_connection_that_is_not_there_has_no_owner() -> None:
    assert not OwnerCheck(lambda _: True, 9).admits(9)


async def test_many_requests_in_one_piece_are_served_in_turn() -> None:
    async with server(echo) as port, proxy_for() as proxy, client(proxy) as (reader, writer):
        request = f"GET http://127.0.0.1:{port}/%d HTTP/1.1\r\n\r\n"
        writer.write("".join(request % number for number in range(2_000)).encode())
        for number in range(2_000):
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"GET /%d HTTP" % number)
        assert len(proxy.decisions()) == 2_000
