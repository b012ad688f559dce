"""The recorder of a run: joins the page half, the model half and the files they go to."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import cast

from browser_agent.browser.taping import NetworkRecorder
from browser_agent.models.recorded import RecordingModel
from browser_agent.ports import Model, Redacts
from browser_agent.store.recording import RecordingWriter, open_recording

_VERSIONS = ("browser-agent-kit", "playwright")


class RunRecorder:
    """Records one run into ``recording/`` below its folder."""

    def __init__(self, writer: RecordingWriter, redactor: Redacts) -> None:
        self._writer = writer
        self._redactor = redactor
        self._tape = NetworkRecorder(writer)

    @property
    def tape(self) -> NetworkRecorder:
        """What the session is opened with."""
        return self._tape

    def model(self, inner: Model) -> Model:
        """A model that answers as ``inner`` does and writes it down."""
        return RecordingModel(inner, self._writer, self._redactor)

    def begin(self, plan: Mapping[str, object]) -> None:
        """Write settings, clock, seed and versions, redacted."""
        clean = cast("Mapping[str, object]", self._redactor.redact(dict(plan)))
        self._writer.write_meta(
            {
                "plan": clean,
                "clock_ms": self._tape.start_ms,
                "seed": self._tape.seed,
                "versions": {"python": sys.version.split()[0], **_versions()},
            }
        )

    def close(self) -> None:
        """Finish the recording."""
        self._writer.close()


def open_recorder(folder: str | Path, redactor: Redacts) -> RunRecorder:
    """Begin to record the run of this folder."""
    return RunRecorder(open_recording(folder), redactor)


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
