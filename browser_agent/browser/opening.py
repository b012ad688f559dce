"""Opening a session: its options checked, its context made, its parts put together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from browser_agent.browser.capture import CaptureStore
from browser_agent.browser.closing import SessionCloser
from browser_agent.browser.core import Core, SessionOptions
from browser_agent.browser.door import Door
from browser_agent.browser.session import Session
from browser_agent.browser.stopping import bounded
from browser_agent.errors import InvalidInput
from browser_agent.logic.credentials import credentials_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import BrowserContext

    from browser_agent.browser.journaling import OperationJournal
    from browser_agent.browser.shared import Shared
    from browser_agent.browser.taping import Tape
    from browser_agent.ports import BlobStore

_UNDO_S = 2.0
DIALOGS = ("dismiss", "accept", "ask")


def parse_session_options(given: Mapping[str, object]) -> SessionOptions:
    """Check the keywords of ``browser.session``; InvalidInput names what is wrong."""
    known = {"viewport", "locale", "timezone", "storage_state", "http_credentials", "dialogs"}
    unknown = sorted(set(given) - known - {"robots", "tape"})
    if unknown:
        raise InvalidInput(f"unknown option of a session: {', '.join(unknown)}")
    dialogs = given.get("dialogs", "dismiss")
    if dialogs not in DIALOGS:
        raise InvalidInput(f"dialogs must be one of {', '.join(DIALOGS)}")
    robots = given.get("robots", False)
    if not isinstance(robots, bool):
        raise InvalidInput("robots must be a bool")
    return SessionOptions(
        viewport=_viewport(given.get("viewport")),
        locale=_text("locale", given.get("locale")),
        timezone=_text("timezone", given.get("timezone")),
        storage_state=_storage_state(given.get("storage_state")),
        http_credentials=_credentials(given.get("http_credentials")),
        dialogs=cast("str", dialogs),
        robots=robots,
        tape=cast("Tape | None", given.get("tape")),
    )


def _text(name: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string, got {type(value).__name__}")
    return value


def _viewport(value: object) -> Mapping[str, int] | None:
    """``{"width": 1280, "height": 720}`` or ``(1280, 720)``."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        sizes = cast("Mapping[str, object]", value)
        pair = (sizes.get("width"), sizes.get("height"))
    elif isinstance(value, tuple | list) and len(cast("tuple[object, ...]", value)) == 2:
        pair = tuple(cast("tuple[object, object]", value))
    else:
        raise InvalidInput("viewport must be a mapping with width and height, or a pair")
    width, height = pair
    if not _is_size(width) or not _is_size(height):
        raise InvalidInput("viewport width and height must be whole numbers from 1 to 16384")
    return {"width": cast("int", width), "height": cast("int", height)}


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 16_384


def _storage_state(value: object) -> Mapping[str, object] | None:
    """The state, given or read from a file. Its content is a secret."""
    if value is None:
        return None
    if isinstance(value, str | Path):
        value = _read_state(Path(value))
    if not isinstance(value, Mapping):
        raise InvalidInput("storage_state must be a path or a mapping")
    return cast("Mapping[str, object]", value)


def _read_state(path: Path) -> object:
    """What a state file holds; errors name neither the path nor a word of the file."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        pass
    if path.is_file():
        raise InvalidInput("storage_state names a file that holds no JSON")
    raise InvalidInput("storage_state names no file")


def _credentials(value: object) -> Mapping[str, str] | None:
    """``{"username", "password"}`` (an ``origin`` may be given) or a pair."""
    if value is None:
        return None
    if isinstance(value, tuple | list) and len(cast("tuple[object, ...]", value)) == 2:
        name, password = cast("tuple[object, object]", value)
        value = {"username": name, "password": password}
    if not isinstance(value, Mapping):
        raise InvalidInput("http_credentials must be a mapping with username and password")
    fields = cast("Mapping[str, object]", value)
    wrong = set(fields) - {"username", "password", "origin", "send"}
    if wrong or not {"username", "password"} <= set(fields):
        raise InvalidInput("http_credentials must hold username and password")
    if not all(isinstance(item, str) for item in fields.values()):
        raise InvalidInput("http_credentials must hold strings")
    return cast("Mapping[str, str]", fields)


async def open_session(
    browser: PlaywrightBrowser,
    shared: Shared,
    options: SessionOptions,
    *,
    journal: OperationJournal,
    user_agent: str | None,
    blobs: BlobStore | None = None,
    delivers: bool = True,
    on_closed: Callable[[Session], None],
) -> Session:
    """Make a context and the session over it. Playwright's error leaves as it is."""
    context = await browser.new_context(
        service_workers="block",
        accept_downloads=True,
        user_agent=user_agent,
        **_context_options(options),  # pyright: ignore[reportArgumentType] - checked above
    )
    shared.redactor = shared.redactor.with_secrets(_secrets_of(options))
    if options.tape is not None:
        await _attach(options.tape, context, shared)
    store = blobs if blobs is not None else shared.blobs
    captures = CaptureStore()
    core = Core(
        context=context,
        shared=shared,
        options=options,
        door=Door(shared, captures, keeps_blobs=store is not None),
        captures=captures,
        journal=journal,
        blobs=store,
        delivers=delivers,
    )
    closer = SessionCloser(core, on_closed=lambda: on_closed(session), tape=options.tape)
    session = Session(core, closer)
    core.open_first_page()
    return session


def _secrets_of(options: SessionOptions) -> tuple[str, ...]:
    """What the session is signed in by: it is masked wherever it shows."""
    state, http = options.storage_state, options.http_credentials
    password = (http["password"],) if http is not None else ()
    return (*(credentials_in(state) if state is not None else ()), *password)


async def _attach(tape: Tape, context: BrowserContext, shared: Shared) -> None:
    """Bind the tape; a context that cannot be recorded is not left behind."""
    try:
        await tape.attach(context, shared)
    except BaseException:
        await bounded(context.close(), _UNDO_S)
        raise


def _context_options(options: SessionOptions) -> dict[str, object]:
    wanted: dict[str, object] = {
        "viewport": options.viewport,
        "locale": options.locale,
        "timezone_id": options.timezone,
        "storage_state": options.storage_state,
        "http_credentials": options.http_credentials,
    }
    return {key: value for key, value in wanted.items() if value is not None}
