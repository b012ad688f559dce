"""Secrets in log records: message, arguments, exception, stack, extra fields.

Owns the filter that every handler of the package carries.
"""

from __future__ import annotations

import logging
from typing import Final, cast

from browser_agent.logic.redact import Redactor

_STANDARD: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}
_NAMES: Final = ("threadName", "processName", "taskName", "funcName")


class RedactingFilter(logging.Filter):
    """Cleans a record in place and lets it pass.

    Put it on handlers, not on loggers: a logger's filter does not see what its children log.
    ``redactor`` may be replaced at any time (values are registered while a session runs).
    """

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self.redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        """Always True; afterwards the record holds its final text and no exception object."""
        redact_text = self.redactor.redact_text
        record.msg, record.args = self._message(record), None
        if record.exc_info:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
            record.exc_info = None
        if record.exc_text:
            record.exc_text = redact_text(record.exc_text)
        if record.stack_info:
            record.stack_info = redact_text(record.stack_info)
        for name, value in list(record.__dict__.items()):
            if name not in _STANDARD:
                record.__dict__[name] = self._extra(name, value)
            elif name in _NAMES and isinstance(value, str):
                record.__dict__[name] = redact_text(value)
        return True

    def _extra(self, name: str, value: object) -> object:
        clean = cast("dict[str, object]", self.redactor.redact({name: value}))
        return next(iter(clean.values()))

    def _message(self, record: logging.LogRecord) -> object:
        if not record.args and not isinstance(record.msg, str):
            return self.redactor.redact(record.msg)
        try:
            return self.redactor.redact_text(record.getMessage())
        except Exception as error:  # noqa: BLE001 - hostile arguments must not end the program
            return f"log message that could not be formatted ({type(error).__name__})"
