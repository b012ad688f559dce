"""Re-checking a run folder offline: chain, integrity, digests, citations.

Reads only. What the chain does not prove: it carries no key, so whoever holds the folder can
write it anew as a whole; only a head that was kept elsewhere shows that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from browser_agent._json import canonical, loads
from browser_agent.errors import BrowserAgentError, ConfigurationError, InvalidInput
from browser_agent.records.recheck import recheck_run
from browser_agent.records.result import SCHEMA as RESULT_SCHEMA
from browser_agent.records.result import Result
from browser_agent.records.run import RobotResult
from browser_agent.records.verification import Verification
from browser_agent.store.run_folder import (
    GENESIS,
    BlobFolder,
    chain_hash,
    digest_of_file,
    result_file_bytes,
)

LIMITS_NOTE = (
    "the chain carries no key: it shows accidents and partial edits to someone who holds the "
    "head, not a rewrite of everything by its owner"
)
_MAX_PROBLEMS = 100


@dataclass(slots=True)
class _Chain:
    head: str = GENESIS
    events: int = 0
    finished: str | None = None
    files: dict[str, str] | None = None
    torn: bool = False
    heads: set[str] = field(default_factory=set[str])


def verify_run(path: str | Path, head: str | None = None) -> Verification:
    """Check a run folder; with ``head``, also that the log was not cut.

    Raises ConfigurationError when there is no run folder; every other fault is a problem in the
    Verification.
    """
    folder = Path(path)
    if not (folder / "events.jsonl").is_file() and not (folder / "result.json").is_file():
        raise ConfigurationError(f"{folder} is no run folder")
    problems: list[str] = []
    notes: list[str] = [LIMITS_NOTE]
    chain = _check_chain(folder / "events.jsonl", problems)
    if head is not None and head != chain.head:
        known = "an earlier event" if head in chain.heads else "no event of this log"
        problems.append(f"the head given is the hash of {known}, not of the last one")
    result = _check_result(folder, chain, problems, notes)
    _check_files(folder, chain, problems, notes)
    if chain.torn:
        _judge_torn(chain, problems, notes)
    checked = Verification(ok=True)
    if result is not None:
        blobs = BlobFolder(folder / "blobs")
        checked = recheck_run(result.results, result.citations, blobs.get)
        problems += checked.problems
    return Verification(
        ok=not problems,
        problems=tuple(problems[:_MAX_PROBLEMS]),
        notes=tuple(notes),
        head=chain.head,
        events=chain.events,
        blobs=sum(name.startswith("blobs/") for name in chain.files or ()),
        citations=checked.citations,
        citations_verified=checked.citations_verified,
    )


def verify_file(path: str | Path) -> Verification:
    """Check one stored Result or RobotResult: schema, digest, integrity, citations."""
    file = Path(path)
    try:
        value = loads(file.read_bytes())
    except OSError as exc:
        raise ConfigurationError(f"cannot read {file}: {exc.strerror}") from None
    except InvalidInput as exc:
        return Verification(ok=False, problems=(f"{file.name}: {exc.message}",))
    if not isinstance(value, Mapping):
        return Verification(ok=False, problems=(f"{file.name} holds no Result or RobotResult",))
    fields = cast("Mapping[str, object]", value)
    try:
        if fields.get("schema") == RESULT_SCHEMA or "robot_name" not in fields:
            Result.from_dict(fields, verify=True)
            return Verification(ok=True, blobs=1)
        return RobotResult.from_dict(fields).verify()
    except BrowserAgentError as exc:
        return Verification(ok=False, problems=(exc.message,))


def read_events(path: Path) -> Iterator[Mapping[str, object]]:
    """The events of a log in order, unchecked; a torn last line is left out."""
    with path.open("rb") as lines:
        for line in lines:
            try:
                value = loads(line)
            except InvalidInput:
                return
            if isinstance(value, Mapping):
                yield cast("Mapping[str, object]", value)


def _check_chain(path: Path, problems: list[str]) -> _Chain:
    chain = _Chain()
    if not path.is_file():
        problems.append("events.jsonl is missing")
        return chain
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if chain.torn:
                problems.append(f"event {number - 1} is damaged")
                chain.torn = False
            _check_event(number, line, chain, problems)
    return chain


def _check_event(number: int, line: bytes, chain: _Chain, problems: list[str]) -> None:
    try:
        value = loads(line)
    except InvalidInput:
        chain.torn = True
        return
    if not isinstance(value, Mapping) or not line.endswith(b"\n"):
        chain.torn = True
        return
    event = cast("Mapping[str, object]", value)
    if canonical(event) + b"\n" != line:
        problems.append(f"event {number} is not written canonically")
    if event.get("prev") != chain.head or event.get("n") != number:
        problems.append(f"event {number} does not follow the one before it")
    if event.get("hash") != chain_hash(event):
        problems.append(f"event {number} was changed")
    chain.head, chain.events = str(event.get("hash")), number
    chain.heads.add(chain.head)
    if event.get("kind") == "files":
        chain.files = cast("dict[str, str]", event.get("files"))
    if event.get("kind") == "run_finished":
        chain.finished = str(event.get("integrity"))


def _judge_torn(chain: _Chain, problems: list[str], notes: list[str]) -> None:
    if chain.finished is not None:
        problems.append("there is a damaged line after the end of the run")
    else:
        notes.append("the last line of the log is torn, as a crash leaves it; it was left out")


def _check_result(
    folder: Path, chain: _Chain, problems: list[str], notes: list[str]
) -> RobotResult | None:
    file = folder / "result.json"
    if not file.is_file():
        if chain.finished is not None:
            problems.append("result.json is missing although the run finished")
        else:
            notes.append("the run did not finish: there is no result.json")
        return None
    content = file.read_bytes()
    try:
        value = cast("Mapping[str, object]", loads(content))
        result = RobotResult.from_dict(value)
    except BrowserAgentError as exc:
        problems.append(f"result.json: {exc.message}")
        return None
    noted = value.get("chain")
    if noted != {"head": chain.head, "events": chain.events}:
        problems.append("the log is not the one that result.json names: it was cut or changed")
    if chain.finished != value.get("integrity"):
        problems.append("result.json is not the result that the log recorded")
    if result_file_bytes(result.export(), cast("Mapping[str, object]", noted or {})) != content:
        problems.append("result.json is not written as it was")
    return result


def _check_files(folder: Path, chain: _Chain, problems: list[str], notes: list[str]) -> None:
    listed = chain.files or {}
    for name, digest in listed.items():
        file = folder / name
        if not file.is_file():
            problems.append(f"{name} is missing")
        elif digest_of_file(file) != digest:
            problems.append(f"{name} was changed")
    if chain.files is None:
        _check_blob_names(folder, problems)
        return
    known = {"events.jsonl", "result.json", *listed}
    extra = sorted(
        name
        for file in folder.rglob("*")
        if file.is_file() and (name := file.relative_to(folder).as_posix()) not in known
    )
    if extra:
        notes.append(f"{len(extra)} files were added after the run: {', '.join(extra[:5])}")


def _check_blob_names(folder: Path, problems: list[str]) -> None:
    for file in sorted((folder / "blobs").glob("*/*")):
        if file.name.startswith(".part-"):
            continue
        if digest_of_file(file) != f"sha256:{file.name}":
            problems.append(f"blobs/{file.parent.name}/{file.name} was changed")
