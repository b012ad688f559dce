"""Words of a text: cut, folded, stemmed.

Owns Porter's stemming algorithm. Pure, and English at heart: words of other languages stay whole,
which still lets them match themselves.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")


def cut_words(text: str) -> list[str]:
    """The words of a text, lower case, without accents; ``e-mail`` and ``3.11`` stay whole."""
    return [_plain(word) for word in _WORD.findall(text)]


def cut_stems(text: str) -> list[str]:
    """The stems of every word and of the parts of compound ones, function words included."""
    stems: list[str] = []
    for word in cut_words(text):
        stems.append(stem(word))
        if not word.isalnum():
            stems.extend(stem(part) for part in _PART.findall(word) if len(part) > 1)
    return stems


@lru_cache(maxsize=65_536)
def _plain(word: str) -> str:
    word = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFKD", word)
    return "".join(char for char in parts if not unicodedata.combining(char))


_VOWELS = frozenset("aeiou")
_STEP2 = (
    *(("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize")),
    *(("abli", "able"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    *(("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive")),
    *(("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
)
_STEP3 = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic")),
    *(("ful", ""), ("ness", "")),
)
_STEP4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
    *("sion", "tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Porter's stem of a lower-case word; what is no plain English word stays as it is."""
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    for step in (_step1a, _step1b, _step1c, _step2, _step3, _step4, _step5):
        word = step(word)
    return word


def _shape(word: str) -> str:
    """``c`` and ``v`` for each letter; y is a vowel after a consonant."""
    shape = ""
    for char in word:
        is_vowel = char in _VOWELS or (char == "y" and shape.endswith("c"))
        shape += "v" if is_vowel else "c"
    return shape


def _measure(word: str) -> int:
    return len(re.findall("vc", re.sub(r"(.)\1+", r"\1", _shape(word))))


def _ends_cvc(word: str) -> bool:
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _step1a(word: str) -> str:
    for suffix, new in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(suffix):
            return word[: -len(suffix)] + new
    return word


def _step1b(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        base = word[: -len(suffix)]
        if word.endswith(suffix) and "v" in _shape(base):
            return _mend(base)
    return word


def _mend(base: str) -> str:
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if len(base) > 1 and base[-1] == base[-2] and base[-1] not in "aeioulsz":
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _ends_cvc(base) else base


def _step1c(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and "v" in _shape(word[:-1]) else word


def _step2(word: str) -> str:
    return _swap(word, _STEP2)


def _step3(word: str) -> str:
    return _swap(word, _STEP3)


def _swap(word: str, table: tuple[tuple[str, str], ...]) -> str:
    for suffix, new in table:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            return base + new if _measure(base) > 0 else word
    return word


def _step4(word: str) -> str:
    for suffix in sorted(_STEP4, key=len, reverse=True):
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            if suffix in {"sion", "tion"}:
                base += suffix[0]
            return base if _measure(base) > 1 else word
    return word


def _step5(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if _measure(base) > 1 or (_measure(base) == 1 and not _ends_cvc(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
