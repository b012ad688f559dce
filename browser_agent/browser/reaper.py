"""The reaper: finds what dead owners left, ends it, and marks their operations as unknown.

Owns the judgement that an owner is dead (its very process is gone from this process table). It
finds leftovers by record and token, never by a program's name, and touches nothing of a live one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from browser_agent.browser.cleanup import folder_of, host_facts, remove_folder
from browser_agent.browser.processes import Proc, children_of, end_all, find_marked

if TYPE_CHECKING:
    from browser_agent.ports import Journal

_KILL_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaped:
    """What was found of dead owners. ``left`` names what could not be removed."""

    owners: int = 0
    processes: int = 0
    folders: int = 0
    operations: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(slots=True)
class _Count:
    owners: int = 0
    processes: int = 0
    folders: int = 0
    operations: list[str] = field(default_factory=list[str])
    left: list[str] = field(default_factory=list[str])


def reap(journal: Journal) -> Reaped:
    """End what dead owners left and close their records. Blocks; call it off the event loop."""
    dead = find_dead(journal)
    count = _Count(owners=len(dead))
    for owner in dead:
        _reap_owner(journal, owner, count)
    return Reaped(
        owners=count.owners,
        processes=count.processes,
        folders=count.folders,
        operations=tuple(count.operations),
        left=tuple(count.left),
    )


def find_dead(journal: Journal) -> list[Mapping[str, object]]:
    """Owners of this host that are dead and whose records are still open."""
    here = host_facts()
    return [owner for owner in journal.owners() if _is_dead(owner, here)]


def reap_quietly(journal: Journal) -> None:
    """:func:`reap` beside a launch: what fails here is tried again by the next one."""
    reap(journal)


def _is_dead(owner: Mapping[str, object], here: Mapping[str, object]) -> bool:
    """Only an owner of this host and pid space can be judged; after a reboot all are dead."""
    facts = cast("Mapping[str, object]", owner["facts"])
    if facts.get("host") != here.get("host"):
        return False
    if facts.get("boot") != here.get("boot"):
        return True
    if facts.get("pids") != here.get("pids"):
        return False
    proc = _proc(facts.get("pid"), facts.get("started"))
    return proc is None or not proc.is_alive()


def _reap_owner(journal: Journal, owner: Mapping[str, object], count: _Count) -> None:
    token = str(owner["token"])
    resources = cast("Sequence[Mapping[str, object]]", owner["resources"])
    known = _recorded_processes(resources)
    found = {*known, *(child for proc in known for child in children_of(proc.pid))}
    found |= set(find_marked([token]))
    alive = [proc for proc in found if proc.is_alive()]
    left = [f"process {proc.pid}" for proc in end_all(alive, within_s=_KILL_S)]
    left += [f"process {proc.pid}" for proc in end_all(find_marked([token]), within_s=_KILL_S)]
    count.processes += len(alive)
    for folder in _recorded_folders(resources, token):
        existed = folder.exists()
        if not remove_folder(folder):
            left.append(f"folder {folder.name}")
        elif existed:
            count.folders += 1
    for operation in cast("Sequence[Mapping[str, object]]", owner["operations"]):
        journal.end_operation(str(operation["id"]), "unknown")
        count.operations.append(str(operation["id"]))
    count.left += left
    if not left:
        journal.close_owner(token)


def _recorded_processes(resources: Sequence[Mapping[str, object]]) -> list[Proc]:
    found: list[Proc] = []
    for resource in resources:
        if resource["kind"] != "process":
            continue
        facts = cast("Mapping[str, object]", resource["facts"])
        proc = _proc(resource["name"], facts.get("started"))
        if proc is not None and proc.is_alive():
            found.append(proc)
    return found


def _recorded_folders(resources: Sequence[Mapping[str, object]], token: str) -> list[Path]:
    """Private folders of the token; any other path in a record is not touched."""
    named = [Path(str(one["name"])) for one in resources if one["kind"] == "folder"]
    known = folder_of(token)
    return [path for path in named if path.name == known.name] or [known]


def _proc(pid: object, started: object) -> Proc | None:
    try:
        return Proc(int(cast("str", pid)), float(cast("str", started)))
    except (TypeError, ValueError):
        return None
