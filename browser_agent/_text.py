"""Text that came from outside: repair, escaping of what cannot be seen, cutting, folding.

Owns the pure string functions below every record. Knows nothing of pages, Results or secrets.
Offsets are code points of the given string, limits are UTF-8 bytes.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Escaped:
    """Text with the unseen written out, and how many characters of each class were.

    Classes: ``control`` ``zero_width`` ``bidi`` ``tag`` ``variation`` ``separator``
    ``soft_hyphen`` ``filler`` ``surrogate``.
    """

    text: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """Folded text and, for each of its code points, the offset where it began originally.

    ``starts`` has one entry more than ``text``: the folded span ``[i, j)`` came from the original
    span ``[starts[i], starts[j])``.
    """

    text: str
    starts: Sequence[int]


def repair(text: str) -> str:
    """Join split surrogate pairs and turn lone surrogates into U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


# --- what cannot be seen -----------------------------------------------------------------------

_CLASSES: Final = (
    ("control", "\x00-\x08\x0b-\x1f\x7f-\x9f"),
    ("soft_hyphen", "\xad"),
    ("zero_width", "\u180e\u200b-\u200d\u2060\ufeff"),
    ("bidi", "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"),
    ("separator", "\u2028\u2029"),
    ("tag", "\U000e0000-\U000e007f"),
    ("variation", "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"),
    (
        "filler",
        (
            "\u034f\u115f\u1160\u17b4\u17b5\u2061-\u2065\u206a-\u206f\u2800\u3164\uffa0"
            "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
            "\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
        ),
    ),
    ("surrogate", "\ud800-\udfff"),
)
_CLASS_OF: Final = tuple((name, re.compile(f"[{chars}]")) for name, chars in _CLASSES)
_SUSPECT: Final = re.compile(f"[{''.join(chars for _, chars in _CLASSES)}]+")
_MULTIBYTE: Final = bytes(range(0x80, 0x100))
_NONE: Final[Mapping[str, int]] = MappingProxyType({})

# UTF-8 bytes that begin no suspect character, and for the others what follows when one does.
_HARMLESS_BYTES: Final = bytes(
    byte
    for byte in (9, 10, *range(0x20, 0x7F), *range(0x80, 0x100))
    if byte not in b"\xc2\xcd\xd8\xe1\xe2\xe3\xed\xef\xf0\xf3"
)
_SUSPECT_UTF8: Final = tuple(
    (bytes.fromhex(pattern[2:4].decode()), re.compile(pattern))
    for pattern in (
        rb"\xc2[\x80-\x9f\xad]",
        rb"\xcd\x8f",
        rb"\xd8\x9c",
        rb"\xe1(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])",
        rb"\xe2(?:\x80[\x8b-\x8f\xa8-\xae]|\x81[\xa0-\xaf]|\xa0\x80)",
        rb"\xe3\x85\xa4",
        rb"\xed[\xa0-\xbf]",
        rb"\xef(?:\xb8[\x80-\x8f]|\xbb\xbf|\xbe\xa0|\xbf[\xb0-\xbb])",
        rb"\xf0(?:\x9b\xb2|\x9d\x85)",
        rb"\xf3\xa0",
    )
)

_EMOJI: Final = re.compile(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf"
    "\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_JOINING: Final = re.compile(  # Arabic and its kin, Indic, South-East Asian: joiners spell there
    "[\u0600-\u07ff\u0840-\u0dff\u0f00-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\uaaff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U000110ff\U00011100-\U00011aff\U0001e900-\U0001e95f]"
)
_VARYING: Final = re.compile(  # letters and signs with standardised or ideographic variants
    "[\u1000-\u109f\u1820-\u18aa\u2190-\u22ff\u3000-\u303f\u3400-\u9fff\ua840-\ua87f\uf900-\ufaff"
    "\uff00-\uff60\U00020000-\U0003ffff]"
)
_BRAILLE: Final = re.compile("[\u2801-\u28ff]")
_TEXT_OR_EMOJI: Final = "\ufe0e\ufe0f"
_KEYCAP: Final = "\u20e3"
_FLAGS: Final = frozenset(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)


def escape_invisible(text: str) -> Escaped:
    """Write control, invisible and bidi characters as ``⟨U+200B⟩`` and count them by class.

    Kept: newline, tab, joiners inside emoji and in scripts that spell with them, one variation
    mark after a character that has variants, the three tag-built flags. CRLF becomes LF.
    """
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if _all_seen(text):
        return Escaped(text=text, counts=_NONE)
    counts: dict[str, int] = {}

    def write(found: re.Match[str]) -> str:
        run = found.group()
        before = text[found.start() - 1 : found.start()]
        after = text[found.end() : found.end() + 1]
        if len(run) <= 8 and _belongs(run, before=before, after=after):
            return run
        for char in run:
            name = _class_of(char)
            counts[name] = counts.get(name, 0) + 1
        return "".join(f"⟨U+{ord(char):04X}⟩" for char in run)

    escaped = _SUSPECT.sub(write, text)
    return Escaped(text=escaped, counts=MappingProxyType(counts) if counts else _NONE)


def drop_invisible(text: str) -> str:
    """Without everything that :func:`escape_invisible` could write out, emoji joiners too."""
    return text if _all_seen(text) else _SUSPECT.sub("", text)


def _all_seen(text: str) -> bool:
    """Quick, and sure when True; doubtful text goes the long way."""
    data = text.encode("utf-8", "surrogatepass")
    doubtful = data.translate(None, _HARMLESS_BYTES)
    if not doubtful:
        return True
    if text.isascii() or doubtful.translate(None, _MULTIBYTE):
        return False
    return not any(lead in doubtful and found.search(data) for lead, found in _SUSPECT_UTF8)


def _class_of(char: str) -> str:
    return next(name for name, pattern in _CLASS_OF if pattern.match(char))


def _belongs(run: str, *, before: str, after: str) -> bool:
    """Say whether the unseen run between two characters is part of ordinary writing."""
    if run[-1] == "\u200d" and run in {"\u200d", "\ufe0f\u200d"} and _EMOJI.match(before):
        return _EMOJI.match(after) is not None
    if len(run) > 1:
        return before == "\U0001f3f4" and run in _FLAGS
    if run in "\u200c\u200d":
        return _JOINING.match(before) is not None and (run == "\u200d" or _in_word(after))
    if run in _TEXT_OR_EMOJI and (_EMOJI.match(before) or (before and after == _KEYCAP)):
        return True
    if run == "\u2800":
        return bool(_BRAILLE.match(before) or _BRAILLE.match(after))
    return _class_of(run) == "variation" and _VARYING.match(before) is not None


def _in_word(char: str) -> bool:
    return _JOINING.match(char) is not None


# --- cutting -----------------------------------------------------------------------------------

_MAX_STEP_BACK: Final = 128  # longer clusters are hostile: cut between their code points


def cut_utf8(text: str, limit_bytes: int) -> str:
    """Longest beginning of ``text`` within ``limit_bytes`` of UTF-8, on a grapheme boundary.

    Never splits a surrogate pair, a combining sequence, a joined emoji, a flag, a Hangul syllable
    or CRLF; clusters above 128 code points are cut between code points.
    """
    if limit_bytes <= 0:
        return ""
    head = text[:limit_bytes]
    data = head.encode("utf-8", "surrogatepass")
    if len(data) <= limit_bytes:
        return head if len(head) == len(text) else head[: _step_back(text, len(head))]
    end = limit_bytes
    while data[end] & 0xC0 == 0x80:
        end -= 1
    kept = data[:end].decode("utf-8", "surrogatepass")
    return kept[: _step_back(text, len(kept))]


def cut_lines(text: str, limit_bytes: int) -> str:
    """Longest beginning of whole lines (with their newline) within ``limit_bytes`` of UTF-8.

    A first line that alone is too long is cut like :func:`cut_utf8`.
    """
    kept = cut_utf8(text, limit_bytes)
    if len(kept) == len(text) or text[len(kept)] == "\n":
        return kept
    newline = kept.rfind("\n")
    return kept if newline < 0 else kept[: newline + 1]


def _step_back(text: str, end: int) -> int:
    lowest = max(0, end - _MAX_STEP_BACK)
    for at in range(end, lowest, -1):
        if _is_boundary(text, at):
            return at
    return 0 if lowest == 0 and end < _MAX_STEP_BACK else end


def _is_boundary(text: str, at: int) -> bool:
    """Say whether a grapheme cluster may end before ``text[at]`` (``0 < at < len(text)``)."""
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if "\U0001f1e6" <= after <= "\U0001f1ff":
        return _flags_before(text, at) % 2 == 0
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return False
    return not (_extends(after) or _takes_next(text, at) or _joins_hangul(before, after))


def _flags_before(text: str, at: int) -> int:
    start = at
    while start and "\U0001f1e6" <= text[start - 1] <= "\U0001f1ff":
        start -= 1
    return at - start


def _extends(char: str) -> bool:
    return (
        unicodedata.category(char)[0] == "M"
        or char in "\u200c\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _takes_next(text: str, at: int) -> bool:
    """Say whether ``text[at]`` is bound to the joiner or virama before it."""
    before = text[at - 1]
    if before == "\u200d":
        return _EMOJI.match(text, at) is not None or _JOINING.match(text, at) is not None
    return unicodedata.combining(before) == 9 and unicodedata.category(text[at]) == "Lo"


def _joins_hangul(before: str, after: str) -> bool:
    if not ("\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3"):
        return False
    if "\u1160" <= after <= "\u11ff":
        return True
    leading = "\u1100" <= before <= "\u115f"
    return leading and ("\u1100" <= after <= "\u115f" or "\uac00" <= after <= "\ud7a3")


# --- folding for the comparison of quotes ------------------------------------------------------

_FOLDS: Final = (
    ("'", "‘’‚‛′‵ʹʻʼʽˈ´＇‹›"),
    ('"', "“”„‟″‶«»〝〞〟＂"),
    ("-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2e3a\u2e3b﹘﹣－"),
)
_UNEVEN_SPACE: Final = re.compile(r"\s{2,}|[^\S ]")
_COMPOSING: Final = frozenset(
    (*map(chr, range(0x1161, 0x1176)), *map(chr, range(0x11A8, 0x11C3)))
)  # Hangul vowels and finals compose although their combining class is 0


def fold(text: str) -> str:
    """Bring ``text`` into the form in which quotes are compared.

    NFC; typographic quotes and dashes become plain ones; each run of white space becomes one
    space, at both ends none.
    """
    if not text.isascii():
        text = _fold_signs(unicodedata.normalize("NFC", text))
    return " ".join(text.split())


def fold_with_map(text: str) -> Folded:
    """Fold like :func:`fold` and remember where each code point came from."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    left = len(composed) - len(composed.lstrip())
    right = max(left, len(composed.rstrip()))
    starts: list[int] = []
    parts: list[str] = []
    for space in _UNEVEN_SPACE.finditer(composed, left, right):
        parts += (composed[left : space.start()], " ")
        starts.extend(range(left, space.start() + 1))
        left = space.end()
    parts.append(composed[left:right])
    starts.extend(range(left, right + 1))
    folded = _fold_signs("".join(parts))
    if composed == text:
        return Folded(text=folded, starts=starts)
    return Folded(text=folded, starts=_through_composition(text, starts))


def _fold_signs(text: str) -> str:
    if text.isascii():
        return text
    for plain, signs in _FOLDS:
        for sign in signs:
            text = text.replace(sign, plain)
    return text


def _through_composition(text: str, starts: Sequence[int]) -> list[int]:
    """Lead offsets of the NFC form of ``text`` back to ``text``, cluster by cluster."""
    begins = [
        at for at, char in enumerate(text) if at == 0 or not _may_compose(char)
    ]  # each cluster composes for itself
    begins.append(len(text))
    composed_begins: list[int] = []
    length = 0
    for begin, end in pairwise(begins):
        composed_begins.append(length)
        length += len(unicodedata.normalize("NFC", text[begin:end]))
    composed_begins.append(length)
    return [_original(at, begins, composed_begins) for at in starts]


def _original(at: int, begins: Sequence[int], composed_begins: Sequence[int]) -> int:
    cluster = bisect_right(composed_begins, at) - 1
    offset = at - composed_begins[cluster]
    return min(begins[cluster] + offset, begins[min(cluster + 1, len(begins) - 1)])


def _may_compose(char: str) -> bool:
    return char >= "\u0300" and (unicodedata.category(char)[0] == "M" or char in _COMPOSING)
