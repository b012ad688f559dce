"""Oracle policies: text fields, sliders, tables, mail, shops, search, a terminal."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from miniwob_page import ORDINALS, Stuck, View, Wob

Policy = Callable[[Wob], Awaitable[None]]


async def enter_quoted(w: Wob) -> None:
    text = w.quoted[0]
    if "lower case" in w.goal:
        text = text.lower()
    if "upper case" in w.goal:
        text = text.upper()
    for box in (await w.look()).all("textbox"):
        await w.fill(box.ref, text)
    await w.press_named("Submit", "button")


async def enter_time(w: Wob) -> None:
    await w.fill((await w.look()).all("textbox")[0].ref, w.match(r"Enter (\S+ \w+) as")[0])
    await w.press_named("Submit", "button")


async def enter_date(w: Wob) -> None:
    month, day, year = w.match(r"(\d+)/(\d+)/(\d+)")
    await w.fill((await w.look()).all("textbox")[0].ref, f"{year}-{month}-{day}")
    await w.press_named("Submit", "button")


async def copy_paste(w: Wob) -> None:
    """By the clipboard, as a person does."""
    boxes = (await w.look()).all("textbox")
    filled = [box for box in boxes if box.value]
    empty = next(box for box in boxes if not box.value)
    number = re.search(r"(1st|2nd|3rd) text area", w.goal)
    source = filled[ORDINALS[number.group(1)] if number else 0]
    await w.key("Control+A", source.ref)
    await w.key("Control+C", source.ref)
    await w.key("Control+V", empty.ref)
    await w.press_named("Submit", "button")


async def find_word(w: Wob) -> None:
    number = int(w.match(r"the (\d+)\w\w word")[0])
    view = await w.look()
    words = view.lines[0].name.split()
    await w.fill(view.all("textbox")[0].ref, words[number - 1].strip(".,"))
    await w.press_named("Submit", "button")


async def last_word(w: Wob) -> None:
    view = await w.look()
    area, box = view.all("textbox")[:2]
    await w.scroll_to("bottom", area.ref)
    result = await w.session.read(ref=area.ref)
    text = str(result.to_dict()["data"]["text"])  # type: ignore[index]
    await w.fill(box.ref, text.rsplit(maxsplit=1)[-1].strip("."))
    await w.press_named("Submit", "button")


async def scroll_text(w: Wob) -> None:
    area = (await w.look()).all("textbox")[0].ref
    await w.scroll_to("bottom" if "bottom" in w.goal else "top", area)
    await w.press_named("Submit", "button")


async def login(w: Wob) -> None:
    user, password = w.quoted[:2]
    for label, text in (("Username", user), ("Password", password)):
        await _close_popup(w)
        await w.fill((await w.look()).after(label, "textbox").ref, text)
    await _close_popup(w)
    view = await w.look()
    await w.click((view.find("Login", "button") or view.all("button")[-1]).ref)


async def _close_popup(w: Wob) -> None:
    view = await w.look()
    cancel = view.find("Cancel", "button")
    if cancel is not None:
        await w.click(cancel.ref)


async def slider(w: Wob) -> None:
    view = await w.look()
    await _slide(w, 0, int(w.match(r"Select (-?\d+) with")[0]))
    if "checkbox" in w.goal:
        number = ORDINALS[w.match(r"(1st|2nd|3rd) checkbox")[0]]
        await w.check(view.all("checkbox")[number].ref)
    await w.press_named("Submit", "button")


async def sliders(w: Wob) -> None:
    for number, value in enumerate(w.match(r"\[(\d+),(\d+),(\d+)\]")):
        await _slide(w, number, int(value))
    await w.press_named("Submit", "button")


async def _slide(w: Wob, number: int, wanted: int) -> None:
    """Move a slider by arrow keys until the number below it is the wanted one."""
    for _ in range(300):
        view = await w.look()
        handle = view.all("clickable", "slider")[number]
        shown = [line for line in view.lines if re.fullmatch(r"-?\d+", line.name)][number]
        away = wanted - int(shown.name)
        if not away:
            return
        for _ in range(min(abs(away), 25)):
            await w.key("ArrowRight" if away > 0 else "ArrowLeft", handle.ref)
    raise Stuck("the slider does not get there")


async def spinner(w: Wob) -> None:
    wanted = int(w.match(r"Select (-?\d+) with")[0])
    field = (await w.look()).all("spinbutton")[0].ref
    for _ in range(abs(wanted)):
        await w.key("ArrowUp" if wanted > 0 else "ArrowDown", field)
    await w.press_named("Submit", "button")


async def form_sequence_2(w: Wob) -> None:
    which, number, box = w.match(
        r"(\w+) radio button and enter the number \"(-?\d+)\" into the (\w+)"
    )
    view = await w.look()
    await w.check(view.all("radio")[ORDINALS[which]].ref)
    await w.fill(view.all("textbox")[ORDINALS[box]].ref, number)
    await w.press_named("Submit", "button")


async def generate(w: Wob) -> None:
    tests: dict[str, Callable[[int, int], bool]] = {
        "less than": lambda n, limit: n < limit,
        "greater than": lambda n, limit: n > limit,
        "odd": lambda n, _: n % 2 == 1,
        "even": lambda n, _: n % 2 == 0,
    }
    test = next(test for words, test in tests.items() if words in w.goal)
    limit = int((re.findall(r"\d+", w.goal) or ["0"])[0])
    for _ in range(60):
        await w.press_named("Generate", "button")
        shown = next(one.name for one in (await w.look()).lines if one.name.isdigit())
        if test(int(shown), limit):
            break
    await w.press_named("Submit", "button")


async def guess(w: Wob) -> None:
    low, high = 0, 9
    while True:
        number = (low + high) // 2
        view = await w.look()
        await w.fill(view.all("spinbutton")[0].ref, str(number))
        await w.press_named("Submit", "button")
        text = await w.text()
        if "is higher" in text or "higher than" in text:
            low = number + 1
        elif "is lower" in text or "lower than" in text:
            high = number - 1
        else:
            return


async def movies(w: Wob) -> None:
    genre, director, year = w.match(r"for (\w+) movies directed by (.+) from year (\d+)")
    wanted = (("irector", director), ("enre", genre), ("Year|Date|year", year))
    view = await w.look()
    for label, text in wanted:
        await w.fill(_field(view, label), text)
    buttons = [one for one in view.all("button", "clickable") if one.name]
    await w.click(buttons[-1].ref)


def _field(view: View, label: str) -> str | None:
    """The text field whose own line, or a line shortly before it, holds the label."""
    lines = [line for line in view.lines if line.raw.strip()]
    if "textbox" in lines[0].raw:  # labels stand below their fields here
        lines = [line for pair in zip(lines[1::2], lines[0::2], strict=False) for line in pair]
    last = ""
    for line in lines:
        words = line.raw
        here = line.role == "textbox" or "textbox" in words
        if here and re.search(label, words):
            return re.search(r"e\d+", words).group(0) if not line.ref else line.ref  # type: ignore[union-attr]
        if here and re.search(label, last):
            return line.ref
        if not here or not line.ref:
            last = words
    raise Stuck(f"no field for {label}")


async def phone_book(w: Wob) -> None:
    name, kind = w.match(r"Find ([\w-]+) in the contact book and click on their (\w+)")
    for _ in range(15):
        view = await w.look()
        if any(line.raw == f"## {name}" for line in view.lines):
            await w.click(
                view.after({"address": "Address", "email": "Email"}.get(kind, "Phone"), "link").ref
            )
            return
        await w.click(view.ref(">"))
    raise Stuck("no such person")


async def table_value(w: Wob) -> None:
    rows = _rows(await w.look())
    await w.fill((await w.look()).all("textbox")[0].ref, rows[w.match(r"value of (.+) into")[0]])
    await w.press_named("Submit", "button")


async def table_values(w: Wob) -> None:
    view = await w.look()
    rows = _rows(view)
    labels = [line.name for line in view.lines if line.name.endswith(":")]
    for label, box in zip(labels, view.all("textbox"), strict=True):
        await w.fill(box.ref, rows[label.rstrip(":")])
    await w.press_named("Submit", "button")


def _rows(view: View) -> dict[str, str]:
    cells = [line.raw.strip("|").split("|") for line in view.lines if line.raw.startswith("|")]
    return {row[0]: row[1] for row in cells}


async def search(w: Wob) -> None:
    text = w.quoted[0]
    number = int(w.match(r"click the (\d+)\w\w search")[0])
    view = await w.look()
    await w.fill(view.all("textbox")[0].ref, text)
    await w.press_named("Search", "button")
    per_page = 3
    for _ in range((number - 1) // per_page):
        await w.press_named(">", "link")
    results = [
        line for line in (await w.look()).all("link") if not re.fullmatch(r"[<>]|\d", line.name)
    ]
    await w.click(results[(number - 1) % per_page].ref)


async def agreement(w: Wob) -> None:
    if w.quoted:
        view = await w.look()
        await w.scroll_to("bottom", view.all("textbox")[0].ref)
        await w.fill(view.all("textbox")[1].ref, w.quoted[0])
    await w.press_named("Agree" if '"Agree"' in w.goal else "Cancel", "button")


async def arithmetic(w: Wob) -> None:
    view = await w.look()
    left, sign, right = re.search(r"(\d+) ([-+x*]) (\d+) =", view.text).groups()  # type: ignore[union-attr]
    number = {"+": int(left) + int(right), "-": int(left) - int(right)}.get(sign)
    await w.fill(
        view.all("textbox")[0].ref, str(int(left) * int(right) if number is None else number)
    )
    await w.press_named("Submit", "button")


async def algebra(w: Wob) -> None:
    view = await w.look()
    left, sign, right, total = re.search(  # type: ignore[union-attr]
        r"(x|\d+) ([-+]) (x|\d+) = (-?\d+)", view.text
    ).groups()
    known = int(right if left == "x" else left)
    if left == "x":
        x = int(total) - known if sign == "+" else int(total) + known
    else:
        x = int(total) - known if sign == "+" else known - int(total)
    await w.fill(view.all("textbox")[0].ref, str(x))
    await w.press_named("Submit", "button")


async def transform(w: Wob) -> None:
    view = await w.look()
    text = view.lines[0].name.replace(" ", "")
    await w.fill(view.all("textbox")[0].ref, text)
    await w.press_named("Submit", "button")


async def terminal(w: Wob) -> None:
    ending = re.search(r"extension \.(\S+)", w.goal)
    await w.click((await w.look()).all("clickable")[0].ref)
    await _command(w, "ls")
    listed = (await w.text()).split("$ ls")[-1]
    names = re.findall(r"[\w.]+", listed.partition("user$")[0])
    plain = [name for name in names if "." not in name]
    fits = [name for name in names if ending and name.endswith(f".{ending.group(1)}")]
    await _command(w, f"rm {(fits if ending else plain)[0]}")


async def _command(w: Wob, command: str) -> None:
    for char in command:
        await w.key(char)
    await w.key("Enter")


async def autocomplete(w: Wob) -> None:
    start, *end = w.quoted
    box = (await w.look()).all("textbox", "combobox", "searchbox")[0].ref
    typed = await w.session.type(box or "", start, slowly=True)
    if not typed.is_ok:
        raise Stuck(str(typed.error_message))
    for _ in range(20):
        offered = [one for one in (await w.look()).all() if one.name.startswith(start)]
        fits = [one for one in offered if not end or one.name.endswith(end[0])]
        if fits:
            await w.click(fits[0].ref)
            break
        await w.wait(0.1)
    await w.press_named("Submit", "button")


async def mail(w: Wob) -> None:
    """Open the mail; then reply, forward, or use one of the icons."""
    (sender,) = w.match(r"by ([\w-]+) and")
    view = await w.look()
    if "trash" in w.goal or "star" in w.goal:
        at = next(i for i, line in enumerate(view.lines) if line.name == sender)
        icons = [line for line in view.lines[at:] if line.ref and not line.name]
        await w.click(icons[0 if "trash" in w.goal else 1].ref)
        return
    await w.click(view.ref(sender))
    opened = await w.look()
    if "reply" in w.goal:
        await w.click(opened.ref("Reply"))
        text = w.quoted[0]
        await w.fill((await w.look()).all("textbox")[0].ref, text)
    else:
        await w.click(opened.ref("Forward"))
        await w.fill((await w.look()).all("textbox")[0].ref, w.match(r"email to ([\w-]+)")[0])
    icons = [line for line in (await w.look()).all("clickable", "button") if not line.name]
    await w.click(icons[-1].ref)


SOCIAL = ("Reply", "Retweet", "Like", "Share")


async def social(w: Wob) -> None:
    user = w.match(r"(@\w+)")[0]
    action = w.quoted[0]
    limit = re.search(r"on (\d+) posts?", w.goal)
    wanted = int(limit.group(1)) if limit else 99 if "all posts" in w.goal else 1
    view = await w.look()
    posts = [i for i, line in enumerate(view.lines) if user in line.name.split()]
    for at in posts[:wanted]:
        icons = [line for line in view.lines[at:] if line.ref]
        place = SOCIAL.index(action) if action in SOCIAL else 3
        await w.click(icons[place].ref)
        if action not in SOCIAL:
            items = [one for one in (await w.look()).all() if one.name.startswith(action)]
            await w.click(items[0].ref)
    if "Submit" in w.goal:
        await w.press_named("Submit", "button")


async def stock(w: Wob) -> None:
    limit = float(w.match(r"less than \$([\d.]+)\.")[0])
    button = (await w.look()).ref("Buy", "button")
    for _ in range(400):
        price = re.search(r"price: \$([\d.]+)", await w.text())
        if price and float(price.group(1)) < limit:
            await w.click(button)
            return
    raise Stuck("it never got so cheap")


POLICIES: dict[str, Policy] = {
    "enter-text": enter_quoted,
    "enter-text-2": enter_quoted,
    "enter-text-dynamic": enter_quoted,
    "enter-password": enter_quoted,
    "enter-time": enter_time,
    "enter-date": enter_date,
    "copy-paste": copy_paste,
    "copy-paste-2": copy_paste,
    "find-word": find_word,
    "scroll-text": last_word,
    "scroll-text-2": scroll_text,
    "login-user": login,
    "login-user-popup": login,
    "use-slider": slider,
    "form-sequence": slider,
    "use-slider-2": sliders,
    "use-spinner": spinner,
    "form-sequence-2": form_sequence_2,
    "generate-number": generate,
    "guess-number": guess,
    "multi-layouts": movies,
    "multi-orderings": movies,
    "phone-book": phone_book,
    "read-table": table_value,
    "read-table-2": table_values,
    "search-engine": search,
    "sign-agreement": agreement,
    "simple-arithmetic": arithmetic,
    "simple-algebra": algebra,
    "text-transform": transform,
    "terminal": terminal,
    "use-autocomplete": autocomplete,
    "use-autocomplete-nodelay": autocomplete,
    "email-inbox-delete": mail,
    "email-inbox-forward": mail,
    "email-inbox-important": mail,
    "email-inbox-reply": mail,
    "email-inbox-noscroll": mail,
    "email-inbox-star-reply": mail,
    "email-inbox": mail,
    "social-media": social,
    "social-media-all": social,
    "social-media-some": social,
    "stock-market": stock,
}
