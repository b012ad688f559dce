"""The page half of a replay: redirects, ranges, posts, sockets, streams, clocks, all offline."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from browser_agent import RecordingError, Result
from browser_agent.browser.browser import Browser
from browser_agent.browser.replaying import NetworkReplay
from browser_agent.browser.session import Session
from browser_agent.browser.taping import NetworkRecorder
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.replay import open_tape
from browser_agent.store.recording import Recording, RecordingWriter
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
Visit = Callable[[Session], Awaitable[list[Result]]]
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


@pytest.fixture(scope="module")
async def offline(anyio_backend: str) -> AsyncIterator[Browser]:
    """A browser for replays: the first one closes its network for good."""
    assert anyio_backend == "asyncio"
    policy = UrlPolicy.public_web(allow_local=["http://127.0.0.1:*", "http://localhost:*"])
    async with Browser.launch(policy=policy, robots=False) as launched:
        yield launched


@dataclass(frozen=True)
class Recorder:
    """Records what one visit of a session gets."""

    browser: Browser
    folder: Path

    async def record(self, visit: Visit, **meta: object) -> list[Result]:
        writer = RecordingWriter(self.folder)
        tape = NetworkRecorder(writer)
        async with self.browser.session(tape=tape) as session:
            seen = await visit(session)
        placeholders = dict(tape.placeholders)
        writer.write_meta(
            {
                "clock_ms": tape.start_ms,
                "seed": tape.seed,
                "placeholders": placeholders,
                "normalise": {"query": ["sid"], "patterns": [r"/v\d+/"]},
                **meta,
            }
        )
        writer.close()
        return seen

    def tape(self) -> NetworkReplay:
        return open_tape(Recording(self.folder))


@pytest.fixture
def recorder(browser: Browser, tmp_path: Path) -> Recorder:
    return Recorder(browser, tmp_path / "recording")


async def replay(offline: Browser, tape: NetworkReplay, visit: Visit) -> list[Result]:
    async with offline.session(tape=tape) as session:
        return await visit(session)


def contents(results: list[Result]) -> list[str]:
    return [result.preimage().decode() for result in results]


def going(*urls: str) -> Visit:
    """Go to each address and read it."""

    async def visit(session: Session) -> list[Result]:
        seen: list[Result] = []
        for url in urls:
            seen += [await session.navigate(url), await session.read()]
        return seen

    return visit


async def same_again(
    recorder: Recorder, offline: Browser, visit: Visit
) -> tuple[list[Result], NetworkReplay]:
    before = await recorder.record(visit)
    tape = recorder.tape()
    after = await replay(offline, tape, visit)
    assert tape.misses == []
    assert contents(after) == contents(before)
    return before, tape


@pytest.fixture
async def routes(site: FixtureSite) -> FixtureSite:
    """A site with redirects, parts, counters and posts."""
    count = iter(range(1, 100))

    @site.route("/count")
    async def number(_: Request) -> Response:
        return Response.html(f"<p>visit {next(count)}")

    @site.route("/hop*")
    async def hop(request: Request) -> Response:
        left = int(request.path.removeprefix("/hop"))
        return Response.redirect(f"hop{left - 1}" if left else "./end?x=1", 302 if left else 307)

    @site.route("/away")
    async def away(_: Request) -> Response:
        return Response.redirect(site.at("/end").replace("127.0.0.1", "localhost"), 301)

    @site.route("/end")
    async def end(request: Request) -> Response:
        return Response.html(f"<title>End</title><p>{request.method} {request.target}")

    @site.route("/send")
    async def send(request: Request) -> Response:
        return Response.redirect("/end?done", 303)

    @site.route("/bytes")
    async def part(request: Request) -> Response:
        body, wanted = b"0123456789", request.headers.get("range")
        if wanted is None:
            return Response(200, {"content-type": "text/plain"}, body)
        start, _, stop = wanted.removeprefix("bytes=").partition("-")
        piece = body[int(start) : int(stop) + 1]
        head = {"content-range": f"bytes {start}-{stop}/10", "content-type": "text/plain"}
        return Response(206, head, piece)

    @site.route("/say")
    async def say(request: Request) -> Response:
        return Response(200, {"content-type": "text/plain"}, b"said " + request.body[:60])

    return site


async def test_chains_of_redirects_end_where_they_ended(
    recorder: Recorder, offline: Browser, routes: FixtureSite
) -> None:
    visit = going(routes.at("/hop3"), routes.at("/away"))
    seen, _ = await same_again(recorder, offline, visit)
    assert seen[0].final_url == routes.at("/end?x=1")
    assert len(seen[0].data["redirects"]) == 4  # pyright: ignore
    assert "localhost" in str(seen[2].final_url)


async def test_a_post_that_redirects_is_followed_by_get(
    recorder: Recorder, offline: Browser, routes: FixtureSite
) -> None:
    form = "<form method=post action=/send><input name=a value=1><button>Go</button></form>"
    url = routes.page("/form", form)

    async def visit(session: Session) -> list[Result]:
        await session.navigate(url)
        found = await session.find("Go", role="button")
        ref = str(found.data["matches"][0]["ref"])  # pyright: ignore
        return [await session.click(ref), await session.read()]

    seen, _ = await same_again(recorder, offline, visit)
    assert "GET /end?done" in str(seen[1].data)


async def test_parts_posts_and_repeated_calls(
    recorder: Recorder, offline: Browser, routes: FixtureSite
) -> None:
    script = """
    const get = (url, more) => fetch(url, more).then(r => r.text());
    (async () => {
      const said = [];
      for (const part of ['0-3', '4-6'])
        said.push(await get('/bytes', {headers: {Range: 'bytes=' + part}}));
      for (const body of ['one', 'two']) said.push(await get('/say', {method: 'POST', body}));
      for (let i = 0; i < 3; i++) said.push(await get('/count?_=' + Date.now()));
      said.push(await get('/count?sid=' + Math.random()));
      const form = new FormData(); form.append('a', new Blob(['file']), 'f.txt');
      said.push((await get('/say', {method: 'POST', body: form})).length);
      document.body.textContent = said.join(' | ');
    })();
    """
    url = routes.page("/calls", f"<title>Calls</title><body><script>{script}</script>")

    async def read(session: Session) -> list[Result]:
        await session.navigate(url)
        await session.wait_for(text="visit 4 |")
        return [await session.read()]

    seen, _ = await same_again(recorder, offline, read)
    text = str(seen[0].data["text"])  # pyright: ignore
    assert "0123 | 456 | said one | said two" in text
    assert "visit 1</p>" not in text
    assert [f"visit {n}" in text for n in (1, 2, 3, 4)] == [True] * 4


async def test_a_part_is_cut_from_what_was_recorded_whole(
    recorder: Recorder, offline: Browser, routes: FixtureSite
) -> None:
    whole = routes.page("/ask", "<script>fetch('/bytes')</script><p id=p>none")
    part = "fetch('/bytes', {headers: {Range: 'bytes=2-4'}}).then(r => r.text())"
    await recorder.record(going(whole))

    async def ask(session: Session) -> list[Result]:
        await session.navigate(whole)
        return [await session.evaluate(part)]

    tape = recorder.tape()
    seen = await replay(offline, tape, ask)
    assert seen[0].data["value"] == "234"  # pyright: ignore
    assert tape.misses == []


async def test_the_clock_starts_at_the_recorded_time_and_runs(
    recorder: Recorder, offline: Browser, site: FixtureSite
) -> None:
    url = site.page("/clock", "<p>clock")
    script = (
        "(async () => { const a = Date.now(); await new Promise(r => setTimeout(r, 30));"
        " return [a, Date.now() > a, typeof Date(), new Date(2020, 1).getFullYear(),"
        " new Date() instanceof Date, Math.random(), crypto.randomUUID()]; })()"
    )
    visit = going(url)
    await recorder.record(visit)
    start = Recording(recorder.folder).meta["clock_ms"]

    async def ask(session: Session) -> list[Result]:
        await session.navigate(url)
        return [await session.evaluate(script)]

    drawn: list[object] = []
    for _ in range(2):
        seen = await replay(offline, recorder.tape(), ask)
        at, runs, word, year, is_date, *chance = seen[0].data["value"]  # pyright: ignore
        assert 0 <= at - start < 60_000  # pyright: ignore
        assert (runs, word, year, is_date) == (True, "string", 2020, True)
        drawn.append(chance)  # pyright: ignore
    assert drawn[0] == drawn[1]


async def test_a_page_of_another_charset_and_a_file(
    recorder: Recorder, offline: Browser, site: FixtureSite
) -> None:
    @site.route("/cafe")
    async def cafe(_: Request) -> Response:
        page = "<title>Café</title><p>Crème brûlée <a href=/file>file</a>".encode("cp1252")
        return Response(200, {"content-type": "text/html; charset=windows-1252"}, page)

    @site.route("/file")
    async def file(_: Request) -> Response:
        head = {"content-type": "text/csv", "content-disposition": "attachment; filename=a.csv"}
        return Response(200, head, "a,b\n1,é\n")

    url = site.at("/cafe")

    async def visit(session: Session) -> list[Result]:
        seen = [await session.navigate(url), await session.read()]
        found = await session.find("file", role="link")
        ref = str(found.data["matches"][0]["ref"])  # pyright: ignore
        return [*seen, await session.click(ref), await session.downloads()]

    seen, _ = await same_again(recorder, offline, visit)
    assert "Crème brûlée" in str(seen[1].data)
    item = seen[3].data["items"][0]  # pyright: ignore
    assert item["sha256"] == hashlib.sha256("a,b\n1,é\n".encode()).hexdigest()


async def test_what_failed_or_was_refused_fails_in_the_same_way(
    recorder: Recorder, offline: Browser, site: FixtureSite
) -> None:
    @site.route("/inside")
    async def inside(_: Request) -> Response:
        return Response.redirect("http://169.254.169.254/latest")

    closed = site.at("/x").replace(":" + site.url.rpartition(":")[2], ":1")
    page = site.page("/p", f"<p>shown<script src='{site.at('/gone.js')}'></script>")

    async def visit(session: Session) -> list[Result]:
        urls = [site.at("/inside"), closed, "http://10.1.2.3/", page]
        return [await session.navigate(url) for url in urls]

    seen, _ = await same_again(recorder, offline, visit)
    assert [result.error_code for result in seen] == [
        "policy_denied",
        "policy_denied",
        "policy_denied",
        None,
    ]


async def test_a_miss_names_the_nearest_and_a_hanging_call_hangs_again(
    recorder: Recorder, offline: Browser, site: FixtureSite
) -> None:
    @site.route("/poll")
    async def poll(_: Request) -> Response:
        await asyncio.Event().wait()
        return Response()

    url = site.page("/p", "<p>shown<script>fetch('/poll')</script>")
    await same_again(recorder, offline, going(url))
    tape = recorder.tape()
    seen = await replay(offline, tape, going(url, site.at("/other")))
    assert seen[2].error_code is not None
    assert len(tape.misses) == 1
    with pytest.raises(RecordingError, match="/other") as caught:
        tape.check()
    assert "/p" in str(caught.value)


async def test_the_same_site_on_another_port(
    recorder: Recorder, offline: Browser, routes: FixtureSite
) -> None:
    before = await recorder.record(going(routes.at("/hop2")))
    elsewhere = routes.at("/hop2").replace(routes.url, "http://127.0.0.1:1025")
    tape = recorder.tape()
    after = await replay(offline, tape, going(elsewhere))
    assert after[1].data["text"] == before[1].data["text"]  # pyright: ignore
    assert after[1].final_url == "http://127.0.0.1:1025/end?x=1"


async def test_declared_patterns_are_folded(
    recorder: Recorder, offline: Browser, site: FixtureSite
) -> None:
    site.page("/v17/a", "<p>version")
    await recorder.record(going(site.at("/v17/a?sid=1")))
    tape = recorder.tape()
    seen = await replay(offline, tape, going(site.at("/v18/a?sid=2")))
    assert "version" in str(seen[1].data)
    assert tape.misses == []


async def test_one_replay_has_a_browser_to_itself(
    recorder: Recorder, offline: Browser, site: FixtureSite
) -> None:
    url = site.page("/p", "<p>alone")
    await recorder.record(going(url))
    async with offline.session(tape=recorder.tape()) as session:
        await session.navigate(url)
        with pytest.raises(RecordingError, match="one session at a time"):
            async with offline.session(tape=recorder.tape()):
                pass
    assert (await replay(offline, recorder.tape(), going(url)))[0].is_ok


async def test_event_streams_give_their_recorded_messages(
    recorder: Recorder, offline: Browser, site: FixtureSite
) -> None:
    async def messages() -> AsyncIterator[bytes]:
        for number in range(3):
            yield f"data: line {number}\ndata: more\n\n".encode()
        await asyncio.Event().wait()

    @site.route("/stream")
    async def stream(_: Request) -> Response:
        return Response(200, {"content-type": "text/event-stream"}, messages())

    script = (
        "const es = new EventSource('/stream');"
        "es.onmessage = e => document.body.append(e.data.replace('\\n', '+') + '; ');"
    )
    url = site.page("/p", f"<body>got <script>{script}</script>")

    async def visit(session: Session) -> list[Result]:
        await session.navigate(url)
        await session.wait_for(text="line 2+more")
        return [await session.read()]

    seen, _ = await same_again(recorder, offline, visit)
    assert "line 0+more; line 1+more; line 2+more" in str(seen[0].data)


@asynccontextmanager
async def echo_socket() -> AsyncGenerator[str]:
    """A WebSocket server that greets and then says back what it hears; gives its address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        key = next(line[19:] for line in head if line.lower().startswith(b"sec-websocket-key: "))
        accept = base64.b64encode(hashlib.sha1(key.strip() + GUID).digest())
        writer.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )
        writer.write(b"\x81\x05hello")
        try:
            while True:
                first, second = await reader.readexactly(2)
                mask = await reader.readexactly(4)
                data = await reader.readexactly(second & 127)
                if first & 15 == 8:
                    break
                text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
                writer.write(b"\x81" + bytes([len(text) + 5]) + b"echo " + text)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/talk"


async def test_sockets_give_their_frames_in_order_and_others_are_refused(
    recorder: Recorder, offline: Browser, site: FixtureSite
) -> None:
    async with echo_socket() as address:
        script = (
            f"const s = new WebSocket('{address}');"
            "s.onmessage = e => { document.body.append(e.data + '; ');"
            " if (e.data === 'hello') s.send('one'); if (e.data === 'echo one') s.send('two'); };"
        )
        url = site.page("/p", f"<body>got <script>{script}</script>")

        async def visit(session: Session) -> list[Result]:
            await session.navigate(url)
            await session.wait_for(text="echo two")
            return [await session.read()]

        before = await recorder.record(visit)
    assert "hello; echo one; echo two" in str(before[0].data)
    tape = recorder.tape()
    after = await replay(offline, tape, visit)
    assert contents(after) == contents(before)
    assert tape.misses == []

    async def other(session: Session) -> list[Result]:
        await session.navigate(url)
        code = "new Promise(r => { new WebSocket('ws://127.0.0.1:9/x').onclose = e => r(e.code) })"
        return [await session.evaluate(code)]

    tape = recorder.tape()
    refused = await replay(offline, tape, other)
    assert refused[0].data["value"] == 4000  # pyright: ignore
    assert "WS ws://" in tape.misses[0]


async def test_secrets_in_pages_replay_as_they_were_shown(
    recorder: Recorder, offline: Browser, site: FixtureSite
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    url = site.page("/p", f"<p>the key is {token}, keep it")
    seen, _ = await same_again(recorder, offline, going(url))
    assert "[REDACTED:" in str(seen[1].data)
    for file in recorder.folder.rglob("*"):
        assert not file.is_file() or token.encode() not in file.read_bytes(), file


async def test_a_body_that_is_missing_is_a_miss(
    recorder: Recorder, offline: Browser, site: FixtureSite
) -> None:
    url = site.page("/p", "<p>here")
    await recorder.record(going(url))
    log = recorder.folder / "network.jsonl"
    entries: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    for entry in entries:
        entry["body"] = "sha256:" + "0" * 64
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    tape = recorder.tape()
    await replay(offline, tape, going(url))
    assert "lacks the body" in tape.misses[0]
