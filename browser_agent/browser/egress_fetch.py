"""Our own requests (robots.txt, sitemaps), through the proxy and by the same rules.

Owns one bounded GET: each hop of a redirect is judged by the full policy before it is asked for,
and the proxy judges it again with its addresses. Imported on first use only.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

from browser_agent._urls import display_url, origin_of
from browser_agent.browser.egress_http import MARK_HEADER
from browser_agent.logic.url_parts import join_url

if TYPE_CHECKING:
    from browser_agent.browser.egress import EgressProxy

__all__ = ["FetchReply", "fetch_through"]

MAX_HOPS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchReply:
    """What one fetch gave. ``code`` is None when a final answer of a server came, 4xx included.

    ``url`` is where the last request went, ``redirects`` the URLs and statuses before it, all in
    display form. ``body`` is decoded from its transfer and content coding and cut at the limit
    (``truncated``). ``headers`` have lower-case names and never hold a cookie.
    """

    url: str
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    truncated: bool = False
    redirects: tuple[tuple[str, int], ...] = ()
    code: str | None = None
    reason: str = ""

    def header(self, name: str) -> str | None:
        """The first value of a header, by lower-case name."""
        return next((value for key, value in self.headers if key == name), None)


async def fetch_through(
    proxy: EgressProxy,
    url: str,
    *,
    max_bytes: int,
    timeout_s: float,
    headers: Mapping[str, str],
    verify: ssl.SSLContext | None = None,
) -> FetchReply:
    """GET ``url``; see :meth:`EgressProxy.fetch`. ``verify`` replaces the certificate check."""
    # the transport alone: a client would read the Location header itself, and fail on some
    wire = httpx.AsyncHTTPTransport(
        proxy=httpx.Proxy(proxy.credential_url()), trust_env=False, verify=verify or _trust()
    )
    hops: list[tuple[str, int]] = []
    try:
        async with asyncio.timeout(timeout_s), wire:
            return await _follow(_Fetch(proxy, wire, max_bytes, headers, hops), url)
    except TimeoutError:
        return FetchReply(
            url=display_url(url),
            redirects=tuple(hops),
            code="navigation_timeout",
            reason=f"no complete answer within {timeout_s:g} s",
        )


@dataclass(frozen=True, slots=True)
class _Fetch:
    proxy: EgressProxy
    wire: httpx.AsyncHTTPTransport
    max_bytes: int
    headers: Mapping[str, str]
    hops: list[tuple[str, int]]


async def _follow(fetch: _Fetch, url: str) -> FetchReply:
    first_origin = origin_of(url)
    here = url
    while True:
        decision = fetch.proxy.policy.decide(here)
        if not decision.allowed:
            return _failed(fetch, decision.url or here, decision.code, decision.reason)
        here = decision.url
        at_home = origin_of(here) == first_origin
        reply = await _get(fetch, here, fetch.headers if at_home else None)
        target = reply.header("location")
        if reply.code is not None or reply.status not in _REDIRECTS or target is None:
            return reply
        fetch.hops.append((display_url(here), reply.status))
        if len(fetch.hops) > MAX_HOPS:
            return _failed(fetch, here, "navigation_failed", "too many redirects")
        here = join_url(here, target)


async def _get(fetch: _Fetch, url: str, headers: Mapping[str, str] | None) -> FetchReply:
    mark = fetch.proxy.mark()
    sent = {"accept": "*/*", "accept-encoding": "gzip", **(headers or {})}
    try:
        response = await fetch.wire.handle_async_request(httpx.Request("GET", url, headers=sent))
        async with aclosing(response):
            if MARK_HEADER in response.headers and (refusal := _refusal(fetch, url, mark)):
                return refusal
            body, truncated = await _read(response, fetch.max_bytes)
    except (httpx.HTTPError, httpx.InvalidURL, zlib.error) as error:
        return _broken(fetch, url, mark, error)
    return FetchReply(
        url=display_url(url),
        status=response.status_code,
        headers=tuple(
            (name.lower(), value)
            for name, value in response.headers.multi_items()
            if "cookie" not in name.lower()
        ),
        body=body,
        truncated=truncated,
        redirects=tuple(fetch.hops),
    )


async def _read(response: httpx.Response, limit: int) -> tuple[bytes, bool]:
    body = bytearray()
    inflate = None
    if response.headers.get("content-encoding", "").lower() in {"gzip", "x-gzip"}:
        inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
    async for chunk in response.aiter_raw():
        room = limit + 1 - len(body)
        body += inflate.decompress(chunk, room) if inflate is not None else chunk[:room]
        if len(body) > limit:
            return bytes(body[:limit]), True
    return bytes(body), False


def _refusal(fetch: _Fetch, url: str, mark: int) -> FetchReply | None:
    decision = fetch.proxy.last_decision(url, since=mark)
    if decision is None or decision.code is None:
        return None
    return _failed(fetch, url, decision.code, decision.reason)


def _broken(fetch: _Fetch, url: str, mark: int, error: Exception) -> FetchReply:
    refusal = _refusal(fetch, url, mark)
    if refusal is not None:
        return refusal
    if isinstance(error, httpx.InvalidURL):
        return _failed(fetch, url, "invalid_url", "not a URL that can be asked for")
    if isinstance(error, httpx.ConnectError):
        return _failed(fetch, url, "tls_failed", "the certificate or handshake was refused")
    return _failed(fetch, url, "navigation_failed", f"no usable answer: {type(error).__name__}")


def _failed(fetch: _Fetch, url: str, code: str | None, reason: str) -> FetchReply:
    return FetchReply(url=display_url(url), redirects=tuple(fetch.hops), code=code, reason=reason)


def _trust() -> ssl.SSLContext:
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context
