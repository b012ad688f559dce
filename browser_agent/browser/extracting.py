"""Structured data of a page: what is seen goes to the extraction port, its answer to the door.

Owns the look at the page only. What fits a schema is judged by the adapter behind the port.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from browser_agent.browser.arrival import check_page
from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome
from browser_agent.browser.read import coverage_of
from browser_agent.errors import InvalidInput
from browser_agent.ports import Extraction, ExtractionPage, provided
from browser_agent.records.codes import ErrorCode, Status, parse_code

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.observer_types import Coverage
    from browser_agent.browser.operation import Operation
    from browser_agent.ports import Model
    from browser_agent.records.result import Result

MODEL_S = 120.0
"""An extraction by a model may take this long beside the look at the page."""

MARKUP_CHARS = 4_000_000
"""A larger page is extracted from what it shows alone."""


class Extractor:
    """Extractions of one session."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def extract(
        self, schema: object, *, ref: str | None = None, model: Model | None = None
    ) -> Result:
        """Data that fits a schema; see :meth:`Session.extract`."""
        if ref is not None and not isinstance(ref, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without a checker
            raise InvalidInput(f"ref must be a string, got {type(ref).__name__}")

        async def act(op: Operation) -> Outcome:
            return await self.now(op, schema, ref=ref, model=model)

        limit_s = self._core.limits.observation_timeout_s + (MODEL_S if model is not None else 0.0)
        kind = Kind("extract", limit_s, ErrorCode.OBSERVATION_TIMEOUT)
        return await self._core.run(kind, act)

    async def now(
        self, op: Operation, schema: object, *, ref: str | None = None, model: Model | None = None
    ) -> Outcome:
        """An extraction inside a running operation."""
        check_page(self._core, op.tab)
        observer, document = self._core.observer(op.tab), op.tab.document
        if document is not None:
            page = ExtractionPage(
                url=document.url, title=document.title, text=document.text, html="", snapshot=""
            )
            missing, coverage = document.not_captured_bytes, dict[str, object]()
        else:
            text = await self._core.look(op, observer.text(root=ref))
            html = await self._core.look(op, observer.html(root=ref))
            view = await self._core.look(op, observer.snapshot("full", root=ref))
            page = ExtractionPage(
                url=view.url,
                title=view.title,
                text=text.text,
                html=html.text,
                snapshot=view.text,
                markup="" if ref is not None else await _markup(op, text.coverage),
            )
            missing, coverage = text.coverage.bytes_not_captured, coverage_of(view.coverage)
        extraction = cast("Callable[[], Extraction]", provided("extraction"))()
        found = await op.call(extraction.extract(page, schema, model=model))
        if missing:
            coverage["bytes_not_captured"] = missing
        return Outcome(
            data=found.data,
            status=Status.OK if found.code is None else Status.ERROR,
            code=None if found.code is None else parse_code(found.code),
            message=found.message,
            truncated=bool(missing) or found.truncated,
            locator={"scope": "element", "ref": ref} if ref is not None else None,
            coverage=coverage,
        )


async def _markup(op: Operation, seen: Coverage) -> str:
    """The page's own HTML; none where the page is beyond the bound of what may leave it."""
    if seen.bytes_not_captured:
        return ""
    content = await op.call(op.tab.page.content())
    return content if len(content) <= MARKUP_CHARS else ""
