"""The words of an extractive answer: at most three quotes with footnotes, or that none was found.

Owns form and bounds. Every quote is cut from a block exactly as it stands there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from browser_agent.logic.evidence import Candidate
from browser_agent.logic.nearness import bases_of, nearest
from browser_agent.logic.page_text import strip_bullet
from browser_agent.logic.question import Question

MAX_QUOTES = 3
MAX_CHARS = 600
MIN_QUOTE = 20
_FIRST_CHARS, _NEXT_CHARS = 230, 150
_LABEL_CHARS = 40
_LEAD, _PLAIN = "See also ", "See also passages "
_NUMBERING = re.compile(r"^(?:chapter\s+)?[\d.]+\s+", re.IGNORECASE)
_UNSAFE = re.compile(r"[\[\]\"“”.?!]")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Quote:
    """Exact words and the R number of the Result that holds them."""

    text: str
    result: int
    label: str = ""


def render_answer(question: Question, candidates: Sequence[Candidate]) -> str:
    """The best sentence, marks for the others, and a footnote for each."""
    quotes = _pick_quotes(question, candidates)
    body = f"{_as_sentence(quotes[0].text)} [1]"
    if len(quotes) > 1:
        body += f" {_point_to(quotes[1:])}."
    notes = [f'[{n}] R{quote.result} "{quote.text}"' for n, quote in enumerate(quotes, 1)]
    return "\n".join([body, *notes])


def render_not_found(titles: Sequence[str], unread: Sequence[str]) -> str:
    """That the pages read do not answer, which they were, and what else was seen."""
    text = "None of the pages read holds the answer."
    for words, names in (("Pages read", titles), ("Not read", unread)):
        listed = "; ".join(dict.fromkeys(name for name in names if name))
        if listed:
            text += f" {words}: {listed}."
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1].rsplit(";", 1)[0] + "."


def _point_to(quotes: Sequence[Quote]) -> str:
    """What the other quotes are about: their sections, each with its mark."""
    marks: dict[str, list[str]] = {}
    for number, quote in enumerate(quotes, 2):
        marks.setdefault(quote.label, []).append(f"[{number}]")
    if set(marks) == {""}:
        return _PLAIN + " and ".join(marks[""])
    named = [
        f"“{label}” {' '.join(own)}" if label else f"the passage {' '.join(own)}"
        for label, own in marks.items()
    ]
    return _LEAD + " and ".join(named)


def _label_of(candidate: Candidate) -> str:
    """The section a quote stands in. Not with figures: each one in a sentence with a mark must
    stand in its quote.
    """
    heading = candidate.block.headings[-1] if candidate.block.headings else ""
    label = _NUMBERING.sub("", heading).strip(" .:")
    is_fit = 2 < len(label) <= _LABEL_CHARS and not any(char.isdigit() for char in label)
    return label if is_fit and not _UNSAFE.search(label) else ""


def _as_sentence(text: str) -> str:
    text = text[:1].upper() + text[1:].rstrip(":;,")
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _pick_quotes(question: Question, candidates: Sequence[Candidate]) -> list[Quote]:
    quotes: list[Quote] = []
    room = MAX_CHARS
    for candidate in candidates:
        limit = _NEXT_CHARS if quotes else _FIRST_CHARS
        text = cut_quote(question, strip_bullet(candidate.sentence), limit)
        label = _label_of(candidate)
        cost = len(text) + len(label) + 34 if quotes else 2 * len(text) + 24
        if not _is_usable(text, candidate) or _repeats(text, quotes) or cost > room:
            continue
        quotes.append(Quote(text, candidate.block.part, label))
        room -= cost
        if len(quotes) == MAX_QUOTES:
            break
    return quotes


def _is_usable(text: str, candidate: Candidate) -> bool:
    whole = text == candidate.block.text.strip()  # shorter ones count as whole lines only
    return "\n" not in text and (len(text) >= MIN_QUOTE or whole)


def _repeats(text: str, quotes: Sequence[Quote]) -> bool:
    return any(text in quote.text or quote.text in text for quote in quotes)


def cut_quote(question: Question, sentence: str, limit: int) -> str:
    """The sentence, or the stretch of whole words of it that covers most of the question."""
    if len(sentence) <= limit:
        return sentence
    words = list(_WORD.finditer(sentence))
    worth = [_worth(question, word[0]) for word in words]
    best, best_span = -1.0, (0, 0)
    start = 0
    total = 0.0
    for end, word in enumerate(words):
        total += worth[end]
        while word.end() - words[start].start() > limit:
            total -= worth[start]
            start += 1
        if total > best + 1e-9:
            best, best_span = total, (words[start].start(), word.end())
    return sentence[best_span[0] : best_span[1]]


def _worth(question: Question, word: str) -> float:
    bases = bases_of(word)
    cover = max((term.weight * nearest(term, bases) for term in question.terms), default=0.0)
    return cover + (0.5 if any(char.isdigit() for char in word) else 0.0)
