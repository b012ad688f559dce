"""``read`` and ``extract``: one page, one Result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from browser_agent._json import loads
from browser_agent.cli import options as o
from browser_agent.cli.output import Exit, exit_code_of, print_json, print_text, say
from browser_agent.cli.running import launch_options, operator_url, run_until_signal
from browser_agent.cli.settings import Shared
from browser_agent.errors import ConfigurationError, InvalidInput

if TYPE_CHECKING:
    from browser_agent.records.result import Result

Url = Annotated[str, typer.Argument(metavar="URL", help="An absolute http or https URL.")]
Format = Annotated[
    str, typer.Option("--format", metavar="markdown|text|snapshot", help="How to show the page.")
]
Schema = Annotated[Path, typer.Option("--schema", metavar="FILE", help="A JSON Schema.")]


@o.shared_options()
def read(
    *,
    shared: Shared,
    url: Url,
    format: Format = "markdown",
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Read one page as markdown, text or a snapshot.

    Example: browser-agent read https://example.com --format text
    """
    if format not in ("markdown", "text", "snapshot"):
        raise ConfigurationError("--format must be markdown, text or snapshot")
    target = operator_url(url, "URL")
    result = run_until_signal(_read(target, format, shared))
    _finish(result, json=json, quiet=quiet)


@o.shared_options(model=True)
def extract(
    *,
    shared: Shared,
    url: Url,
    schema: Schema,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Extract data that fits a JSON Schema, each value with its source.

    Example: browser-agent extract https://example.com/item --schema item.json
    """
    target = operator_url(url, "URL")
    wanted = load_schema(schema)
    result = run_until_signal(_extract(target, wanted, shared))
    _finish(result, json=json, quiet=quiet)


def load_schema(path: Path) -> object:
    """The JSON Schema of a file; ConfigurationError when it cannot be read."""
    try:
        return loads(path.read_bytes())
    except OSError as exc:
        raise ConfigurationError(f"cannot read the schema {path}: {exc.strerror}") from None
    except InvalidInput as exc:
        raise ConfigurationError(f"the schema {path}: {exc.message}") from None


async def _read(url: str, format: str, shared: Shared) -> Result:
    from browser_agent.browser.browser import Browser

    async with Browser.launch(**launch_options(shared)) as browser:
        browser.admit(url)
        return await browser.read(url, format=format)


async def _extract(url: str, schema: object, shared: Shared) -> Result:
    from browser_agent.browser.browser import Browser
    from browser_agent.models.resolve import resolve_model

    model = None if shared.model is None else resolve_model(shared.model)
    async with Browser.launch(**launch_options(shared)) as browser:
        browser.admit(url)
        return await browser.extract(url, schema=schema, model=model)


def _finish(result: Result, *, json: bool, quiet: bool) -> None:
    if json:
        print_json({**result.to_dict(), "schema": "browser_agent.result/1"})
    else:
        _print_plain(result, quiet=quiet)
    code = exit_code_of(result)
    if code:
        raise Exit(code)


def _print_plain(result: Result, *, quiet: bool) -> None:
    data = result.to_dict().get("data")
    if isinstance(data, dict):
        fields = cast("dict[str, object]", data)
        text = fields.get("text")
        print_text(text if isinstance(text, str) else _pretty(fields.get("value", fields)))
    if not quiet:
        say(f"{result.status.value} {result.final_url or ''} {result.digest[:19]}")
    if result.error is not None:
        say(f"browser-agent: {result.error.code}: {result.error.message}")
        if result.error.hint:
            say(f"  {result.error.hint}")


def _pretty(value: object) -> str:
    from browser_agent._json import dumps

    return dumps(value, indent=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(read)
    app.command()(extract)
