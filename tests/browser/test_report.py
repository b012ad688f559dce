"""The report opens in a browser: footnotes lead to marked passages, nothing leaves the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page

from browser_agent import Citation, ConfigurationError, Result, RobotResult
from browser_agent.report.render import write_report
from browser_agent.store.run_folder import open_run_folder

pytestmark = pytest.mark.anyio
AXE = Path(__file__).parents[1] / "node/node_modules/axe-core/axe.min.js"
SERIOUS = """async () => (await axe.run()).violations
  .filter(fault => ["serious", "critical"].includes(fault.impact))
  .map(fault => fault.id + " " + fault.nodes.map(node => node.target.join(" ")).join(", "))"""
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>{{ 7*7 }}'


def write_run(folder: Path) -> None:
    text = f"{HOSTILE}\nThe tower is 45 m tall and stands alone.\nThe end."
    shown = Result.ok(
        data={"text": text, "title": HOSTILE}, final_url="https://example.com/javascript:alert(1)"
    )
    quote = "The tower is 45 m tall and stands alone."
    start = text.index(quote)
    citation = Citation(
        claim="It is 45 m tall",
        quote=quote,
        result=1,
        digest=shown.digest,
        pointer="/text",
        start=start,
        end=start + len(quote),
        verified=True,
    )
    reply = f'It is 45 m tall [1]. {HOSTILE}\n\n[1] R1 "{quote}"'
    result = RobotResult(
        "r",
        [{"role": "assistant", "content": reply}],
        task=HOSTILE,
        results=[shown],
        citations=[citation],
    )
    with open_run_folder(folder) as run:
        run.blobs.put(shown.preimage())
        run.finish(result)


@pytest.fixture
async def report(page: Page, tmp_path: Path) -> Page:
    write_run(tmp_path / "run")
    target = write_report(tmp_path / "run", tmp_path / "report.html")
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    requests: list[str] = []
    errors: list[str] = []
    await page.goto(target.as_uri())
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    assert errors == []
    return page


async def test_page_text_stays_text(report: Page) -> None:
    assert "{{ 7*7 }}" in await report.inner_text("main")
    assert await report.locator("main img, main script").count() == 0
    assert (await report.title()).startswith("Run of r")


async def test_footnotes_work_by_mouse_and_keyboard(report: Page) -> None:
    await report.click("#mark-1")
    assert report.url.endswith("#note-1")
    assert await report.inner_text("#note-1 mark") == "The tower is 45 m tall and stands alone."
    await report.focus('#note-1 a[href="#mark-1"]')
    await report.keyboard.press("Enter")
    assert report.url.endswith("#mark-1")
    assert "quote found" in await report.inner_text("#note-1")
    assert "intact" in await report.inner_text("main")


@pytest.mark.parametrize("width", [390, 1280])
async def test_axe_finds_no_serious_fault_in_either_scheme(report: Page, width: int) -> None:
    await report.set_viewport_size({"width": width, "height": 844})
    await report.evaluate(AXE.read_text())
    for scheme in ("light", "dark"):
        await report.emulate_media(color_scheme=scheme)
        assert await report.evaluate(SERIOUS) == [], scheme
        wide = await report.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, scheme


def test_a_folder_without_a_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no finished run"):
        write_report(tmp_path, tmp_path / "report.html")
