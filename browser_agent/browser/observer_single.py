"""Answers about single elements, as records.

Pure. Values in them are raw page data; secrets were masked in the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from browser_agent.browser.observer_types import Described, RefState, Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from browser_agent.browser.observer_engine import Head

_PRIME = 0x01000193
_START = 0x811C9DC5


def fingerprint(text: str) -> str:
    """A value to compare with, so that it does not travel in clear (as the engine makes it)."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = _START
    for byte in units:
        value = ((value ^ byte) * _PRIME) & 0xFFFFFFFF
    return f"{len(units) // 2}-{value}"


def described(ref: str, head: Head, *, number: Callable[[int], str], frame_url: str) -> Described:
    """The record of a ``describe`` answer."""
    state = cast("RefState", head.get("state", "unknown"))
    if state != "ok":
        return Described(ref=ref, state=state)
    box = cast("list[float]", head["box"])
    hint = cast("Mapping[str, object] | None", head.get("hint"))
    options = cast("list[tuple[str, str, bool]]", head["options"])
    return Described(
        ref=ref,
        state="ok",
        role=_text(head, "role"),
        name=_text(head, "name"),
        tag=_text(head, "tag"),
        kind=_text(head, "kind"),
        value=cast("str | None", head.get("value")),
        matches=cast("bool | None", head.get("matches")),
        checked=cast("str | None", head.get("checked")),
        editable=bool(head["editable"]),
        readonly=bool(head["readonly"]),
        disabled=bool(head["disabled"]),
        visible=bool(head["visible"]),
        in_viewport=bool(head["in_viewport"]),
        multiple=bool(head["multiple"]),
        accept=_text(head, "accept"),
        href=_text(head, "href"),
        pattern=_text(head, "pattern"),
        min=_text(head, "min"),
        max=_text(head, "max"),
        step=_text(head, "step"),
        wants=_text(head, "wants"),
        options=tuple((value, label, chosen) for value, label, chosen in options),
        covered_by=_text(head, "covered_by"),
        box=(box[0], box[1], box[2], box[3]),
        hint=_hint(hint, number),
        frame_url=frame_url,
    )


def seen_of(head: Head | None) -> Seen:
    """The record of a ``seen`` answer; None when the document was replaced."""
    if head is None or head.get("missing"):
        return Seen(available=False)
    return Seen(
        available=True,
        events=tuple(cast("list[str]", head["events"])),
        elsewhere=tuple(cast("list[str]", head["elsewhere"])),
        mutations=cast("int", head["mutations"]),
        value=cast("str | None", head.get("value")),
        matches=cast("bool | None", head.get("matches")),
        checked=cast("str | None", head.get("checked")),
        state=cast("RefState", head["state"]),
    )


def _text(head: Head, key: str) -> str:
    value = head.get(key)
    return value if isinstance(value, str) else ""


def _hint(hint: Mapping[str, object] | None, number: Callable[[int], str]) -> str:
    if hint is None:
        return ""
    name = f' "{hint["name"]}"' if hint["name"] else ""
    return f"{hint['role']}{name} {number(cast('int', hint['ref']))}"
