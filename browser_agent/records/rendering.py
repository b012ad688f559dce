"""How a Result looks to a model: a status line of ours, then page data between markers.

The markers hold a nonce that the page cannot know. Inside them every value is one JSON line,
except the text of a page, whose lines are kept and stripped of what could pass for ours: the
nonce, a status line, a ref. Owns the form only; bounding and redaction happened before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from browser_agent._json import dumps
from browser_agent._text import escape_invisible

_STATUS_LINE = re.compile(
    r"(?m)^([ \t>|*_#-]*)(R\d+[ \t:]+(?:ok|truncated|error|unknown|cleanup_pending)\b|<<<|>>>)"
)
_REF = re.compile(r"\[(?=(?:ref=)?e\d+\])|(?<![\w\\])(?=ref=e\d)")
_BREAKS = re.compile(r"[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_TEXT_KEYS = ("text",)
_OUTSIDE = frozenset({"total_bytes", "format", "mode", "refs_shown"})


def render_result(result: Mapping[str, object], *, nonce: str, number: int | None) -> str:
    """Render ``Result.to_dict()``; ``number`` is its R number in the run, None for none."""
    lines = [_status_line(result, number)]
    error = result.get("error")
    if isinstance(error, Mapping):
        lines.append(_error_line(cast("Mapping[str, object]", error), nonce))
    body = _body(result)
    if body:
        lines += [f"<<<page {nonce}", _without(nonce, body), f"{nonce} page>>>"]
    if result.get("cursor"):
        lines.append(f"more: cursor={result['cursor']}")
    return "\n".join(lines)


def escape_page_text(text: str, *, refs: bool = False) -> str:
    """Keep the lines of page text but none that could pass for a status line, marker or ref.

    ``refs``: the text is a snapshot of ours, whose refs are real.
    """
    flat = escape_invisible(_BREAKS.sub("\n", text)).text
    flat = _STATUS_LINE.sub(r"\1\\\2", flat)
    return flat if refs else _REF.sub(lambda found: "\\" + found.group(0), flat)


def _status_line(result: Mapping[str, object], number: int | None) -> str:
    words = [] if number is None else [f"R{number}"]
    words.append(str(result["status"]))
    words += [str(result[key]) for key in ("operation_id", "final_url") if result.get(key)]
    words.append(str(result["digest"])[:19])
    if result.get("effect") not in (None, "none"):
        words.append(f"effect={result['effect']}")
    return _BREAKS.sub(" ", " ".join(words)).replace("\n", " ")


def _error_line(error: Mapping[str, object], nonce: str) -> str:
    parts = [f"{error['code']}: {error.get('message', '')}"]
    if error.get("hint"):
        parts.append(f"hint: {error['hint']}")
    if error.get("retryable"):
        parts.append("(retryable)")
    line = " ".join(" ".join(parts).split())
    return _without(nonce, escape_page_text(line))


def _body(result: Mapping[str, object]) -> str:
    data = result.get("data")
    if data is None:
        return ""
    if not isinstance(data, Mapping):
        return _value(data)
    fields = cast("Mapping[str, object]", data)
    snapshot = "mode" in fields
    lines = [
        f"{_value(key, quote=False)}: {_value(value)}"
        for key, value in fields.items()
        if key not in _TEXT_KEYS and key not in _OUTSIDE and value not in (None, "", (), [], {})
    ]
    coverage = _gaps(result.get("coverage"))
    if coverage:
        lines.append(f"not covered: {coverage}")
    text = fields.get("text")
    if isinstance(text, str):
        lines += ["text:", escape_page_text(text, refs=snapshot)]
    elif text is not None:
        lines.append(f"text: {_value(text)}")
    return "\n".join(lines)


def _gaps(coverage: object) -> str:
    if not isinstance(coverage, Mapping):
        return ""
    gaps = {
        key: value
        for key, value in cast("Mapping[str, object]", coverage).items()
        if value and key in ("frames_not_inspected", "possibly_closed", "bytes_not_captured")
    }
    return dumps(gaps) if gaps else ""


def _value(value: object, *, quote: bool = True) -> str:
    text = dumps(value)
    if not quote:
        text = text.strip('"')
    return escape_invisible(text).text


def _without(nonce: str, text: str) -> str:
    return text.replace(nonce, "[nonce]") if nonce else text
