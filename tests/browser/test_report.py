"""The report opens in a browser: footnotes lead to marked passages, nothing leaves the file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Page

from browser_agent import ConfigurationError, Result, RobotResult
from browser_agent.logic.citations import check_citations, split_reply
from browser_agent.report.render import write_report
from browser_agent.store.run_folder import open_run_folder

pytestmark = pytest.mark.anyio
AXE = Path(__file__).parents[1] / "node/node_modules/axe-core/axe.min.js"
SERIOUS = """async () => (await axe.run()).violations
  .filter(fault => ["serious", "critical"].includes(fault.impact))
  .map(fault => fault.id + " " + fault.nodes.map(node => node.target.join(" ")).join(", "))"""
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>{{ 7*7 }}'


QUOTES = (
    "The tower is 45 m tall and stands alone.",
    "It was built by eleven masons in one summer.",
    "The end of the long stair.",
)
REPLY = f"""It is **45 m** tall [1] and stands alone [1, 2]. {HOSTILE}

- Eleven masons built it [2].
- It has a stair [3], as [9] says.

[1] R1 "{QUOTES[0]}"
[2] R1 "{QUOTES[1]}"
[3] R1 "{QUOTES[2]}"
"""


def write_run(folder: Path) -> None:
    text = "\n".join([HOSTILE, *QUOTES, HOSTILE])
    shown = Result.ok(
        data={"text": text, "title": HOSTILE}, final_url="https://example.com/javascript:alert(1)"
    )
    refused = Result.failure("error", code="policy_denied", message=f"Not admitted: {HOSTILE}")
    _, cited = split_reply(REPLY)
    result = RobotResult(
        "r",
        [{"role": "assistant", "content": REPLY}],
        task=HOSTILE,
        results=[shown, refused],
        citations=check_citations(cited, [shown]),
        unsupported=[HOSTILE],
    )
    with open_run_folder(folder) as run:
        for one in (shown, refused):
            run.blobs.put(one.preimage())
        run.finish(result)


@pytest.fixture
async def report(page: Page, tmp_path: Path) -> AsyncIterator[Page]:
    write_run(tmp_path / "run")
    target = write_report(tmp_path / "run", tmp_path / "report.html")
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    await page.goto(target.as_uri())
    yield page
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    assert errors == []


async def test_page_text_stays_text(report: Page) -> None:
    assert "{{ 7*7 }}" in await report.inner_text("main")
    assert await report.locator("main img, main script").count() == 0
    assert (await report.title()).startswith("Run of r")


MARKS = [("mark-1", "1"), ("mark-1-2", "1"), ("mark-2", "2"), ("mark-2-2", "2"), ("mark-3", "3")]


async def arrive(report: Page, place: str) -> None:
    """Wait until the last input has led there."""
    await report.wait_for_function("place => location.hash === '#' + place", arg=place)
    await report.wait_for_url(f"**#{place}")


async def test_every_footnote_works_by_mouse_there_and_back(report: Page) -> None:
    places = await report.locator("a.mark").evaluate_all("all => all.map(one => one.id)")
    assert sorted(places) == sorted(place for place, _ in MARKS)
    for place, note in MARKS:
        await report.click(f"#{place}")
        await arrive(report, f"note-{note}")
        assert await report.inner_text(f"#note-{note} mark") == QUOTES[int(note) - 1]
        await report.click(f'#note-{note} a[href="#{place}"]')
        await arrive(report, place)


async def test_every_footnote_works_by_keyboard_there_and_back(report: Page) -> None:
    for place, note in MARKS:
        await tab_to(report, f"#{place}")
        await report.keyboard.press("Enter")
        await arrive(report, f"note-{note}")
        await tab_to(report, f'#note-{note} a[href="#{place}"]')
        await report.keyboard.press("Enter")
        await arrive(report, place)


async def tab_to(report: Page, selector: str) -> None:
    """Reach an element by the Tab key alone, from where the last link led."""
    for _ in range(60):
        await report.keyboard.press("Tab")
        if await report.evaluate("s => document.activeElement?.matches(s) ?? false", selector):
            return
    raise AssertionError(f"no way to {selector} by Tab")


async def test_the_report_says_what_held_and_what_was_refused(report: Page) -> None:
    shown = await report.inner_text("main")
    for words in ("3 of 3 quotes hold", "evidence intact", "policy_denied", "In no page", "[9]"):
        assert words in shown
    assert await report.locator("#note-1 .good").inner_text() == "quote found"
    assert await report.locator(".answer strong").inner_text() == "45 m"
    assert await report.locator(".answer li").count() == 2


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
