"""One eventful run with twelve secrets, of which nothing that was written or printed holds any.

The run logs in, sends secrets into addresses that fail, times out while typing one, downloads,
takes a picture, reads pages that say them in many places, records, and fails. Then every byte is
searched for every secret in every encoding.

Claims: P2.
"""

from __future__ import annotations

import logging
import pickle
import re
import socket
import traceback
import zipfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from browser_agent import Browser, BrowserLimits, Robot, ScriptedModel, Secret, UrlPolicy
from browser_agent.errors import InferenceError
from browser_agent.logic.redact import encodings_of
from browser_agent.records.limits import RunLimits
from browser_agent.records.model import ModelRequest
from browser_agent.records.run import RobotResult
from browser_agent.store.state_dir import VARIABLE
from browser_agent.testing import FixtureSite, Request, Response
from browser_agent.tools.tool import tool

pytestmark = pytest.mark.anyio

CANARIES = {
    "password": "canary-Wren7!blue&gate",
    "address": "canary/Finch=8?north%20",
    "typed": "canary Stork 9 slow river",
    "file": "canary-Heron-10-report",
    "console": "canary\\Lark\"11'quoted",
    "title": "canary–Kestrel–12–größe",
    "text": "canary_Plover_13_tide",
    "header": "canary.Dunlin.14.cookie",
    "dialog": "canary<Swift>15<b>",
    "thrown": "canary:Avocet:16:chain",
    "said": "canary+Osprey+17+reply",
    "redirect": "canary~Merlin~18~hop",
}


def url_part(name: str) -> str:
    """A secret as it stands in an address."""
    from_list = [one for one in encodings_of(CANARIES[name]) if re.fullmatch(r"[\w.~%-]+", one)]
    return max(from_list, key=lambda one: (one.count("%") > 0, one.isascii(), len(one) < 60))


@tool
def consult() -> str:
    """Fail with a secret in the message, the cause and a note."""
    error = ValueError(f"could not use {CANARIES['thrown']}")
    error.add_note(CANARIES["thrown"])
    raise error from KeyError(CANARIES["thrown"])


def ref_of(request: ModelRequest, name: str) -> str:
    """The ref of an element in what the model was shown last."""
    shown = "\n".join(str(message["content"]) for message in request.messages[-3:])
    line = next(
        line for line in shown.splitlines() if name in line and re.search(r"\be\d+\b", line)
    )
    return re.findall(r"\be\d+\b", line)[-1]


def step(tool_name: str, name: str, **more: object) -> Any:
    """A call of a browser tool at the element of that name."""

    def decide(request: ModelRequest) -> list[tuple[str, dict[str, object]]]:
        return [(tool_name, {"target": ref_of(request, name), "element": name, **more})]

    return decide


async def build_pages(site: FixtureSite) -> None:
    """The pages that the run visits, full of secrets."""
    cookie = {"set-cookie": f"sid={CANARIES['header']}", "x-api-key": CANARIES["header"]}

    @site.route("/login")
    async def login(_: Request) -> Response:
        page = (
            "<title>In</title><form action=/in method=post>"
            "<input type=password aria-label=Password name=pw><button>Log in</button></form>"
        )
        return Response(200, {"content-type": "text/html", **cookie}, page)

    @site.route("/in")
    async def enter(_: Request) -> Response:
        return Response.redirect(f"/home?token={url_part('redirect')}")

    @site.route("/home")
    async def home(_: Request) -> Response:
        script = "".join(
            f"{call}({value!a});"
            for call, value in (
                ("console.log", CANARIES["console"]),
                ("console.error", CANARIES["console"]),
                ("btoa", "x"),
            )
        )
        page = (
            f"<meta charset=utf-8><title>{CANARIES['title']}</title><p>{CANARIES['text']}</p>"
            f"<p>{CANARIES['text'].encode().hex()}</p><a href='/file'>File</a>"
            "<input aria-label=Slow oninput='const t = Date.now() + 4000; while (Date.now() < t);'>"
            f"<script>{script} setTimeout(() => alert({CANARIES['dialog']!a}), 0)</script>"
        )
        return Response.html(page)

    @site.route("/file")
    async def give(_: Request) -> Response:
        named = f'attachment; filename="{CANARIES["file"]}.txt"'
        return Response(200, {"content-type": "text/plain", "content-disposition": named}, "a")


def closed_port() -> int:
    """A port of this host where nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def script_of(site: FixtureSite, dead: str) -> list[Any]:
    """What the robot does, to the failure of its model."""
    return [
        [("browser_navigate", {"url": site.at("/login")})],
        [("browser_snapshot", {})],
        step("browser_type", "Password", text="<secret:password>", submit=True),
        [("browser_take_screenshot", {}), ("browser_snapshot", {})],
        step("browser_click", "File"),
        [("browser_snapshot", {})],
        step("browser_type", "Slow", text="<secret:typed>"),
        [("browser_navigate", {"url": f"{dead}/?key={url_part('address')}"})],
        [("browser_navigate", {"url": f"{site.url}/none/{url_part('address')}"})],
        [("browser_console_messages", {}), ("browser_network_requests", {}), ("consult", {})],
        [("browser_navigate", {"url": f"http://192.0.2.1/?q={url_part('text')}"})],
        [("browser_navigate", {"url": CANARIES["said"]}), ("unknown", {"x": CANARIES["said"]})],
        RuntimeError(f"the provider said {CANARIES['said']}"),
    ]


class Keeper(logging.Handler):
    """Keeps all that any handler could write of a record."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.kept: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        whole = logging.Formatter("%(name)s %(message)s").format(record)
        self.kept.append(f"{whole} {record.args!r} {record.__dict__!r}")


@contextmanager
def debug_log() -> Generator[Keeper]:
    """Everything that is logged, at DEBUG."""
    root, keeper = logging.getLogger(), Keeper()
    before = root.level
    root.setLevel(logging.DEBUG)
    root.addHandler(keeper)
    try:
        yield keeper
    finally:
        root.removeHandler(keeper)
        root.setLevel(before)


def leaks_in(places: Iterable[tuple[str, bytes]]) -> list[str]:
    """Where a secret stands, and which: place and name."""
    forms = {
        name: [one.encode("utf-8", "replace") for one in encodings_of(value) if len(one) > 6]
        for name, value in CANARIES.items()
    }
    return [
        f"{name} in {place}"
        for place, content in places
        for name, spellings in forms.items()
        if any(spelling in content for spelling in spellings)
    ]


def files_below(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Each file's content and, as content too, its path."""
    for path in sorted(folder.rglob("*")):
        yield f"the name {path.name!a}", str(path.relative_to(folder)).encode()
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield from (
                    (f"{path.name}: {one}", archive.read(one)) for one in archive.namelist()
                )


def spoken(error: InferenceError, result: RobotResult) -> Iterator[tuple[str, bytes]]:
    """All forms of what the run gave back."""
    yield "traceback", "".join(traceback.format_exception(error)).encode()
    yield "exception", f"{error!r} {error} {error.__dict__!r}".encode()
    chained: BaseException | None = error
    while chained is not None:
        yield "chain", repr((chained.args, getattr(chained, "__notes__", ()))).encode()
        chained = chained.__cause__ or chained.__context__
    yield "run", f"{result!r} {result.to_json()}".encode()
    yield "pickle of the run", pickle.dumps(result)
    for number, one in enumerate(result.results, 1):
        yield f"R{number}", f"{one!r} {one.to_json()} {one.render_for_model('n')}".encode()
        yield f"pickle of R{number}", pickle.dumps(one)
    for call in result.tool_calls:
        yield f"call {call.name}", repr(call).encode()


async def test_no_canary_stands_in_anything_that_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    dead = f"http://127.0.0.1:{closed_port()}"
    async with FixtureSite.serve() as site:
        await build_pages(site)
        bound = [site.url, dead]
        secrets = {name: Secret(value, origins=bound) for name, value in CANARIES.items()}
        model = ScriptedModel(script_of(site, dead))
        with debug_log() as log:
            async with Browser.launch(
                policy=UrlPolicy.public_web(allow_local=["http://127.0.0.1:*"]),
                secrets=secrets,
                robots=False,
                limits=BrowserLimits(action_timeout_s=2.0),
                run_dir=tmp_path / "run",
            ) as browser:
                robot = Robot(
                    "canary",
                    model=model,
                    browser=browser,
                    tools=[consult],
                    limits=RunLimits(max_time_s=300),
                )
                with pytest.raises(InferenceError) as caught:
                    await robot.run("Look around.", run_dir=tmp_path / "run", record=True)
    result = caught.value.result
    assert isinstance(result, RobotResult)
    codes = [one.error_code for one in result.results]
    assert "connect_failed" in codes, codes
    assert {"action_timeout", "outcome_unknown"} & set(codes), codes
    assert site.count("/in", method="POST") == 1
    assert b"Wren7" in (await site.wait_for("/in")).body, "the secret was typed"
    written = [*files_below(tmp_path), *spoken(caught.value, result)]
    names = [name for name, _ in written]
    assert any(name.endswith(".png") for name in names), "a picture was taken"
    assert any("report.txt" in name or "REDACTED" in name for name in names), "a file was given"
    for part in ("network.jsonl", "model.jsonl", "network.har.zip"):
        assert any(part in name for name in names), f"{part} was recorded"
    printed = capfd.readouterr()
    written += [("stdout", printed.out.encode()), ("stderr", printed.err.encode())]
    written += [("log", line.encode("utf-8", "replace")) for line in log.kept]
    for number, request in enumerate(model.requests):
        told = [message for message in request.messages if message["role"] != "assistant"]
        written.append((f"request {number}", repr(told).encode("utf-8", "replace")))
    assert len(re.findall(r"\[REDACTED:", result.to_json())) >= 10, "there was much to hide"
    assert leaks_in(written) == []


@pytest.mark.parametrize("name", CANARIES)
def test_the_search_finds_what_is_planted(name: str, tmp_path: Path) -> None:
    for number, spelling in enumerate(sorted(encodings_of(CANARIES[name]))):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "file.bin").write_bytes(
            b"before " + spelling.encode("utf-8", "replace") + b" after"
        )
        assert f"{name} in file.bin" in leaks_in(files_below(folder))
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner", CANARIES[name] * 20)
    assert f"{name} in a.zip: inner" in leaks_in(files_below(tmp_path))
    assert leaks_in([("nothing", b"canary and nothing else")]) == []
