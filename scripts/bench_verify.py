"""Measures ``verify`` of a long run: 10,000 events, 500 results with captures, cited.

The check runs in a process of its own, so that its memory is told apart from the writing
(peak resident memory from /proc: Linux only).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from browser_agent import Citation, Result, RobotResult
from browser_agent.store.run_folder import open_run_folder

EVENTS = 10_000
CAPTURES = 500
CAPTURE_BYTES = 100_000
RESULT_CHARS = 4_000

CHECK = """
import json, pathlib, sys, time
from browser_agent import verify_run
def peak():  # ru_maxrss would hold the parent's peak
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024
before = peak()
started = time.perf_counter()
found = verify_run(sys.argv[1])
took = time.perf_counter() - started
after = peak()
print(json.dumps({"ok": found.ok, "events": found.events, "blobs": found.blobs,
    "citations_verified": found.citations_verified, "seconds": round(took, 2),
    "added_MB": round(after - before, 1), "problems": found.problems[:3]}))
"""


def write_run(folder: Path) -> None:
    pages = [_page(number) for number in range(CAPTURES)]
    citations = [_citation(number, page) for number, page in enumerate(pages)]
    result = RobotResult(
        "bench",
        [{"role": "assistant", "content": "Each tower was measured."}],
        results=pages,
        citations=citations,
    )
    with open_run_folder(folder) as run:
        for number, page in enumerate(pages):
            run.blobs.put(page.preimage())
            run.blobs.put(f"capture {number} ".encode().ljust(CAPTURE_BYTES, b"x"))
        for number in range(EVENTS):
            run.log.append("turn", {"number": number, "text": "a line of an event " * 10})
        run.finish(result)


def _quote(number: int) -> str:
    return f"The tower number {number} is 45 m tall"


def _page(number: int) -> Result:
    return Result.ok(data={"text": _quote(number) + ". " + "It stands. " * (RESULT_CHARS // 11)})


def _citation(number: int, page: Result) -> Citation:
    quote = _quote(number)
    return Citation(
        claim=quote,
        quote=quote,
        result=number + 1,
        operation_id=page.operation_id,
        digest=page.digest,
        pointer="/text",
        start=0,
        end=len(quote),
        verified=True,
    )


def main(rounds: int) -> dict[str, object]:
    """The checks of one run folder, each in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        write_run(run)
        command = [sys.executable, "-c", CHECK, str(run)]
        checks = [
            json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            for _ in range(rounds)
        ]
    return {"verify": checks}
