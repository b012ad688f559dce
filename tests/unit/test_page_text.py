"""A page's text in blocks: headings, contexts, code, lists of contents, sitemaps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from browser_agent.logic.page_text import (
    Heading,
    cut_blocks,
    cut_sentences,
    read_headings,
    read_links,
    read_sitemap,
)

BASE = "http://docs.test/a/index.html"


def test_comments_in_code_are_no_headings_and_brackets_in_code_no_links() -> None:
    markdown = (
        "# Shell\n\n```\n# set the path\n[x](http://docs.test/x)\n```\n\n## Next\n[y](y.html)"
    )
    assert read_headings(markdown) == (Heading(1, "Shell"), Heading(2, "Next"))
    assert [link.url for link in read_links(markdown, BASE)] == ["http://docs.test/a/y.html"]


def test_a_heading_is_known_whatever_its_spaces() -> None:
    blocks = cut_blocks("1.3.\u00a0Shells ¶\nUse dash here.", 1, [Heading(2, "1.3. Shells")])
    assert [(block.text, block.headings) for block in blocks] == [
        ("Use dash here.", ("1.3. Shells",))
    ]


def test_a_term_stays_the_context_of_what_is_said_about_it() -> None:
    blocks = cut_blocks("make_key(name)\nMakes a key.\nNew in version 3.\nIt is slow.", 1)
    assert {block.context for block in blocks[1:]} == {"make_key(name)"}


def test_a_table_s_head_row_ends_with_the_table() -> None:
    blocks = cut_blocks("name | size\nfoo | 3\nA paragraph behind it.", 1)
    assert [block.context for block in blocks] == ["", "name | size", "name | size"]
    assert cut_blocks("name | size\nOne.\nTwo.", 1)[2].context == ""


def test_a_sitemap_gives_its_addresses_with_the_words_of_their_paths() -> None:
    xml = (
        '<?xml version="1.0"?>\n<urlset xmlns="x">\n'
        "<url><loc>http://docs.test/news/old-mill.html</loc></url>\n"
        "<url><loc> http://docs.test/s?a=1&amp;b=2 </loc></url>\n</urlset>"
    )
    assert [(link.url, link.text) for link in read_sitemap(xml, BASE)] == [
        ("http://docs.test/news/old-mill.html", "news old mill"),
        ("http://docs.test/s?a=1&b=2", "s"),
    ]
    assert read_sitemap("A page about <loc>http://docs.test/x</loc>", BASE) == ()


@given(st.text(max_size=300))
def test_sentences_stand_in_their_block_in_order(text: str) -> None:
    at = 0
    for sentence in cut_sentences(text):
        at = text.index(sentence, at) + len(sentence)
    assert not "".join(text.split()).replace("".join("".join(cut_sentences(text)).split()), "")
