"""Downloads: caught, named, hashed, bounded, and told by the operation that caused them."""

from __future__ import annotations

import asyncio
import hashlib
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.limits import BrowserLimits
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]
CSV = b"day,high\n1,4.1\n"


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


def serve(site: FixtureSite, path: str, name: str, body: bytes = CSV) -> None:
    """Serve ``body`` as an attachment of that name."""

    @site.route(path)
    async def _give(_: Request) -> Response:
        headers = {
            "content-type": "application/octet-stream",
            "content-disposition": f'attachment; filename="{name}"',
        }
        return Response(200, headers, body)


PAGE = """<a href=/file>Link</a><a href=/file target=_blank>Blank</a>
<button onclick="(async()=>{const r=await fetch('/file');const b=await r.blob();
const a=document.createElement('a');
a.href=window.URL.createObjectURL(b);a.download='made.csv';a.click()
})()">Blob</button>
<button onclick="const a=document.createElement('a');a.href='data:text/csv,'+encodeURIComponent(
'day,high\\n1,4.1\\n');a.download='data.csv';a.click()">Data</button>"""


@pytest.mark.parametrize(
    ("name", "role", "file"),
    [
        ("Link", "link", "tides.csv"),
        ("Blank", "link", "tides.csv"),
        ("Blob", "button", "made.csv"),
        ("Data", "button", "data.csv"),
    ],
)
async def test_the_action_that_caused_a_download_tells_it(
    session: Session,
    site: FixtureSite,
    ref: Finder,
    download_dir: Path,
    name: str,
    role: str,
    file: str,
) -> None:
    serve(site, "/file", "tides.csv")
    await session.navigate(site.page("/", PAGE))
    clicked = await session.click(await ref(session, name, role))
    assert clicked.is_ok
    (row,) = data_of(clicked)["downloads"]
    stem, _, suffix = file.partition(".")
    assert row["name"].startswith(stem)
    assert row["name"].endswith(suffix)
    assert row["state"] == "finished"
    assert (row["bytes"], row["sha256"]) == (len(CSV), hashlib.sha256(CSV).hexdigest())
    kept = download_dir / row["name"]
    assert kept.read_bytes() == CSV
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [one["name"] for one in data_of(await session.downloads())["items"]] == [row["name"]]


async def test_a_pdf_is_a_file_with_its_type(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    serve(site, "/report", "report.pdf", b"%PDF-1.4\n%%EOF\n")
    await session.navigate(site.page("/", "<a href=/report>Report</a>"))
    (row,) = data_of(await session.click(await ref(session, "Report", "link")))["downloads"]
    assert row["media_type"] == "application/pdf"


async def test_a_hostile_name_stays_in_the_folder(
    session: Session, site: FixtureSite, ref: Finder, download_dir: Path
) -> None:
    await session.navigate(
        site.page(
            "/",
            "<button onclick=\"const a=document.createElement('a');a.href='data:text/plain,x';"
            "a.download='../../evil\\u202Etxt.exe';a.click()\">Get</button>",
        )
    )
    (row,) = data_of(await session.click(await ref(session, "Get", "button")))["downloads"]
    assert "/" not in row["name"]
    assert "\u202e" not in row["name"]
    assert (download_dir / row["name"]).resolve().parent == download_dir.resolve()


async def test_a_download_that_grows_beyond_the_limit_is_cancelled(
    site: FixtureSite, ref: Finder, tmp_path: Path
) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 4_000_000_000:
            sent += 65_536
            yield b"x" * 65_536

    @site.route("/big")
    async def _big(_: Request) -> Response:
        headers = {"content-disposition": "attachment; filename=big.bin"}
        return Response(200, headers, endless())

    policy = UrlPolicy.public_web(allow_local=[site.url])
    limits = BrowserLimits(download_bytes=100_000)
    async with (
        Browser.launch(policy=policy, limits=limits, robots=False, download_dir=tmp_path) as small,
        small.session() as session,
    ):
        await session.navigate(site.page("/", "<a href=/big>Big</a>"))
        clicked = await session.click(await ref(session, "Big", "link"))
        (row,) = data_of(clicked)["downloads"]
        assert row["state"] == "too_large"
        assert "bytes" not in row
    assert list(tmp_path.rglob("*.bin")) == []
    assert sent < 500_000_000


async def test_a_download_is_cancelled_by_what_arrived_although_its_end_never_comes(
    site: FixtureSite, ref: Finder, tmp_path: Path
) -> None:
    over = asyncio.Event()

    async def stalled() -> AsyncIterator[bytes]:
        yield b"x" * 1_000_000
        await over.wait()

    @site.route("/big")
    async def _big(_: Request) -> Response:
        headers = {"content-disposition": "attachment; filename=big.bin"}
        return Response(200, headers, stalled())

    policy = UrlPolicy.public_web(allow_local=[site.url])
    limits = BrowserLimits(download_bytes=100_000, action_timeout_s=20)
    async with (
        Browser.launch(policy=policy, limits=limits, robots=False, download_dir=tmp_path) as small,
        small.session() as session,
    ):
        await session.navigate(site.page("/", "<a href=/big>Big</a><a href=/big>Again</a>"))
        for name in ("Big", "Again"):
            clicked = await session.click(await ref(session, name, "link"))
            assert [row["state"] for row in data_of(clicked)["downloads"]] == ["too_large"]
            assert (clicked.status, clicked.effect) == ("ok", "acknowledged")
    over.set()
