"""The recorder of a run: joins the page half, the model half and the files they go to."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import cast

from browser_agent.browser.taping import NetworkRecorder
from browser_agent.logic.redact_steady import Steady
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
        self._steady = Steady(lambda: redactor)
        self._own: set[str] = set()
        self._meta: dict[str, object] | None = None

    @property
    def tape(self) -> NetworkRecorder:
        """What the session is opened with."""
        return self._tape

    def model(self, inner: Model) -> Model:
        """A model that answers as ``inner`` does and writes it down."""
        return RecordingModel(inner, self._writer, self._redactor, self._steady)

    def begin(self, plan: Mapping[str, object]) -> None:
        """Write settings, clock, seed and versions, redacted."""
        fields = dict(plan)
        browser = cast("dict[str, object]", fields.pop("browser", {}))
        stand_ins = browser.pop("stand_ins", [])  # placeholders and names: no rule reads them right
        clean = cast("Mapping[str, object]", self._redactor.redact({**fields, "browser": browser}))
        tools = cast("list[Mapping[str, object]]", fields.get("own_tools", []))
        self._own = {str(tool["name"]) for tool in tools}
        self._meta = {
            "plan": clean,
            "stand_ins": stand_ins,
            "clock_ms": self._tape.start_ms,
            "seed": self._tape.seed,
            "versions": {"python": sys.version.split()[0], **_versions()},
        }
        self._writer.write_meta(self._meta)

    def add_tool(self, name: str, outcome: Mapping[str, object]) -> None:
        """Keep what a tool of the operator gave or raised."""
        if name in self._own:
            told = cast("Mapping[str, object]", self._steady.value(dict(outcome)))
            self._writer.add_tool({"kind": "tool", "name": name, **told})

    def add_approval(self, answer: str) -> None:
        """Keep what an approver answered."""
        self._writer.add_tool({"kind": "approval", "answer": answer})

    def close(self) -> None:
        """Finish the recording."""
        self._writer.rewrite_replies(self._steady.value)  # what was typed may be known by now
        if self._meta is not None:
            placeholders = {**self._tape.placeholders, **self._steady.placeholders}
            self._writer.write_meta({**self._meta, "placeholders": placeholders})
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
