"""Secrets are taken out of text by value and by shape, and ordinary text is left alone."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from browser_agent import Redactor
from browser_agent.errors import InvalidInput
from browser_agent.records.policy import Secret

ROOT = Path(__file__).resolve().parents[2]
JOINER = "\u241f"
TOKEN = "q7Wm2ZxK9bTr4LpVn8Hd3FsY6cJg5Ae1"
PASSWORD = "hunter2&Out/Q9Jf+x?"
REDACTOR = Redactor(secrets={"site_password": PASSWORD, "word": "sunflower", "odd": "REDACTED"})


class Case(NamedTuple):
    kind: str
    text: str
    gone: list[str]
    kept: list[str]
    registered: list[str]
    dialect: bool = False


def _joined(value: str) -> str:
    return value.replace(JOINER, "")


def _fixture_cases() -> list[Case]:
    lines = (ROOT / "fixtures" / "secrets.jsonl").read_text("utf-8").splitlines()
    return [
        Case(
            kind=row["kind"],
            text=_joined(row["text"]),
            gone=[_joined(one) for one in row.get("gone", [])],
            kept=row.get("kept", []),
            registered=[_joined(one) for one in row.get("registered", [])],
        )
        for row in map(json.loads, lines)
    ]


def _outside_cases() -> list[Case]:
    """More cases, where the folder beside the repository holds them."""
    path = ROOT.parent / "shared" / "cases" / "secrets.jsonl"
    if not path.exists():
        return []
    cases: list[Case] = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        join = row.get("join") or JOINER
        strings = {
            key: [one.replace(join, "") for one in row.get(key, [])]
            for key in ("must_not_contain", "must_keep", "registered")
        }
        cases.append(
            Case(
                row["kind"],
                row["text"].replace(join, ""),
                strings["must_not_contain"],
                strings["must_keep"] if row["kind"] == "secret" else [],
                strings["registered"],
                bool(row.get("dialect")),
            )
        )
    return cases


CASES = [*_fixture_cases(), *_outside_cases()]
BENIGN = [case.text for case in CASES if case.kind == "benign"]
TEXTS = [case.text for case in CASES]


def _problems(case: Case) -> list[str]:
    redactor = Redactor(secrets=case.registered)
    clean = redactor.redact_text(case.text)
    nested = json.dumps(redactor.redact({"a": [case.text, {"b": case.text}]}), ensure_ascii=False)
    problems = [f"leaks {one}" for one in case.gone if one in clean or one in nested]
    problems += [f"lost {one}" for one in case.kept if one not in clean]
    if case.kind == "benign" and clean != case.text:
        problems.append("changed benign text")
    if redactor.redact_text(clean) != clean:
        problems.append("not idempotent")
    return problems


def test_every_case_of_the_set_holds() -> None:
    failed = {case.text: found for case in CASES if (found := _problems(case)) and not case.dialect}
    assert failed == {}


def test_the_case_set_is_not_empty_and_holds_both_kinds() -> None:
    assert len(BENIGN) > 200
    assert len(CASES) - len(BENIGN) > 500


def test_no_credential_stands_whole_in_the_fixture() -> None:
    lines = (ROOT / "fixtures" / "secrets.jsonl").read_text("utf-8").splitlines()
    whole = [case.gone for case, line in zip(_fixture_cases(), lines, strict=True)
             if any(len(one) > 11 and one in line for one in case.gone)]  # fmt: skip
    assert whole == []


def test_clean_text_comes_back_as_the_same_object() -> None:
    text = "Nothing to hide here, 12 pages of it."
    assert REDACTOR.redact_text(text) is text


def test_the_kind_of_a_named_secret_is_its_name() -> None:
    assert REDACTOR.redact_text(f"typed {PASSWORD} twice") == "typed [REDACTED:site_password] twice"


def test_a_name_that_could_forge_a_placeholder_is_not_written() -> None:
    assert Redactor(secrets={"a]b": PASSWORD}).redact_text(PASSWORD) == "[REDACTED:secret]"


def test_values_of_secret_records_are_registered() -> None:
    redactor = Redactor(secrets=[Secret(PASSWORD, origins=["https://a.example"])])
    assert redactor.redact_text(PASSWORD) == "[REDACTED:secret]"


def test_later_values_make_a_new_redactor_and_leave_the_old_one() -> None:
    later = REDACTOR.with_secrets({"typed": "correct horse battery"})
    assert later.redact_text("x correct horse battery y") == "x [REDACTED:typed] y"
    assert REDACTOR.redact_text("x correct horse battery y") == "x correct horse battery y"
    assert later.redact_text(PASSWORD) == "[REDACTED:site_password]"


def test_many_later_values_are_all_known() -> None:
    redactor = REDACTOR
    for number in range(12):
        redactor = redactor.with_secrets({f"s{number}": f"value-{number:02}-of-many"})
    text = " ".join(f"value-{number:02}-of-many" for number in range(12))
    assert redactor.redact_text(text) == " ".join(f"[REDACTED:s{number}]" for number in range(12))


def test_short_values_are_masked_only_where_they_were_entered() -> None:
    redactor = Redactor(secrets={"pin_code": "4821"})
    assert redactor.redact_text("4821 items") == "4821 items"
    assert redactor.mask_entered("4821") == "[REDACTED:pin_code]"


@pytest.mark.parametrize("wrong", ["one string", 5, [7], {"a": 1}])
def test_secrets_of_the_wrong_shape_are_refused(wrong: object) -> None:
    with pytest.raises((InvalidInput, TypeError)):
        Redactor(secrets=wrong)  # type: ignore[arg-type]


def test_a_redactor_shows_and_pickles_no_secret() -> None:
    assert PASSWORD not in repr(REDACTOR)
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(REDACTOR)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://bob:s3cret@a.example/p?q=1", "https://a.example/p?q=1"),
        ("https://bob@a.example/p", "https://a.example/p"),
        ("http://127.0.0.1:8000/docs", "http://127.0.0.1:8000/docs"),
        (
            f"https://a.example/?x=1&code={TOKEN}&y=2",
            "https://a.example/?x=1&code=[REDACTED:code]&y=2",
        ),
        (
            f"https://a.example/#access_token={TOKEN}",
            "https://a.example/#access_token=[REDACTED:token]",
        ),
        ("https://medium.example/@user", "https://medium.example/@user"),
    ],
)
def test_urls_lose_userinfo_and_secret_parameters(url: str, expected: str) -> None:
    assert REDACTOR.redact_url(url) == expected


def test_a_page_cannot_make_a_placeholder_grow() -> None:
    redactor = Redactor(secrets={"x": "REDACTED", "y": "password1", "password1": "pass-word-1"})
    text = "[REDACTED:password1] REDACTED [REDACTED: password1"
    clean = redactor.redact_text(text)
    assert redactor.redact_text(clean) == clean
    assert clean.startswith("[REDACTED:password1] [REDACTED:x] ")


BAIT = [
    "a", "eyJ", "sk-", "password:", "token=", "Cookie: path=/; ", "-----BEGIN PRIVATE KEY-----",
    "://a:", '"value":"', "%25", "\\u0041", "4111 ", "[REDACTED:", "aG9s", "<password>", "\u200b",
    "Authorization: Digest a=b ", "token: |\n x\n", "&#", "ey.", "A" * 60 + "\n",
]  # fmt: skip


@pytest.mark.parametrize("fragment", BAIT)
def test_hostile_repetition_is_redacted_to_a_fixed_point(fragment: str, *, long_run: bool) -> None:
    text = fragment * ((1_000_000 if long_run else 12_000) // len(fragment))
    clean = REDACTOR.redact_text(text)
    assert REDACTOR.redact_text(clean) == clean


def _slice_of(text: str, start: int, length: int) -> str:
    return text[start : start + length]


SIGNS = [
    "[REDACTED:password]", "[REDACTED:", "password", "token", ": ", "=", '"', "'", "\n", "://", "@",
    "&", "%3D", "\\", "ghp_", "eyJ", "Cookie: ", "a=b; ", "Bearer ", "<", ">", "{", "}", "[", "]",
    "\u200b", "ｐ", "é", "\ud800", "|", PASSWORD, "sunflower",
]  # fmt: skip
FRAGMENTS = st.one_of(
    st.sampled_from(TEXTS),
    st.builds(_slice_of, st.sampled_from(TEXTS), st.integers(0, 40), st.integers(0, 160)),
    st.sampled_from(SIGNS),
    st.text(st.characters(codec=None, exclude_categories=()), max_size=20),
)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


def _fuzz(count: int, fragments: st.SearchStrategy[str]) -> None:
    @settings(max_examples=count, deadline=None, suppress_health_check=SLOW)
    @given(st.lists(fragments, min_size=1, max_size=8).map("".join))
    def check(text: str) -> None:
        clean = REDACTOR.redact_text(text)
        assert REDACTOR.redact_text(clean) == clean
        assert PASSWORD not in clean
        assert clean != "[REDACTED:text]"

    check()


def test_any_mixture_is_redacted_once_and_for_all(*, long_run: bool) -> None:
    _fuzz(10_000 if long_run else 250, FRAGMENTS)


def _benign_mixture(count: int) -> None:
    @settings(max_examples=count, deadline=None, suppress_health_check=SLOW)
    @given(st.lists(st.sampled_from(BENIGN), min_size=1, max_size=6))
    def check(texts: list[str]) -> None:
        text = "\n\nand next to it\n\n".join(texts)
        assert Redactor().redact_text(text) == text

    check()


def test_benign_texts_stay_untouched_in_company(*, long_run: bool) -> None:
    _benign_mixture(10_000 if long_run else 100)


@pytest.mark.parametrize(
    "text",
    [
        "Password\nintegrity=sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "<label>Password</label> <input>\nintegrity=sha256-47DEQpj8HBSa+/TImW+5JCeuQ=",
        "Forgot your password\nversion=Build7741-a9c3f1",
    ],
)
def test_a_pair_on_the_line_after_a_label_is_its_own(text: str) -> None:
    assert Redactor().redact_text(text) == text
    assert "Tr0ub4dor&3x" not in Redactor().redact_text("Password\nTr0ub4dor&3x")
