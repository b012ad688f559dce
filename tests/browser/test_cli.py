"""The command line, as a shell sees it: output, exit codes, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from browser_agent.testing.site import serve_folder

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-c", "from browser_agent.cli.app import main; main()"]


def command(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "BROWSER_AGENT_STATE_DIR": str(folder / "state"),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_demo_answers_verifies_and_fails_after_a_change(tmp_path: Path) -> None:
    done = command("demo", "--out", str(tmp_path / "run"), folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "quotes found, run folder intact" in done.stdout
    assert "NOT intact" in done.stdout
    assert f"run folder: {tmp_path / 'run'}" in done.stdout
    checked = command("verify", str(tmp_path / "run"), "--json", folder=tmp_path)
    assert checked.returncode == 0
    assert json.loads(checked.stdout)["citations_verified"] >= 1
    page = command("report", str(tmp_path / "run"), "-o", "r.html", folder=tmp_path)
    assert page.returncode == 0, page.stderr
    result = tmp_path / "run" / "result.json"
    result.write_bytes(result.read_bytes().replace(b'"ok"', b'"no"', 1))
    assert command("verify", str(tmp_path / "run"), folder=tmp_path).returncode == 6


def test_read_prints_one_document(tmp_path: Path) -> None:
    with serve_folder(ROOT / "fixtures" / "site") as base:
        plain = command("read", f"{base}/about.html", folder=tmp_path)
        assert plain.returncode == 0, plain.stderr
        assert plain.stdout.strip()
        shown = command("read", f"{base}/about.html", "--json", folder=tmp_path)
        assert json.loads(shown.stdout)["status"] == "ok"
        missing = command("read", f"{base}/nothing-here.html", "--json", folder=tmp_path)
        assert missing.returncode == 1
        assert json.loads(missing.stdout)["error"]["code"] == "http_error"
    refused = command("read", f"{base}/about.html", "--json", folder=tmp_path)
    assert refused.returncode == 1
    assert json.loads(refused.stdout)["error"]["code"] == "connect_failed"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "a question"], "--start"),
        (["run", "a question", "--start", "nonsense"], "--start"),
        (["run", " ", "--start", "http://127.0.0.1/"], "empty"),
        (["run", "q", "--start", "http://127.0.0.1/", "--max-turns", "none"], "--max-turns"),
        (["run", "q", "--start", "http://127.0.0.1/", "--model", "nobody/knows"], "nobody"),
        (["read", "ftp://example.com/"], "http"),
        (["read", "http://127.0.0.1/", "--only", "*foo.com"], "foo.com"),
        (["read", "http://127.0.0.1/", "--browser-path", "/no/such/file"], "browser"),
        (["extract", "http://127.0.0.1/", "--schema", "none.json"], "none.json"),
        (["verify", "nowhere"], "nowhere"),
        (["mcp", "--viewport", "wide"], "--viewport"),
        (["mcp", "--action-timeout", "-1"], "--action-timeout"),
        (["nonsense"], "nonsense"),
    ],
)
def test_usage_faults_are_one_sentence_and_two(
    tmp_path: Path, arguments: list[str], told: str
) -> None:
    done = command(*arguments, folder=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    told_json = command(*arguments, "--json", folder=tmp_path) if arguments[0] != "mcp" else None
    if told_json is not None:
        assert set(json.loads(told_json.stdout)["error"]) == {"code", "message"}


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["int", "term"]
)
def test_signals_end_a_run_with_what_was_gathered(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with serve_folder(ROOT / "fixtures" / "site") as base:
        run = subprocess.Popen(
            [*COMMAND, "run", "Who keeps the light?", "--start", base + "/", "--out", "run"],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "BROWSER_AGENT_STATE_DIR": str(tmp_path / "state"),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert run.stderr is not None
        for line in run.stderr:
            if "browser_navigate" in line:
                break
        started = psutil.Process(run.pid).children(recursive=True)
        run.send_signal(number)
        _, errors = run.communicate(timeout=120)
    assert run.returncode == code, errors
    assert started
    gone, left = psutil.wait_procs(started, timeout=10)
    assert not left, gone
    done = command("verify", "run", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stdout
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["stop_reason"] == "cancelled"


def test_a_folder_that_is_not_there_is_a_usage_error_and_one_without_recording_damaged(
    tmp_path: Path,
) -> None:
    for name in ("replay", "verify", "report"):
        assert command(name, "nowhere", "--json", folder=tmp_path).returncode == 2
    (tmp_path / "empty").mkdir()
    done = command("replay", "empty", "--json", folder=tmp_path)
    assert done.returncode == 6
    assert json.loads(done.stdout)["error"]["code"] == "recording_miss"


@pytest.mark.parametrize(
    "name",
    [
        "run",
        "read",
        "extract",
        "verify",
        "replay",
        "report",
        "mcp",
        "doctor",
        "setup",
        "demo",
        "reap",
    ],
)
def test_every_help_has_an_example(tmp_path: Path, name: str) -> None:
    done = command(name, "--help", folder=tmp_path)
    assert done.returncode == 0
    assert "Example: browser-agent " in done.stdout
