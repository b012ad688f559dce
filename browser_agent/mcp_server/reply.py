"""How a Result becomes a reply: compact text first, then the envelope as structured content.

Everything that came from a page, a console or a dialog stands between nonce markers or in one
JSON line, so that it can forge neither lines nor sections.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from mcp_types import CallToolResult, ContentBlock, ImageContent, ResourceLink, TextContent

from browser_agent._freeze import mapping_of
from browser_agent._json import dumps
from browser_agent._text import cut_lines, escape_invisible
from browser_agent.records.codes import Status
from browser_agent.records.result import Result

SCHEME = "browser-agent"
_UNKNOWN = (
    "The outcome is not known: it may or may not have taken effect. Do not repeat it; "
    "browser_verify can look."
)
_PENDING = "Closing could not be confirmed; what is left stands in the structured content."
_LEFT_OUT = ("text", "attributes")


def build_reply(
    result: Result,
    *,
    notes: Sequence[str] = (),
    console: Sequence[str] = (),
    folder: Path,
    inline_image: bool = False,
    limit_bytes: int,
) -> CallToolResult:
    """The reply to one call. ``isError`` only for status error."""
    nonce = secrets.token_hex(8)
    lines = [f"note: {note}" for note in notes]
    lines.append(result.render_for_model(nonce))
    if result.status is Status.UNKNOWN:
        lines.append(_UNKNOWN)
    if result.status is Status.CLEANUP_PENDING:
        lines.append(_PENDING)
    if console:
        shown = [escape_invisible(" ".join(line.split())).text[:300] for line in console]
        lines.append(f"console errors since last call: {dumps(shown)}".replace(nonce, "[nonce]"))
    text = cut_lines("\n".join(lines), limit_bytes)
    content: list[ContentBlock] = [TextContent(text=text)]
    content += _artifacts(result, folder, inline_image=inline_image)
    return CallToolResult(
        content=content,
        structured_content=_envelope(result),
        is_error=result.status is Status.ERROR,
    )


def _envelope(result: Result) -> dict[str, object]:
    """All of the Result but the text of its data."""
    made = result.to_dict()
    data = made.get("data")
    if isinstance(data, dict):
        fields = cast("dict[str, object]", data)
        made["data"] = {key: value for key, value in fields.items() if key not in _LEFT_OUT}
    return made


def _artifacts(result: Result, folder: Path, *, inline_image: bool) -> list[ContentBlock]:
    fields = mapping_of((mapping_of(result.data) or {}).get("artifact"))
    if fields is None:
        return []
    name, kind = str(fields.get("name")), str(fields.get("media_type"))
    content: list[ContentBlock] = [
        ResourceLink(name=name, uri=f"{SCHEME}://artifact/{name}", mime_type=kind)
    ]
    file = folder / "artifacts" / name
    if inline_image and kind.startswith("image/") and file.is_file():
        encoded = base64.b64encode(file.read_bytes()).decode()
        content.append(ImageContent(data=encoded, mime_type=kind))
    return content
