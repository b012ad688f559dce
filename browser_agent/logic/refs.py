"""Refs as models write them: ``e12``, ``[e12]``, ``ref=e12`` all mean ``e12``."""

from __future__ import annotations

import re

_FORM = re.compile(
    r"\s*[\[(\"'`@#]*\s*(?:ref\s*[=:]\s*)?[\"'`@#]*(e\d{1,12})[\"'`]*\s*[\])\"'`]*\s*\Z"
)


def parse_ref(text: str) -> str:
    """The bare ref, or the text as it is where it has no form of a ref (the page then says so)."""
    found = _FORM.match(text)
    return found.group(1) if found else text
