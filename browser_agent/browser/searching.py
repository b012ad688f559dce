"""Patterns that a model or a user gave, matched in linear time.

Owns the one way into RE2. It knows nothing of pages or requests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import re2

_IN_SLASHES = re.compile(r"/(.+)/([imsgu]*)", re.DOTALL)


def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Whether a text holds the pattern. ``/words/i`` carries its flags as in JavaScript.

    Raises ValueError when it is no RE2 pattern (look-around and back references are none).
    """
    engine = cast("Any", re2)  # has no types
    options = engine.Options()
    options.log_errors = False  # the library writes them to stderr itself
    framed = _IN_SLASHES.fullmatch(pattern)
    if framed is not None:
        flags = "".join(flag for flag in "ims" if flag in framed[2])
        pattern = f"(?{flags}){framed[1]}" if flags else framed[1]
    try:
        wanted = engine.compile(pattern, options)
    except engine.error:
        raise ValueError("the pattern cannot be read") from None
    return lambda text: wanted.search(text) is not None
