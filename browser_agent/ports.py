"""What the layers above need of the layers below: small Protocols, and the place to plug them in.

``tools`` and ``robot`` see browsers, models and stores only through these. ``assembly`` plugs the
adapters in with :func:`provide`; nothing here imports an adapter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from browser_agent.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from browser_agent.records.limits import BrowserLimits
    from browser_agent.records.model import ModelDelta, ModelPrice, ModelReply, ModelRequest
    from browser_agent.records.policy import Decision
    from browser_agent.records.result import Result


class Model(Protocol):
    """A language model. Raises InferenceError after its own retries, nothing else of its own."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer one request."""
        ...


@runtime_checkable
class StreamingModel(Protocol):
    """A model that can also give its reply in pieces; the ModelReply comes last."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelDelta | ModelReply]:
        """Yield deltas, then the whole reply."""
        ...


@runtime_checkable
class StatefulModel(Protocol):
    """A model that offers its state for ``RobotResult.managed_state``."""

    def get_state(self) -> Mapping[str, object] | None:
        """JSON-like state, redacted by the caller."""
        ...


class Redacts(Protocol):
    """The one door that takes secrets out of what leaves. Idempotent; never raises."""

    def redact(self, value: object) -> object:
        """A JSON-like value with every secret written ``[REDACTED:kind]``."""
        ...

    def redact_text(self, text: str) -> str:
        """The same for one text."""
        ...


@runtime_checkable
class PricedModel(Protocol):
    """A model whose price is known before a call, for budgets."""

    def price(self) -> ModelPrice | None:
        """The price of a token; None when nobody knows it."""
        ...


@runtime_checkable
class DescribedModel(Protocol):
    """A model that says what it can take."""

    def supports_output_schema(self) -> bool:
        """True when ``ModelRequest.output_schema`` binds the reply's text."""
        ...

    def context_window(self) -> int | None:
        """Tokens of input and output together; None when nobody knows."""
        ...


@runtime_checkable
class ScriptedRun(Protocol):
    """A test double that judges a run when it is over; its AssertionError leaves ``run()``."""

    def on_run_end(self, stop_reason: str) -> None:
        """Called once a run, with its stop reason."""
        ...


class Session(Protocol):
    """One isolated browser session. Every call returns a Result and raises for nothing a page,
    a network, a URL, a ref or a timeout did.
    """

    @property
    def limits(self) -> BrowserLimits: ...
    @property
    def closing(self) -> Result | None: ...

    async def navigate(self, url: str) -> Result: ...
    async def back(self) -> Result: ...
    async def forward(self) -> Result: ...
    async def reload(self) -> Result: ...
    async def snapshot(self, mode: str = "full", *, cursor: str | None = None) -> Result: ...
    async def changes(self, since: Result | str | None = None) -> Result: ...
    async def find(
        self, text: str | None = None, *, role: str | None = None, regex: str | None = None
    ) -> Result: ...
    async def read(
        self, format: str = "text", *, ref: str | None = None, cursor: str | None = None
    ) -> Result: ...
    async def click(
        self,
        ref: str,
        *,
        button: str = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
    ) -> Result: ...
    async def fill(self, ref: str, text: str) -> Result: ...
    async def type(
        self, ref: str, text: str, *, submit: bool = False, slowly: bool = False
    ) -> Result: ...
    async def fill_form(self, fields: Sequence[Mapping[str, object]]) -> Result: ...
    async def press(self, key: str, *, ref: str | None = None) -> Result: ...
    async def select(self, ref: str, values: Sequence[str]) -> Result: ...
    async def check(self, ref: str, checked: bool = True) -> Result: ...
    async def hover(self, ref: str) -> Result: ...
    async def drag(self, start: str, end: str) -> Result: ...
    async def drop(
        self, ref: str, *, paths: Sequence[str] = (), data: Mapping[str, str] | None = None
    ) -> Result: ...
    async def scroll(
        self,
        direction: str = "down",
        *,
        ref: str | None = None,
        to_text: str | None = None,
        amount: int | None = None,
    ) -> Result: ...
    async def upload(self, paths: Sequence[str], *, ref: str | None = None) -> Result: ...
    async def wait_for(
        self,
        *,
        text: str | None = None,
        text_gone: str | None = None,
        ref: str | None = None,
        url: str | None = None,
        load: str | None = None,
        time_s: float | None = None,
    ) -> Result: ...
    async def tabs(self) -> Result: ...
    async def new_tab(self, url: str | None = None) -> Result: ...
    async def select_tab(self, tab: str) -> Result: ...
    async def close_tab(self, tab: str) -> Result: ...
    async def screenshot(
        self, *, ref: str | None = None, full_page: bool = False, name: str | None = None
    ) -> Result: ...
    async def pdf(self, *, name: str | None = None) -> Result: ...
    async def downloads(self) -> Result: ...
    async def console(self, level: str = "debug") -> Result: ...
    async def requests(self, *, pattern: str | None = None, static: bool = True) -> Result: ...
    async def request(self, index: int, *, part: str | None = None) -> Result: ...
    async def dialogs(self) -> Result: ...
    async def answer_dialog(self, accept: bool, text: str | None = None) -> Result: ...
    async def resize(self, width: int, height: int) -> Result: ...
    async def extract(
        self, schema: object, *, ref: str | None = None, model: Model | None = None
    ) -> Result: ...
    async def verify(self, result: Result | str) -> Result: ...
    async def close(self) -> Result: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionPage:
    """What an extraction is given of a page, raw and bounded: only what is visible.

    ``html`` is the filtered HTML, ``snapshot`` the text with refs; both are empty where a text
    document stands in for the page. ``markup`` is the page's own HTML, for what is stated in it and
    not shown (JSON-LD, meta); empty for an element or a page beyond the bound.
    """

    url: str
    title: str
    text: str
    html: str
    snapshot: str
    markup: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """``data`` holds value, sources, unsupported, rows_seen. With a ``code`` it failed.

    ``truncated``: rows were seen that are not in the value.
    """

    data: Mapping[str, object]
    code: str | None = None
    message: str | None = None
    truncated: bool = False


class Extraction(Protocol):
    """Data of a page by a schema."""

    async def extract(
        self, page: ExtractionPage, schema: object, *, model: Model | None
    ) -> Extracted:
        """Fit the page to a pydantic model or JSON Schema; failures are codes, not exceptions."""
        ...


@runtime_checkable
class Evaluates(Protocol):
    """A session that can run scripts in its page; asked for by an unsafe flag alone."""

    async def evaluate(self, script: str) -> Result:
        """The script's JSON value in ``data.value``."""
        ...


class Browser(Protocol):
    """A running browser that opens sessions."""

    @property
    def limits(self) -> BrowserLimits: ...
    @property
    def closing(self) -> Result | None: ...

    def session(self, **options: object) -> AbstractAsyncContextManager[Session]: ...
    async def read(self, url: str, *, format: str = "markdown") -> Result: ...
    async def fetch_text(self, url: str, *, max_bytes: int) -> Result:
        """GET a small text (robots.txt, sitemap.xml) through the policy; ``read``-shaped data."""
        ...

    def admit(self, url: str) -> Decision:
        """Grant the exact origin of a URL that the operator gave; metadata addresses never."""
        ...

    async def close(self) -> Result: ...


class BlobStore(Protocol):
    """Bytes by SHA-256: preimages, captures, artifacts."""

    def put(self, content: bytes) -> str:
        """Store and return ``sha256:<hex>``; storing twice is one blob."""
        ...

    def get(self, digest: str) -> bytes | None:
        """The bytes, or None when not stored."""
        ...


class RunLog(Protocol):
    """The append-only, hash-chained events of one run."""

    def append(self, kind: str, fields: Mapping[str, object]) -> None:
        """Write one redacted event; durable when this returns."""
        ...


class Recorder(Protocol):
    """Records one run: both halves, and what a replay needs besides."""

    @property
    def tape(self) -> object:
        """What the session is opened with."""
        ...

    def model(self, inner: Model) -> Model:
        """A model that answers as ``inner`` does and writes it down."""
        ...

    def begin(self, plan: Mapping[str, object]) -> None:
        """Write what the run was asked for."""
        ...

    def add_tool(self, name: str, outcome: Mapping[str, object]) -> None:
        """What a tool of the operator gave (``value``, ``halt``) or raised (``error``)."""
        ...

    def add_approval(self, answer: str) -> None:
        """What an approver answered."""
        ...

    def close(self) -> None:
        """Finish the recording; safe to call again."""
        ...


class Journal(Protocol):
    """Durable record of owners, their resources and operations in flight (shared by processes)."""

    def open_owner(self, token: str, facts: Mapping[str, object]) -> None: ...
    def add_resource(
        self, token: str, kind: str, name: str, facts: Mapping[str, object]
    ) -> None: ...
    def strike_resource(self, token: str, kind: str, name: str) -> None: ...
    def close_owner(self, token: str) -> None: ...
    def begin_operation(self, token: str, operation_id: str, name: str) -> None: ...
    def end_operation(self, operation_id: str, status: str) -> None: ...
    def owners(self) -> Sequence[Mapping[str, object]]:
        """Owners not closed, with their resources and open operations."""
        ...


_provided: dict[str, Callable[..., object]] = {}


def provide(port: str, factory: Callable[..., object]) -> None:
    """Plug an adapter's factory into a named port (``journal``, ``model``, ``run_folder`` …)."""
    _provided[port] = factory


def provided(port: str) -> Callable[..., object]:
    """The factory of a port; ConfigurationError when nothing is plugged in."""
    try:
        return _provided[port]
    except KeyError:
        raise ConfigurationError(
            f"no adapter for {port!r}: import browser_agent instead of its inner modules"
        ) from None
