"""Looks at a site that was built, in a headless Chromium, on a phone, a tablet and a desk.

    mkdocs build
    python docs/site/look.py site --pictures FOLDER

Of a site that was published (docs/site/publish), the folder of a version is asked for.

No page may complain in the console, fetch anything from elsewhere (the browser knows this machine
only), be wider than the window, have code or, on a desk, tables that are wider than their column,
lie below its footer, or be empty.  On a phone, Python code scrolls and keeps its lines; tables
scroll, and their first column stays in view, with room beside it, and their head.
What people search for must find the page that says it.  Where other versions lie beside the site,
a page offers them.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
import search

from browser import Browser, chromium, serve

# Widths and heights, and the colours in which a picture is taken there; of the main pages in both.
WINDOWS = {
    "phone": (390, 844, "dark"),
    "tablet": (900, 1100, "light"),
    "desk": (1400, 900, "light"),
}
SCHEMES = {"light": "default", "dark": "slate"}
MAIN = {
    f"{page}.html" for page in ("index", "install", "start", "choosing", "opponents", "games/index")
}
PLAYER = "play/"  # has tests of its own (web/tests)
CODE_CUT_OFF = """
    const scrolls = code =>
        code.closest('.language-text') || innerWidth < 1000 && code.closest('.language-python')
    const breaks = code => getComputedStyle(code).whiteSpace != 'pre'
    const wide = code => code.scrollWidth > code.clientWidth + 1
    return [...document.querySelectorAll('pre > code')]
        .filter(code => scrolls(code) ? breaks(code) : wide(code))
        .map(code => code.textContent.slice(0, 40))
"""
TABLES_CUT_OFF = """
    const around = table => table.closest('.md-typeset__scrollwrap')
    const wide = table => table.scrollWidth > around(table).clientWidth + 1
    const high = table => innerWidth < 1000 && table.scrollHeight > innerHeight
    const stays = table => {
        const cell = table.querySelector('td'), head = table.querySelector('th')
        around(table).scrollTo(60, 60)
        const frame = around(table).getBoundingClientRect()
        const left = cell.getBoundingClientRect().left - frame.left
        const top = head.offsetHeight ? head.getBoundingClientRect().top - frame.top : 0
        around(table).scrollTo(0, 0)
        const low = around(table).clientHeight < innerHeight
        return left >= 0 && top >= -1 && low && cell.offsetWidth < innerWidth / 2
    }
    return [...document.querySelectorAll('.md-typeset__table > table')]
        .filter(table => !table.closest('.gallery'))
        .filter(table => wide(table) || high(table))
        .filter(table => innerWidth > 1000 || !stays(table))
        .map(table => table.innerText.slice(0, 40))
"""
FOOTER_OVER_CONTENT = """
    const end = document.querySelector('.md-main').getBoundingClientRect().bottom
    const lowest = [...document.querySelectorAll('.md-content__inner *')]
        .filter(each => each.offsetHeight && !each.closest('.md-typeset__scrollwrap, pre, canvas'))
    const boxes = [...lowest, ...document.querySelectorAll('.gallery tr')]
    return Math.max(0, ...boxes.map(each => each.getBoundingClientRect().bottom)) > end + 1
"""
SEARCH = """
    const input = document.querySelector('[data-md-component=search-query]')
    input.focus()
    input.value = arguments[0]
    input.dispatchEvent(new Event('input', { bubbles: true }))
    input.dispatchEvent(new KeyboardEvent('keyup', { bubbles: true }))
"""
FOUND = "return document.querySelector('.md-search-result__item > a')?.pathname ?? ''"
GONE = "return !document.querySelector('.md-search-result__item')"
VERSIONS = ".md-version__list a"
READY = "return !document.querySelector('.md-search-result__meta').textContent.includes('Initial')"
# Of pages of these kinds, which are many, pictures are taken of some.
SEVERAL = ("api/", "environments/", "games/", "source/", "spec/")


def is_empty(picture: bytes) -> bool:
    """Whether hardly anything is to be seen."""
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(64)
    counts = sorted((count for count, _ in image.getcolors() or []), reverse=True)
    return len(counts) < 8 or counts[0] > 0.985 * sum(counts)


def pictured(pages: list[str]) -> set[str]:
    """The pages of which pictures are taken: the main ones, of those of a kind the first three."""
    found = {page for page in pages if page in MAIN or not page.startswith(SEVERAL)}
    for folder in SEVERAL:
        found |= set([page for page in pages if page.startswith(folder)][:3])
    return found


def wrong_with(
    browser: Browser, page: str, names: list[str], folder: Path | None, *, picture: bool
) -> Iterator[str]:
    """Yield the faults of the page that the browser shows, in the windows of these names."""
    for name in names:
        width, height, colours = WINDOWS[name]
        browser.size(width, height, touch=name == "phone")
        for _ in range(30):  # the page takes a moment to follow
            wide = browser.run("return document.documentElement.scrollWidth")
            if wide <= width:
                break
            time.sleep(0.1)
        else:
            yield f"{page}: is {wide} pixels wide, in a window of {width}"
        if browser.run(FOOTER_OVER_CONTENT):
            yield f"{page}: on a {name}, the footer lies across the page"
        if cut_off := browser.run(CODE_CUT_OFF):
            yield f"{page}: on a {name}, code is cut off, or Python broken: {cut_off}"
        if cut_off := browser.run(TABLES_CUT_OFF):
            yield f"{page}: on a {name}, tables or their heads leave the view: {cut_off}"
        if not picture:
            continue
        for scheme in SCHEMES if page in MAIN else [colours]:
            wish = {"name": "prefers-color-scheme", "value": scheme}
            browser.devtools("Emulation.setEmulatedMedia", features=[wish])
            browser.wait(f"return document.body.dataset.mdColorScheme == '{SCHEMES[scheme]}'")
            taken = browser.picture()
            if is_empty(taken):
                yield f"{page}: is empty on a {name}, {scheme}"
            if folder:
                file = f"{page.replace('/', '_').removesuffix('.html')}-{name}-{scheme}.png"
                (folder / file).write_bytes(taken)
    for complaint in browser.complaints():
        yield f"{page}: {complaint}"


def wrong_with_search(browser: Browser, root: str) -> Iterator[str]:
    """Which queries do not lead first to the page that answers them, of those below the root."""
    browser.run(SEARCH, "")
    browser.wait(READY)
    for query, page in search.QUERIES.items():
        browser.run(SEARCH, "")
        browser.wait(GONE)
        browser.run(SEARCH, query)
        browser.wait(FOUND)
        found = browser.run(FOUND).removeprefix(root)
        if found != page:
            yield f"{query!r} finds {found} first, not {page}"


def wrong_with_versions(browser: Browser, versions: Path) -> Iterator[str]:
    """Whether the page offers other versions than those that this file lists."""
    browser.wait(f"return document.querySelector({VERSIONS!r})")
    links = f"[...document.querySelectorAll({VERSIONS!r})]"
    offered = browser.run(f"return {links}.map(link => link.pathname)")
    lying = [f"/{version['version']}/" for version in json.loads(versions.read_text("utf-8"))]
    if offered != lying:
        yield f"offers the versions {offered}, not {lying}"


def main() -> int:
    """Say what is wrong; the result is the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path, help="the folder with the site")
    parser.add_argument("--pictures", type=Path, help="a folder in which they are kept")
    arguments = parser.parse_args()
    site: Path = arguments.site.resolve()
    versions = site.parent / "versions.json"
    published = versions.exists()
    root = f"/{site.name}/" if published else "/"
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    paths = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    # The page for what is not found works at the root only, as it may be shown in any folder.
    others = {"404.html"} if published else set()
    pages = [page for page in paths if not page.startswith(PLAYER) and page not in others]
    taken = pictured(pages)
    wrong = []
    names = list(WINDOWS)
    with serve(site.parent if published else site) as address, chromium() as browser:
        for page in pages:
            browser.post("url", url=address + root[1:] + page)
            wrong += wrong_with(browser, page, names, arguments.pictures, picture=page in taken)
            names.reverse()  # the next page loads in the window that is there
        browser.post("url", url=address + root[1:] + "index.html")
        wrong += wrong_with_search(browser, root)
        if published:
            wrong += wrong_with_versions(browser, versions)
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    print(f"{len(pages)} pages, pictures of {len(taken)}, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
