"""Ranking by SQLite's FTS5: which blocks of what was read may answer, which links to follow.

Owns the in-memory index and the words of its queries. It judges no sentence; that is ``logic``'s
evidence.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing

from browser_agent.logic.question import Question, Term

_TOKENIZER = "tokenize = 'porter unicode61 remove_diacritics 2'"
_RELATED_PER_TERM = 12


def match_query(terms: Iterable[Term], *, related: bool = True) -> str:
    """An FTS5 query: every word quoted, joined with OR; empty when there is nothing to ask."""
    words: dict[str, None] = {}
    for term in terms:
        words[term.word] = None
        words[term.base] = None
        if related:
            near = sorted(term.near.items(), key=lambda pair: (-pair[1], pair[0]))
            words.update((word, None) for word, _ in near[:_RELATED_PER_TERM])
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)


def rank_rows(
    question: Question,
    rows: Sequence[Sequence[str]],
    *,
    weights: Sequence[float],
    limit: int,
    related: bool = True,
) -> list[tuple[int, float]]:
    """Index numbers of the best rows with their BM25 (higher is better), at most ``limit``.

    A row holds one text for each weight. Rows without any word of the question are left out.
    """
    query = match_query(question.terms, related=related)
    if not query or not rows:
        return []
    columns = ", ".join(f"c{number}" for number in range(len(weights)))
    places = ", ".join("?" for _ in weights)
    factors = ", ".join(str(float(weight)) for weight in weights)
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE VIRTUAL TABLE t USING fts5({columns}, {_TOKENIZER})")
        base.executemany(f"INSERT INTO t VALUES ({places})", rows)  # noqa: S608 - only ? stands in it
        found = base.execute(
            f"SELECT rowid, -bm25(t, {factors}) AS s FROM t WHERE t MATCH ?"  # noqa: S608 - numbers
            " ORDER BY s DESC, rowid LIMIT ?",
            (query, limit),
        )
        return [(int(rowid) - 1, float(score)) for rowid, score in found]
