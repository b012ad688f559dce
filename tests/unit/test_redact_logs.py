"""A log record leaves without secrets, whatever a formatter makes of it afterwards."""

from __future__ import annotations

import io
import logging

from browser_agent.logic.redact import Redactor
from browser_agent.logic.redact_logs import RedactingFilter

PASSWORD = "hunter2&Out/Q9Jf+x?"
TOKEN = "q7Wm2ZxK9bTr4LpVn8Hd3FsY6cJg5Ae1"


def _logger() -> tuple[logging.Logger, list[logging.LogRecord], io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s %(threadName)s"))
    handler.addFilter(RedactingFilter(Redactor(secrets={"pw": PASSWORD})))
    records: list[logging.LogRecord] = []
    handler.addFilter(lambda record: records.append(record) or True)
    logger = logging.Logger("test", logging.DEBUG)  # noqa: LOG001 - stays out of the registry
    logger.addHandler(handler)
    return logger, records, stream


def test_message_and_arguments_are_redacted() -> None:
    logger, records, stream = _logger()
    logger.info("login %s with %s", "bob", PASSWORD)
    assert records[0].getMessage() == "login bob with [REDACTED:pw]"
    assert records[0].args is None
    assert "INFO login bob with [REDACTED:pw]" in stream.getvalue()


def test_exceptions_and_stacks_become_redacted_text() -> None:
    logger, records, stream = _logger()
    try:
        raise ValueError(PASSWORD)
    except ValueError:
        logger.exception("failed for %r", {"password": "letmein99"}, stack_info=True)
    record = records[0]
    assert record.exc_info is None
    assert "ValueError: [REDACTED:pw]" in (record.exc_text or "")
    assert PASSWORD not in str(record.__dict__) + stream.getvalue()
    assert "letmein99" not in stream.getvalue()


def test_extra_fields_are_redacted_by_their_names() -> None:
    logger, records, _ = _logger()
    logger.info("request", extra={"headers": {"Cookie": f"a={TOKEN}"}, "api_key": TOKEN, "n": 3})
    record = records[0].__dict__
    assert record["headers"] == {"Cookie": "a=[REDACTED:cookie]"}
    assert record["api_key"] == "[REDACTED:key]"
    assert record["n"] == 3


def test_structured_messages_keep_their_shape() -> None:
    logger, records, _ = _logger()
    logger.info({"event": "typed", "value": PASSWORD})
    assert records[0].msg == {"event": "typed", "value": "[REDACTED:pw]"}


def test_hostile_arguments_do_not_end_the_program() -> None:
    class Hostile:
        def __str__(self) -> str:
            raise RuntimeError(PASSWORD)

    logger, records, stream = _logger()
    logger.info("%s", Hostile())
    logger.info("%d", "not a number")
    assert "could not be formatted (RuntimeError)" in records[0].getMessage()
    assert "could not be formatted (TypeError)" in records[1].getMessage()
    assert PASSWORD not in stream.getvalue()


def test_the_redactor_of_a_filter_can_be_replaced_while_it_is_in_use() -> None:
    redacting = RedactingFilter(Redactor())
    redacting.redactor = redacting.redactor.with_secrets({"later": "typed-later-1"})
    record = logging.makeLogRecord({"msg": "typed-later-1"})
    assert redacting.filter(record)
    assert record.getMessage() == "[REDACTED:later]"
