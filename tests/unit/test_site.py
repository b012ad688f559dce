"""The fixture site's server: what it serves, what it logs, what it refuses."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import FrozenInstanceError
from pathlib import Path

import httpx
import pytest

from browser_agent.testing import FixtureSite, Hangup, Request, Response, serve_folder

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    (root / "docs").mkdir(parents=True)
    (root / "_site").mkdir()
    (root / "index.html").write_text("<title>Home</title><p>Grüße", encoding="utf-8")
    (root / "docs" / "index.html").write_text("<title>Docs</title>", encoding="utf-8")
    (root / "latin.html").write_bytes("<p>Caf\xe9".encode("latin-1"))
    (root / "robots.txt").write_text("Sitemap: http://fixture.invalid/sitemap.xml\n")
    (root / "_site" / "hidden.html").write_text("hidden")
    (tmp_path / "secret.txt").write_text("outside")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    return root


async def raw_exchange(site: FixtureSite, data: bytes) -> bytes:
    host, port = site.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(data)
    await writer.drain()
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/docs/", "text/html; charset=utf-8"),
        ("/latin.html", "text/html"),
        ("/robots.txt", "text/plain; charset=utf-8"),
    ],
)
async def test_files_come_with_their_media_type(folder: Path, path: str, media_type: str) -> None:
    async with FixtureSite.serve(folder) as site, httpx.AsyncClient() as client:
        answer = await client.get(site.at(path))
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)


async def test_the_site_binds_loopback_on_a_free_port(folder: Path) -> None:
    async with FixtureSite.serve(folder) as first, FixtureSite.serve(folder) as second:
        assert first.url.startswith("http://127.0.0.1:")
        assert first.url != second.url


async def test_robots_and_sitemap_name_the_real_origin(folder: Path) -> None:
    async with FixtureSite.serve(folder) as site, httpx.AsyncClient() as client:
        answer = await client.get(site.at("/robots.txt"))
    assert answer.text == f"Sitemap: {site.url}/sitemap.xml\n"


async def test_a_folder_without_its_slash_redirects(folder: Path) -> None:
    async with FixtureSite.serve(folder) as site, httpx.AsyncClient() as client:
        answer = await client.get(site.at("/docs"))
    assert (answer.status_code, answer.headers["location"]) == (301, "/docs/")


@pytest.mark.parametrize(
    "target",
    [
        "/../secret.txt",
        "/docs/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/docs/..%5c..%5csecret.txt",
        "/link.txt",
        "//secret.txt",
        "/secret.txt%00.html",
        "/_site/hidden.html",
        "/%5fsite/hidden.html",
        "/index.html/",
        "/nothing",
    ],
)
async def test_nothing_outside_the_folder_is_served(folder: Path, target: str) -> None:
    async with FixtureSite.serve(folder) as site:
        request = f"GET {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        answer = await raw_exchange(site, request.encode())
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"outside" not in answer
    assert b"hidden" not in answer


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/2\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nx: " + b"a" * 70_000 + b"\r\n\r\n",
    ],
    ids=["line", "version", "header", "negative", "huge", "chunk", "long-head"],
)
async def test_a_broken_request_is_answered_400(folder: Path, data: bytes) -> None:
    async with FixtureSite.serve(folder) as site:
        assert (await raw_exchange(site, data)).startswith(b"HTTP/1.1 400 ")
        assert site.requests == ()


async def test_files_answer_get_and_head_only(folder: Path) -> None:
    async with FixtureSite.serve(folder) as site, httpx.AsyncClient() as client:
        head = await client.head(site.at("/"))
        post = await client.post(site.at("/"))
    assert (head.status_code, head.content, int(head.headers["content-length"])) == (200, b"", 29)
    assert post.status_code == 405


async def test_the_log_holds_method_path_headers_and_body() -> None:
    async with FixtureSite.serve() as site, httpx.AsyncClient() as client:
        await client.post(
            site.at("/a%20b?x=1&x=2"), data={"q": "größe"}, headers={"X-Kind": "test"}
        )
        (seen,) = site.requests
        assert (seen.method, seen.path, seen.target) == ("POST", "/a b", "/a%20b?x=1&x=2")
        assert seen.headers["x-kind"] == "test"
        assert (dict(seen.query), dict(seen.form)) == ({"x": "2"}, {"q": "größe"})
        assert (site.count("/a b"), site.count("/a b", method="GET")) == (1, 0)


async def test_a_chunked_body_is_read_whole() -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"one "
        yield b"two"

    async with FixtureSite.serve() as site, httpx.AsyncClient() as client:
        await client.post(site.at("/x"), content=parts())
        assert site.requests[0].body == b"one two"


async def test_wait_for_sees_requests_before_and_after_the_call() -> None:
    async with FixtureSite.serve() as site, httpx.AsyncClient() as client:
        await client.get(site.at("/early"))
        assert (await site.wait_for("/early")).path == "/early"
        waiting = asyncio.ensure_future(site.wait_for("/late", method="POST", count=2))
        await client.get(site.at("/late"))
        await client.post(site.at("/late"), content=b"first")
        assert not waiting.done()
        await client.post(site.at("/late"), content=b"second")
        assert (await waiting).body == b"second"
        with pytest.raises(TimeoutError):
            await site.wait_for("/never", timeout_s=0.01)


async def test_requests_and_responses_are_frozen() -> None:
    request = Request(method="GET", target="/", path="/")
    with pytest.raises(FrozenInstanceError):
        request.path = "/x"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError):
        Response().status = 404  # pyright: ignore[reportAttributeAccessIssue]


async def test_routes_come_before_files_and_take_patterns(folder: Path) -> None:
    async with FixtureSite.serve(folder) as site, httpx.AsyncClient() as client:

        @site.route("/docs/*")
        async def docs(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
            return Response(202, {"x-path": request.path}, "computed")

        page = await client.get(site.page("/new.html", "<p>new"))
        answer = await client.get(site.at("/docs/deep/er"))
    assert page.text == "<p>new"
    assert (answer.status_code, answer.headers["x-path"]) == (202, "/docs/deep/er")


async def test_a_route_can_send_chunks_as_they_come() -> None:
    async with FixtureSite.serve() as site, httpx.AsyncClient() as client:
        seen_by_client = asyncio.Event()

        async def parts() -> AsyncIterator[bytes]:
            yield b"first,"
            await seen_by_client.wait()
            yield b"second"

        @site.route("/slow")
        async def slow(_request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
            return Response(200, {"content-type": "text/plain"}, parts())

        received: list[bytes] = []
        async with client.stream("GET", site.at("/slow")) as answer:
            async for part in answer.aiter_raw():
                received.append(part)
                seen_by_client.set()
    assert received == [b"first,", b"second"]


async def test_hangup_and_truncation_reach_the_client() -> None:
    async with FixtureSite.serve() as site, httpx.AsyncClient() as client:

        @site.route("/gone")
        async def gone(_request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
            raise Hangup

        for path in ("/gone", "/errors/hangup", "/errors/truncated"):
            with pytest.raises(httpx.RemoteProtocolError):
                await client.get(site.at(path))


async def test_a_route_that_raises_fails_the_test_that_owns_it() -> None:
    with pytest.RaisesGroup(pytest.RaisesExc(ZeroDivisionError)):
        async with FixtureSite.serve() as site, httpx.AsyncClient() as client:

            @site.route("/broken")
            async def broken(_request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
                return Response(1 // 0)

            assert (await client.get(site.at("/broken"))).status_code == 500


async def test_the_site_closes_while_a_request_is_unanswered() -> None:
    async with httpx.AsyncClient() as client:
        async with FixtureSite.serve() as site:
            pending = asyncio.ensure_future(client.get(site.at("/errors/stall")))
            await site.wait_for("/errors/stall")
        with pytest.raises(httpx.HTTPError):
            await pending
        with pytest.raises(httpx.ConnectError):
            await client.get(site.at("/"))


@pytest.mark.parametrize(
    ("path", "status", "header"),
    [
        ("/errors/404", 404, ("content-type", "text/html; charset=utf-8")),
        ("/errors/500", 500, ("content-type", "text/html; charset=utf-8")),
        ("/errors/503", 503, ("retry-after", "7")),
        ("/errors/401", 401, ("www-authenticate", 'Basic realm="harbour"')),
        ("/errors/empty", 200, ("content-length", "0")),
        ("/errors/binary", 200, ("content-type", "application/octet-stream")),
        ("/errors/download", 200, ("content-disposition", 'attachment; filename="tides.csv"')),
        ("/errors/unheard-of", 404, ("content-type", "text/html; charset=utf-8")),
    ],
)
async def test_error_pages(path: str, status: int, header: tuple[str, str]) -> None:
    async with FixtureSite.serve() as site, httpx.AsyncClient() as client:
        answer = await client.get(site.at(path))
    assert (answer.status_code, answer.headers[header[0]]) == (status, header[1])


async def test_the_wrong_charset_is_really_wrong() -> None:
    async with FixtureSite.serve() as site, httpx.AsyncClient() as client:
        answer = await client.get(site.at("/errors/badcharset"))
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    with pytest.raises(UnicodeDecodeError):
        answer.content.decode()


async def test_redirect_chains_and_loops(folder: Path) -> None:
    async with (
        FixtureSite.serve(folder) as site,
        httpx.AsyncClient(follow_redirects=True) as client,
    ):
        answer = await client.get(site.at("/redirect?to=/docs/&hops=3&status=307"))
        assert [step.status_code for step in answer.history] == [307, 307, 307]
        assert answer.url.path == "/docs/"
        with pytest.raises(httpx.TooManyRedirects):
            await client.get(site.at("/redirect"))


async def test_a_plain_folder_has_no_login_or_search(folder: Path) -> None:
    async with FixtureSite.serve(folder) as site, httpx.AsyncClient() as client:
        assert (await client.get(site.at("/search?q=home"))).status_code == 404


def test_scripts_can_serve_a_folder_without_a_loop(folder: Path) -> None:
    with serve_folder(folder) as url, urllib.request.urlopen(url) as answer:
        assert "Grüße" in answer.read().decode()
    with pytest.raises(FileNotFoundError), serve_folder(folder / "missing"):
        pass
