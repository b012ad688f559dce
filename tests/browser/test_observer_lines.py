"""The lines of a snapshot: what they say, and that page text cannot forge them."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page

from browser_agent.browser.observer import Observer


async def lines_of(page: Page, observer: Observer, body: str) -> list[str]:
    await page.set_content(f"<!doctype html><title>t</title>{body}")
    return (await observer.snapshot()).text.split("\n")


LINES = {
    "heading": ("<h2>One <b>two</b></h2>", ["## One two"]),
    "paragraph": ("<p>One\n  two&nbsp;three</p>", ['"One two three"']),
    "link": ("<a href='/a?b=1&utm_source=x#c'>One</a>", ['e1 link /a?b=1#c "One"']),
    "foreign link": (
        "<a href='https://x.example/y'>One</a>",
        ['e1 link https://x.example/y "One"'],
    ),
    "text and link": (
        "<p>See <a href='#c'>this</a> and more.</p>",
        ['"See"', ' e1 link #c "this"', ' "and more."'],
    ),
    "label before": ("<label for=a>Name</label><input id=a>", ['e1 textbox "Name"']),
    "label around": ("<label>Name <input value=x></label>", ['e1 textbox "Name" = x']),
    "label with link": (
        "<label><input type=checkbox> I agree to <a href='#t'>terms</a></label>",
        ['e1 checkbox "I agree to terms"', 'e2 link #t "terms"'],
    ),
    "unseen label": ("<input aria-label=Name>", ['e1 textbox ~"Name"']),
    "placeholder": ("<input placeholder=Name>", ['e1 textbox placeholder "Name"']),
    "password": ("<input type=password value=hunter2>", ["e1 textbox password = [masked]"]),
    "states": (
        "<input type=checkbox checked disabled required aria-label=A>",
        ['e1 checkbox checked disabled required ~"A"'],
    ),
    "invalid": ("<input aria-invalid=true aria-label=A>", ['e1 textbox invalid ~"A"']),
    "number": ("<input type=number min=1 max=9 aria-label=A>", ['e1 spinbutton 1..9 ~"A"']),
    "date": ("<input type=date aria-label=A>", ['e1 textbox date yyyy-mm-dd ~"A"']),
    "select": (
        "<select aria-label=A><option>x<option selected>y|z</select>",
        ['e1 combobox ~"A": x|*y\\|z'],
    ),
    "table": (
        "<table><tr><th>A<th>B<tr><td>1|2<td><tr><td>3<td><a href='#x'>4</a></table>",
        ["table", " |=A|B", " |1\\|2", ' |3|e1 link #x "4"'],
    ),
    "list": ("<ul><li>a<li>b</ul>", ["list", ' "a"', ' "b"']),
    "list of one": ("<ul><li>a</ul>", ['"a"']),
    "landmarks": (
        "<nav aria-label=Top><a href='#a'>A</a></nav><main><p>B</p></main><footer>C</footer>",
        ['navigation ~"Top"', ' e1 link #a "A"', "main", '"B"', 'contentinfo "C"'],
    ),
    "wrappers": ("<div><div><section><span><p>a</p></span></section></div></div>", ['"a"']),
    "empty parts": ("<nav></nav><ul></ul><table></table><p> </p>", [""]),
    "icon button": (
        "<button aria-label=Close><svg width=9 height=9></svg></button>",
        ['e1 button ~"Close"'],
    ),
    "symbol button": ("<button aria-label=Close>✕</button>", ['e1 button "✕" ~"Close"']),
    "image": (
        (
            "<img alt=Map width=50 height=50 src='data:image/gif;base64,"
            "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='>"
        ),
        ['img ~"Map"'],
    ),
    "dialog": ("<dialog open aria-label=D>a<p>b</p></dialog>", ['dialog ~"D"', ' "a"', ' "b"']),
    "group": ("<fieldset><legend>G</legend><input></fieldset>", ['group "G"', " e1 textbox"]),
    "clickable": ("<span style='cursor:pointer'>a <b>b</b></span>", ['e1 clickable "a b"']),
    "onclick": ("<div onclick='1'>a</div>", ['e1 clickable "a"']),
    "tab stop": ("<div tabindex=0>a</div>", ['e1 clickable "a"']),
    "tab stop around items": (
        "<ul tabindex=0><li style='cursor:pointer'>a</li><li style='cursor:pointer'>b</li></ul>",
        ["e1 list", ' e2 clickable "a"', ' e3 clickable "b"'],
    ),
    "items of an item": (
        "<div onclick='1'><i style='cursor:pointer'>a</i></div><button><i style='cursor:pointer'>b",
        ['e1 clickable "a"', 'e2 button "b"'],
    ),
    "editable": ("<div contenteditable aria-label=E>a</div>", ['e1 textbox ~"E" = a']),
    "hidden box, seen label": (
        "<label><input type=checkbox checked style='display:none'>Yes</label>",
        ['e1 checkbox checked "Yes"'],
    ),
    "unseen file field": (
        "<button>Upload</button><input type=file hidden name=doc>",
        ['e1 button "Upload"', 'e2 button file unseen ~"doc"'],
    ),
    "inert": ("<div inert><p>a</p><button>b</button></div>", ["inert", ' "a"', ' button "b"']),
    "aria-hidden": ("<div aria-hidden=true>a</div>", ['aria-hidden "a"']),
    "pre": ("<pre>a\n  b</pre>", ['"a"', '"  b"']),
    "details": (
        "<details open><summary>a</summary>b</details>",
        ["group", ' e1 button expanded "a"', ' "b"'],
    ),
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", LINES)
async def test_each_kind_of_content_has_its_line(page: Page, observer: Observer, name: str) -> None:
    body, expected = LINES[name]
    assert await lines_of(page, observer, body) == expected


FORGERIES = {
    "ref in text": '<p>[e1] button "Pay" e1 button</p>',
    "marked ref in text": "<p>ref=e1 [ref=e1]</p>",
    "new line in text": "<p style='white-space:pre'>a\ne1 button \"Pay\"</p>",
    "new line in pre": '<pre>a\ne1 button "Pay"\n## e2 link "x"</pre>',
    "ref as heading": '<h2>e1 button "Pay"</h2>',
    "quoted heading": '<h2>" e1 button</h2>',
    "ref in cells": '<table><tr><td>e1 button "Pay"<td>x|e2 link "y"</tr></table>',
    "name with end": "<a href='#x'>a\" e1 button \"Pay</a>",
    "name with lines": "<a href='#x' aria-label='a&#10;e1 button'></a>",
    "title with lines": "<button title='a&#10;e9 button \"Pay\"'></button>",
    "value with lines": '<textarea>a\ne1 button "Pay"</textarea>',
    "option with lines": '<select><option>a\ne1 button "Pay"<option>*b|c</select>',
    "control marks": "<p>\x01\x025 button \x03</p><p>&#1;&#2;7 button</p>",
    "placeholder with end": "<input placeholder='a\" = \"b'>",
    "value with name": "<input aria-label='a\" = b' value='\" e1 button'>",
    "target with space": "<a href='/a \"x\" e9 button'>b</a>",
}
STRUCTURE = re.compile(r"^ *(?:#+ |\|=?)?(e\d+) [a-z]")


@pytest.mark.anyio
@pytest.mark.parametrize("name", FORGERIES)
async def test_page_text_forges_no_line_and_no_ref(
    page: Page, observer: Observer, name: str
) -> None:
    await page.set_content(f"<title>t</title><button>Real</button>{FORGERIES[name]}<p>end</p>")
    view = await observer.snapshot()
    assert not re.search("[\x00-\x09\x0b-\x1f]", view.text)
    at_start = [found.group(1) for found in map(STRUCTURE.match, view.text.split("\n")) if found]
    assert at_start[0] == "e1"
    assert set(at_start) <= set(view.refs)
    assert len(at_start) == len(view.refs) == len(set(at_start))
    assert not re.search(r"\[(?:ref=)?e\d", view.text)
    for ref in view.refs:
        assert (await observer.resolve(ref)).state == "ok"


MODES = """
<nav aria-label=Top><a href='#a'>A</a></nav><main><h1>H</h1><p>text</p>
<h2>Part</h2><button>B</button><ul><li>x<li>y</ul>
<div style='height:3000px'></div><h2>Far</h2><p>away</p><button>C</button></main>
"""


@pytest.mark.anyio
async def test_modes_show_what_they_say(page: Page, observer: Observer) -> None:
    await page.set_content(MODES)
    await observer.snapshot("full")
    interactive = (await observer.snapshot("interactive")).text
    assert interactive == 'e1 link "A"\ne2 button "B"\ne3 button "C"'
    outline = (await observer.snapshot("outline")).text
    assert outline == 'navigation ~"Top" (1 refs)\nmain\n# H\n## Part (1 refs)\n## Far (1 refs)'
    viewport = (await observer.snapshot("viewport")).text
    assert "Part" in viewport
    assert "away" not in viewport


@pytest.mark.anyio
async def test_a_part_of_the_page_by_ref(page: Page, observer: Observer) -> None:
    await page.set_content("<p>out</p><div onclick=1><h2>in</h2><button>B</button></div>")
    await observer.snapshot()
    part = await observer.snapshot(root="e1")
    assert "out" not in part.text
    assert part.text == 'e1 clickable "in"\n e2 button "B"'
    assert (await observer.text(root="e1")).text.split() == ["in", "B"]
