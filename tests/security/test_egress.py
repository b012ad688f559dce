"""The proxy lets through what the policy admits, dials what it checked, and says why it refused.

Claims: P1, P6, P9.
"""

from __future__ import annotations

import asyncio
import base64
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest

from browser_agent.browser.egress import EgressLimits, EgressProxy, descends_from
from browser_agent.browser.egress_dial import dial
from browser_agent.browser.egress_gate import Guard
from browser_agent.errors import ConfigurationError
from browser_agent.logic.outgoing import OutgoingCheck
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.policy import Decision, Secret
from browser_agent.testing import FixtureSite, Request, Response

pytestmark = pytest.mark.anyio

WAIT_S = 10.0
LOCAL = UrlPolicy.public_web(allow_local=["http://127.0.0.1:*"])
Resolver = Callable[[str], Awaitable[Sequence[str]]]


@dataclass
class Sink:
    """A TCP server that counts connections and echoes what it gets."""

    host: str
    port: int = 0
    peers: list[str] = field(default_factory=list[str])
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.peers.append(str(writer.get_extra_info("sockname")[0]))
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass  # the test is over, or the proxy cut the connection
        finally:
            await closed(writer)


@asynccontextmanager
async def sink(host: str = "127.0.0.1", port: int = 0) -> AsyncGenerator[Sink]:
    found = Sink(host)
    server = await asyncio.start_server(found.serve, host, port)
    found.port = int(server.sockets[0].getsockname()[1])
    try:
        yield found
    finally:
        server.close()
        for task in found.tasks:
            task.cancel()
        await asyncio.gather(*found.tasks)
        await server.wait_closed()


async def closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


@asynccontextmanager
async def proxy_for(
    policy: UrlPolicy = LOCAL,
    *,
    resolver: Resolver | None = None,
    owner: Callable[[int], bool] | None = lambda _: False,
    limits: EgressLimits | None = None,
    upstream: str | None = None,
    guard: Guard | None = None,
    refuse_all: bool = False,
) -> AsyncGenerator[EgressProxy]:
    """A proxy that this process may use, as it may every proxy that it started."""
    proxy = await EgressProxy.start(
        policy=policy,
        resolver=resolver,
        owner=owner,
        limits=limits,
        upstream=upstream,
        guard=guard,
        refuse_all=refuse_all,
    )
    try:
        yield proxy
    finally:
        await proxy.close()


@dataclass
class Client:
    """A raw connection to the proxy."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self) -> bytes:
        async with asyncio.timeout(WAIT_S):
            return await self.reader.readuntil(b"\r\n\r\n")

    async def take(self, count: int) -> bytes:
        async with asyncio.timeout(WAIT_S):
            return await self.reader.readexactly(count)

    async def rest(self) -> bytes:
        async with asyncio.timeout(WAIT_S):
            return await self.reader.read()

    async def reply(self) -> tuple[bytes, bytes]:
        """Head and counted body of one reply."""
        head = await self.head()
        size = next(
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        )
        return head, await self.take(size)


@asynccontextmanager
async def client_of(proxy: EgressProxy) -> AsyncGenerator[Client]:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    try:
        yield Client(reader, writer)
    finally:
        await closed(writer)


def answers(*replies: list[str]) -> tuple[Resolver, list[str]]:
    """A resolver that gives one reply after the other (the last one again), and its calls."""
    calls: list[str] = []

    async def resolve(host: str) -> Sequence[str]:
        calls.append(host)
        return replies[min(len(calls), len(replies)) - 1]

    return resolve, calls


def get(url: str, *headers: str) -> bytes:
    host = url.split("/")[2]
    return "\r\n".join([f"GET {url} HTTP/1.1", f"Host: {host}", *headers, "", ""]).encode()


def connect_to(authority: str, *headers: str) -> bytes:
    lines = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}", *headers, "", ""]
    return "\r\n".join(lines).encode()


# what passes


async def test_an_admitted_tunnel_carries_bytes_both_ways_and_is_logged() -> None:
    async with sink() as far, proxy_for() as proxy, client_of(proxy) as client:
        await client.send(connect_to(f"127.0.0.1:{far.port}"))
        assert (await client.head()).startswith(b"HTTP/1.1 200 ")
        payload = os.urandom(3_000_000)
        sending = asyncio.create_task(client.send(payload))
        assert await client.take(len(payload)) == payload
        await sending
        (decision,) = proxy.decisions()
        assert (decision.method, decision.host, decision.port) == ("CONNECT", "127.0.0.1", far.port)
        assert (decision.allowed, decision.code, decision.address_class) == (True, None, "loopback")
        assert decision.bytes == proxy.received_bytes == len(payload)


async def test_plain_requests_are_rewritten_for_the_origin_and_judged_one_by_one() -> None:
    async with FixtureSite.serve() as site, proxy_for() as proxy, client_of(proxy) as client:
        site.page("/a", "one")
        site.page("/b", "two")
        secret = "Proxy-Authorization: Basic eHg="
        await client.send(get(site.at("/a?x=1#f"), secret, "Proxy-Connection: keep-alive"))
        assert (await client.reply())[1] == b"one"
        await client.send(get(site.at("/b")))
        assert (await client.reply())[1] == b"two"
        assert [request.target for request in site.requests] == ["/a?x=1", "/b"]
        assert site.requests[0].headers["host"] == site.url.removeprefix("http://")
        assert not {"proxy-authorization", "proxy-connection"} & set(site.requests[0].headers)
        assert [decision.url for decision in proxy.decisions()] == [
            site.at("/a?x=1#f"),
            site.at("/b"),
        ]


async def test_a_connection_is_used_again_only_for_the_same_host() -> None:
    async with sink() as one, sink("127.0.0.2") as two:
        policy = UrlPolicy.public_web(allow_local=[one.url, two.url])
        async with proxy_for(policy) as proxy, client_of(proxy) as client:
            for place in (one, one, two):
                sent = get(f"{place.url}/x")
                await client.send(sent)
                assert (await client.head()).startswith(b"GET /x HTTP/1.1")
            assert one.peers == ["127.0.0.1"]
            assert two.peers == ["127.0.0.2"]


@pytest.mark.parametrize("size", [0, 10, 70_000, 2_000_000])
async def test_bodies_of_every_size_arrive_whole(size: int) -> None:
    got: list[bytes] = []
    async with FixtureSite.serve() as site, proxy_for() as proxy, client_of(proxy) as client:

        @site.route("/up")
        async def up(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction] - a route
            got.append(request.body)
            return Response.html("done")

        body = os.urandom(size)
        for _ in range(2):
            head = get(site.at("/up"), f"Content-Length: {size}").replace(b"GET", b"POST", 1)
            await client.send(head + body)
            assert (await client.reply())[1] == b"done"
    assert got == [body, body]


async def test_an_upgraded_connection_is_passed_on_unread() -> None:
    async with sink() as far, proxy_for() as proxy, client_of(proxy) as client:
        await client.send(get(f"{far.url}/ws", "Upgrade: websocket", "Connection: Upgrade"))
        assert b"Upgrade: websocket" in await client.head()
        await client.send(b"\x81\x00 not http \r\n\r\n")
        assert await client.take(16) == b"\x81\x00 not http \r\n\r\n"


async def test_addresses_are_tried_in_turn_until_one_answers() -> None:
    resolve, _ = answers(["127.0.0.9", "127.0.0.1"])
    async with sink() as far:
        policy = UrlPolicy.public_web(allow_local=[f"http://two.example:{far.port}"])
        async with proxy_for(policy, resolver=resolve) as proxy, client_of(proxy) as client:
            await client.send(connect_to(f"two.example:{far.port}"))
            assert (await client.head()).startswith(b"HTTP/1.1 200 ")
        assert far.peers == ["127.0.0.1"]


async def test_a_silent_address_does_not_hold_up_the_next_and_is_let_go() -> None:
    let_go = asyncio.Event()
    never = asyncio.Event()
    async with sink() as far:

        async def connect(address: str) -> asyncio.Transport:
            if address == "silent":
                try:
                    await never.wait()
                finally:
                    let_go.set()
            loop = asyncio.get_running_loop()
            transport, _ = await loop.create_connection(asyncio.Protocol, "127.0.0.1", far.port)
            return transport

        async with asyncio.timeout(WAIT_S):
            transport = await dial(["silent", "good"], connect)
        assert let_go.is_set()
        transport.close()


async def test_dialling_fails_with_the_last_failure_when_no_address_answers() -> None:
    async def connect(address: str) -> asyncio.Transport:
        raise OSError(address)

    with pytest.raises(OSError, match="b"):
        await dial(["a", "b"], connect)
    with pytest.raises(OSError, match="no address"):
        await dial([], connect)


# what is refused


async def test_a_refused_tunnel_gets_a_typed_reply_and_nothing_is_contacted() -> None:
    async with sink() as far, proxy_for(UrlPolicy.public_web()) as proxy:
        async with client_of(proxy) as client:
            await client.send(connect_to(f"127.0.0.1:{far.port}"))
            reply = await client.rest()
        assert reply.startswith(b"HTTP/1.1 403 ")
        assert b"X-Browser-Agent: policy_denied" in reply
        assert b"127.0.0.1" not in reply
        assert far.peers == []
        decision = proxy.last_decision(f"https://127.0.0.1:{far.port}/any/path")
        assert decision is not None
        assert (decision.allowed, decision.code) == (False, "policy_denied")
        assert "--allow-local" in decision.reason


async def test_a_path_rule_binds_plain_http() -> None:
    async with FixtureSite.serve() as site:
        site.page("/docs/a", "fine")
        site.page("/admin", "never")
        policy = UrlPolicy.only([site.at("/docs/*")])
        async with proxy_for(policy) as proxy, client_of(proxy) as client:
            await client.send(get(site.at("/docs/a")))
            assert (await client.reply())[1] == b"fine"
            await client.send(get(site.at("/docs/..%2fadmin")))
            assert (await client.rest()).startswith(b"HTTP/1.1 403 ")
            assert site.count("/admin") == 0
            found = proxy.last_decision(site.at("/docs/a"))
            assert found is not None
            assert found.allowed


@pytest.mark.parametrize(
    ("answer", "code", "kind"),
    [
        ([], "dns_failed", None),
        (["127.0.0.1"], "policy_denied", "loopback"),
        (["93.184.215.14", "10.0.0.1"], "policy_denied", "private"),
        (["169.254.169.254"], "policy_denied", "metadata"),
        (["::ffff:127.0.0.1"], "policy_denied", "loopback"),
    ],
)
async def test_every_answer_is_checked_before_anything_is_dialled(
    answer: list[str], code: str, kind: str | None
) -> None:
    resolve, calls = answers(answer)
    async with proxy_for(UrlPolicy.public_web(), resolver=resolve) as proxy:
        for request in (connect_to("name.example:443"), get("http://name.example/x")):
            async with client_of(proxy) as client:
                await client.send(request)
                reply = await client.rest()
            assert f"X-Browser-Agent: {code}".encode() in reply
            assert not any(address.encode() in reply for address in answer)
            decision = proxy.last_decision("name.example")
            assert decision is not None
            assert (decision.code, decision.address_class) == (code, kind)
    assert set(calls) == {"name.example"}


async def test_a_resolver_that_raises_is_a_failed_name() -> None:
    async def resolve(host: str) -> Sequence[str]:
        raise OSError(host)

    async with proxy_for(resolver=resolve) as proxy, client_of(proxy) as client:
        await client.send(connect_to("name.example:443"))
        assert (await client.rest()).startswith(b"HTTP/1.1 502 ")
        decision = proxy.last_decision("https://name.example/")
        assert decision is not None
        assert decision.code == "dns_failed"


async def test_a_refused_connection_is_connect_failed() -> None:
    async with sink() as far:
        port = far.port
    async with proxy_for() as proxy:
        for request in (connect_to(f"127.0.0.1:{port}"), get(f"http://127.0.0.1:{port}/")):
            async with client_of(proxy) as client:
                await client.send(request)
                reply = await client.rest()
            assert reply.startswith(b"HTTP/1.1 502 ")
            assert b"connect_failed" in reply
        decision = proxy.last_decision(f"http://127.0.0.1:{port}/")
        assert decision is not None
        assert (decision.allowed, decision.code) == (True, "connect_failed")


async def test_rebinding_gains_nothing_the_dialled_address_is_the_checked_one() -> None:
    resolve, calls = answers(["127.0.0.1"], ["127.0.0.2"], ["169.254.169.254"])
    async with sink("127.0.0.1") as one, sink("127.0.0.2", one.port) as two:
        policy = UrlPolicy.public_web(allow_local=[f"http://rebind.example:{one.port}"])
        limits = EgressLimits(names_kept_s=0)
        async with proxy_for(policy, resolver=resolve, limits=limits) as proxy:
            for number, place in enumerate((one, two), 1):
                async with client_of(proxy) as client:
                    await client.send(connect_to(f"rebind.example:{one.port}"))
                    assert (await client.head()).startswith(b"HTTP/1.1 200 ")
                    await client.send(b"x")
                    await client.take(1)
                assert len(calls) == number
                assert place.peers == [place.host]
            async with client_of(proxy) as client:
                await client.send(connect_to(f"rebind.example:{one.port}"))
                assert (await client.rest()).startswith(b"HTTP/1.1 403 ")
        assert len(one.peers) == len(two.peers) == 1


async def test_an_answer_is_kept_for_a_while_and_judged_by_the_policy_in_force() -> None:
    resolve, calls = answers(["127.0.0.1"])
    async with sink() as far:
        origin = f"http://kept.example:{far.port}"
        policy = UrlPolicy.public_web(allow_local=[origin])
        async with proxy_for(policy, resolver=resolve) as proxy:
            for expected in (b"200", b"200", b"403"):
                async with client_of(proxy) as client:
                    await client.send(connect_to(f"kept.example:{far.port}"))
                    assert (await client.head()).split()[1] == expected
                if len(far.peers) == 2:
                    proxy.set_policy(UrlPolicy.public_web())
            assert proxy.policy == UrlPolicy.public_web()
    assert calls == ["kept.example"]


async def test_localhost_is_this_host_whatever_a_resolver_says() -> None:
    resolve, calls = answers(["93.184.215.14"])
    async with sink() as far:
        policy = UrlPolicy.public_web(allow_local=[f"http://localhost:{far.port}"])
        async with proxy_for(policy, resolver=resolve) as proxy, client_of(proxy) as client:
            await client.send(connect_to(f"localhost:{far.port}"))
            assert (await client.head()).startswith(b"HTTP/1.1 200 ")
    assert calls == []
    assert far.peers == ["127.0.0.1"]


async def test_a_grant_opens_its_origin_and_a_replay_opens_nothing() -> None:
    async with sink() as far:
        for replay, status in ((False, b"200"), (True, b"403")):
            async with proxy_for(UrlPolicy.public_web(), refuse_all=replay) as proxy:
                proxy.set_policy(proxy.policy.grant(f"{far.url}/start"))
                async with client_of(proxy) as client:
                    await client.send(connect_to(f"127.0.0.1:{far.port}"))
                    assert (await client.head()).split()[1] == status
                code = proxy.decisions()[-1].code
                assert code == (None if status == b"200" else "recording_miss")


@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET ftp://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"GET https://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n",
        b"CONNECT a@127.0.0.1:80 HTTP/1.1\r\n\r\n",
        b"CONNECT http://127.0.0.1:80 HTTP/1.1\r\n\r\n",
        b"CONNECT :80 HTTP/1.1\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01 tls\r\n\r\n",
        b"GET http://127.0.0.1/ HTTP/2\r\n\r\n",
        b"GET http://127.0.0.1/ HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
        b"GET http://127.0.0.1/ HTTP/1.1\r\nA : b\r\n\r\n",
        b"GET http://127.0.0.1/ HTTP/1.1\r\nA: b\nHost: c\r\n\r\n",
        b"POST http://127.0.0.1/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST http://127.0.0.1/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST http://127.0.0.1/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
async def test_what_is_not_plainly_one_proxy_request_is_refused(raw: bytes) -> None:
    async with proxy_for() as proxy, client_of(proxy) as client:
        await client.send(raw)
        assert (await client.rest()).startswith(b"HTTP/1.1 400 ")
        assert proxy.decisions() == []


async def test_an_endless_head_is_cut_off() -> None:
    async with proxy_for() as proxy, client_of(proxy) as client:
        await client.send(b"GET http://127.0.0.1/ HTTP/1.1\r\nA: " + b"a" * 66_000)
        assert (await client.rest()).startswith(b"HTTP/1.1 431 ")


async def test_a_guard_sees_head_and_small_body_and_can_refuse() -> None:
    seen: list[tuple[str, bytes]] = []

    def guard(url: str, text: bytes) -> Decision:
        seen.append((url, text))
        safe = b"hunter2" not in text
        return Decision(allowed=safe, url=url, code=None if safe else "secret_denied")

    async with FixtureSite.serve() as site, proxy_for(guard=guard) as proxy:
        site.page("/in", "ok")
        for word, status in ((b"harmless", b"200"), (b"hunter2!", b"403")):
            async with client_of(proxy) as client:
                head = get(site.at("/in"), "X-A: b", "Content-Length: 8")
                await client.send(head.replace(b"GET", b"POST", 1) + word)
                assert (await client.head()).split()[1] == status
        assert site.count("/in") == 1
        assert proxy.decisions()[-1].code == "secret_denied"
    assert seen[0][0] == site.at("/in")
    assert b"X-A: b" in seen[0][1]
    assert seen[0][1].endswith(b"harmless")


# bounds


async def test_a_connection_is_cut_at_its_byte_limit_and_the_log_says_so() -> None:
    async with sink() as far, proxy_for(limits=EgressLimits(connection_bytes=10_000)) as proxy:
        async with client_of(proxy) as client:
            await client.send(connect_to(f"127.0.0.1:{far.port}"))
            await client.head()
            await client.send(b"x" * 50_000)
            with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                await client.take(50_000)
        assert proxy.decisions()[-1].code == "too_large"


async def test_after_the_total_byte_limit_nothing_more_is_opened() -> None:
    async with FixtureSite.serve() as site:
        site.page("/", "x" * 10_000)
        async with proxy_for(limits=EgressLimits(total_bytes=5_000)) as proxy:
            for _ in range(2):
                async with client_of(proxy) as client:
                    await client.send(get(site.at("/")))
                    with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                        await client.take(10_000)
            assert site.count("/") == 1
            assert [decision.code for decision in proxy.decisions()] == ["too_large", "too_large"]


@pytest.mark.parametrize("limits", [EgressLimits(idle_s=0.2), EgressLimits(overall_s=0.2)])
async def test_idle_and_old_connections_are_cut(limits: EgressLimits) -> None:
    async with sink() as far, proxy_for(limits=limits) as proxy, client_of(proxy) as client:
        await client.send(connect_to(f"127.0.0.1:{far.port}"))
        await client.head()
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await client.take(1)


async def test_too_many_connections_are_turned_away() -> None:
    one = EgressLimits(connections=1)
    async with proxy_for(limits=one) as p, client_of(p) as first, client_of(p) as second:
        assert b"503" in (await second.rest()).split(b"\r\n")[0]
        await first.send(connect_to("10.0.0.1:443"))
        assert b"policy_denied" in await first.head()


async def test_the_log_is_a_bounded_ring_with_running_numbers() -> None:
    async with proxy_for(UrlPolicy.only([]), limits=EgressLimits(decisions=3)) as proxy:
        mark = 0
        for number in range(5):
            async with client_of(proxy) as client:
                await client.send(connect_to(f"h{number}.example:443"))
                await client.rest()
            if number == 3:
                mark = proxy.mark()
        assert [decision.host for decision in proxy.decisions()] == [
            "h2.example",
            "h3.example",
            "h4.example",
        ]
        assert [decision.seq for decision in proxy.decisions(since=mark)] == [5]
        assert proxy.last_decision("h3.example", since=mark) is None
        assert proxy.last_decision("h9.example") is None


async def test_the_log_shows_urls_without_secrets() -> None:
    async with proxy_for(UrlPolicy.only([])) as proxy, client_of(proxy) as client:
        await client.send(get("http://a.example/x?token=Zq8vTn3Lw7Rk2Xp9&q=1"))
        await client.rest()
        (decision,) = proxy.decisions()
        assert decision.url == "http://a.example/x?token=[REDACTED:query]&q=1"
        assert proxy.last_decision("http://a.example/x?token=Zq8vTn3Lw7Rk2Xp9&q=1#f") == decision


async def test_closing_cuts_every_connection_and_can_be_repeated() -> None:
    async with AsyncExitStack() as stack:
        far = await stack.enter_async_context(sink())
        proxy = await EgressProxy.start(policy=LOCAL, owner=lambda _: False)
        clients = [await stack.enter_async_context(client_of(proxy)) for _ in range(3)]
        await clients[0].send(connect_to(f"127.0.0.1:{far.port}"))
        await clients[0].head()
        await proxy.close()
        await proxy.close()
        for client in clients:
            with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                await client.take(1)
        with pytest.raises(OSError):
            await asyncio.open_connection("127.0.0.1", proxy.port)


# who may use it

ASK = """
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\\r\\n\\r\\n" % int(sys.argv[2]))
print(s.recv(100).split()[1].decode(), flush=True)
"""
ASK_FROM_CHILD = f"""
import subprocess, sys
print(subprocess.run([sys.executable, "-c", {ASK!r}, *sys.argv[1:]], stdout=-1).stdout.decode())
"""


async def ask_from_elsewhere(
    proxy: EgressProxy, port: int, pids: list[int], script: str = ASK
) -> str:
    """Let another process use the proxy; its id is added to ``pids`` before it can connect."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, str(proxy.port), str(port), stdout=asyncio.subprocess.PIPE
    )
    pids.append(process.pid)
    async with asyncio.timeout(WAIT_S):
        output, _ = await process.communicate()
    return output.decode().strip()


@pytest.mark.parametrize("script", [ASK, ASK_FROM_CHILD], ids=["process", "child"])
async def test_only_the_browsers_own_processes_may_use_the_proxy(script: str) -> None:
    pids: list[int] = []
    known = descends_from(lambda: pids[-1] if pids else None)
    async with sink() as far, proxy_for(owner=known) as proxy:
        assert await ask_from_elsewhere(proxy, far.port, pids, script) == "200"
        assert await ask_from_elsewhere(proxy, far.port, pids, script) == "200"
        assert await ask_from_elsewhere(proxy, far.port, [], script) == "403"
        assert proxy.strangers == 1
        assert len(far.peers) == 2
        assert proxy.playwright_proxy() is None


def test_descent_is_followed_to_the_root_and_an_unknown_root_owns_nothing() -> None:
    assert descends_from(os.getpid)(os.getpid())
    assert descends_from(os.getppid)(os.getpid())
    assert not descends_from(os.getpid)(os.getppid())
    assert not descends_from(lambda: None)(os.getpid())
    assert not descends_from(os.getpid)(2_000_000_000)


async def test_without_an_owner_a_random_credential_is_asked_for() -> None:
    async with sink() as far, proxy_for(owner=None) as proxy:
        option = proxy.playwright_proxy()
        assert option is not None
        user, password = option.get("username"), option.get("password")
        assert (option.get("server"), option.get("bypass")) == (proxy.url, "<-loopback>")
        good = base64.b64encode(f"{user}:{password}".encode()).decode()
        bad = base64.b64encode(b"browser:guess").decode()
        for token, status in ((good, b"200"), (bad, b"407"), (None, b"407")):
            headers = [] if token is None else [f"Proxy-Authorization: Basic {token}"]
            async with client_of(proxy) as client:
                await client.send(connect_to(f"127.0.0.1:{far.port}", *headers))
                head = await client.head()
            assert head.split()[1] == status
            assert (status == b"407") == (b"Proxy-Authenticate: Basic" in head)
        assert len(far.peers) == 1
        assert not any("--proxy-server" in switch for switch in proxy.chromium_args())
        assert str(password) not in proxy.url


def test_the_switches_leave_chromium_no_other_way_out() -> None:
    async def args() -> list[str]:
        async with proxy_for() as proxy:
            assert proxy.chromium_args()[0] == f"--proxy-server=http://127.0.0.1:{proxy.port}"
            return proxy.chromium_args()[1:]

    assert asyncio.run(args()) == [
        "--proxy-bypass-list=<-loopback>",
        "--disable-quic",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--gaia-url=http://127.0.0.1:9",
        "--component-updater=url-source=http://127.0.0.1:9",
    ]


# through another proxy


async def test_an_upstream_proxy_carries_tunnels_and_plain_requests() -> None:
    async with FixtureSite.serve() as site, proxy_for(owner=None) as outer:
        site.page("/x", "far")
        port = site.url.rpartition(":")[2]
        async with proxy_for(upstream=outer.credential_url()) as proxy:
            assert not proxy.pins_addresses
            async with client_of(proxy) as client:
                await client.send(get(site.at("/x")))
                assert (await client.reply())[1] == b"far"
            async with client_of(proxy) as client:
                await client.send(connect_to(f"127.0.0.1:{port}"))
                assert (await client.head()).startswith(b"HTTP/1.1 200 ")
                await client.send(get(site.at("/x")).replace(site.url.encode(), b""))
                assert (await client.reply())[1] == b"far"
            async with client_of(proxy) as client:
                await client.send(connect_to("10.0.0.1:443"))
                assert (await client.head()).startswith(b"HTTP/1.1 403 ")
        assert [decision.method for decision in outer.decisions()] == ["GET", "CONNECT"]


async def test_names_that_only_the_upstream_can_resolve_are_left_to_it() -> None:
    resolve, _ = answers([])
    async with sink() as far:
        origin = f"http://inner.example:{far.port}"
        policy = UrlPolicy.public_web(allow_local=[origin])
        inner, _ = answers(["127.0.0.1"])
        async with proxy_for(policy, owner=None, resolver=inner) as outer:
            upstream = outer.credential_url()
            async with proxy_for(policy, resolver=resolve, upstream=upstream) as proxy:
                async with client_of(proxy) as client:
                    await client.send(connect_to(f"inner.example:{far.port}"))
                    assert (await client.head()).startswith(b"HTTP/1.1 200 ")
                decision = proxy.decisions()[-1]
                assert (decision.code, decision.address_class) == (None, None)
        assert len(far.peers) == 1


async def test_an_upstream_that_refuses_or_is_gone_is_connect_failed() -> None:
    async with proxy_for(owner=None) as outer:
        for upstream in (outer.url, "http://127.0.0.1:1"):
            async with proxy_for(upstream=upstream) as proxy, client_of(proxy) as client:
                await client.send(connect_to("127.0.0.1:81"))
                assert b"connect_failed" in await client.rest()


@pytest.mark.parametrize(
    "upstream", ["socks5://h:1", "https://h:1", "h:1", "http://", "http://h:x", ""]
)
async def test_a_wrong_upstream_is_a_configuration_error_without_its_password(
    upstream: str,
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        await EgressProxy.start(policy=LOCAL, upstream=upstream.replace("//", "//u:hunter2@"))
    assert "hunter2" not in str(caught.value)


# registered secrets


async def test_a_page_cannot_send_a_bound_secret_elsewhere_over_plain_http() -> None:
    """Promise P2: what is typed at its own origin does not leave towards another one."""
    async with FixtureSite.serve() as home, FixtureSite.serve() as away:
        home.page("/in", "ok")
        check = OutgoingCheck.of({"pw": Secret("hunter2-value!", origins=[home.url])})
        async with proxy_for() as proxy:
            proxy.set_guard(check.check)
            body = b"p=aHVudGVyMi12YWx1ZSE="
            for site, status in ((home, b"200"), (away, b"403")):
                head = get(site.at("/in"), f"Content-Length: {len(body)}")
                async with client_of(proxy) as client:
                    await client.send(head.replace(b"GET", b"POST", 1) + body)
                    assert (await client.head()).split()[1] == status
            assert proxy.decisions()[-1].code == "secret_denied"
        assert away.requests == ()
