"""Our own requests obey the same policy at every hop, are bounded, and carry nothing along.

Claims: P1, P3.
"""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from browser_agent.browser.egress import EgressProxy, descends_from
from browser_agent.browser.egress_fetch import fetch_through
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.testing import FixtureSite, Hangup, Request, Response

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def proxy_for(policy: UrlPolicy, *, trusted: bool = True) -> AsyncGenerator[EgressProxy]:
    async def resolve(host: str) -> Sequence[str]:
        return [] if host == "gone.example" else ["93.184.215.14", "10.0.0.1"]

    owner = descends_from(lambda: None) if trusted else None
    proxy = await EgressProxy.start(policy=policy, resolver=resolve, owner=owner)
    try:
        yield proxy
    finally:
        await proxy.close()


def redirect(site: FixtureSite, path: str, target: str, status: int = 302) -> None:
    @site.route(path)
    async def _(_request: Request) -> Response:
        return Response(status, {"location": target})


@pytest.mark.parametrize("trusted", [True, False], ids=["owner", "credential"])
async def test_a_text_is_fetched_through_the_proxy(trusted: bool) -> None:
    async with FixtureSite.serve() as site:
        site.page("/robots.txt", "User-agent: *")
        async with proxy_for(UrlPolicy.only([site.url]), trusted=trusted) as proxy:
            reply = await proxy.fetch(site.at("/robots.txt"), headers={"User-Agent": "ours/1"})
            assert (reply.status, reply.body, reply.code) == (200, b"User-agent: *", None)
            assert reply.url == site.at("/robots.txt")
            assert (reply.header("content-type") or "").startswith("text/html")
            assert site.requests[0].headers["user-agent"] == "ours/1"
            assert [decision.url for decision in proxy.decisions()] == [reply.url]


async def test_an_error_status_is_an_answer_and_a_cookie_is_not_handed_on() -> None:
    async with FixtureSite.serve() as site:

        @site.route("/x")
        async def _(_request: Request) -> Response:
            return Response(404, {"set-cookie": "a=secret"}, "none")

        async with proxy_for(UrlPolicy.only([site.url])) as proxy:
            reply = await proxy.fetch(site.at("/x"))
    assert (reply.status, reply.code, reply.body) == (404, None, b"none")
    assert reply.header("set-cookie") is None


async def test_each_hop_is_judged_and_headers_stay_at_home() -> None:
    async with FixtureSite.serve() as home, FixtureSite.serve() as away:
        redirect(home, "/1", "/2?x=1")
        redirect(home, "/2", away.at("/3"), 308)
        away.page("/3", "end")
        async with proxy_for(UrlPolicy.only([home.url, away.url])) as proxy:
            reply = await proxy.fetch(home.at("/1"), headers={"X-Key": "k"})
            assert reply.body == b"end"
            assert reply.redirects == ((home.at("/1"), 302), (home.at("/2?x=1"), 308))
            assert [r.headers.get("x-key") for r in (*home.requests, *away.requests)] == [
                "k",
                "k",
                None,
            ]
        async with proxy_for(UrlPolicy.only([home.url])) as proxy:
            reply = await proxy.fetch(home.at("/1"))
            assert (reply.code, reply.url, reply.status) == ("policy_denied", away.at("/3"), None)
            assert len(reply.redirects) == 2
            assert away.count("/3") == 1


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "javascript:1", "http://169.254.169.254/", "http://[::1]/"]
)
async def test_a_redirect_to_a_forbidden_place_is_refused(target: str) -> None:
    async with FixtureSite.serve() as site:
        redirect(site, "/1", target)
        async with proxy_for(UrlPolicy.only([site.url])) as proxy:
            assert (await proxy.fetch(site.at("/1"))).code == "policy_denied"


@pytest.mark.parametrize("target", ["http://[", "http://a b/", "http://host:99999/"])
async def test_a_redirect_that_is_no_url_is_typed(target: str) -> None:
    async with FixtureSite.serve() as site:
        redirect(site, "/1", target)
        async with proxy_for(UrlPolicy.only([site.url])) as proxy:
            reply = await proxy.fetch(site.at("/1"))
    assert reply.code in {"invalid_url", "navigation_failed"}


async def test_a_redirect_loop_ends() -> None:
    async with FixtureSite.serve() as site:
        redirect(site, "/loop", "/loop")
        async with proxy_for(UrlPolicy.only([site.url])) as proxy:
            reply = await proxy.fetch(site.at("/loop"))
    assert reply.code == "navigation_failed"
    assert site.count("/loop") <= 7


async def test_a_path_rule_binds_our_own_requests_too() -> None:
    async with FixtureSite.serve() as site:
        policy = UrlPolicy.only([site.at("/docs/*")])
        async with proxy_for(policy) as proxy:
            assert (await proxy.fetch(site.at("/admin"))).code == "policy_denied"
        assert site.requests == ()


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
async def test_a_body_is_cut_at_its_limit_even_when_packed(packed: bool) -> None:
    text = b"a" * 5_000_000
    async with FixtureSite.serve() as site:

        @site.route("/big")
        async def _(_request: Request) -> Response:
            if packed:
                return Response(200, {"content-encoding": "gzip"}, gzip.compress(text))
            return Response(200, {}, text)

        async with proxy_for(UrlPolicy.only([site.url])) as proxy:
            cut = await proxy.fetch(site.at("/big"), max_bytes=1_000)
            whole = await proxy.fetch(site.at("/big"), max_bytes=5_000_000)
    assert (cut.body, cut.truncated) == (b"a" * 1_000, True)
    assert (whole.body == text, whole.truncated) == (True, False)


async def test_failures_are_typed() -> None:
    policy = UrlPolicy.public_web()
    async with proxy_for(policy) as proxy:
        for wrong in ("nonsense", "https://a.test/" + "a" * 70_000):  # httpx takes 65,536
            assert (await proxy.fetch(wrong)).code == "invalid_url"
        for scheme in ("http", "https"):
            assert (await proxy.fetch(f"{scheme}://gone.example/")).code == "dns_failed"
            assert (await proxy.fetch(f"{scheme}://mixed.example/")).code == "policy_denied"
    async with FixtureSite.serve() as site:
        closed = site.url
    async with proxy_for(UrlPolicy.only([closed])) as proxy:
        assert (await proxy.fetch(closed)).code == "connect_failed"


async def test_a_server_that_hangs_up_or_never_answers_is_typed() -> None:
    never = asyncio.Event()
    async with FixtureSite.serve() as site:

        @site.route("/hangup")
        async def _(_request: Request) -> Response:
            raise Hangup

        @site.route("/never")
        async def _(_request: Request) -> Response:
            await never.wait()
            return Response.html("late")

        async with proxy_for(UrlPolicy.only([site.url])) as proxy:
            assert (await proxy.fetch(site.at("/hangup"))).code == "navigation_failed"
            late = await proxy.fetch(site.at("/never"), timeout_s=0.3)
            assert late.code == "navigation_timeout"


async def test_a_site_that_forges_our_mark_gains_nothing() -> None:
    async with FixtureSite.serve() as site:

        @site.route("/forged")
        async def _(_request: Request) -> Response:
            return Response(200, {"x-browser-agent": "dns_failed"}, "mine")

        async with proxy_for(UrlPolicy.only([site.url])) as proxy:
            reply = await proxy.fetch(site.at("/forged"))
    assert (reply.code, reply.body) == (None, b"mine")


def self_signed(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    cert = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    file = folder / "site.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + cert.public_bytes(serialization.Encoding.PEM)
    )
    return file


async def test_https_is_checked_against_trusted_certificates(tmp_path: Path) -> None:
    file = self_signed(tmp_path)
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(file)
    async with FixtureSite.serve(tls=server) as site:
        site.page("/x", "safe")
        async with proxy_for(UrlPolicy.only([site.url])) as proxy:
            assert (await proxy.fetch(site.at("/x"))).code == "tls_failed"
            known = ssl.create_default_context(cafile=str(file))
            reply = await fetch_through(
                proxy, site.at("/x"), max_bytes=100, timeout_s=10, headers={}, verify=known
            )
            assert (reply.status, reply.body) == (200, b"safe")
            assert {decision.method for decision in proxy.decisions()} == {"CONNECT"}
