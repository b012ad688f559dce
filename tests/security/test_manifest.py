"""SECURITY.md and the tests agree: promises name tests that exist, security tests claim promises.

Claims: none; this file holds the others to theirs.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROMISES = tuple(f"P{number}" for number in range(1, 11))
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "tests/security").glob("test_*.py")
    if path != Path(__file__).resolve()
)


def named_tests(text: str) -> dict[str, list[str]]:
    """The tests that stand under each promise, as ``file::function``."""
    found: dict[str, list[str]] = {}
    for section in re.split(r"(?m)^#{2,3} ", text)[1:]:
        heading = re.match(r"(P\d+):", section)
        if heading is not None:
            found[heading.group(1)] = re.findall(r"(?m)^- `(tests/[^`\s]+)`$", section)
    return found


@cache
def functions_of(path: Path) -> frozenset[str]:
    """The tests of a module; none when there is no such file."""
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in tree.body if isinstance(node, kinds))


def claims_of(source: str) -> set[str]:
    """The promises that a module claims in the last line of its docstring."""
    told = re.search(
        r"(?m)^Claims: (P\d+(?:, P\d+)*)\.$", ast.get_docstring(ast.parse(source)) or ""
    )
    return set() if told is None else set(told.group(1).split(", "))


def missing(tests: list[str]) -> list[str]:
    """The named tests that do not exist."""
    split = [(name, *name.partition("::")[::2]) for name in tests]
    return [name for name, path, function in split if function not in functions_of(ROOT / path)]


NAMED = named_tests((ROOT / "SECURITY.md").read_text("utf-8"))


def test_the_promises_are_these() -> None:
    assert tuple(NAMED) == PROMISES


@pytest.mark.parametrize("promise", PROMISES)
def test_each_promise_names_tests_that_exist(promise: str) -> None:
    assert NAMED[promise], f"no test stands under {promise}"
    assert missing(NAMED[promise]) == []


@pytest.mark.parametrize("file", FILES)
def test_each_security_test_claims_promises_that_name_it(file: str) -> None:
    claims = claims_of((ROOT / file).read_text("utf-8"))
    assert claims, f"{file}: end its docstring with a line 'Claims: P1.'"
    named = {
        promise for promise, tests in NAMED.items() if any(t.startswith(f"{file}::") for t in tests)
    }
    assert claims == named, f"{file} and SECURITY.md name different promises"


def test_the_manifest_notices_what_is_missing() -> None:
    assert missing(["tests/none.py::test_x", "tests/security/test_manifest.py::test_x"]) == [
        "tests/none.py::test_x",
        "tests/security/test_manifest.py::test_x",
    ]
    assert claims_of('"""Says nothing."""') == set()
    assert claims_of('"""Says.\n\nClaims: P1, P6.\n"""') == {"P1", "P6"}
    assert named_tests(
        "## A\n### P3: x\n- `tests/a.py::test_b`\n## C\n- `tests/d.py::test_e`\n"
    ) == {"P3": ["tests/a.py::test_b"]}
