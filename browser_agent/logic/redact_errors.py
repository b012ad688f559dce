"""Secrets in exceptions: messages, arguments, attributes, notes, causes, contexts, groups.

Owns cleaning in place, and the substitute for exceptions that cannot be cleaned.
"""

from __future__ import annotations

from typing import Final, Protocol, cast

from browser_agent.errors import BrowserAgentError

_MAX_CHAIN: Final = 64
_ATTRIBUTES: Final = (
    "filename", "filename2", "strerror", "msg", "text", "doc", "object", "reason", "value", "code",
    "path", "name", "print_file_and_line",
)  # fmt: skip


class _Redacts(Protocol):
    def redact(self, value: object) -> object: ...

    def redact_text(self, text: str) -> str: ...


class RedactedError(BrowserAgentError):
    """Stands for an exception whose own text could not be cleaned; says its type and message."""

    code = "internal"


def redact_error(error: BaseException, redactor: _Redacts) -> BaseException:
    """``error`` cleaned in place, or a :class:`RedactedError` where its class prevents that."""
    return _Cleaning(redactor).clean(error)


class _Cleaning:
    __slots__ = ("_done", "_redactor")

    def __init__(self, redactor: _Redacts) -> None:
        self._redactor = redactor
        self._done: dict[int, BaseException] = {}

    def clean(self, error: BaseException) -> BaseException:
        """Clean one exception and everything that hangs on it; cycles and long chains end."""
        known = self._done.get(id(error))
        if known is not None:
            return known
        self._done[id(error)] = error
        self._clean_values(error)
        safe = self._with_clean_members(error)
        if safe is error and self._still_leaks(error):
            safe = self._substitute(error)
        self._done[id(error)] = safe
        self._clean_chain(error, safe)
        return safe

    def _clean_values(self, error: BaseException) -> None:
        clean_args = tuple(self._value(arg) for arg in error.args)
        if clean_args != error.args:
            error.args = clean_args
        for name, value in list(getattr(error, "__dict__", {}).items()):
            self._set(error, name, value)
        for name in _ATTRIBUTES:
            value = getattr(error, name, None)
            if isinstance(value, str | bytes):
                self._set(error, name, value)
        if isinstance(error, AttributeError):
            error.obj = None

    def _value(self, value: object) -> object:
        if isinstance(value, str | bytes | bytearray | dict | list | tuple):
            return self._redactor.redact(cast("object", value))
        return value

    def _set(self, error: BaseException, name: str, value: object) -> None:
        clean = self._value(value)
        if clean is value or clean == value:
            return
        try:
            setattr(error, name, clean)
        except (AttributeError, TypeError):
            return  # read-only: the text is checked afterwards

    def _with_clean_members(self, error: BaseException) -> BaseException:
        if not isinstance(error, BaseExceptionGroup):
            return error
        group = cast("BaseExceptionGroup[BaseException]", error)
        members = [self.clean(member) for member in group.exceptions]
        message = self._redactor.redact_text(group.message)
        changed = any(new is not old for new, old in zip(members, group.exceptions, strict=True))
        if not changed and message == group.message:
            return group
        return BaseExceptionGroup(message, members).with_traceback(group.__traceback__)

    def _still_leaks(self, error: BaseException) -> bool:
        try:
            shown = f"{error}\n{error!r}"
        except Exception:  # noqa: BLE001 - a hostile __str__ may raise anything; it is replaced
            return True
        return self._redactor.redact_text(shown) != shown

    def _substitute(self, error: BaseException) -> BaseException:
        try:
            message = self._redactor.redact_text(str(error))
        except Exception:  # noqa: BLE001 - a hostile __str__ may raise anything; its type is kept
            message = "no message"
        name = type(error).__name__
        return RedactedError(f"{name}: {message}").with_traceback(error.__traceback__)

    def _clean_chain(self, error: BaseException, safe: BaseException) -> None:
        notes = cast("object", getattr(error, "__notes__", None))
        if isinstance(notes, list):
            texts = cast("list[object]", notes)
            safe.__notes__ = [self._redactor.redact_text(str(note)) for note in texts]
        deep = len(self._done) >= _MAX_CHAIN
        suppressed = error.__suppress_context__
        cause, context = error.__cause__, error.__context__
        safe.__cause__ = self.clean(cause) if cause is not None and not deep else None
        safe.__context__ = self.clean(context) if context is not None and not deep else None
        safe.__suppress_context__ = suppressed
