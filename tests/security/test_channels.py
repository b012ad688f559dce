"""No channel of a page reaches a place that the policy refuses; without the proxy they do.

A sink on another loopback address has one port for each channel and counts TCP connections and UDP
packets on it. With the proxy, a channel is over once its refusal stands in the log (or the page
says that it gave up), and the sink must have seen nothing. The same pages without the proxy must
reach the sink: that is the proof that the count is not empty.

Claims: P1.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import pytest
from playwright.async_api import Browser, Page, async_playwright

from browser_agent.browser.discover import find_browser
from browser_agent.browser.egress import EgressProxy, descends_from
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.testing import FixtureSite, Request, Response

pytestmark = pytest.mark.anyio

SINK = "127.0.0.2"
WAIT_S = 60.0

# Scripts of one page. U is the channel's URL at the sink, S the same with https, W with ws, P its
# port, R(status) a URL of the page's own site that redirects there, worker(code) and shared(code)
# run code in a worker, add(html) appends markup, done() says that the channel gave up.
IN_PAGE = {
    "fetch": "fetch(U)",
    "fetch_no_cors": "fetch(U, {mode: 'no-cors'})",
    "fetch_preflight": "fetch(U, {method: 'PUT', headers: {'x-a': 'b'}})",
    "fetch_redirect": "fetch(R(302), {mode: 'no-cors'})",
    "fetch_redirect_chain": "fetch('/hop?to=' + encodeURIComponent(R(307)), {mode: 'no-cors'})",
    "fetch_keepalive": "fetch(U, {keepalive: true, mode: 'no-cors'})",
    "xhr": "const x = new XMLHttpRequest(); x.open('GET', U); x.send()",
    "beacon": "navigator.sendBeacon(U, 'x')",
    "beacon_redirect": "navigator.sendBeacon(R(307), 'x')",
    "event_source": "new EventSource(U)",
    "web_socket": "new WebSocket(W)",
    "img": "add(`<img src='${U}'>`)",
    "img_redirect": "add(`<img src='${R(307)}'>`)",
    "img_srcset": "add(`<img srcset='${U} 1x'>`)",
    "input_image": "add(`<input type=image src='${U}'>`)",
    "video": "add(`<video src='${U}'></video>`)",
    "video_poster": "add(`<video poster='${U}'></video>`)",
    "audio": "add(`<audio preload=auto src='${U}'></audio>`)",
    "track": "add(`<video src='/none' crossorigin><track default src='${U}'></video>`);"
             "document.querySelector('video:has(track)').textTracks[0].mode = 'showing'",
    "script": "const s = document.createElement('script'); s.src = U; document.body.append(s)",
    "script_redirect":
        "const s = document.createElement('script'); s.src = R(301); document.body.append(s)",
    "module_import": "import(U)",
    "stylesheet": "add(`<link rel=stylesheet href='${U}'>`)",
    "css_import": "add(`<style>@import '${U}';</style>`)",
    "css_url": "add(`<p style='background: url(${U})'>x</p>`)",
    "css_cursor": "add(`<p style='content: url(${U})'>x</p>`)",
    "font": "add(`<style>@font-face { font-family: far; src: url(${U}) }</style>"
            "<p style='font-family: far'>x</p>`)",
    "prefetch": "add(`<link rel=prefetch href='${U}'>`)",
    "preload": "add(`<link rel=preload as=fetch crossorigin href='${U}'>`)",
    "module_preload": "add(`<link rel=modulepreload href='${U}'>`)",
    "iframe": "add(`<iframe src='${U}'></iframe>`)",
    "iframe_redirect": "add(`<iframe src='${R(302)}'></iframe>`)",
    "object": "add(`<object data='${U}'></object>`)",
    "embed": "add(`<embed src='${U}'>`)",
    "svg_image": "add(`<svg><image href='${U}' width=9 height=9 /></svg>`)",
    "srcdoc_frame": "add(`<iframe srcdoc=\"<img src='${U}'>\"></iframe>`)",
    "data_frame": "add(`<iframe src=\"data:text/html,<img src='${U}'>\"></iframe>`)",
    "blob_frame": "const b = new Blob([`<img src='${U}'>`], {type: 'text/html'});"
                  "add(`<iframe src='${URL.createObjectURL(b)}'></iframe>`)",
    "javascript_frame": "add(`<iframe src=\"javascript:location='${U}'\"></iframe>`)",
    "form_in_frame": "add(`<iframe name=f1></iframe><form target=f1 method=post action='${U}'>"
                     "</form>`); document.querySelector('form[target=f1]').submit()",
    "ping": "add(`<a id=ping href='#x' ping='${U}'>x</a>`);"
            "document.getElementById('ping').click()",
    "worker_fetch": "worker('fetch(U)')",
    "worker_import": "worker('importScripts(U)')",
    "worker_socket": "worker('new WebSocket(W)')",
    "shared_worker_fetch": "shared('fetch(U)')",
    "shared_worker_import": "shared('importScripts(U)')",
    "shared_worker_socket": "shared('new WebSocket(W)')",
    "audio_worklet": "new AudioContext().audioWorklet.addModule(U)",
    "speculation_rules": "const s = document.createElement('script'); s.type = 'speculationrules';"
        "s.textContent = JSON.stringify({prefetch: [{urls: [U], eagerness: 'immediate'}]});"
        "document.body.append(s); done()",
    "fetch_later": "try { fetchLater(S, {activateAfter: 0}) } catch { done() }",
    "preconnect": "add(`<link rel=preconnect href='${U}'>`); done()",
    "manifest": "add(`<link rel=manifest href='${U}'>`); done()",
    "favicon": "add(`<link rel=icon href='${U}'>`); done()",
    "web_transport": "new WebTransport(S).ready.catch(done)",
    "stun": "ice([{urls: `stun:${HOST}:${P}`}])",
    "turn_udp": "ice([{urls: `turn:${HOST}:${P}`, username: 'u', credential: 'p'}])",
    "turn_tcp": "ice([{urls: `turn:${HOST}:${P}?transport=tcp`, username: 'u', credential: 'p'}])",
}  # fmt: skip
UDP = {"web_transport", "stun", "turn_udp"}

# Each of these takes a page of its own: it leaves the page or opens another one.
IN_TAB = {
    "go_redirect": "location.href = R(302)",
    "go_redirect_308": "location.href = R(308)",
    "go_location": "location.href = U",
    "go_navigation_api": "navigation.navigate(U)",
    "go_meta_refresh": "document.head.insertAdjacentHTML('beforeend',"
                       "`<meta http-equiv=refresh content='0;url=${U}'>`)",
    "go_link": "add(`<a id=a href='${U}'>x</a>`); document.getElementById('a').click()",
    "go_form_get": "add(`<form id=f action='${U}'></form>`); document.getElementById('f').submit()",
    "go_form_post": "add(`<form id=f method=post action='${U}'></form>`);"
                    "document.getElementById('f').submit()",
    "go_javascript_url": "location.href = `javascript:location.href='${U}'`",
    "open_window": "window.open(U)",
    "open_no_opener": "window.open(U, '_blank', 'noopener')",
    "open_form": "add(`<form id=f target=_blank action='${U}'></form>`);"
                 "document.getElementById('f').submit()",
    "open_link": "add(`<a id=a target=_blank href='${U}'>x</a>`);"
                 "document.getElementById('a').click()",
    "open_and_write": "window.open('about:blank').document.write(`<img src='${U}'>`)",
    "download_link": "add(`<a id=a download href='${U}'>x</a>`);"
                     "document.getElementById('a').click()",
    "download_redirect": "add(`<a id=a download href='${R(302)}'>x</a>`);"
                         "document.getElementById('a').click()",
    "hide_keepalive": "addEventListener('pagehide', () => fetch(U, {keepalive: true, mode:"
                      "'no-cors'})); location.href = '/empty'",
    "hide_beacon": "addEventListener('pagehide', () => navigator.sendBeacon(U, 'x'));"
                   "location.href = '/empty'",
}  # fmt: skip
# Served with a header, or run by a service worker.
BY_HEADER = {
    "refresh_header": ("Refresh", "0;url={U}"),
    "csp_report": ("Content-Security-Policy", "img-src 'none'; report-uri {U}"),
    "link_preload": ("Link", "<{U}>; rel=preload; as=script"),
    "link_stylesheet": ("Link", "<{U}>; rel=preload; as=style"),
}
BY_SERVICE_WORKER = "service_worker"
UNSEEN = {"preconnect", "manifest", "favicon"}
"""Headless Chromium does not use these by itself: they are tried, and nothing must come of it."""
MAY_FAIL = 6
"""How many channels a starved machine may not get round to when nothing holds them back."""
CHANNELS = [*IN_PAGE, *IN_TAB, *BY_HEADER, BY_SERVICE_WORKER]

PRELUDE = """
const HOST = '%(host)s', over = window.over = {};
const add = html => document.body.insertAdjacentHTML('beforeend', html);
const blobUrl = code => URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
function run(name, P, body) {
    const U = `http://${HOST}:${P}/${name}`, S = `https://${HOST}:${P}/`, W = `ws://${HOST}:${P}/`;
    const head = `const U = '${U}', W = '${W}';`;
    const R = status => new URL(`/redirect?status=${status}&to=${encodeURIComponent(U)}`,
                                document.baseURI).href;
    const done = () => { over[name] = true; };
    const worker = code => new Worker(blobUrl(head + code));
    const shared = code => new SharedWorker(blobUrl(head + code));
    const ice = async iceServers => {
        const peer = new RTCPeerConnection({iceServers});
        peer.onicegatheringstatechange = () => {
            if (peer.iceGatheringState === 'complete') done();
        };
        peer.createDataChannel('x');
        await peer.setLocalDescription(await peer.createOffer());
    };
    try {
        const left = body({U, S, W, P, R, done, worker, shared, ice});
        if (left && left.catch) left.catch(() => {});
    } catch (error) { console.log(name, String(error)); }
}
"""


@dataclass
class Sink:
    """Counts what arrives, by channel."""

    ports: dict[str, int] = field(default_factory=dict[str, int])
    arrived: dict[str, int] = field(default_factory=dict[str, int])

    def url(self, name: str) -> str:
        return f"http://{SINK}:{self.ports[name]}/{name}"

    def count(self, name: str) -> None:
        self.arrived[name] = self.arrived.get(name, 0) + 1


class CountPackets(asyncio.DatagramProtocol):
    def __init__(self, sink: Sink, name: str) -> None:
        self.sink, self.name = sink, name

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.sink.count(self.name)


class CountConnections(asyncio.Protocol):
    """Answers each connection with an empty reply that lets a page go on."""

    def __init__(self, sink: Sink, name: str) -> None:
        self.sink, self.name = sink, name

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.sink.count(self.name)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.transport.write(
            b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 0\r\n"
            b"Connection: close\r\n\r\n"
        )
        self.transport.close()


@asynccontextmanager
async def open_sink() -> AsyncGenerator[Sink]:
    loop = asyncio.get_running_loop()
    sink = Sink()
    async with AsyncExitStack() as stack:
        for name in CHANNELS:
            server = await loop.create_server(lambda name=name: CountConnections(sink, name), SINK)
            stack.callback(server.close)
            sink.ports[name] = int(server.sockets[0].getsockname()[1])
            if name in UDP:
                transport, _ = await loop.create_datagram_endpoint(
                    lambda name=name: CountPackets(sink, name), (SINK, sink.ports[name])
                )
                stack.callback(transport.close)
        yield sink


def script_for(sink: Sink, name: str, body: str) -> str:
    names = "{U, S, W, P, R, done, worker, shared, ice}"
    return f"run('{name}', {sink.ports[name]}, ({names}) => {{ {body} }});"


def page_of(sink: Sink, scripts: dict[str, str]) -> str:
    lines = [script_for(sink, name, body) for name, body in scripts.items()]
    code = PRELUDE % {"host": SINK} + "\n".join(lines)
    return f"<!doctype html><title>home</title><body><script>{code}</script>"


def fill_site(site: FixtureSite, sink: Sink) -> None:
    """The pages that try each channel."""
    site.page("/many", page_of(sink, IN_PAGE))
    site.page("/empty", "<!doctype html><title>empty</title>")
    for name, body in IN_TAB.items():
        site.page(f"/tab/{name}", page_of(sink, {name: body}))
    for name in BY_HEADER:
        site.route(f"/header/{name}")(_with_header(name, sink))
    worker = f"oninstall = event => event.waitUntil(fetch('{sink.url(BY_SERVICE_WORKER)}'))"

    @site.route("/sw.js")
    async def _(_request: Request) -> Response:
        return Response(200, {"content-type": "text/javascript"}, worker)

    @site.route("/redirect")
    async def _(request: Request) -> Response:
        return Response(int(request.query["status"]), {"location": request.query["to"]})

    @site.route("/hop")
    async def _(request: Request) -> Response:
        return Response(302, {"location": request.query["to"]})


def _with_header(name: str, sink: Sink) -> Callable[[Request], Awaitable[Response]]:
    header, value = BY_HEADER[name]

    async def show(_request: Request) -> Response:
        text = "<!doctype html><title>header</title><img src='/x.png'>"
        shown = value.replace("{U}", sink.url(name))
        return Response(200, {"content-type": "text/html", header.lower(): shown}, text)

    return show


async def visit_all(browser: Browser, site: FixtureSite) -> Page:
    """Open every page; the one with most channels is returned, to ask it what is over.

    The others are windows of it: they share its process, which halves the time.
    """
    context = await browser.new_context(service_workers="block")
    page = await context.new_page()
    await page.goto(site.at("/many"))
    places = [f"/tab/{name}" for name in IN_TAB] + [f"/header/{name}" for name in BY_HEADER]
    await page.evaluate("places => places.forEach(place => window.open(place))", places)
    workers = await (await browser.new_context(service_workers="allow")).new_page()
    await workers.goto(site.at("/empty"))
    await workers.evaluate("() => { navigator.serviceWorker.register('/sw.js').catch(() => {}) }")
    return page


async def until(condition: Callable[[], bool], page: Page, over: set[str]) -> None:
    """Wait until ``condition`` holds, or for long enough; ``over`` follows what the page says."""
    try:
        async with asyncio.timeout(WAIT_S):
            while not condition():
                over |= set(await page.evaluate("() => Object.keys(window.over)"))
                await page.evaluate("() => new Promise(resolve => setTimeout(resolve, 50))")
    except TimeoutError:
        return


@asynccontextmanager
async def chromium(args: list[str]) -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        path = find_browser(None, playwright.chromium.executable_path)
        browser = await playwright.chromium.launch(executable_path=path, args=args)
        try:
            yield browser
        finally:
            await browser.close()


async def test_no_channel_reaches_a_refused_place_through_the_proxy() -> None:
    """Promise P1: redirects, workers, sockets, popups and downloads obey the policy too."""
    async with FixtureSite.serve() as site, open_sink() as sink:
        fill_site(site, sink)
        policy = UrlPolicy.public_web(allow_local=[site.url])
        proxy = await EgressProxy.start(policy=policy, owner=descends_from(os.getpid))
        over: set[str] = set()

        def is_refused(name: str) -> bool:
            decision = proxy.last_decision(sink.url(name))
            return decision is not None and decision.code == "policy_denied"

        def is_settled() -> bool:
            return all(is_refused(name) or name in over for name in CHANNELS)

        async with chromium(proxy.chromium_args()) as browser:
            page = await visit_all(browser, site)
            await until(is_settled, page, over)
        refused = {name for name in CHANNELS if is_refused(name)}
        await proxy.close()
        assert sink.arrived == {}
        assert set(CHANNELS) - refused - over == set()
        assert set(CHANNELS) - refused <= UNSEEN | UDP | {"speculation_rules"}
        assert proxy.strangers == 0
        # and nothing but the pages spoke: no update check, no account service
        assert {decision.host for decision in proxy.decisions()} == {"127.0.0.1", SINK}


async def test_the_same_channels_reach_the_sink_when_the_proxy_is_taken_away() -> None:
    async with FixtureSite.serve() as site, open_sink() as sink:
        fill_site(site, sink)
        expected = set(CHANNELS) - UNSEEN

        def is_enough() -> bool:
            return len(expected - sink.arrived.keys()) <= MAY_FAIL

        async with chromium([]) as browser:
            page = await visit_all(browser, site)
            await until(is_enough, page, set())
        assert is_enough(), expected - sink.arrived.keys()
        assert UDP & sink.arrived.keys()
