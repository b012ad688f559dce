"""Files that pages give: caught, bounded while they arrive, named safely, hashed, kept 0600.

Owns the record of downloads and their files below the artifact folder. A download beyond
``download_bytes`` is cancelled as soon as that is known: by the length that its server tells, and
by the size of the file while it grows, which the browser itself reports twice a second only.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome
from browser_agent.browser.paths import (
    Artifact,
    chunks_of,
    media_type_of,
    private_folder,
    safe_name,
    write_private,
)
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Download

    from browser_agent.browser.core import Core
    from browser_agent.browser.devtools import Devtools
    from browser_agent.browser.operation import Operation
    from browser_agent.records.result import Result

KEPT = 100
LOOK_S = 0.015
"""How often the size of a growing file is looked at."""
_GUID = re.compile(r"[0-9A-Za-z-]{8,64}")
_GROWING = "playwright-artifacts-*/{guid}.crdownload"


@dataclass(slots=True, eq=False, kw_only=True)
class _Item:
    """One download. ``state``: running, finished, failed, too_large."""

    index: int
    name: str
    url: str
    tab: str | None
    state: str = "running"
    artifact: Artifact | None = None
    guid: str | None = None
    download: Download = field(repr=False)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def origin(self) -> tuple[str, str]:
        """What the browser announces a download by."""
        return self.download.url, self.download.suggested_filename

    def to_data(self) -> dict[str, object]:
        data: dict[str, object] = {
            "name": self.name,
            "media_type": media_type_of(self.name),
            "url": self.url[:2_000],
            "state": self.state,
        }
        if self.artifact is not None:
            data |= self.artifact.to_data()
        return data


class Downloads:
    """The downloads of one session."""

    def __init__(self, core: Core, devtools: Devtools) -> None:
        self._core = core
        self._items: deque[_Item] = deque(maxlen=KEPT)
        self._announced: dict[str, tuple[str, str]] = {}
        self.count = 0
        core.context.on("download", self._on_download)
        devtools.on("Page.downloadWillBegin", self._announce)
        devtools.on("Page.downloadProgress", self._progress)

    async def downloads(self) -> Result:
        """Files so far: name, media type, bytes, SHA-256, state."""

        async def act(_: Operation) -> Outcome:
            items = [item.to_data() for item in self._items]
            return Outcome(data={"items": items, "dropped": self.count - len(items)})

        kind = Kind(
            "downloads",
            self._core.limits.observation_timeout_s,
            ErrorCode.OBSERVATION_TIMEOUT,
            on_page=False,
        )
        return await self._core.run(kind, act)

    async def since(self, mark: int, *, wait_s: float) -> list[dict[str, object]]:
        """Downloads begun since ``count`` was ``mark``, after at most ``wait_s`` for their ends."""
        new = [item for item in self._items if item.index >= mark]
        running = [
            asyncio.ensure_future(item.done.wait()) for item in new if not item.done.is_set()
        ]
        if running:
            await asyncio.wait(running, timeout=wait_s)
        for waiter in running:
            waiter.cancel()
        return [item.to_data() for item in new]

    def _on_download(self, download: Download) -> None:
        tab = self._core.tabs.of_page(download.page)
        named = self._core.shared.redactor.redact_text(download.suggested_filename)
        item = _Item(
            index=self.count,
            name=safe_name(named, "download"),
            url=download.url,
            tab=tab.id if tab is not None else None,
            download=download,
        )
        self.count += 1
        self._items.append(item)
        self._core.spawn(self._keep(item))
        self._core.spawn(self._watch(item))

    async def _keep(self, item: _Item) -> None:
        """Wait for the end, copy the file to its place, remove the browser's own."""
        try:
            if await item.download.failure() is not None:
                item.state = "too_large" if item.state == "too_large" else "failed"
                return
            path = await item.download.path()
            self._core.keep_on_tape(item.url, path)
            if path.stat().st_size > self._core.limits.download_bytes:
                item.state = "too_large"
            else:
                item.artifact = await asyncio.to_thread(self._copy, path, item.name)
                item.state = "finished"
            await item.download.delete()
        finally:
            if item.state == "running":
                item.state = "failed"
            item.done.set()

    def _copy(self, path: object, name: str) -> Artifact:
        shared = self._core.shared
        shared.artifact_dir = private_folder(shared.artifact_dir)
        return write_private(shared.artifact_dir, name, chunks_of(path))  # pyright: ignore[reportArgumentType] - Playwright's own Path

    def _announce(self, event: Mapping[str, object]) -> None:
        guid = str(event.get("guid"))
        self._announced[guid] = (str(event.get("url")), str(event.get("suggestedFilename")))
        if len(self._announced) > KEPT:
            self._announced.pop(next(iter(self._announced)))

    def _progress(self, event: Mapping[str, object]) -> None:
        sizes = [cast("float", event.get(key) or 0) for key in ("totalBytes", "receivedBytes")]
        if event.get("state") != "inProgress" or max(sizes) <= self._core.limits.download_bytes:
            return
        for item in self._items:
            if self._guid_of(item) == event.get("guid"):
                self._stop(item)

    async def _watch(self, item: _Item) -> None:
        """Look at the size of the file while it grows; nothing where it is not on this host."""
        folder = self._core.shared.temp_dir
        path: Path | None = None
        while folder is not None and not item.done.is_set():
            path = path or self._growing(folder, item)
            if path is not None and _size_of(path) > self._core.limits.download_bytes:
                self._stop(item)
                return
            await asyncio.sleep(LOOK_S)

    def _growing(self, folder: Path, item: _Item) -> Path | None:
        guid = self._guid_of(item)
        if guid is None or not _GUID.fullmatch(guid):
            return None
        return next(folder.glob(_GROWING.format(guid=guid)), None)

    def _guid_of(self, item: _Item) -> str | None:
        """The browser's name of a download: of two alike, the one announced first came first."""
        if item.guid is None:
            taken = {one.guid for one in self._items}
            alike = (
                guid
                for guid, origin in self._announced.items()
                if origin == item.origin and guid not in taken
            )
            item.guid = next(alike, None)
        return item.guid

    def _stop(self, item: _Item) -> None:
        if item.state == "running":
            item.state = "too_large"
            self._core.spawn(item.download.cancel())


def _size_of(path: Path) -> int:
    """Bytes on disk; 0 for a file that was moved or removed meanwhile."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
