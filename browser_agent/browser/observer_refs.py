"""Refs of a session: dense numbers over all its tabs and documents, never given twice.

Owns the table from ``e12`` to a document and a number in it. Whether an element is still there is
asked in the page, not here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Frame

_DOCUMENTS_KEPT = 300
_REF = re.compile(r"e([1-9][0-9]{0,11})\Z")


@dataclass(slots=True, eq=False)
class _Document:
    owner: object
    frame: Frame
    numbers: dict[int, str] = field(default_factory=dict[int, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """Where a ref was issued: the observer, frame and document, and its number there."""

    owner: object
    frame: Frame
    document: str
    number: int


class RefTable:
    """Numbers of a session's refs: dense, shared by its tabs, never given twice."""

    def __init__(self) -> None:
        self._documents: dict[str, _Document] = {}
        self._issued: list[tuple[str, int]] = []

    @property
    def count(self) -> int:
        """How many refs were given so far; they are ``e1`` … ``e<count>``."""
        return len(self._issued)

    def numbering(self, owner: object, frame: Frame, document: str) -> Callable[[int], str]:
        """What turns a number of this document into a ref of the session."""
        known = self._documents.pop(document, None) or _Document(owner=owner, frame=frame)
        self._documents[document] = known  # the latest stands last
        while len(self._documents) > _DOCUMENTS_KEPT:
            self._documents.pop(next(iter(self._documents)))
        numbers, issued = known.numbers, self._issued

        def number(local: int) -> str:
            ref = numbers.get(local)
            if ref is None:
                issued.append((document, local))
                ref = numbers[local] = f"e{len(issued)}"
            return ref

        return number

    def find(self, ref: str) -> Issued | None:
        """Where ``ref`` was issued; None when it never was. A forgotten document is None too."""
        found = _REF.match(ref)
        if found is None or int(found.group(1)) > len(self._issued):
            return None
        document, number = self._issued[int(found.group(1)) - 1]
        known = self._documents.get(document)
        if known is None:
            return None
        return Issued(owner=known.owner, frame=known.frame, document=document, number=number)

    def was_issued(self, ref: str) -> bool:
        """Whether ``ref`` was ever given in this session."""
        found = _REF.match(ref)
        return found is not None and int(found.group(1)) <= len(self._issued)
