"""Text that a reader cannot see never leaves a page as plain text; what one can see always does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Page

from browser_agent.browser.observer import Observer

CASES = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "visibility.json").read_text(encoding="utf-8")
)
HIDDEN_MARK, SHOWN = "HIDEq7", "SHOWk3 plain words"


async def forms_of(page: Page, observer: Observer, fragment: str) -> dict[str, str]:
    """The text of a page with one fragment, in every form that leaves it."""
    await page.set_content(f"<!doctype html><title>t</title><h1>Top</h1>{fragment}<p>End</p>")
    views = {
        "snapshot": (await observer.snapshot()).text,
        "text": (await observer.text()).text,
        "html": re.sub(r"<[^>]*>", "", (await observer.html()).text),
    }
    return {form: re.sub(r"\s+", " ", text) for form, text in views.items()}


def check(fragment: str, forms: dict[str, str]) -> None:
    """The rule of this module for one fragment."""
    for form, text in forms.items():
        assert HIDDEN_MARK not in text, form
        # a cover over the whole screen hides the heading too
        assert "Top" in text or "position:fixed;inset:0;" in fragment, form
        if "SHOWk3" in fragment:
            assert SHOWN in text, form


@pytest.mark.anyio
@pytest.mark.parametrize("name", CASES["hidden"])
async def test_what_cannot_be_seen_stays_in_the_page(
    page: Page, observer: Observer, name: str
) -> None:
    fragment = CASES["hidden"][name]
    check(fragment, await forms_of(page, observer, fragment))


@pytest.mark.anyio
@pytest.mark.parametrize("name", CASES["shown"])
async def test_what_can_be_seen_is_read(page: Page, observer: Observer, name: str) -> None:
    fragment = CASES["shown"][name]
    check(fragment, await forms_of(page, observer, fragment))


@pytest.mark.anyio
async def test_hidden_text_is_counted(page: Page, observer: Observer) -> None:
    await page.set_content("<p style='color:#fff'>a b c</p><p>d</p><p style='opacity:0'>e</p>")
    view = await observer.snapshot()
    assert view.text == '"d"'
    assert view.flags["hidden_text"] == 1


@pytest.mark.anyio
async def test_words_that_are_not_seen_are_attributes_of_their_ref(
    page: Page, observer: Observer
) -> None:
    await page.set_content("<button aria-label='Send it away' title='Sends'>Keep</button>")
    view = await observer.snapshot()
    assert view.text == 'e1 button "Keep"'
    assert view.attributes == {"e1": {"name": "Send it away", "title": "Sends"}}
