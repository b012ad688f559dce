"""What the documentation names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(), re.MULTILINE)
}


@pytest.mark.parametrize("path", [ROOT / "docs" / "semantics.md", ROOT / "SECURITY.md"], ids=str)
def test_every_test_that_a_document_names_exists(path: Path) -> None:
    named = set(re.findall(r"\b(test_\w+)\b(?!\.py)", path.read_text()))
    assert named
    assert named - TESTS == set()


def test_every_row_of_the_capabilities_has_a_test_or_says_why_not() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|\n ").split("|")]
        for line in (ROOT / "docs" / "semantics.md").read_text().splitlines()
        if line.startswith("| ") and "---" not in line
    ]
    assert len(rows) > 100
    bare = [row[0] for row in rows if len(row) < 2 or not all(row)]
    assert bare == []
