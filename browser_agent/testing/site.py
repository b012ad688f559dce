"""The fixture site: a small HTTP server on 127.0.0.1 for tests, demos and the eval script.

Owns the socket, the request log, routes registered by a test, and static files of one folder.
It serves nothing outside that folder, binds loopback only, and fetches nothing itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from browser_agent.testing.site_files import find_file, load_file
from browser_agent.testing.site_pages import builtin_routes
from browser_agent.testing.wire import (
    HEAD_LIMIT_BYTES,
    BadRequestError,
    Hangup,
    Request,
    Response,
    read_request,
    write_response,
)

Route = Callable[[Request], Awaitable[Response]]
START_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiter:
    path: str
    method: str | None
    count: int
    future: asyncio.Future[Request]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Running:
    url: str
    loop: asyncio.AbstractEventLoop
    done: asyncio.Event


class FixtureSite:
    """A running site. Open it by `FixtureSite.serve`; it is closed when that block ends."""

    def __init__(self, folder: str | Path | None) -> None:
        self._folder = Path(folder).resolve(strict=True) if folder is not None else None
        self._url = ""
        self._routes: dict[str, Route] = {}
        self._builtin = builtin_routes(self._folder)
        self._requests: list[Request] = []
        self._waiters: list[_Waiter] = []
        self._failures: list[Exception] = []
        self._connections: set[asyncio.Task[None]] = set()

    @classmethod
    @contextlib.asynccontextmanager
    async def serve(
        cls, folder: str | Path | None = None, *, tls: ssl.SSLContext | None = None
    ) -> AsyncGenerator[FixtureSite]:
        """Serve `folder` (or routes only) on a free port of 127.0.0.1 until the block ends.

        A route that raised makes the end of the block raise an ExceptionGroup.
        """
        site = cls(folder)
        server = await asyncio.start_server(
            site._serve_connection,
            "127.0.0.1",
            0,
            limit=HEAD_LIMIT_BYTES,
            ssl=tls,
            start_serving=False,
        )
        port = int(server.sockets[0].getsockname()[1])
        site._url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
        await server.start_serving()
        try:
            yield site
        finally:
            server.close()
            await site._close()
            await server.wait_closed()
        if site._failures:
            raise ExceptionGroup("routes of the fixture site failed", site._failures)

    @property
    def url(self) -> str:
        """The origin, without a slash at the end: `http://127.0.0.1:40123`."""
        return self._url

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every request so far, in order of arrival."""
        return tuple(self._requests)

    def at(self, path: str) -> str:
        """The absolute URL of a path on this site."""
        return self._url + path

    def count(self, path: str, *, method: str | None = None) -> int:
        """How many requests have asked for `path` so far."""
        return sum(_is_match(request, path, method) for request in self._requests)

    def route(self, path: str) -> Callable[[Route], Route]:
        """Register an async route for `path`; a path that ends in `*` takes every path below it.

        Routes of a test come before built-in pages and files.
        """

        def register(handler: Route) -> Route:
            self._routes[path] = handler
            return handler

        return register

    def page(self, path: str, html: str, *, status: int = 200) -> str:
        """Register a page of HTML for `path` and return its absolute URL."""
        response = Response.html(html, status)

        async def show(_request: Request) -> Response:
            return response

        self._routes[path] = show
        return self.at(path)

    async def wait_for(
        self, path: str, *, method: str | None = None, count: int = 1, timeout_s: float = 10.0
    ) -> Request:
        """Wait until `path` was asked for `count` times; the request that completed the count.

        Raises TimeoutError after `timeout_s` seconds.
        """
        seen = [request for request in self._requests if _is_match(request, path, method)]
        if len(seen) >= count:
            return seen[count - 1]
        future: asyncio.Future[Request] = asyncio.get_running_loop().create_future()
        waiter = _Waiter(path=path, method=method, count=count, future=future)
        self._waiters.append(waiter)
        try:
            async with asyncio.timeout(timeout_s):
                return await future
        finally:
            self._waiters.remove(waiter)

    async def _serve_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        try:
            while await self._serve_one(reader, writer):
                pass
        except (ConnectionError, Hangup, ssl.SSLError, asyncio.CancelledError):
            pass  # the client or the test ended this connection; the log keeps the request
        finally:
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        try:
            request = await read_request(reader)
        except BadRequestError as exc:
            await write_response(writer, Response(400, {"connection": "close"}, str(exc)))
            return False
        if request is None:
            return False
        self._record(request)
        response = await self._answer(request)
        try:
            kept = await write_response(writer, response, head_only=request.method == "HEAD")
            return kept and request.headers.get("connection", "").lower() != "close"
        except (ConnectionError, Hangup):
            raise
        except Exception as exc:  # noqa: BLE001 - a body that raises is recorded, serve() raises it
            self._failures.append(exc)
            return False

    async def _answer(self, request: Request) -> Response:
        try:
            handler = self._find_route(request.path)
            if handler is not None:
                return await handler(request)
            return await asyncio.to_thread(self._load_static, request)
        except (ConnectionError, Hangup):
            raise
        except Exception as exc:  # noqa: BLE001 - a route that raises is recorded, serve() raises it
            self._failures.append(exc)
            return Response.html("<title>500</title><h1>The route failed</h1>", 500)

    def _find_route(self, path: str) -> Route | None:
        for routes in (self._routes, self._builtin):
            if path in routes:
                return routes[path]
            for pattern, handler in routes.items():
                if pattern.endswith("*") and path.startswith(pattern[:-1]):
                    return handler
        return None

    def _load_static(self, request: Request) -> Response:
        found = find_file(self._folder, request.path) if self._folder is not None else None
        if found is None:
            return Response.html("<title>Not found</title><h1>No such page</h1>", 404)
        if request.method not in {"GET", "HEAD"}:
            return Response(405, {"allow": "GET, HEAD"})
        if found.is_dir():
            return Response.redirect(f"{request.path}/", 301)
        return load_file(found, self._url)

    def _record(self, request: Request) -> None:
        self._requests.append(request)
        for waiter in self._waiters:
            reached = self.count(waiter.path, method=waiter.method) >= waiter.count
            if reached and not waiter.future.done() and waiter.path == request.path:
                waiter.future.set_result(request)

    async def _close(self) -> None:
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)


@contextlib.contextmanager
def serve_folder(folder: str | Path) -> Generator[str]:
    """Serve `folder` from a thread of its own, for scripts without an event loop; gives the URL."""
    started: Future[_Running] = Future()
    thread = threading.Thread(
        target=_serve_in_thread, args=(folder, started), name="fixture-site", daemon=True
    )
    thread.start()
    running = started.result(START_TIMEOUT_S)
    try:
        yield running.url
    finally:
        running.loop.call_soon_threadsafe(running.done.set)
        thread.join(START_TIMEOUT_S)


def _serve_in_thread(folder: str | Path, started: Future[_Running]) -> None:
    try:
        asyncio.run(_serve_until_done(folder, started))
    except Exception as exc:
        if started.done():
            raise
        started.set_exception(exc)


async def _serve_until_done(folder: str | Path, started: Future[_Running]) -> None:
    async with FixtureSite.serve(folder) as site:
        done = asyncio.Event()
        started.set_result(_Running(url=site.url, loop=asyncio.get_running_loop(), done=done))
        await done.wait()


def _is_match(request: Request, path: str, method: str | None) -> bool:
    return request.path == path and method in {None, request.method}
