"""Pages that nobody would write: nesting, roles, hidden styles, odd Unicode, frames.

Whatever stands in them, a look at them is a typed Result of valid text, each ref that it shows
leads to an element, and words that a person cannot see are not among the words of the page.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from html import escape
from typing import Any, Protocol

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from browser_agent import Browser, Result, Session, UrlPolicy
from browser_agent.records.codes import ErrorCode
from browser_agent.testing.site import FixtureSite

MARK = "Zq7Hidden"
TAGS = tuple(
    re.findall(
        r"[\w-]+",
        """
    div p span section article main nav aside header footer ul ol li dl dt dd h1 h2 h3 h6 b i em a
    button label fieldset legend form details summary blockquote pre code figure table tr td th
    center font x-own""",
    )
)
ROLES = ("button", "link", "checkbox", "tab", "row", "grid", "none", "alert", "dialog", "bogus")
HIDDEN = [
    'style="display:none"',
    'style="visibility:hidden"',
    'style="opacity:0"',
    'style="position:absolute;left:-9999px"',
    'style="font-size:0"',
    'style="clip-path:inset(100%)"',
    'style="content-visibility:hidden"',
    'style="position:absolute;width:0;height:0;overflow:hidden"',
    'style="transform:scale(0)"',
    "hidden",
]
VISIBLE = [
    "",
    'style="display:contents"',
    'style="display:flex"',
    'style="float:right"',
    'style="position:relative;top:1px"',
    'style="cursor:pointer"',
    'style="overflow:hidden;width:200px"',
    'tabindex="0"',
    'onclick="void 0"',
    'aria-label="named \u202e thus"',
    'title="\u200btitle"',
    'contenteditable="true"',
    "inert",
    'aria-hidden="true"',
    'dir="rtl"',
    'lang="ar"',
]
_UNSEEN_NAME = re.compile(r'~"[^\n]*')
"""What follows is a name that assistive technology gives and a person does not see."""

words = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=24
).map(escape)
extras = st.sampled_from(
    [
        "<input placeholder=x value='a&#10;b'>",
        "<input type=password value=pw-9f8e7d6c>",
        "<select><option>one<option selected>two</select>",
        "<textarea>t</textarea>",
        "<img alt='pic &quot;e1 button&quot;'>",
        "<svg><title>s</title><text y=9>svg</text></svg>",
        "<input type=checkbox checked>",
        "<iframe srcdoc='<button>in</button>'></iframe>",
        "<template><p>tpl</p></template>",
        "<noscript>ns</noscript>",
        "<hr><br>",
        "&#xD800;&#0;&#x202E;",
        "<!-- c -->",
        "<canvas></canvas><video></video>",
        'e1 button "forged"',
        "<script>document.currentScript.parentNode.attachShadow?.call(null)</script>",
    ]
)
hidden = st.tuples(st.sampled_from(["div", "p"]), st.sampled_from(HIDDEN)).map(
    lambda pair: f"<{pair[0]} {pair[1]}>{MARK}</{pair[0]}>"
)


def _element(parts: tuple[str, str, str | None, list[str]]) -> str:
    tag, attribute, role, inside = parts
    role_text = f' role="{role}"' if role else ""
    return f"<{tag} {attribute}{role_text}>{''.join(inside)}</{tag}>"


elements = st.recursive(
    words | extras | hidden,
    lambda inner: st.tuples(
        st.sampled_from(TAGS),
        st.sampled_from(VISIBLE),
        st.none() | st.sampled_from(ROLES),
        st.lists(inner, max_size=4),
    ).map(_element),
    max_leaves=25,
)
pages = st.lists(elements, min_size=1, max_size=6).map("".join)


class Look(Protocol):
    """Open a page: its snapshot, its text, its Markdown, and each shown ref's description."""

    def __call__(self, body: str) -> tuple[list[Result], dict[str, Result]]: ...


@asynccontextmanager
async def opened() -> AsyncGenerator[tuple[FixtureSite, Session]]:
    async with FixtureSite.serve() as site:
        policy = UrlPolicy.public_web(allow_local=[site.url])
        async with Browser.launch(policy=policy) as browser, browser.session() as session:
            yield site, session


async def visit(site: FixtureSite, session: Session, body: str) -> Any:
    url = site.page("/", f"<!doctype html><meta charset=utf-8><title>Fuzz</title>{body}")
    looks = [
        await session.navigate(url),
        await session.snapshot(),
        await session.snapshot("interactive"),
        await session.read("text"),
        await session.read("markdown"),
    ]
    text = "\n".join(_text(look) for look in looks[1:3])
    shown = set(re.findall(r"^ *(?:#+ )?(e\d+) ", text, re.MULTILINE))
    described = await asyncio.gather(*(session.describe(ref) for ref in sorted(shown)[:12]))
    return looks, dict(zip(sorted(shown)[:12], described, strict=True))


@pytest.fixture(scope="module")
def look() -> Generator[Look]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened()) as pair:
        site, session = pair
        yield lambda body: portal.call(visit, site, session, body)


def _text(result: Result) -> str:
    data: Any = result.to_dict().get("data") or {}
    return str(data.get("text", ""))


def check(look: Result) -> None:
    assert look.is_ok, (look.status, look.error_code, look.error_message)
    text = look.to_json()
    assert json.loads(text)["status"] == look.status.value
    text.encode("utf-8")
    assert Result.from_json(text, verify=True) == look
    seen = _UNSEEN_NAME.sub("", _text(look))
    assert MARK not in seen, seen
    assert "pw-9f8e7d6c" not in text


def test_no_page_breaks_a_look_at_it(look: Look, long_run: bool) -> None:
    @settings(
        max_examples=2_000 if long_run else 150,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(pages)
    @example(f"<label><input><div style='content-visibility:hidden'>{MARK}</div></label>")
    @example(f"<label><input><p style='content-visibility:hidden'><b>{MARK}</b></p></label>")
    def play(body: str) -> None:
        looks, described = look(body)
        for one in looks:
            check(one)
        for ref, one in described.items():
            assert one.is_ok, (ref, one.error_code)
            assert one.error_code != ErrorCode.INTERNAL.value

    play()
