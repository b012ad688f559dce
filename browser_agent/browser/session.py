"""The session: one isolated browser context with its tabs, and every operation on it.

A facade. Each method hands over to the part that owns the operation; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

from browser_agent.browser.actions import Actions
from browser_agent.browser.artifacts import Artifacts
from browser_agent.browser.devtools import Devtools, Popups
from browser_agent.browser.dialogs import Dialogs
from browser_agent.browser.downloads import Downloads
from browser_agent.browser.evaluate import Evaluator
from browser_agent.browser.extracting import Extractor
from browser_agent.browser.listings import Listings
from browser_agent.browser.navigate import Navigator
from browser_agent.browser.read import Reader
from browser_agent.browser.stage import Stage
from browser_agent.browser.state import StateSaver
from browser_agent.browser.tabs import Tabs
from browser_agent.browser.traffic import TrafficLog
from browser_agent.browser.verify import Verifier
from browser_agent.browser.waiting import Waiting
from browser_agent.browser.witness import Signs, Witness

if TYPE_CHECKING:
    from browser_agent.browser.closing import SessionCloser
    from browser_agent.browser.core import Core
    from browser_agent.browser.operation import Body, Operation
    from browser_agent.browser.outcome import Outcome
    from browser_agent.logic.redact import Redactor
    from browser_agent.ports import Model
    from browser_agent.records.limits import BrowserLimits
    from browser_agent.records.policy import Decision
    from browser_agent.records.result import Result


class Session:
    """An isolated browser session. Open it by ``async with browser.session() as session``.

    Every method returns a Result for whatever a page, a network, a URL, a ref or a timeout did;
    only wrong Python types raise (InvalidInput), and cancellation propagates after cleanup.
    """

    def __init__(self, core: Core, closer: SessionCloser) -> None:
        self._core = core
        self._closer = closer
        traffic = TrafficLog(core.context, core.tabs)
        devtools = Devtools(core)
        self._dialogs = Dialogs(core)
        self._downloads = Downloads(core, devtools)
        signs = Signs(
            traffic=traffic,
            dialogs=self._dialogs,
            downloads=self._downloads,
            popups=Popups(core, devtools),
        )
        stage = Stage(core, Witness(core, signs))
        self._listings = Listings(core, traffic)
        self._evaluator = Evaluator(core)
        self._navigator = Navigator(core, self._dialogs, self._downloads)
        self._reader = Reader(core)
        self._extractor = Extractor(core)
        self._actions = Actions(stage)
        self._waiting = Waiting(core)
        self._tabs = Tabs(core, self._navigator)
        self._artifacts = Artifacts(core)
        self._state = StateSaver(core)
        self._verifier = Verifier(core, stage)

    @property
    def limits(self) -> BrowserLimits:
        """The limits of the browser."""
        return self._core.limits

    @property
    def redactor(self) -> Redactor:
        """The redactor in force; it grows as secrets are typed, so ask for it each time."""
        return self._core.shared.redactor

    @property
    def approve(self) -> object | None:
        """The approval callable of the browser, or None."""
        return self._core.shared.approve

    def admit(self, url: str) -> Decision:
        """Grant the exact origin of a URL that the operator gave; metadata addresses never."""
        return self._core.shared.admit(url)

    @property
    def closing(self) -> Result | None:
        """The Result of :meth:`close`, once closed."""
        return self._closer.result

    async def navigate(self, url: str) -> Result:
        """Go to a URL that the policy admits; returns at DOMContentLoaded plus a short settle."""
        return await self._navigator.navigate(url)

    async def back(self) -> Result:
        """Go one entry back in the tab's history; ``not_found`` when there is none."""
        return await self._navigator.back()

    async def forward(self) -> Result:
        """Go one entry forward in the tab's history; ``not_found`` when there is none."""
        return await self._navigator.forward()

    async def reload(self) -> Result:
        """Load the page again."""
        return await self._navigator.reload()

    async def snapshot(self, mode: str = "full", *, cursor: str | None = None) -> Result:
        """The page as text with refs. ``mode``: full, interactive, viewport, outline."""
        return await self._reader.snapshot(mode, cursor=cursor)

    async def changes(self, since: Result | str | None = None) -> Result:
        """Lines added and removed since a snapshot (a Result or operation id; else the last)."""
        return await self._reader.changes(since)

    async def find(
        self, text: str | None = None, *, role: str | None = None, regex: str | None = None
    ) -> Result:
        """Elements whose name or text matches; none is ``ok`` with total 0 and coverage."""
        return await self._reader.find(text, role=role, regex=regex)

    async def read(
        self,
        format: str = "text",
        *,
        ref: str | None = None,
        cursor: str | None = None,
    ) -> Result:
        """The page's (or one element's) visible content as ``text`` or ``markdown``."""
        return await self._reader.read(format, ref=ref, cursor=cursor)

    async def click(
        self, ref: str, *, button: str = "left", count: int = 1, modifiers: Sequence[str] = ()
    ) -> Result:
        """Click an element. ``button``: left, right, middle; ``count`` 2 is a double click."""
        return await self._actions.click(ref, button=button, count=count, modifiers=modifiers)

    async def fill(self, ref: str, text: str) -> Result:
        """Replace the value of an editable element."""
        return await self._actions.fill(ref, text)

    async def type(
        self, ref: str, text: str, *, submit: bool = False, slowly: bool = False
    ) -> Result:
        """Type into an element (key by key with ``slowly``), then Enter with ``submit``."""
        return await self._actions.type(ref, text, submit=submit, slowly=slowly)

    async def fill_form(self, fields: Sequence[Mapping[str, object]]) -> Result:
        """Fill several fields in order: mappings with ``ref`` and ``value``."""
        return await self._actions.fill_form(fields)

    async def press(self, key: str, *, ref: str | None = None) -> Result:
        """Press a key or chord such as ``Control+A``, on an element or the focused one."""
        return await self._actions.press(key, ref=ref)

    async def select(self, ref: str, values: Sequence[str]) -> Result:
        """Choose options by value or label."""
        return await self._actions.select(ref, values)

    async def check(self, ref: str, checked: bool = True) -> Result:
        """Set a checkbox, switch or radio button."""
        return await self._actions.check(ref, checked)

    async def hover(self, ref: str) -> Result:
        """Move the mouse over an element."""
        return await self._actions.hover(ref)

    async def drag(self, start: str, end: str) -> Result:
        """Drag one element to another."""
        return await self._actions.drag(start, end)

    async def drop(
        self,
        ref: str,
        *,
        paths: Sequence[str | PathLike[str]] = (),
        data: Mapping[str, str] | None = None,
    ) -> Result:
        """Drop files (of upload folders) or data by MIME type on an element."""
        return await self._actions.drop(ref, paths=paths, data=data)

    async def scroll(
        self,
        direction: str = "down",
        *,
        ref: str | None = None,
        to_text: str | None = None,
        amount: int | None = None,
    ) -> Result:
        """Scroll the page or an element, or until ``to_text`` is in view. ``amount`` in pixels."""
        return await self._actions.scroll(direction, ref=ref, to_text=to_text, amount=amount)

    async def upload(
        self, paths: Sequence[str | PathLike[str]], *, ref: str | None = None
    ) -> Result:
        """Give files of the upload folders to a file input or to the open file chooser."""
        return await self._actions.upload(paths, ref=ref)

    async def wait_for(
        self,
        *,
        text: str | None = None,
        text_gone: str | None = None,
        ref: str | None = None,
        url: str | None = None,
        load: str | None = None,
        time_s: float | None = None,
    ) -> Result:
        """Wait for a text, its end, an element, a URL pattern, a load state, or a time."""
        return await self._waiting.wait_for(
            text=text, text_gone=text_gone, ref=ref, url=url, load=load, time_s=time_s
        )

    async def tabs(self) -> Result:
        """The open tabs."""
        return await self._tabs.tabs()

    async def new_tab(self, url: str | None = None) -> Result:
        """Open a tab and make it the current one."""
        return await self._tabs.new_tab(url)

    async def select_tab(self, tab: str) -> Result:
        """Make a tab (``t2``) the current one."""
        return await self._tabs.select_tab(tab)

    async def close_tab(self, tab: str) -> Result:
        """Close a tab."""
        return await self._tabs.close_tab(tab)

    async def screenshot(
        self, *, ref: str | None = None, full_page: bool = False, name: str | None = None
    ) -> Result:
        """A PNG (a JPEG where ``name`` says so) of the view, the whole page or an element."""
        return await self._artifacts.screenshot(ref=ref, full_page=full_page, name=name)

    async def pdf(self, *, name: str | None = None) -> Result:
        """The page printed as a PDF artifact."""
        return await self._artifacts.pdf(name=name)

    async def storage_state(self, path: str | PathLike[str] | None = None) -> Result:
        """Write cookies and local storage to a private file (0600) that a session can start with.

        Without ``path`` it goes below the artifact folder. Nothing of it stands in the Result.
        """
        return await self._state.save(path)

    async def downloads(self) -> Result:
        """Files that the session's pages gave."""
        return await self._downloads.downloads()

    async def console(self, level: str = "debug") -> Result:
        """Console messages of the pages, bounded and redacted; ``level`` and the more severe."""
        return await self._listings.console(level)

    async def requests(self, *, pattern: str | None = None, static: bool = True) -> Result:
        """Requests of the pages, bounded and redacted; ``pattern`` (RE2) selects by URL."""
        return await self._listings.requests(pattern=pattern, static=static)

    async def request(self, index: int, *, part: str | None = None) -> Result:
        """One request of :meth:`requests` in detail."""
        return await self._listings.request(index, part=part)

    async def dialogs(self) -> Result:
        """Dialogs so far, the pending one last."""
        return await self._dialogs.dialogs()

    async def answer_dialog(self, accept: bool = False, text: str | None = None) -> Result:
        """Answer the pending dialog, by itself with no; ``not_found`` when none is open."""
        return await self._dialogs.answer_dialog(accept, text)

    async def describe(self, ref: str) -> Result:
        """What an element is and where its form would send: role, name, type, href, form."""
        return await self._actions.describe(ref)

    async def resize(self, width: int, height: int) -> Result:
        """Set the size of the viewport in CSS pixels."""
        return await self._actions.resize(width, height)

    async def extract(
        self, schema: object, *, ref: str | None = None, model: Model | None = None
    ) -> Result:
        """Data of the page that fits a pydantic model or JSON Schema, with its sources."""
        return await self._extractor.extract(schema, ref=ref, model=model)

    async def evaluate(self, script: str) -> Result:
        """Run a script in the page. Unsafe: no tool of the default set calls this."""
        return await self._evaluator.evaluate(script)

    async def verify(self, result: Result | str) -> Result:
        """Look for evidence of what an unknown operation did; never acts."""
        return await self._verifier.verify(result)

    async def close(self) -> Result:
        """Close pages and context and confirm it; calling it again gives the same Result."""
        return await self._closer.close()

    # for one-shot operations, which close the session before their Result is made

    async def perform(self, op: Operation, body: Body) -> Outcome:
        """Run a body as an operation of this session; its outcome is not sealed."""
        return await self._core.runner.perform(op, body)

    async def go(self, op: Operation, url: str) -> Outcome:
        """The navigation of :meth:`navigate`, inside a running operation."""
        return await self._navigator.go(op, url)

    async def look(self, op: Operation, form: str) -> Outcome:
        """A read (text, markdown) or full snapshot, inside a running operation."""
        return await self._reader.look(op, form)

    async def extract_now(self, op: Operation, schema: object, model: Model | None) -> Outcome:
        """An extraction, inside a running operation."""
        return await self._extractor.now(op, schema, model=model)

    def current_url(self, op: Operation) -> str | None:
        """Where the operation's page is, raw; None when it shows no page."""
        return self._core.door.url_of(op)

    @property
    def closed_pages(self) -> int:
        """How many pages were open when it was closed."""
        return self._closer.pages

    async def end(self) -> list[str]:
        """Close without a Result; names of what could not be confirmed as closed."""
        return await self._closer.end()
