"""Pages that the fixture site computes: errors, redirects, login, forms, search, the catalogue.

Owns the handlers and nothing of the transport. Error and redirect routes exist on every site;
the others only where the served folder holds `_site/layout.html`, whose look they take.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import cast
from urllib.parse import urlencode

from browser_agent.testing.site_files import PRIVATE_FOLDER
from browser_agent.testing.site_search import load_pages, search_pages, snippet
from browser_agent.testing.wire import HTML_TYPE, Hangup, Request, Response

Route = Callable[[Request], Awaitable[Response]]
Product = Mapping[str, str | float]

LOGIN_EMAIL = "mara@kestrelbay.example"
LOGIN_PASSWORD = "brass-lantern-7"  # noqa: S105 - printed on the fixture site's login page
SESSION_COOKIE = "kb_session=m-oakes-1204"
PRODUCTS_PER_PAGE = 5
SORT_KEYS = {"price": ("price", False), "price-desc": ("price", True), "name": ("name", False)}

NAMED_ERRORS: Mapping[str, Response] = {
    "empty": Response(200, {"content-type": HTML_TYPE}, b""),
    "binary": Response(200, {"content-type": "application/octet-stream"}, bytes(range(256)) * 8),
    "badcharset": Response(
        200, {"content-type": HTML_TYPE}, "<title>Café</title><p>Crème brûlée, 9 €".encode("cp1252")
    ),
    "unknowncharset": Response(
        200, {"content-type": "text/html; charset=x-harbour"}, "<p>Fish for sale</p>"
    ),
    "download": Response(
        200,
        {"content-type": "text/csv", "content-disposition": 'attachment; filename="tides.csv"'},
        "day,high,low\n1,4.1,0.6\n2,4.3,0.4\n",
    ),
    "truncated": Response(
        200, {"content-type": HTML_TYPE, "content-length": "5000"}, "<title>Cut</title><p>Cut off"
    ),
}
STATUS_HEADERS: Mapping[int, Mapping[str, str]] = {
    401: {"www-authenticate": 'Basic realm="harbour"'},
    429: {"retry-after": "7"},
    503: {"retry-after": "7"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looks:
    """The folder's layout, with marks for a title and the main part."""

    folder: Path

    def page(self, title: str, main: str, *, status: int = 200) -> Response:
        layout = (self.folder / PRIVATE_FOLDER / "layout.html").read_text(encoding="utf-8")
        html = layout.replace("{{title}}", escape(title)).replace("{{main}}", main)
        return Response.html(html, status)


def builtin_routes(folder: Path | None) -> dict[str, Route]:
    """Routes by path; a path that ends in `*` takes all below it."""
    routes: dict[str, Route] = {"/errors/*": _show_error, "/redirect": _redirect, "/echo": _echo}
    if folder is None or not (folder / PRIVATE_FOLDER / "layout.html").is_file():
        return routes
    looks = _Looks(folder=folder)
    return routes | {
        "/search": _threaded(_show_search, looks),
        "/login": _threaded(_log_in, looks),
        "/logout": _threaded(_log_out, looks),
        "/account": _threaded(_show_account, looks),
        "/contact": _threaded(_take_message, looks),
        "/catalogue/": _threaded(_show_catalogue, looks),
    }


def _threaded(build: Callable[[_Looks, Request], Response], looks: _Looks) -> Route:
    async def answer(request: Request) -> Response:
        return await asyncio.to_thread(build, looks, request)

    return answer


async def _show_error(request: Request) -> Response:
    name = request.path.removeprefix("/errors/")
    if name == "hangup":
        raise Hangup
    if name == "stall":
        await asyncio.Event().wait()
    if name in NAMED_ERRORS:
        return NAMED_ERRORS[name]
    status = int(name) if name.isdecimal() and 200 <= int(name) <= 599 else 404
    body = f"<title>Status {status}</title><h1>Status {status}</h1><p>This page answers {status}."
    return Response(status, {"content-type": HTML_TYPE, **STATUS_HEADERS.get(status, {})}, body)


async def _redirect(request: Request) -> Response:
    """`?to=/path&status=302&hops=3`; without `to` it leads to itself for ever."""
    query = request.query
    hops = int(query.get("hops", "1"))
    target = query.get("to", request.target)
    if hops > 1:
        target = "/redirect?" + urlencode({**query, "hops": hops - 1})
    return Response.redirect(target, int(query.get("status", "302")))


async def _echo(request: Request) -> Response:
    seen = {
        "method": request.method,
        "target": request.target,
        "headers": dict(request.headers),
        "body": request.body.decode("utf-8", "replace"),
    }
    return Response(200, {"content-type": "application/json"}, json.dumps(seen))


def _show_search(looks: _Looks, request: Request) -> Response:
    query = request.query.get("q", "").strip()
    form = (
        '<form action="/search" role="search"><label>Search the site '
        f'<input type="search" name="q" value="{escape(query)}"></label>'
        "<button>Search</button></form>"
    )
    pages = load_pages(looks.folder, hidden=("/private/", "/harbour/frames/"))
    found = search_pages(pages, query)
    items = "".join(
        f'<li><a href="{page.path}">{escape(page.title)}</a>'
        f"<p>…{escape(snippet(page, query))}…</p></li>"
        for page in found
    )
    count = f"<p>{len(found)} pages found for “{escape(query)}”.</p>" if query else ""
    return looks.page("Search", f"<h1>Search</h1>{form}{count}<ol>{items}</ol>")


def _log_in(looks: _Looks, request: Request) -> Response:
    if request.method != "POST":
        return Response.redirect("/login.html")
    form = request.form
    if (form.get("email"), form.get("password")) != (LOGIN_EMAIL, LOGIN_PASSWORD):
        main = '<h1>Log in</h1><p role="alert">That e-mail address or password is wrong.</p>'
        return looks.page("Log in", main + '<p><a href="/login.html">Try again</a></p>', status=403)
    cookie = f"{SESSION_COOKIE}; Path=/; HttpOnly; SameSite=Lax"
    return Response(303, {"location": "/account", "set-cookie": cookie})


def _log_out(_looks: _Looks, _request: Request) -> Response:
    expired = "kb_session=; Path=/; Max-Age=0"
    return Response(303, {"location": "/", "set-cookie": expired})


def _show_account(looks: _Looks, request: Request) -> Response:
    name, _, token = SESSION_COOKIE.partition("=")
    if request.cookies.get(name) != token:
        return Response.redirect("/login.html?next=/account")
    main = (looks.folder / PRIVATE_FOLDER / "account.html").read_text(encoding="utf-8")
    return looks.page("Your account", main)


def _take_message(looks: _Looks, request: Request) -> Response:
    if request.method != "POST":
        return Response.redirect("/contact.html")
    form = request.form
    missing = [name for name in ("name", "email", "message") if not form.get(name, "").strip()]
    if missing:
        main = f'<h1>Contact</h1><p role="alert">Please fill in: {", ".join(missing)}.</p>'
        return looks.page("Contact", main, status=422)
    main = (
        f"<h1>Thank you, {escape(form['name'])}</h1>"
        f"<p>Your message about “{escape(form.get('topic', 'nothing named'))}” has arrived.</p>"
    )
    return looks.page("Message received", main)


def _show_catalogue(looks: _Looks, request: Request) -> Response:
    """`?category=&max_price=&sort=price|price-desc|name&page=`, five products a page."""
    query = request.query
    products = _select_products(_load_products(looks.folder), query)
    pages = max(1, -(-len(products) // PRODUCTS_PER_PAGE))
    page = min(max(1, _whole_number(query.get("page", ""), 1)), pages)
    shown = products[(page - 1) * PRODUCTS_PER_PAGE : page * PRODUCTS_PER_PAGE]
    intro = (looks.folder / PRIVATE_FOLDER / "catalogue.html").read_text(encoding="utf-8")
    cards = "".join(_render_card(product) for product in shown)
    main = (
        f"{intro}<p>{len(products)} articles, page {page} of {pages}.</p>"
        f'<ul class="products">{cards}</ul>{_render_pager(query, page, pages)}'
    )
    return looks.page("The Chandlery: catalogue", main)


def _load_products(folder: Path) -> list[Product]:
    text = (folder / PRIVATE_FOLDER / "products.json").read_text(encoding="utf-8")
    return cast("list[Product]", json.loads(text))


def _select_products(products: list[Product], query: Mapping[str, str]) -> list[Product]:
    category = query.get("category", "")
    limit = _whole_number(query.get("max_price", ""), 1_000_000)
    kept = [
        product
        for product in products
        if category in {"", product["category"]} and float(product["price"]) <= limit
    ]
    key, is_reversed = SORT_KEYS.get(query.get("sort", ""), ("name", False))
    return sorted(kept, key=lambda product: product[key], reverse=is_reversed)


def _render_card(product: Product) -> str:
    return (
        f'<li><a href="{product["path"]}">{escape(str(product["name"]))}</a> '
        f'<span class="price">€ {float(product["price"]):.2f}</span> '
        f"<p>{escape(str(product['teaser']))}</p></li>"
    )


def _render_pager(query: Mapping[str, str], page: int, pages: int) -> str:
    links: list[str] = []
    for label, number in (("Previous page", page - 1), ("Next page", page + 1)):
        if 1 <= number <= pages:
            target = urlencode({**query, "page": number})
            links.append(f'<a href="/catalogue/?{escape(target)}">{label}</a>')
    return f'<nav aria-label="Pages">{" ".join(links)}</nav>'


def _whole_number(text: str, otherwise: int) -> int:
    return int(text) if text.isdecimal() and text.isascii() else otherwise
