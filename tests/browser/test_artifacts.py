"""Screenshots and PDFs: private files in the folder, bounded, with passwords painted over."""

from __future__ import annotations

import hashlib
import stat
import struct
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from browser_agent.browser.artifacts import FULL_PAGE_PX
from browser_agent.browser.session import Session
from browser_agent.records.codes import Status
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

PAGE = """<title>Shot</title><style>body{margin:0;background:#fff}</style>
<input type=password aria-label=Pin value=hunter2 style="display:block;width:200px;height:40px;
 border:0;padding:0;background:rgb(0,255,0)"><button style="width:120px;height:30px">Box</button>
<div style="height:%spx"></div>"""
GREEN = bytes((0, 255, 0))


def artifact_of(result: Result) -> dict[str, Any]:
    """The artifact that a Result names."""
    return cast("dict[str, Any]", cast("dict[str, Any]", result.to_dict()["data"])["artifact"])


def check_file(folder: Path, artifact: dict[str, Any]) -> bytes:
    """The bytes of an artifact that is what its Result says, private, in its folder."""
    kept = folder / artifact["name"]
    assert kept.resolve().parent == folder.resolve()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    content = kept.read_bytes()
    assert artifact["bytes"] == len(content)
    assert artifact["sha256"] == hashlib.sha256(content).hexdigest()
    return content


def first_pixel(png: bytes) -> bytes:
    """The colour at the upper left; no filter of a PNG changes the bytes of that pixel."""
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += length + 12
    return zlib.decompress(data)[1:4]


async def test_a_screenshot_shows_the_view_and_no_password(
    session: Session, site: FixtureSite, download_dir: Path
) -> None:
    await session.resize(800, 600)
    await session.navigate(site.page("/", PAGE % 3_000))
    shot = await session.screenshot()
    assert shot.is_ok
    artifact = artifact_of(shot)
    assert (artifact["media_type"], artifact["width"], artifact["height"]) == (
        "image/png",
        800,
        600,
    )
    painted = first_pixel(check_file(download_dir, artifact))
    assert painted != GREEN, "the field is painted over"
    assert "hunter2" not in shot.to_json()
    again = artifact_of(await session.screenshot())
    assert again["name"] != artifact["name"], "no picture is written over"
    await session.navigate(site.page("/", (PAGE % 3_000).replace("type=password", "type=text")))
    plain = artifact_of(await session.screenshot())
    assert first_pixel(check_file(download_dir, plain)) == GREEN


async def test_a_whole_page_and_an_element(
    session: Session, site: FixtureSite, ref: Finder, download_dir: Path
) -> None:
    await session.resize(800, 600)
    await session.navigate(site.page("/", PAGE % 3_000))
    whole = artifact_of(await session.screenshot(full_page=True))
    assert whole["width"] == 800
    assert 3_000 < whole["height"] < 3_200
    check_file(download_dir, whole)
    one = await session.screenshot(ref=await ref(session, "Box", "button"))
    assert one.to_dict()["locator"] != {"scope": "page"}
    assert (artifact_of(one)["width"], artifact_of(one)["height"]) == (120, 30)
    check_file(download_dir, artifact_of(one))
    assert (await session.screenshot(ref="e999")).error_code == "ref_not_found"


async def test_the_height_of_a_page_is_bounded_and_that_is_said(
    session: Session, site: FixtureSite
) -> None:
    await session.resize(200, 200)
    await session.navigate(site.page("/", PAGE % 30_000))
    shot = await session.screenshot(full_page=True)
    assert (shot.status, shot.truncated) == (Status.TRUNCATED, True)
    assert artifact_of(shot)["height"] == FULL_PAGE_PX
    coverage = cast("dict[str, int]", shot.to_dict()["coverage"])
    assert coverage["pixels_not_captured"] > 13_000


async def test_a_pdf_is_an_artifact(
    session: Session, site: FixtureSite, download_dir: Path
) -> None:
    await session.navigate(site.page("/", PAGE % 100))
    printed = await session.pdf()
    assert printed.is_ok
    artifact = artifact_of(printed)
    assert artifact["media_type"] == "application/pdf"
    content = check_file(download_dir, artifact)
    assert content.startswith(b"%PDF-")
    assert b"hunter2" not in content
