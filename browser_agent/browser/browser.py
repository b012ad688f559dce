"""The browser: one Chromium of ours, its sessions, one-shot reads, and its verified end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from typing import TYPE_CHECKING

from browser_agent.browser.capture import CaptureStore
from browser_agent.browser.cleanup import GRACE_S
from browser_agent.browser.closing import closing_outcome
from browser_agent.browser.core import SessionOptions, deliver, store_blobs
from browser_agent.browser.door import Door
from browser_agent.browser.failures import is_playwright_error, is_timeout
from browser_agent.browser.fetching import fetch_text
from browser_agent.browser.one_shot import OneShot
from browser_agent.browser.opening import open_session, parse_session_options
from browser_agent.browser.operation import Kind, Operation
from browser_agent.browser.setup import Setup, build_setup, start
from browser_agent.browser.stopping import stop_browser
from browser_agent.errors import BrowserError, InvalidInput
from browser_agent.logic.redact_steady import steady
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.codes import ErrorCode
from browser_agent.records.limits import BrowserLimits

if TYPE_CHECKING:
    from browser_agent.browser.launch import Running
    from browser_agent.browser.outcome import Outcome
    from browser_agent.browser.session import Session
    from browser_agent.browser.shared import OnResult, Shared
    from browser_agent.logic.redact import Redactor
    from browser_agent.ports import BlobStore, Journal, Model
    from browser_agent.records.policy import Decision, Secret
    from browser_agent.records.result import Result

PUBLIC_WEB = UrlPolicy.public_web()
_SESSIONS_SHARE = 0.4
"""What of the close deadline sessions may take before the browser itself is stopped."""


class Browser:
    """A running browser. Start it by ``async with Browser.launch() as browser``."""

    def __init__(self, running: Running, shared: Shared, setup: Setup) -> None:
        self._running = running
        self._shared = shared
        self._setup = setup
        self._sessions: list[Session] = []
        self._door = Door(shared, CaptureStore(), keeps_blobs=shared.blobs is not None)
        self._ending: asyncio.Task[Result] | None = None
        self._closing: Result | None = None

    @classmethod
    def launch(
        cls,
        policy: UrlPolicy | None = PUBLIC_WEB,
        limits: BrowserLimits | None = None,
        secrets: Mapping[str, Secret | str] | Sequence[str] = (),
        *,
        headless: bool = True,
        executable_path: str | PathLike[str] | None = None,
        channel: str | None = None,
        cdp_url: str | Secret | None = None,
        proxy: str | None = None,
        user_agent: str | None = None,
        robots: bool = True,
        run_dir: str | PathLike[str] | None = None,
        download_dir: str | PathLike[str] | None = None,
        upload_dirs: Sequence[str | PathLike[str]] = (),
        approve: object | None = None,
        search_url: str | None = None,
        on_result: OnResult | None = None,
        journal: Journal | None = None,
        blobs: BlobStore | None = None,
    ) -> Launching:
        """Start a browser; it is closed, and that verified, when the block ends.

        BrowserError when it cannot be started, ConfigurationError for settings that do not go
        together. ``cdp_url`` attaches to a remote browser, whose traffic no policy of ours can
        bind: it needs ``policy=None``. ``journal`` and ``blobs`` default to what is wired in.
        """
        setup = build_setup(
            policy=policy,
            limits=limits or BrowserLimits(),
            secrets=secrets,
            headless=headless,
            executable_path=executable_path,
            channel=channel,
            cdp_url=cdp_url,
            proxy=proxy,
            user_agent=user_agent,
            robots=robots,
            run_dir=run_dir,
            download_dir=download_dir,
            upload_dirs=upload_dirs,
            approve=approve,
            search_url=search_url,
            on_result=on_result,
        )
        return Launching(cls, setup, journal, blobs)

    @property
    def limits(self) -> BrowserLimits:
        """The limits of every session."""
        return self._shared.limits

    @property
    def policy(self) -> UrlPolicy:
        """The URL policy in force, with what :meth:`admit` granted."""
        return self._shared.policy

    @property
    def redactor(self) -> Redactor:
        """The redactor in force; it grows as secrets are typed, so ask for it each time."""
        return self._shared.redactor

    @property
    def search_url(self) -> str | None:
        """The operator's search address with ``{query}`` in it, or None."""
        return self._setup.search_url

    @property
    def approve(self) -> object | None:
        """The operator's approval callable, or None."""
        return self._shared.approve

    def describe(self) -> dict[str, object]:
        """What a replay launches a browser like this one with. Secrets by name and placeholder."""
        shared = self._shared
        return {
            "limits": asdict(shared.limits),
            "policy": shared.policy.to_dict() if shared.enforced else None,
            "user_agent": self._setup.user_agent,
            "search_url": self._setup.search_url,
            "stand_ins": [
                {
                    "name": name,
                    "origins": list(secret.origins),
                    "text": steady("secret", len(secret.value)),
                }
                for name, secret in shared.secrets.items()
            ],
        }

    @property
    def closing(self) -> Result | None:
        """The Result of the last close: of the browser, or until then of its last session."""
        return self._closing

    @property
    def is_connected(self) -> bool:
        """Whether the browser process is there."""
        return self._ending is None and self._running.is_connected()

    def session(self, **options: object) -> Opening:
        """Open an isolated session: ``async with browser.session() as session``.

        ``viewport`` (width, height), ``locale``, ``timezone``, ``storage_state``,
        ``http_credentials``, ``dialogs`` (dismiss, accept, ask), ``robots`` (check robots.txt for
        what was not admitted), ``blobs`` (a BlobStore), ``tape`` (records or replays the
        session). InvalidInput for wrong ones; BrowserError when the browser is gone.
        """
        given = dict(options)
        blobs: BlobStore | None = given.pop("blobs", None)  # pyright: ignore[reportAssignmentType] - a Protocol
        return Opening(self, parse_session_options(given), blobs)

    def note_closing(self, result: Result) -> None:
        """Keep the Result of a session's close as :attr:`closing`."""
        if self._ending is None:
            self._closing = result

    async def open(
        self, options: SessionOptions, *, blobs: BlobStore | None = None, delivers: bool = True
    ) -> Session:
        """Open a session that the caller closes."""
        if self._ending is not None:
            raise BrowserError("the browser is closed", code=ErrorCode.SESSION_CLOSED)
        if not self.is_connected:
            raise BrowserError("the browser is gone", code=ErrorCode.BROWSER_DISCONNECTED)
        opened = await self._try_open(options, blobs, delivers=delivers)
        if isinstance(opened, BrowserError):  # raised here it has no __context__ with values
            raise opened
        self._sessions.append(opened)
        return opened

    async def _try_open(
        self, options: SessionOptions, blobs: BlobStore | None, *, delivers: bool
    ) -> Session | BrowserError:
        try:
            async with asyncio.timeout(self.limits.action_timeout_s):
                return await open_session(
                    self._running.browser,
                    self._shared,
                    options,
                    journal=self._running.ledger.journal,
                    user_agent=self._setup.user_agent,
                    blobs=blobs,
                    delivers=delivers,
                    on_closed=self._forget,
                )
        except Exception as error:
            if not (is_playwright_error(error) or is_timeout(error)):
                raise
            return _opening_error(error, connected=self.is_connected)

    def _forget(self, session: Session) -> None:
        if session in self._sessions:
            self._sessions.remove(session)

    def admit(self, url: str) -> Decision:
        """Grant the exact origin of a URL that the operator gave; metadata addresses never."""
        return self._shared.admit(url)

    async def read(self, url: str, *, format: str = "markdown") -> Result:
        """Read one page in a session of its own: text, markdown or snapshot. Never raises for
        what a page, a network or a URL did.
        """
        return await OneShot(self).read(url, format)

    async def extract(self, url: str, schema: object, *, model: Model | None = None) -> Result:
        """Data of one page that fits a pydantic model or JSON Schema, with its sources."""
        return await OneShot(self).extract(url, schema, model)

    async def fetch_text(self, url: str, *, max_bytes: int) -> Result:
        """GET a small text through the policy, without a page: ``read``-shaped data."""
        if not isinstance(url, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without a checker
            raise InvalidInput(f"url must be a string, got {type(url).__name__}")
        kind = Kind(
            "fetch_text",
            self.limits.navigation_timeout_s,
            ErrorCode.NAVIGATION_TIMEOUT,
            on_page=False,
        )
        op = self.prepare(kind)
        return await self.finish(op, await fetch_text(self._running.proxy, url, max_bytes, op))

    def prepare(self, kind: Kind) -> Operation:
        """An operation of the browser itself."""
        now = asyncio.get_running_loop().time()
        return Operation(kind=kind, deadline=now + kind.timeout_s)

    async def finish(self, op: Operation, outcome: Outcome) -> Result:
        """Seal, store and deliver an outcome of the browser itself."""
        result = self._door.seal(op, outcome)
        await store_blobs(self._shared.blobs, op.blobs)
        await deliver(self._shared, result, op.kind.name)
        return result

    async def close(self) -> Result:
        """Close sessions, browser and driver, verify by process and folder, say what is left."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._close())
        return await asyncio.shield(self._ending)

    async def _close(self) -> Result:
        kind = Kind(
            "close_browser",
            self.limits.close_timeout_s,
            ErrorCode.CLEANUP_UNCONFIRMED,
            on_page=False,
        )
        op = self.prepare(kind)
        sessions = tuple(self._sessions)
        unconfirmed = await _end_sessions(sessions, op.remaining_s() * _SESSIONS_SHARE)
        stopped = await stop_browser(
            self._running, within_s=op.remaining_s(keep_s=GRACE_S), unconfirmed=unconfirmed
        )
        closed = {
            "pages": sum(session.closed_pages for session in sessions),
            "contexts": len(sessions),
            "processes": stopped.processes,
        }
        self._closing = await self.finish(op, closing_outcome(closed, stopped.left))
        return self._closing


class Launching:
    """A browser to be: started on entry, closed and verified on exit."""

    def __init__(
        self, made: type[Browser], setup: Setup, journal: Journal | None, blobs: BlobStore | None
    ) -> None:
        self._made = made
        self._setup = setup
        self._journal = journal
        self._blobs = blobs
        self._browser: Browser | None = None

    async def __aenter__(self) -> Browser:
        """Start it; BrowserError when that fails."""
        running, shared = await start(self._setup, journal=self._journal, blobs=self._blobs)
        self._browser = self._made(running, shared, self._setup)
        return self._browser

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        if self._browser is not None:
            await self._browser.close()


class Opening:
    """A session to be: opened on entry, closed and confirmed on exit."""

    def __init__(self, browser: Browser, options: SessionOptions, blobs: BlobStore | None) -> None:
        self._browser = browser
        self._options = options
        self._blobs = blobs
        self._session: Session | None = None

    async def __aenter__(self) -> Session:
        """Open it; BrowserError when the browser is gone."""
        self._session = await self._browser.open(self._options, blobs=self._blobs)
        return self._session

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        if self._session is not None:
            self._browser.note_closing(await asyncio.shield(self._session.close()))


async def _end_sessions(sessions: Sequence[Session], within_s: float) -> list[str]:
    """End sessions side by side; names of those whose end was not seen in time."""
    ends = [asyncio.create_task(session.end()) for session in sessions]
    if ends:
        await asyncio.wait(ends, timeout=within_s)
    return [f"session {n}" for n, end in enumerate(ends, 1) if not end.done() or end.result()]


def _opening_error(error: Exception, *, connected: bool) -> BrowserError:
    """Why a context could not be made, without the text of the driver."""
    if connected and is_timeout(error):
        return BrowserError("the browser does not answer", code=ErrorCode.BROWSER_DISCONNECTED)
    if not connected or is_playwright_error(error, "TargetClosedError"):
        return BrowserError("the browser is gone", code=ErrorCode.BROWSER_DISCONNECTED)
    return BrowserError(
        "the session's options were refused by the browser: check locale, timezone, viewport and "
        "storage_state",
        code=ErrorCode.INVALID_INPUT,
    )
