"""Views of a text in which a value is found however it was written.

A view undoes what encoders and page authors do to a string (percent-encoding, character
references, escapes, compatibility forms, unseen characters, white space), and can lead each of
its bytes back to the bytes it came from. Owns the views; knows no secrets.
"""

from __future__ import annotations

import html
import re
import unicodedata
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from browser_agent._text import drop_invisible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    _Replace = Callable[[re.Match[bytes]], bytes]

_SPACE: Final = bytes(range(0x21)) + b"\x7f"
_SPACE_RUN: Final = re.compile(rb"[\x00-\x20\x7f]+")
_WRITTEN: Final = re.compile(rb"\xe2\x9f\xa8U\+[0-9A-F]{4,6}\xe2\x9f\xa9")  # ⟨U+200B⟩
_MARK: Final = rb"(?:\xcc[\x80-\xbf]|\xcd[\x80-\xaf])"
_CLUSTER: Final = re.compile(
    rb"[\x00-\x7f]" + _MARK + rb"+|[\xc2-\xf4][\x80-\xbf]{1,3}" + _MARK + rb"*"
)
_PERCENT: Final = re.compile(rb"(?:%[89A-Fa-f][0-9A-Fa-f])+|%[0-7][0-9A-Fa-f]|%u[0-9A-Fa-f]{4}")
_REFERENCE: Final = re.compile(
    rb"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,15});?"
)
_ESCAPE: Final = re.compile(
    rb"((?:\\x[89A-Fa-f][0-9A-Fa-f])+)"
    rb"|\\(?:u([0-9A-Fa-f]{4})|x([0-7][0-9A-Fa-f])|u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8})"
    rb"|([0-3][0-7]{2})|([^\r\n]))"
)
_BLANKS: Final = frozenset(b"nrtbfv0")
_ROUNDS: Final = 3


def fold_view(data: bytes) -> bytes:
    """UTF-8 text in compatibility form, without white space and unseen characters."""
    if not data.isascii():
        text = drop_invisible(data.decode("utf-8", "replace"))
        data = unicodedata.normalize("NFKC", text).encode("utf-8", "replace")
        if b"\xe2\x9f\xa8U+" in data:
            data = _WRITTEN.sub(b"", data)
    return data.translate(None, _SPACE)


def decoded_views(data: bytes) -> Iterator[bytes]:
    """What ``data`` becomes, step by step, in up to three rounds of decoding; not folded."""
    for _ in range(_ROUNDS):
        before = data
        for sign, pattern, replace in _DECODERS:
            if sign in data:
                plain = pattern.sub(replace, data)
                if plain != data:
                    data = plain
                    yield data
        if data == before:
            return


@dataclass(frozen=True, slots=True)
class MappedView:
    """A view; byte ``i`` came from the original bytes ``starts[i]`` to ``ends[i]``."""

    data: bytes
    starts: array[int]
    ends: array[int]

    @classmethod
    def of(cls, data: bytes) -> MappedView:
        """The text itself."""
        count = len(data)
        return cls(data, array("q", range(count)), array("q", range(1, count + 1)))

    def compatible(self) -> MappedView:
        """In compatibility form and without unseen characters; white space stays."""
        if self.data.isascii():
            return self
        return self._sub(_CLUSTER, _compatible)._sub(_WRITTEN, _nothing)

    def folded(self) -> MappedView:
        """What :func:`fold_view` gives, with its origins."""
        return self.compatible()._sub(_SPACE_RUN, _nothing)

    def decoded(self) -> Iterator[MappedView]:
        """What :func:`decoded_views` gives, with the origins."""
        view = self
        for _ in range(_ROUNDS):
            before = view.data
            for sign, pattern, replace in _DECODERS:
                if sign in view.data:
                    plain = view._sub(pattern, replace)
                    if plain.data != view.data:
                        view = plain
                        yield view
            if view.data == before:
                return

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original bytes behind ``data[start:end]`` (not empty)."""
        return self.starts[start], self.ends[end - 1]

    def _sub(self, pattern: re.Pattern[bytes], replace: _Replace) -> MappedView:
        data, starts, ends = self.data, self.starts, self.ends
        out, out_starts, out_ends = bytearray(), array("q"), array("q")
        at = 0
        for unit in pattern.finditer(data):
            begin, end = unit.span()
            new = replace(unit)
            out += data[at:begin]
            out_starts += starts[at:begin]
            out_ends += ends[at:begin]
            out += new
            out_starts.extend([starts[begin]] * len(new))
            out_ends.extend([ends[end - 1]] * len(new))
            at = end
        if not at:
            return self
        out += data[at:]
        out_starts += starts[at:]
        out_ends += ends[at:]
        return MappedView(bytes(out), out_starts, out_ends)


def _nothing(_: re.Match[bytes]) -> bytes:
    return b""


def _compatible(cluster: re.Match[bytes]) -> bytes:
    text = drop_invisible(cluster.group().decode("utf-8", "replace"))
    return unicodedata.normalize("NFKC", text).encode("utf-8", "replace")


def _percent(unit: re.Match[bytes]) -> bytes:
    digits = unit.group().replace(b"%", b"")
    if digits.startswith(b"u"):
        return _char(int(digits.replace(b"u", b""), 16))
    return _octets(digits)


def _reference(unit: re.Match[bytes]) -> bytes:
    return html.unescape(unit.group().decode()).encode("utf-8", "replace")


def _escape(unit: re.Match[bytes]) -> bytes:
    if unit[1] is not None:
        return _octets(unit[1].replace(b"\\x", b""))
    code = unit[2] or unit[3] or unit[4] or unit[5]
    if code is not None:
        return _char(int(code, 16))
    if unit[6] is not None:
        return _char(int(unit[6], 8))
    return b" " if unit[7][0] in _BLANKS else unit[7]


def _octets(digits: bytes) -> bytes:
    """Bytes of UTF-8, or of Latin-1 where they cannot be that."""
    octets = bytes.fromhex(digits.decode())
    try:
        octets.decode()
    except UnicodeDecodeError:
        return octets.decode("latin-1").encode()
    return octets


def _char(code: int) -> bytes:
    return chr(code).encode("utf-8", "replace") if code < 0x110000 else b"?"


_DECODERS: Final = (
    (b"%", _PERCENT, _percent),
    (b"&", _REFERENCE, _reference),
    (b"\\", _ESCAPE, _escape),
)
