"""Runs the built-in model over the questions of `fixtures/` and prints how it did.

`site` asks about the fixture site, `debian` about documentation that Debian ships, which is
fetched into `.cache/` and never committed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from eval_score import (
    Figure,
    Outcome,
    Question,
    build_figures,
    holds,
    is_abstention,
    is_right,
    is_right_page,
    parse_question,
    random_share,
)

from browser_agent import Browser, BrowserAgentError, ExtractiveModel, Robot, RobotResult, UrlPolicy
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.site_search import parse_page

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "debian-docs"
SEED = 20_240_217
PAGES_DRAWN = 100
DEBIAN_ROOTS = {
    "python3.11-doc": "usr/share/doc/python3.11/html",
    "debian-reference-en": "usr/share/debian-reference",
    "gnuplot-doc": "usr/share/doc/gnuplot/htmldocs",
}


class EvalError(Exception):
    """The evaluation cannot start; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A folder to serve and the questions over it."""

    folder: Path
    questions: tuple[Question, ...]


def load_questions(name: str, only: Sequence[str]) -> tuple[Question, ...]:
    """The questions of a file below `fixtures/`, all or the ones named."""
    lines = (ROOT / "fixtures" / name).read_text(encoding="utf-8").splitlines()
    questions = tuple(parse_question(json.loads(line)) for line in lines)
    unknown = set(only) - {question.id for question in questions}
    if unknown:
        raise EvalError(f"no such question: {', '.join(sorted(unknown))}")
    return tuple(question for question in questions if not only or question.id in only)


def collect(kind: str, only: Sequence[str]) -> tuple[Collection, ...]:
    """What to serve and ask for `site` or `debian`; fetches packages where needed."""
    if kind == "site":
        questions = load_questions("questions.jsonl", only)
        return (Collection(folder=ROOT / "fixtures" / "site", questions=questions),)
    questions = load_questions("questions_debian.jsonl", only)
    return tuple(
        Collection(
            folder=fetch_package(package),
            questions=tuple(question for question in questions if question.package == package),
        )
        for package in DEBIAN_ROOTS
        if any(question.package == package for question in questions)
    )


def fetch_package(package: str) -> Path:
    """The documentation's folder, downloaded and unpacked once."""
    target = CACHE / package
    folder = target / DEBIAN_ROOTS[package]
    if folder.is_dir():
        return folder
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        raise EvalError("the Debian questions need apt-get and dpkg; run this on Debian 12")
    downloads = CACHE / "packages"
    downloads.mkdir(parents=True, exist_ok=True)
    run_tool(["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", package], downloads)
    found = max(downloads.glob(f"{package}_*.deb"), key=lambda file: file.stat().st_mtime)
    run_tool(["dpkg", "-x", str(found), str(target)], downloads)
    if not folder.is_dir():
        raise EvalError(f"{found.name} does not hold {DEBIAN_ROOTS[package]}")
    return folder


def run_tool(command: list[str], folder: Path) -> None:
    """Run one command; its last line of complaint becomes the message."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        complaint = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise EvalError(f"{' '.join(command[:2])} failed: {' '.join(complaint)}")


def load_texts(collection: Collection, rng: random.Random) -> dict[str, str]:
    """The text of the pages that questions name, and of others drawn at random, by path."""
    files = {
        "/" + file.relative_to(collection.folder).as_posix(): file
        for file in sorted(collection.folder.rglob("*.html"))
    }
    public = [path for path in files if not path.startswith(("/_", "/private/", "/genindex"))]
    named = {page for question in collection.questions for page in question.pages}
    drawn = named | set(rng.sample(public, min(PAGES_DRAWN, len(public))))
    return {
        path: parse_page(path, files[path].read_text("utf-8", errors="replace")).text
        for path in sorted(drawn)
    }


def warn_of_drift(collection: Collection, texts: Mapping[str, str]) -> None:
    """Say which answers no longer stand in the HTML, as after an update of a package."""
    for question in collection.questions:
        text = " ".join(texts.get(page, "") for page in question.pages)
        if question.package and question.expected and not holds(text, question.expected):
            print(f"eval: {question.id}: its answer is not on its page any more", file=sys.stderr)


def run_all(collection: Collection, workers: int) -> list[Outcome]:
    """`ask_all` to its end; what stops it before a question is asked becomes an EvalError."""
    try:
        return asyncio.run(ask_all(collection, workers))
    except* BrowserAgentError as group:
        raise EvalError(str(group.exceptions[0])) from group


async def ask_all(collection: Collection, workers: int) -> list[Outcome]:
    """Every question of a collection, each worker with a site and a browser of its own."""
    waiting = list(reversed(collection.questions))
    outcomes: list[Outcome] = []

    async def work() -> None:
        async with FixtureSite.serve(collection.folder) as site:
            policy = UrlPolicy.public_web(allow_local=[site.url])
            async with Browser.launch(policy=policy) as browser:
                while waiting:
                    outcomes.append(await ask(waiting.pop(), site, browser))
                    print(_progress_line(outcomes[-1]), file=sys.stderr)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(workers, len(waiting))):
            group.create_task(work())
    order = {question.id: place for place, question in enumerate(collection.questions)}
    return sorted(outcomes, key=lambda outcome: order[outcome.question.id])


async def ask(question: Question, site: FixtureSite, browser: Browser) -> Outcome:
    """One run over one question. A run that raises counts as no answer, with its problem."""
    before = len(site.requests)
    began = time.monotonic()
    robot = Robot("eval", model=ExtractiveModel(), browser=browser)
    try:
        result = await robot.run(question.question, start=[site.at(question.start)])
    except BrowserAgentError as exc:
        return Outcome(question=question, reply="", answered=None, problem=str(exc))
    documents = [
        request
        for request in site.requests[before:]
        if request.headers.get("sec-fetch-dest") == "document"
    ]
    return Outcome(
        question=question,
        reply=result.reply or "",
        answered=result.answered,
        quotes=tuple(citation.quote for citation in result.citations),
        cited=_cited_urls(result),
        pages=len(documents),
        seconds=time.monotonic() - began,
        problem="" if result.finished_naturally else f"stopped: {result.stop_reason}",
    )


def _cited_urls(result: RobotResult) -> tuple[str, ...]:
    numbers = [c.result for c in result.citations if c.verified and c.result is not None]
    urls = [result.results[number - 1].final_url for number in numbers]
    return tuple(url for url in urls if url)


def _progress_line(outcome: Outcome) -> str:
    question = outcome.question
    if not question.answerable:
        verdict = "abstained" if is_abstention(outcome) else "ANSWERED"
    elif is_right(outcome):
        verdict = "right" if is_right_page(outcome) else "right, other page"
    else:
        verdict = "ABSTAINED" if is_abstention(outcome) else "WRONG"
    line = f"{question.id} {verdict} ({outcome.pages} pages, {outcome.seconds:.1f} s)"
    return f"{line} {outcome.problem}".rstrip()


def print_table(figures: Sequence[Figure]) -> None:
    """The figures, one a line, with the goal where there is one."""
    for figure in figures:
        value = f"{figure.value:.1f}{figure.unit}".replace(".0", "")
        goal = ""
        if figure.goal is not None:
            goal = f"goal {figure.goal:g}{figure.unit}  {'met' if figure.is_met else 'MISSED'}"
        print(f"{figure.label:<44} {value:>15}   {goal}".rstrip())


def print_misses(outcomes: Sequence[Outcome]) -> None:
    """Each question that went wrong, with what was expected and what came."""
    for outcome in outcomes:
        question = outcome.question
        if is_right(outcome) if question.answerable else is_abstention(outcome):
            continue
        print(f"\n{question.id} {question.question}")
        print(f"  expected {' | '.join(question.expected) or '(no answer)'}")
        print(f"  on       {', '.join(question.pages) or '(nowhere)'}")
        print(f"  reply    {outcome.problem or outcome.reply}")


def render_json(
    kind: str, figures: Sequence[Figure], outcomes: Sequence[Outcome]
) -> dict[str, object]:
    """The whole report as plain data."""
    return {
        "schema": "browser_agent.eval/1",
        "collection": kind,
        "figures": [{**asdict(figure), "met": figure.is_met} for figure in figures],
        "questions": [
            {
                **asdict(outcome),
                "question": outcome.question.question,
                "id": outcome.question.id,
                "right": is_right(outcome) if outcome.question.answerable else None,
                "right_page": is_right_page(outcome) if outcome.question.answerable else None,
                "abstained": is_abstention(outcome),
            }
            for outcome in outcomes
        ],
    }


def parse_arguments() -> argparse.Namespace:
    """The command line of `scripts/eval site` and `scripts/eval debian`."""
    parser = argparse.ArgumentParser(prog="scripts/eval", description=__doc__)
    parser.add_argument("collection", choices=["site", "debian"])
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="one question")
    parser.add_argument("--workers", type=int, default=1, help="browsers at the same time")
    parser.add_argument("--json", action="store_true", help="the report as JSON on stdout")
    parser.add_argument("--misses", action="store_true", help="also print what went wrong")
    parser.add_argument("--check", action="store_true", help="exit 1 when a goal is missed")
    return parser.parse_args()


def evaluate(arguments: argparse.Namespace) -> int:
    """Run, score, print; the exit code."""
    collections = collect(arguments.collection, arguments.only)
    rng = random.Random(SEED)
    outcomes: list[Outcome] = []
    baseline: dict[str, float] = {}
    for collection in collections:
        texts = load_texts(collection, rng)
        warn_of_drift(collection, texts)
        asked = [question for question in collection.questions if question.answerable]
        baseline |= {question.id: random_share(question, texts, rng) for question in asked}
        outcomes += run_all(collection, arguments.workers)
    figures = build_figures(arguments.collection, outcomes, baseline)
    if arguments.json:
        report = render_json(arguments.collection, figures, outcomes)
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        print_table(figures)
        if arguments.misses:
            print_misses(outcomes)
    return int(arguments.check and not all(figure.is_met for figure in figures))


def main() -> None:
    """Entry point: 0, 1 for a missed goal under `--check`, 2 when it cannot start."""
    try:
        sys.exit(evaluate(parse_arguments()))
    except EvalError as exc:
        print(f"eval: {exc}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
