"""What is there after a load: the look at the page that every navigation ends with.

Owns the data of a navigation's Result, and the text documents that stand in for a page.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from browser_agent._text import cut_utf8
from browser_agent.browser.failures import is_playwright_error, is_timeout
from browser_agent.browser.net_errors import failure_of
from browser_agent.browser.observer_types import ObserverError
from browser_agent.browser.outcome import OperationFailed, Outcome, fail
from browser_agent.browser.taking import document_of_file, is_readable, take_document
from browser_agent.logic.blocked import SHORT_CHARS, Block, PageSigns, find_block
from browser_agent.logic.stated_dates import read_dates
from browser_agent.records.codes import ErrorCode, Status, parse_code

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.documents import TextDocument
    from browser_agent.browser.downloads import Downloads
    from browser_agent.browser.loads import Load
    from browser_agent.browser.observer_types import Observation
    from browser_agent.browser.operation import Operation
    from browser_agent.browser.tab import Tab

QUIET_MS = 60
SETTLE_S = 1.0
LOOK_S = 20.0
"""How long a page that is laid out (megabytes of text) may take to show itself."""
SIGNS_BYTES = 6_000
_CLOCK_S = 0.05
_DOWNLOAD_S = 2.0
_EVIDENCE_BYTES = 240
_RETRYABLE = (429, 502, 503, 504)
_PASSWORDS = "input[type=password]:not(:is(header, nav, [role=banner], [role=navigation]) *)"
_FIELDS = "textarea:not([name*=captcha]), input:is([type=text], [type=email], :not([type]))"


class Arrival:
    """Looks at where a tab has arrived."""

    def __init__(self, core: Core, downloads: Downloads) -> None:
        self._core = core
        self._downloads = downloads

    def facts(self, tab: Tab) -> dict[str, object]:
        """What the network said, without asking the page."""
        load = tab.load
        if load is None:
            return {"title": None, "http_status": None, "content_type": None, "redirects": []}
        return {
            "title": None,
            "http_status": load.status,
            "content_type": load.content_type,
            "redirects": [{"url": url, "status": status} for url, status in load.redirects],
        }

    async def describe(self, op: Operation, *, partial: bool) -> Outcome:
        """The outcome of a navigation whose document is there, whole or in part."""
        tab = op.tab
        if tab.dialog is not None:
            return Outcome(data={**self.facts(tab), "settled": False, "blocked": None})
        check_page(self._core, tab, self.facts(tab))
        if tab.load is not None:
            tab.document = await take_document(self._core, op, tab.load) or tab.document
        if tab.document is not None:
            return self._outcome(op, {"title": tab.document.title, "settled": True})
        settled = not partial and await self._settle(op)
        seen = await self._observe(op)
        check_page(self._core, tab, self.facts(tab))
        if seen is None or (partial and not seen.text.strip()):
            return self._unseen(op, partial=partial)
        blocked = await self._block(op, seen)
        stated = _stated(seen, settled=settled, blocked=blocked)
        return self._outcome(op, stated, partial=partial, text=seen.text)

    def _unseen(self, op: Operation, *, partial: bool) -> Outcome:
        """The document came and nothing of it could be seen."""
        if partial:
            fail(ErrorCode.NAVIGATION_TIMEOUT, data=self.facts(op.tab))
        outcome = self._outcome(op, {"title": None, "settled": False})
        return replace(outcome, coverage={**outcome.coverage, "load": "the page does not answer"})

    def _outcome(
        self,
        op: Operation,
        seen: Mapping[str, object],
        *,
        partial: bool = False,
        text: str = "",
    ) -> Outcome:
        data = {**self.facts(op.tab), "blocked": None, **seen}
        load = op.tab.load
        coverage = _timing(op, load)
        if partial:
            coverage["load"] = "cut at the time limit"
        status = load.status if load is not None else None
        if load is not None and load.challenged:
            code = ErrorCode.BLOCKED_BY_SITE
            return Outcome(status=Status.ERROR, code=code, data=data, coverage=coverage)
        if status is not None and status >= 400:
            return Outcome(
                status=Status.ERROR,
                code=ErrorCode.HTTP_ERROR,
                message=f"The server answered with status {status}.",
                retryable=status in _RETRYABLE,
                data={**data, "text": text},
                truncated=partial,
                coverage=coverage,
            )
        return Outcome(data=data, truncated=partial, coverage=coverage)

    async def _settle(self, op: Operation) -> bool:
        observer = self._core.observer(op.tab)
        limit_s = min(SETTLE_S * self._core.patience, op.remaining_s(keep_s=1.0))
        try:
            settling = observer.settle(quiet_ms=self._core.quiet_ms(QUIET_MS), limit_s=limit_s)
            return (await op.call(settling, within_s=limit_s + 0.5)).quiet
        except TimeoutError:
            return False
        except ObserverError as error:
            if error.code in (ErrorCode.PAGE_CLOSED, ErrorCode.PAGE_CRASHED):
                raise
            return False

    async def _observe(self, op: Operation) -> Observation | None:
        """A look at the beginning of the page; None when it does not answer."""
        observer = self._core.observer(op.tab)
        within_s = min(LOOK_S, op.remaining_s(keep_s=0.5))
        try:
            work = observer.text(capture_bytes=SIGNS_BYTES, timeout_s=within_s, stated=True)
            return await self._core.look(op, work)
        except (TimeoutError, ObserverError) as error:
            if isinstance(error, ObserverError) and error.code != ErrorCode.OBSERVATION_TIMEOUT:
                raise
            return None

    async def _block(self, op: Operation, seen: Observation) -> Block | None:
        page, load = op.tab.page, op.tab.load
        challenged = load is not None and load.challenged
        if len(seen.text) > SHORT_CHARS and not challenged:
            return None
        passwords, fields = await self._count(op, _PASSWORDS, _FIELDS)
        return find_block(
            PageSigns(
                title=seen.title,
                text=seen.text,
                url=page.url,
                frame_urls=[frame.url for frame in page.frames[1:20]],
                has_password=passwords > 0,
                has_fields=fields > 0,
                challenged=challenged,
            )
        )

    async def _count(self, op: Operation, *selectors: str) -> list[int]:
        """How many elements match each selector; zeros where the page does not say."""
        counts = (op.tab.page.locator(selector).count() for selector in selectors)
        try:
            return await op.call(asyncio.gather(*counts), within_s=1.0)
        except Exception as error:
            if not (is_playwright_error(error) or is_timeout(error)):
                raise
            return [0 for _ in selectors]

    async def download(self, op: Operation, files: int) -> None:
        """End a navigation that gave a file, unless the file is a text to be read."""
        await self._await_download(op, files)
        items = await self._downloads.since(files, wait_s=op.remaining_s(keep_s=1.0))
        load = op.tab.load
        known = {**self.facts(op.tab), "downloads": items}
        document = None if load is None or not items else await self._of_file(op, load, items[0])
        if document is None or load is None:
            fail(ErrorCode.DOWNLOAD_STARTED, data=known)
        op.tab.document = document
        data = {**known, "title": document.title, "settled": True, "blocked": None}
        raise OperationFailed(Outcome(data=data, final_url=load.url))

    async def _of_file(
        self, op: Operation, load: Load, item: dict[str, object]
    ) -> TextDocument | None:
        kind = load.content_type or _guess(item)
        content = await asyncio.to_thread(self._file, item) if is_readable(kind) else None
        if content is None:
            return None
        name = str(item.get("name"))
        return await document_of_file(
            self._core, op, load, name=name, content=content, content_type=kind
        )

    async def _await_download(self, op: Operation, files: int) -> None:
        """The browser may tell of the file after it told that there is no page."""
        begun = asyncio.Event()

        def note(_: object) -> None:
            begun.set()

        op.tab.page.on("download", note)
        try:
            if self._downloads.count <= files:
                await op.call(begun.wait(), within_s=_DOWNLOAD_S)
        except TimeoutError:
            return
        finally:
            op.tab.page.remove_listener("download", note)

    def _file(self, item: dict[str, object]) -> bytes | None:
        folder, name = self._core.shared.artifact_dir, item.get("name")
        if folder is None or item.get("state") != "finished" or not isinstance(name, str):
            return None
        path = folder / name
        return path.read_bytes() if path.is_file() else None


def _stated(seen: Observation, *, settled: bool, blocked: Block | None) -> dict[str, object]:
    """What the page says of itself, and what stands in its way; what is not said is left out."""
    dates = read_dates(seen.stated)
    said = {"language": seen.language, "published": dates.published, "modified": dates.modified}
    evidence = None if blocked is None else cut_utf8(blocked.evidence, _EVIDENCE_BYTES)
    return {
        "title": seen.title,
        "settled": settled,
        "blocked": None if blocked is None else blocked.kind,
        **({} if evidence is None else {"blocked_evidence": evidence}),
        **{name: value for name, value in said.items() if value},
    }


def _timing(op: Operation, load: Load | None) -> dict[str, object]:
    """Milliseconds from the first request to the answer and to this look; no part of the data.

    A move within the document loads nothing, so nothing is said of it.
    """
    begun_s = op.deadline - op.kind.timeout_s
    if load is None or load.answered_s is None or load.begun_s < begun_s - _CLOCK_S:
        return {}
    now = time.monotonic()
    answered, total = load.answered_s - load.begun_s, now - load.begun_s
    return {"timing": {"response_ms": round(answered * 1000), "total_ms": round(total * 1000)}}


def check_page(core: Core, tab: Tab, known: Mapping[str, object] | None = None) -> None:
    """End the operation where the page is no content: refused, failed, or outside the policy."""
    load = tab.load
    if load is not None and load.refusal is not None:
        refuse(load.refusal.code, load.refusal.reason, known)
    if tab.shows_error:
        _fail_shown_error(core, load, known)
    url = tab.page.url
    if core.shared.enforced and url.startswith(("http:", "https:")):
        judged = core.shared.policy.decide(url)
        if not judged.allowed:
            refuse(judged.code, judged.reason, known)


def _fail_shown_error(
    core: Core, load: Load | None, known: Mapping[str, object] | None
) -> NoReturn:
    if load is None:
        fail(ErrorCode.NAVIGATION_FAILED, data=known)
    if load.status is not None and load.status >= 400:
        fail_http(load.status, known, url=load.url)
    decision = core.shared.proxy.last_decision(load.url, since=load.mark)
    if decision is not None and decision.code is not None:
        refuse(decision.code, decision.reason, known)
    failure = failure_of(load.failure or "")
    fail(failure.code, failure.message, data=known)


def fail_http(status: int, known: Mapping[str, object] | None, *, url: str) -> NoReturn:
    """An error status whose answer holds no page."""
    raise OperationFailed(
        Outcome(
            status=Status.ERROR,
            code=ErrorCode.HTTP_ERROR,
            message=f"The server answered with status {status}.",
            retryable=status in _RETRYABLE,
            data=known,
            final_url=url,
        )
    )


def refuse(code: str | None, reason: str, known: Mapping[str, object] | None = None) -> NoReturn:
    """End the operation with a reason of policy or proxy, as a sentence."""
    sentence = f"{reason[:1].upper()}{reason[1:]}." if reason else None
    fail(parse_code(code), sentence, data=known)


def _guess(item: dict[str, object]) -> str | None:
    kind = item.get("media_type")
    return kind if isinstance(kind, str) else None
