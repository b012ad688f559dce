"""Reads the text of one PDF in a process of its own: bytes on stdin, JSON on stdout.

A file is hostile input to a large parser, so it never meets the process that holds the browser:
this one has bounds for memory and processor time, and what it breaks is itself. It is run as a
script and imports nothing of the package.
"""

from __future__ import annotations

import json
import resource
import sys

import pypdfium2

MEMORY_BYTES = 2_147_483_648
CPU_S = 20
MAX_PAGES = 5_000


def main() -> int:
    """Write ``{"title", "pages", "total"}``; pages beyond the bound in characters are left out."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    limit_chars = int(sys.argv[1])
    document = pypdfium2.PdfDocument(sys.stdin.buffer.read())
    pages: list[str] = []
    room = limit_chars
    for number in range(min(len(document), MAX_PAGES)):
        if room <= 0:
            break
        text = document[number].get_textpage().get_text_bounded()  # pyright: ignore[reportUnknownMemberType] - untyped there
        pages.append(text[:room])
        room -= len(text)
    title = document.get_metadata_value("Title")  # pyright: ignore[reportUnknownMemberType] - untyped there
    found = {"title": title[:500], "pages": pages, "total": len(document), "cut": room < 0}
    sys.stdout.buffer.write(json.dumps(found).encode("utf-8", "replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
