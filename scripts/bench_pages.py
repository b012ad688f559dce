"""Deterministic pages for the benchmark: headings, tables, forms, links, a frame, a shadow root."""

from __future__ import annotations

import random
from collections.abc import Iterator

WORDS = [
    "amber",
    "anchor",
    "basin",
    "beacon",
    "bridge",
    "canal",
    "cargo",
    "chart",
    "coast",
    "copper",
    "crane",
    "current",
    "delta",
    "dock",
    "drift",
    "ferry",
    "gauge",
    "granite",
    "harbour",
    "herring",
    "island",
    "jetty",
    "keel",
    "lantern",
    "ledger",
    "lime",
    "lock",
    "mast",
    "mill",
    "moor",
    "north",
    "oak",
    "pier",
    "pilot",
    "quarry",
    "quay",
    "reef",
    "rope",
    "sail",
    "salt",
    "sand",
    "shoal",
    "signal",
    "slate",
    "sound",
    "spring",
    "stone",
    "tide",
    "timber",
    "tower",
    "trade",
    "vessel",
    "wharf",
    "wind",
    "winter",
    "yard",
]
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:14px sans-serif}}.gone{{display:none}}</style>
<nav aria-label="Main"><a href="/start">Start</a> <a href="/goods">Goods</a></nav>
<main><h1>{title}</h1>
<p><button id="more" onclick="count.textContent=+count.textContent+1">Count</button>
<output id="count">0</output> <label>Name <input id="name"></label></p>
<iframe src="/frame.html" title="Frame" width="300" height="90"></iframe><side-card></side-card>
<script>customElements.define('side-card', class extends HTMLElement {{ connectedCallback() {{
this.attachShadow({{mode: 'open'}}).innerHTML = '<h2>Card</h2><button>In the card</button>'; }} }});
</script>"""
FRAME = "<!doctype html><title>Frame</title><h2>In the frame</h2><button>Frame button</button>"


def page(elements: int) -> str:
    """A page of about so many elements."""
    chance = random.Random(elements)
    parts, count = [HEAD.format(title=f"Page of {elements}")], 30
    for block, size in _blocks(chance):
        if count + size > elements:
            break
        parts.append(block)
        count += size
    return "\n".join([*parts, "</main>"])


def _say(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(words)).capitalize()


def _blocks(chance: random.Random) -> Iterator[tuple[str, int]]:
    number = 0
    while True:
        number += 1
        yield (
            f"<section><div><div><h2>{_say(chance, 4)}</h2><p>{_say(chance, 25)}. "
            f'<a href="/p/{number}">{_say(chance, 3)}</a> <a href="/q/{number}?r=x">'
            f'{_say(chance, 2)}</a></p><span class="gone">unseen</span></div></div></section>',
            8,
        )
        rows = "".join(
            "<tr>" + "".join(f"<td>{_say(chance, 2)}</td>" for _ in range(4)) + "</tr>"
            for _ in range(6)
        )
        yield (
            "<table><tr><th>Id<th>Name<th>State<th>Note</tr>" + rows + "</table>",
            37,
        )
        yield (
            f'<form><label>Mail <input type="email"></label><label><input type="checkbox"> '
            f"{_say(chance, 3)}</label><select><option>One<option>Two<option>Three</select>"
            f'<button type="button">{_say(chance, 2)}</button></form>',
            11,
        )
        links = "".join(
            f'<li><a href="/l/{number}/{i}">{_say(chance, 4)}</a></li>' for i in range(6)
        )
        yield f"<ul>{links}</ul>", 13
