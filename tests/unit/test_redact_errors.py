"""No message, argument, note, cause, context, group or pickle of an exception holds a secret."""

from __future__ import annotations

import json
import pickle
import traceback
from typing import cast

import pytest
from pydantic import BaseModel, ValidationError

from browser_agent.errors import BrowserError, ToolError
from browser_agent.logic.redact import Redactor
from browser_agent.logic.redact_errors import RedactedError

PASSWORD = "hunter2&Out/Q9Jf+x?"
REDACTOR = Redactor(secrets={"pw": PASSWORD})


def _shown(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)) + repr(error)


def _raised(error: BaseException) -> BaseException:
    try:
        raise error
    except type(error) as caught:
        return caught


def test_a_message_is_cleaned_and_the_exception_stays_the_same_one() -> None:
    error = _raised(ToolError(f"bad login for bob/{PASSWORD}", retryable=True))
    clean = REDACTOR.redact_exception(error)
    assert clean is error
    assert str(clean) == "bad login for bob/[REDACTED:pw]"
    assert clean.retryable is True  # type: ignore[attr-defined]
    assert clean.__traceback__ is not None


def test_arguments_and_attributes_are_cleaned() -> None:
    error = BrowserError(PASSWORD, hint=f"try {PASSWORD}", result={"password": PASSWORD})
    error.args = (PASSWORD, {"a": [PASSWORD]}, 7)
    clean = REDACTOR.redact_exception(error)
    assert clean.args == ("[REDACTED:pw]", {"a": ["[REDACTED:pw]"]}, 7)
    assert clean.hint == "try [REDACTED:pw]"  # type: ignore[attr-defined]
    assert PASSWORD not in pickle.dumps(clean).decode("latin-1")


def test_causes_contexts_and_notes_are_cleaned() -> None:
    def fail() -> None:
        try:
            raise KeyError(PASSWORD)
        except KeyError as first:
            try:
                raise OSError(2, "no file", f"/tmp/{PASSWORD}")
            except OSError as second:
                second.add_note(f"note {PASSWORD}")
                raise ToolError(f"top {PASSWORD}") from first

    with pytest.raises(ToolError) as caught:
        fail()
    error = caught.value
    clean = REDACTOR.redact_exception(error)
    assert isinstance(clean.__cause__, KeyError)
    assert isinstance(clean.__context__, OSError)
    assert clean.__context__.filename == "/tmp/[REDACTED:pw]"
    assert clean.__context__.__notes__ == ["note [REDACTED:pw]"]
    assert PASSWORD not in _shown(clean)


def test_groups_are_cleaned_with_their_members() -> None:
    group = ExceptionGroup(f"two {PASSWORD}", [ValueError(PASSWORD), TypeError("fine")])
    clean = REDACTOR.redact_exception(group)
    assert isinstance(clean, ExceptionGroup)
    parts = cast("ExceptionGroup[Exception]", clean).exceptions
    assert [one.__class__ for one in parts] == [ValueError, TypeError]
    assert PASSWORD not in _shown(cast("BaseException", clean))


class Login(BaseModel):
    pin: int


def _validation_error() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Login.model_validate({"pin": PASSWORD})
    return caught.value


class Hostile(Exception):  # noqa: N818 - named for what it does
    def __str__(self) -> str:
        raise RuntimeError(PASSWORD)


class Stubborn(Exception):  # noqa: N818 - named for what it does
    @property
    def secret(self) -> str:
        return PASSWORD

    def __str__(self) -> str:
        return f"stubborn {self.secret}"


@pytest.mark.parametrize("error", [_validation_error(), Hostile("x"), Stubborn()])
def test_what_cannot_be_cleaned_is_replaced_by_its_type_and_message(error: Exception) -> None:
    clean = REDACTOR.redact_exception(error)
    assert isinstance(clean, RedactedError)
    assert type(error).__name__ in str(clean)
    assert PASSWORD not in _shown(clean)


def test_a_cause_that_cannot_be_cleaned_is_replaced_in_its_chain() -> None:
    error = ToolError("top")
    error.__cause__ = Stubborn()
    assert isinstance(REDACTOR.redact_exception(error).__cause__, RedactedError)
    assert PASSWORD not in _shown(error)


def test_errors_that_carry_the_text_they_failed_on_are_cleaned() -> None:
    errors: list[Exception] = []
    for fail in (lambda: json.loads(f'{{"a": {PASSWORD}'), f"{PASSWORD}\ud800".encode):
        try:
            fail()
        except ValueError as error:
            errors.append(error)
    assert len(errors) == 2
    for error in errors:
        clean = REDACTOR.redact_exception(error)
        assert PASSWORD not in _shown(clean)
        assert PASSWORD not in str(vars(clean))
        assert PASSWORD not in str(getattr(clean, "object", ""))


def test_chains_that_bite_their_tail_end() -> None:
    first, second = ValueError(PASSWORD), ValueError("x")
    first.__cause__, second.__cause__ = second, first
    assert PASSWORD not in str(REDACTOR.redact_exception(first))


def test_clean_exceptions_are_left_alone() -> None:
    error = ValueError("nothing to hide", 3)
    assert REDACTOR.redact_exception(error) is error
    assert error.args == ("nothing to hide", 3)
