"""The run folder: what was written can be checked, and no edit goes unseen."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from browser_agent import Citation, ConfigurationError, Result, RobotResult, verify_run
from browser_agent.store.run_folder import open_run_folder
from browser_agent.store.verify import verify_file


def write_run(folder: Path, *, events: int = 4, finish: bool = True) -> RobotResult:
    page = Result.ok(data={"text": "The tower is 45 m tall and was built in 1882"})
    quote = "The tower is 45 m tall"
    citation = Citation(
        claim="It is 45 m tall",
        quote=quote,
        result=1,
        digest=page.digest,
        pointer="/text",
        start=0,
        end=len(quote),
        verified=True,
    )
    result = RobotResult(
        "r",
        [{"role": "assistant", "content": "It is 45 m tall [1]."}],
        results=[page],
        citations=[citation],
    )
    with open_run_folder(folder) as run:
        run.blobs.put(page.preimage())
        run.blobs.put(b"a capture")
        (run.artifacts / "page.png").write_bytes(b"\x89PNG")
        for number in range(events):
            run.log.append("turn", {"number": number, "text": "ä" * 20})
        if finish:
            run.finish(result)
    return result


def edit(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content))
    match chance.choice(["flip", "insert", "delete", "cut", "swap", "drop", "copy"]):
        case "flip":
            return (
                content[:at] + bytes([content[at] ^ (1 << chance.randrange(8))]) + content[at + 1 :]
            )
        case "insert":
            return content[:at] + b"7" + content[at:]
        case "delete":
            return content[:at] + content[at + 1 :]
        case "cut":
            return content[:at]
        case "swap":
            lines = content.splitlines(keepends=True)
            chance.shuffle(lines)
            return b"".join(lines)
        case "drop":
            return b"".join(content.splitlines(keepends=True)[1:])
        case _:
            return content + content


def test_every_random_edit_is_found(tmp_path: Path, long_run: bool) -> None:
    run = tmp_path / "run"
    write_run(run)
    names = [file.relative_to(run) for file in run.rglob("*") if file.is_file()]
    chance = random.Random(7)
    for _ in range(500 if long_run else 150):
        copied = tmp_path / "copy"
        shutil.rmtree(copied, ignore_errors=True)
        shutil.copytree(run, copied)
        target = copied / chance.choice(names)
        before = target.read_bytes()
        after = edit(before, chance)
        target.write_bytes(after)
        assert verify_run(copied).ok == (after == before), (target.name, before, after)


def test_untouched_runs_raise_no_alarm(tmp_path: Path, long_run: bool) -> None:
    for number in range(500 if long_run else 40):
        write_run(tmp_path / str(number), events=number % 7)
        found = verify_run(tmp_path / str(number))
        assert found.ok, found.problems
        assert (found.citations, found.citations_verified, found.blobs) == (1, 1, 2)


def test_a_missing_file_is_found(tmp_path: Path) -> None:
    for number, pattern in enumerate(["result.json", "events.jsonl", "blobs/*/*", "artifacts/*"]):
        run = tmp_path / str(number)
        write_run(run)
        next(iter(run.glob(pattern))).unlink()
        assert not verify_run(run).ok, pattern


def test_truncation_of_an_unfinished_log_needs_the_head(tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_run(run, finish=False)
    head = verify_run(run).head
    log = run / "events.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    assert verify_run(run).ok
    assert not verify_run(run, head).ok
    assert "no key" in " ".join(verify_run(run).notes)


def test_a_torn_last_line_is_accepted_and_said(tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_run(run, finish=False)
    log = run / "events.jsonl"
    log.write_bytes(log.read_bytes()[:-9])
    found = verify_run(run)
    assert found.ok
    assert found.events == 3
    assert any("torn" in note for note in found.notes)


def test_a_forged_citation_is_found_though_every_hash_fits(tmp_path: Path) -> None:
    page = Result.ok(data={"text": "The tower is 45 m tall"})
    lie = Citation(
        claim="c",
        quote="The tower is 46 m tall",
        result=1,
        digest=page.digest,
        pointer="/text",
        start=0,
        end=22,
        verified=True,
    )
    with open_run_folder(tmp_path / "run") as run:
        run.blobs.put(page.preimage())
        run.finish(RobotResult("r", [], results=[page], citations=[lie]))
    found = verify_run(tmp_path / "run")
    assert not found.ok
    assert "citation 1" in " ".join(found.problems)


def test_files_are_private(tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_run(run)
    for file in run.rglob("*"):
        if file.name != "page.png":
            assert file.stat().st_mode & 0o077 == 0, file


def test_a_folder_holds_one_run_and_must_be_writable(tmp_path: Path) -> None:
    write_run(tmp_path / "run")
    with pytest.raises(ConfigurationError, match="already holds a run"):
        open_run_folder(tmp_path / "run")
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigurationError, match="cannot write"):
        open_run_folder(tmp_path / "file" / "run")
    with pytest.raises(ConfigurationError, match="no run folder"):
        verify_run(tmp_path)


def test_single_files_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    page = Result.ok(data={"text": "words"})
    file.write_text(page.to_json())
    assert verify_file(file).ok
    file.write_text(page.to_json().replace("words", "wards"))
    assert not verify_file(file).ok
    result = write_run(tmp_path / "run")
    file.write_text(result.to_json())
    assert verify_file(file).citations_verified == 1
    file.write_text(result.to_json().replace("45 m", "46 m"))
    assert not verify_file(file).ok
    file.write_text("{")
    assert not verify_file(file).ok
    with pytest.raises(ConfigurationError):
        verify_file(tmp_path / "none.json")
