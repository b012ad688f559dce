"""The command with a language model: a real HTTP server that speaks the OpenAI protocol."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from browser_agent.testing.openai_server import Answer, Call, Failure, OpenAIServer
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-test-4f1d9c2b7a6e8d3c5b1a"
LINE = "The mill was closed in 1962 by its last owner."


async def command(folder: Path, server: OpenAIServer, *arguments: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "browser_agent", "run", *arguments, "--model", "openai/test-model"),
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "BROWSER_AGENT_STATE_DIR": str(folder / "state"),
            "OPENAI_API_BASE": server.base_url,
            "OPENAI_API_KEY": KEY,
        },
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def test_a_model_reads_a_page_and_its_answer_is_checked(
    site: FixtureSite, tmp_path: Path
) -> None:
    url = site.page("/", f"<title>Mill</title><h1>The mill</h1><p>{LINE}</p>")
    script = (
        Answer(calls=(Call(name="browser_navigate", arguments=json.dumps({"url": url})),)),
        Answer(calls=(Call(name="browser_read", id="call_2"),)),
        Answer(text=f'It closed in 1962 [1].\n[1] R2 "{LINE}"'),
    )
    async with OpenAIServer.serve(script, api_key=KEY) as server:
        code, out, err = await command(
            tmp_path, server, "When did it close?", "--start", url, "--json", "--out", "run"
        )
        calls: Any = server.calls
    assert code == 0, err
    told = json.loads(out)
    assert told["status"] == "ok"
    assert told["reply"].startswith("It closed in 1962")
    assert [one["verified"] for one in told["citations"]] == [True]
    assert calls[0]["stream"] is True
    assert "browser_click" in {one["function"]["name"] for one in calls[0]["tools"]}
    assert LINE in str(calls[2]["messages"][-1]["content"])
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in written + out.encode() + err.encode()


async def test_a_refused_key_is_one_sentence(site: FixtureSite, tmp_path: Path) -> None:
    url = site.page("/", "<p>nothing")
    async with OpenAIServer.serve([Failure(status=401, message="bad key")] * 3) as server:
        code, out, err = await command(tmp_path, server, "When?", "--start", url, "--json")
    assert code == 1
    assert json.loads(out)["error"]["code"] == "model_error", out
    assert "Traceback" not in err
