"""Re-checking what records claim, with stored bytes alone: digests and citations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from browser_agent._digest import digest_of_bytes
from browser_agent._json import loads
from browser_agent._text import fold
from browser_agent.errors import InvalidInput
from browser_agent.records.citation import Citation
from browser_agent.records.result import Result
from browser_agent.records.verification import Verification


def resolve_pointer(data: object, pointer: str) -> object:
    """The value that a JSON pointer names, or None when there is none."""
    here = data
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, tuple | list):
            items = cast("Sequence[object]", here)
            here = items[int(key)] if key.isdigit() and int(key) < len(items) else None
        elif hasattr(here, "get"):
            here = cast("dict[str, object]", here).get(key)
        else:
            return None
    return here


def citation_problem(citation: Citation, data: object) -> str | None:
    """Why a verified citation does not hold in ``data``; None when it holds."""
    if citation.pointer is None or citation.start is None or citation.end is None:
        return "it has no place"
    text = resolve_pointer(data, citation.pointer)
    if not isinstance(text, str):
        return f"{citation.pointer} is no text of the Result"
    if fold(text[citation.start : citation.end]).strip() != fold(citation.quote).strip():
        return "the quote does not stand at its place"
    return None


def recheck_run(
    results: Sequence[Result],
    citations: Sequence[Citation],
    load_blob: Callable[[str], bytes | None] | None,
) -> Verification:
    """Check every digest against its bytes and every verified citation against its Result."""
    problems: list[str] = []
    data: dict[int, object] = {}
    for number, result in enumerate(results, 1):
        content = _content(result, load_blob)
        if content is None:
            problems.append(f"R{number}: the blob {result.digest[:19]} is missing")
        elif digest_of_bytes(content) != result.digest:
            problems.append(f"R{number}: the digest does not match the bytes")
        elif content != result.preimage():
            problems.append(f"R{number}: the Result differs from its stored bytes")
        else:
            data[number] = _data_of(content)
    good = 0
    for index, citation in enumerate(citations, 1):
        if not citation.verified:
            continue
        problem = _check(citation, results, data)
        good += problem is None
        if problem is not None:
            problems.append(f"citation {index}: {problem}")
    return Verification(
        ok=not problems,
        problems=tuple(problems),
        blobs=0 if load_blob is None else len(results),
        citations=len(citations),
        citations_verified=good,
    )


def _content(result: Result, load_blob: Callable[[str], bytes | None] | None) -> bytes | None:
    return result.preimage() if load_blob is None else load_blob(result.digest)


def _data_of(content: bytes) -> object:
    try:
        return cast("dict[str, object]", loads(content)).get("data")
    except (InvalidInput, AttributeError):
        return None


def _check(citation: Citation, results: Sequence[Result], data: dict[int, object]) -> str | None:
    number = citation.result
    if number is None or not 1 <= number <= len(results):
        return "it names no Result of this run"
    if citation.digest is not None and citation.digest != results[number - 1].digest:
        return f"it names another digest than R{number} has"
    if number not in data:
        return f"R{number} could not be checked"
    return citation_problem(citation, data[number])
