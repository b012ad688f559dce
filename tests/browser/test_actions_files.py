"""Files that go to pages: by inputs, choosers and drops, and only from the folders allowed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import Effect, Status
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

PAGE = """<title>Files</title>
<input type=file id=plain aria-label=Plain>
<input type=file id=many multiple aria-label=Many>
<input type=file id=off disabled aria-label=Off>
<label>Wrapped <input type=file id=wrapped style="display:none"></label>
<div><input type=file id=unseen style="display:none">
<button onclick="unseen.click()">Attach</button></div>
<button onclick="const f = document.createElement('input'); f.type = 'file';
  f.onchange = () => { o.textContent = 'made got ' + f.files[0].name }; f.click()">Make one</button>
<input type=file id=eager aria-label=Eager>
<button>Nothing</button>
<div id=zone tabindex=0 style="padding:30px;border:1px solid">Zone</div>
<div tabindex=0 style="padding:30px">Wall</div>
<p id=o>none</p><script>
const shown = async (files) =>
  (await Promise.all([...files].map(async (f) => f.name + ':' + await f.text()))).join(', ');
for (const id of ['plain', 'many', 'wrapped', 'unseen'])
  document.getElementById(id).onchange = async (e) => {
    o.textContent = id + ' got ' + await shown(e.target.files) };
eager.onchange = () => {
  const names = [...eager.files].map((f) => f.name); eager.value = '';
  o.textContent = 'eager took ' + names };
zone.ondragover = (e) => e.preventDefault();
zone.ondrop = async (e) => { e.preventDefault();
  const files = [...e.dataTransfer.files];
  o.textContent = 'zone got ' + (files.length ? await shown(files)
    : e.dataTransfer.getData('text/plain') + '/' + e.dataTransfer.getData('text/html')) };
</script>"""


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


@pytest.fixture
async def files_page(session: Session, site: FixtureSite, upload_dir: Path) -> Session:
    """A session on the page above; two files are there to be sent."""
    (upload_dir / "a.txt").write_text("alpha")
    (upload_dir / "b.txt").write_text("beta")
    await session.navigate(site.page("/", PAGE))
    return session


@pytest.mark.parametrize(
    ("name", "paths", "told"),
    [
        ("Plain", ["a.txt"], "plain got a.txt:alpha"),
        ("Many", ["a.txt", "b.txt"], "many got a.txt:alpha, b.txt:beta"),
        ("Wrapped", ["a.txt"], "wrapped got a.txt:alpha"),
        ("Attach", ["b.txt"], "unseen got b.txt:beta"),
        ("Make one", ["a.txt"], "made got a.txt"),
        ("Eager", ["a.txt"], "eager took a.txt"),
    ],
)
async def test_files_reach_the_page_whatever_asks_for_them(
    files_page: Session, ref: Finder, name: str, paths: list[str], told: str
) -> None:
    """T-J2 too: an input that is never shown is served by the button that opens its chooser."""
    sent = await files_page.upload(paths, ref=await ref(files_page, name))
    assert (sent.status, sent.effect) == (Status.OK, Effect.ACKNOWLEDGED), sent.to_dict()
    assert data_of(sent)["changed"] is True
    assert data_of(sent)["value"] == paths
    waited = await files_page.wait_for(text=told)
    assert waited.is_ok, sent.to_dict()


async def test_a_label_of_an_unseen_file_field_stands_for_it(files_page: Session) -> None:
    lines = str(data_of(await files_page.snapshot())["text"]).splitlines()
    (label,) = [line for line in lines if "Wrapped" in line]
    assert "button file" in label
    assert sum("unseen" in line for line in lines) == 1, "the one that has no label"


async def test_a_chooser_that_a_click_opened_waits_for_files(
    files_page: Session, ref: Finder
) -> None:
    assert (await files_page.upload(["a.txt"])).error_code == "not_found"
    clicked = await files_page.click(await ref(files_page, "Attach", "button"))
    assert clicked.is_ok
    many = await files_page.upload(["a.txt", "b.txt"])
    assert (many.error_code, many.effect) == ("invalid_input", Effect.NOT_DISPATCHED)
    await files_page.click(await ref(files_page, "Attach", "button"))
    assert (await files_page.upload(["a.txt"])).is_ok
    assert (await files_page.wait_for(text="unseen got a.txt:alpha")).is_ok
    assert (await files_page.upload(["a.txt"])).error_code == "not_found", "it is served once"


async def test_files_and_data_are_dropped(files_page: Session, ref: Finder) -> None:
    zone = await ref(files_page, "Zone")
    dropped = await files_page.drop(zone, paths=["a.txt", "b.txt"])
    assert (dropped.status, dropped.effect) == (Status.OK, Effect.ACKNOWLEDGED)
    assert (await files_page.wait_for(text="zone got a.txt:alpha, b.txt:beta")).is_ok
    data = {"text/plain": "words", "text/html": "<b>words</b>"}
    assert (await files_page.drop(zone, data=data)).is_ok
    assert (await files_page.wait_for(text="zone got words/<b>words</b>")).is_ok
    wall = await files_page.drop(await ref(files_page, "Wall"), data=data)
    assert (wall.status, wall.error_code) == (Status.ERROR, "no_effect")
    assert (await files_page.drop(zone)).error_code == "invalid_input"


async def test_what_takes_no_files_says_so(files_page: Session, ref: Finder) -> None:
    for name, words in (("Off", "disabled"), ("Nothing", "no file input")):
        refused = await files_page.upload(["a.txt"], ref=await ref(files_page, name))
        assert refused.error_code == "not_actionable", name
        assert words in (refused.error_message or "")
    two = await files_page.upload(["a.txt", "b.txt"], ref=await ref(files_page, "Plain"))
    assert (two.error_code, two.effect) == ("invalid_input", Effect.NOT_DISPATCHED)
    assert "one file" in (two.error_message or "")
    assert "none" in data_of(await files_page.read())["text"]


async def test_only_files_of_the_allowed_folders_are_sent(
    files_page: Session, ref: Finder, upload_dir: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("outside")
    link = upload_dir / "link.txt"
    link.unlink(missing_ok=True)
    link.symlink_to(outside)
    (upload_dir / "folder").mkdir(exist_ok=True)
    plain, zone = await ref(files_page, "Plain"), await ref(files_page, "Zone")
    for path in (
        str(outside),
        "../secret.txt",
        "link.txt",
        "missing.txt",
        "folder",
        "a.txt\x00.png",
        "/etc/passwd",
        "~/a.txt",
        "",
    ):
        for refused in (
            await files_page.upload(["a.txt", path], ref=plain),
            await files_page.drop(zone, paths=[path]),
        ):
            denied = (refused.status, refused.error_code, refused.effect)
            assert denied == (Status.ERROR, "upload_denied", Effect.NOT_DISPATCHED), path
            assert str(tmp_path) not in refused.to_json()
    assert "none" in data_of(await files_page.read())["text"]
    absolute = await files_page.upload([str(upload_dir / "a.txt")], ref=plain)
    assert absolute.is_ok
    assert str(upload_dir) not in absolute.to_json()


async def test_wrong_arguments_and_a_browser_without_folders(
    files_page: Session, hasty_browser: Browser, site: FixtureSite, ref: Finder
) -> None:
    plain = await ref(files_page, "Plain")
    assert (await files_page.upload([], ref=plain)).error_code == "invalid_input"
    assert (await files_page.upload(["a.txt"] * 21, ref=plain)).error_code == "invalid_input"
    assert (await files_page.upload(["a.txt"], ref="e999")).error_code == "ref_not_found"
    assert (await files_page.upload([Path("a.txt")], ref=plain)).is_ok
    for wrong in ("a.txt", Path("a.txt"), [7]):
        with pytest.raises(InvalidInput):
            await files_page.upload(cast("list[str]", wrong), ref=plain)
    async with hasty_browser.session() as nobody:
        await nobody.navigate(site.at("/"))
        denied = await nobody.upload(["/etc/passwd"], ref=await ref(nobody, "Plain"))
        assert denied.error_code == "upload_denied"


async def test_a_form_sends_the_file_once(
    session: Session, site: FixtureSite, ref: Finder, upload_dir: Path
) -> None:
    (upload_dir / "a.txt").write_text("alpha")

    @site.route("/take")
    async def _take(request: Request) -> Response:
        taken = b'filename="a.txt"' in request.body and b"alpha" in request.body
        return Response.html(f"<p>taken {taken}</p>")

    await session.navigate(
        site.page(
            "/",
            "<form method=post action=/take enctype=multipart/form-data>"
            "<input type=file name=f aria-label=Paper><button>Send</button></form>",
        )
    )
    assert (await session.upload(["a.txt"], ref=await ref(session, "Paper"))).is_ok
    assert (await session.click(await ref(session, "Send", "button"))).is_ok
    assert "taken True" in data_of(await session.read())["text"]
    assert site.count("/take", method="POST") == 1
