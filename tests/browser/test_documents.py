"""Documents that are no pages are read and cited like pages; a PDF with its page numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from browser_agent._freeze import thaw
from browser_agent.browser.browser import Browser
from browser_agent.browser.pdf_text import read_pdf
from browser_agent.browser.session import Session
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.robot.robot import Robot
from browser_agent.store.verify import verify_run
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio


def make_pdf(*pages: str) -> bytes:
    """A PDF with one line of text a page, each line in parentheses-free ASCII."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    parts = [
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
        f"2 0 obj<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>endobj",
        "3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj",
    ]
    for at, text in enumerate(pages):
        page, content = 4 + 2 * at, 5 + 2 * at
        drawn = f"BT /F 12 Tf 20 40 Td ({text}) Tj ET"
        parts += [
            f"{page} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 100]",
            f"/Contents {content} 0 R/Resources<</Font<</F 3 0 R>>>>>>endobj",
            f"{content} 0 obj<</Length {len(drawn)}>>stream\n{drawn}\nendstream endobj",
        ]
    return "\n".join([*parts, "trailer<</Root 1 0 R>>\n"]).encode()


def serve(site: FixtureSite, path: str, body: bytes, kind: str, **headers: str) -> str:
    async def answer(_: Request) -> Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Response(200, {"content-type": kind, **named}, body)

    site.route(path)(answer)
    return site.at(path)


def plain(result: Result) -> Any:
    return thaw(result.require())


PDF = make_pdf(
    "The harbour was dredged to five metres in 1921.",
    "Page two is about kelp.",
    "The last barge of kelp left on 3 May 1934 for Lenz.",
)
FEED = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>Courier</title>
<item><title>Ferry resumes its service on 4 May 2024</title></item></channel></rss>"""
ATOM = b"""<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Courier</title>
<entry><title>Bell of the Amity raised on 25 August 2020</title></entry></feed>"""
KINDS: dict[str, tuple[str, bytes, str, str]] = {
    "pdf": (
        "application/pdf",
        PDF,
        "The barge left on 3 May 1934",
        "The last barge of kelp left on 3 May 1934 for Lenz.",
    ),
    "plain": (
        "text/plain",
        b"Notes\nThe pier was built of 412 oak piles.\n",
        "It has 412 piles",
        "The pier was built of 412 oak piles.",
    ),
    "json": (
        "application/json",
        b'{"piers": [{"name": "North", "piles": 412}]}',
        "It has 412 piles",
        '{"name": "North", "piles": 412}',
    ),
    "csv": (
        "text/csv",
        b"pier,piles\nNorth pier of Kestrel,412\nSouth,90\n",
        "It has 412 piles",
        "North pier of Kestrel,412",
    ),
    "rss": (
        "application/rss+xml",
        FEED,
        "It resumed on 4 May 2024",
        "Ferry resumes its service on 4 May 2024",
    ),
    "atom": (
        "application/atom+xml",
        ATOM,
        "It was raised on 25 August 2020",
        "Bell of the Amity raised on 25 August 2020",
    ),
}


@pytest.mark.parametrize("name", KINDS)
async def test_a_document_is_cited_like_a_page_and_verified_offline(
    name: str, browser: Browser, site: FixtureSite, tmp_path: Path
) -> None:
    kind, body, claim, quote = KINDS[name]
    url = serve(site, f"/file-{name}", body, kind)
    quoted = f"[1] R2 \u201c{quote}\u201d"
    read = ("browser_read", {"format": "text"})
    model = ScriptedModel([[("browser_navigate", {"url": url}), read], f"{claim} [1].\n{quoted}"])
    robot = Robot("reader", model=model, browser=browser)
    result = await robot.run("What does it say?", start=[url], run_dir=tmp_path / "run")
    (citation,) = result.citations
    assert citation.verified, citation.reason
    text = plain(result.results[1])["text"]
    assert text[citation.start : citation.end] == quote
    found = verify_run(tmp_path / "run")
    assert found.ok, found.problems
    assert (found.citations, found.citations_verified) == (1, 1)


async def test_an_altered_span_of_a_document_is_found(
    browser: Browser, site: FixtureSite, tmp_path: Path
) -> None:
    url = serve(site, "/a.pdf", PDF, "application/pdf")
    reply = 'Dredged in 1921 [1].\n[1] R2 "The harbour was dredged to five metres in 1921."'
    model = ScriptedModel([[("browser_navigate", {"url": url}), ("browser_read", {})], reply])
    await Robot("reader", model=model, browser=browser).run("?", start=[url], run_dir=tmp_path)
    file = tmp_path / "result.json"
    told = json.loads(file.read_text())
    told["citations"][0]["start"] += 1
    file.write_text(json.dumps(told))
    assert not verify_run(tmp_path).ok
    del told["integrity"]
    assert RobotResult.from_dict(told).citations[0].start == 15


async def test_the_pages_of_a_pdf_are_spans_of_its_text(
    site: FixtureSite, session: Session
) -> None:
    url = serve(site, "/tide.pdf", PDF, "application/pdf")
    arrived = plain(await session.navigate(url))
    assert (arrived["title"], arrived["content_type"]) == ("tide.pdf", "application/pdf")
    for form in ("text", "markdown"):
        data = plain(await session.read(form))
        told = {page["page"]: data["text"][page["start"] : page["end"]] for page in data["pages"]}
        assert sorted(told) == [1, 2, 3]
        assert told[2] == "Page two is about kelp."
    assert "[Page 3 of 3]" in plain(await session.snapshot())["text"]


async def test_a_pdf_keeps_its_text_where_its_policy_forbids_scripts_and_as_a_file(
    site: FixtureSite, session: Session
) -> None:
    policy = {"content_security_policy": "default-src 'none'; sandbox"}
    shut = serve(site, "/shut.pdf", PDF, "application/pdf", **policy)
    disposition = {"content_disposition": 'attachment; filename="given.pdf"'}
    given = serve(site, "/given.pdf", PDF, "application/pdf", **disposition)
    for url in (shut, given):
        await session.navigate(url)
        assert "Page two is about kelp." in plain(await session.read())["text"]


async def test_what_is_no_pdf_has_no_text(site: FixtureSite, session: Session) -> None:
    url = serve(site, "/broken.pdf", b"%PDF-1.4 nothing of the kind", "application/pdf")
    await session.navigate(url)
    assert plain(await session.read())["text"] == ""
    assert await read_pdf(b"<html>", 1_000) is None
    assert await read_pdf(b"%PDF-1.7\n" + b"\xff" * 5_000, 1_000) is None


async def test_a_long_pdf_is_cut_and_says_so() -> None:
    found = await read_pdf(make_pdf(*("word " * 15 for _ in range(40))), 500)
    assert found is not None
    assert found.cut
    assert len(found.text) < 2_000
