"""One pass over a text that finds every secret known by its shape.

The triggers stop at the few places worth a look; each rule is anchored there and bounded, so the
whole scan is linear in the text, whatever the text is.
"""

from __future__ import annotations

import re
import string
from typing import Final

from browser_agent.logic.redact_spans import Span
from browser_agent.logic.redact_triggers import Trigger, triggers
from browser_agent.logic.redact_views import MappedView

_PLAIN: Final = (string.ascii_letters + " .,;?()\r\n\t").encode() + bytes(range(0x80, 0x100))
_DISGUISE: Final = re.compile(
    # full-width and mathematical letters, or something unseen between two signs
    rb"(?:\xef\xbc[\x90-\x99\xa1-\xba]|\xef\xbd[\x81-\x9a]|\xf0\x9d[\x90-\x9f][\x80-\xbf]){6}"
    rb"|[!-~](?:\xc2\xad|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf|\xe2\x9f\xa8U\+)"
)
_SHORT_BYTES: Final = 256


def find_secrets(data: bytes) -> list[Span]:
    """Every secret of a known shape in UTF-8 text, also in look-alike or interrupted letters."""
    found = find_shapes(data)
    if data.isascii() or _DISGUISE.search(data) is None:
        return found
    view = MappedView.of(data).compatible()
    for span in find_shapes(view.data):
        start, end = view.span(span.start, span.end)
        found.append(Span(start, end, span.kind))
    return found


def find_shapes(data: bytes) -> list[Span]:
    """Every secret of a known shape in UTF-8 text, in the order found."""
    found: list[Span] = []
    if len(data) <= _SHORT_BYTES and not data.translate(None, _PLAIN):
        return found  # without a digit or a sign there is no secret
    watches = [_Watch(trigger, data) for trigger in triggers()]
    masked = 0
    while True:
        nearest: _Watch | None = None
        for watch in watches:
            watch.skip_to(masked)
            if watch.hit is not None and (nearest is None or watch.at < nearest.at):
                nearest = watch
        if nearest is None:
            return found
        count = len(found)
        resume = nearest.wake(found)
        if len(found) > count:
            masked = max(masked, resume)


class _Watch:
    """One trigger on its way through a text."""

    __slots__ = ("_data", "_trigger", "at", "hit")

    def __init__(self, trigger: Trigger, data: bytes) -> None:
        self._trigger = trigger
        self._data = data
        self._seek(0)

    def skip_to(self, offset: int) -> None:
        """Give up a hit before ``offset``: it lies in what is masked already."""
        if self.hit is not None and self.at < offset:
            self._seek(offset)

    def wake(self, found: list[Span]) -> int:
        """Run the rule of the present hit, go on behind it, and say where that is."""
        hit = self.hit
        if hit is None:
            return len(self._data)
        resume = self._trigger.rules[hit.choice](self._data, hit.start, hit.end, found)
        resume = max(resume, hit.start + 1)
        self._seek(resume)
        return resume

    def _seek(self, offset: int) -> None:
        self.hit = self._trigger.pattern.search(self._data, offset)
        self.at = self.hit.start if self.hit is not None else len(self._data)
