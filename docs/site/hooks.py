"""Add pages and links to the site that are not files of docs/, for `mkdocs build` (mkdocs.yml).

* Pages made of files elsewhere: the changelog and its like as they are, the C interface from ale.h,
  a page for each public Python module from its docstrings, and under source/ every other file that
  some page links.
* llms.txt: all pages of the guides in one list, for programs that read.
* The page on which games are played, from web/.
* Former addresses of pages that have moved.
* Where `<!-- clone -->` stands, how to clone the repository, if REPOSITORY_URL says where it is.
* Links from docs/ to files outside of it, which work in the repository, lead to those pages.
* An entry of the navigation that ends in "/" becomes all pages of that folder.
"""

from __future__ import annotations

import html
import os
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
import c_reference
import player
import python_reference
import search

ROOT = Path(__file__).parents[2]
# Pages that are made of a file elsewhere, as they are, and where that file is.
ELSEWHERE = {
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
    "conduct.md": "CODE_OF_CONDUCT.md",
}
# What else of the repository has a page of its own, for links to it.
PLACES = {origin: page for page, origin in ELSEWHERE.items()} | {
    "README.md": "index.md",
    c_reference.HEADER: "c-reference.md",
    **{python_reference.path_of(name): f"api/{name}.md" for name in python_reference.MODULES},
}
LANGUAGES = {
    ".asm": "ca65",
    ".c": "c",
    ".h": "c",
    ".md": "markdown",
    ".py": "python",
    ".toml": "toml",
}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
CLONE = "<!-- clone -->\n"


def place(target: str) -> str | None:
    """The page about a file of the repository, or None if there is no such file."""
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    if target in PLACES:
        return PLACES[target]
    return f"source/{target}.md" if (ROOT / target).is_file() else None


def moved(text: str, page: str) -> str:
    """The text with its links as the site needs them; those that lead nowhere stay."""
    origin = ELSEWHERE.get(page, f"docs/{page}")

    def link(found: re.Match[str]) -> str:
        path, mark, anchor = found[2].partition("#")
        if not path or ":" in path:
            return found[0]
        target = place(posixpath.normpath(posixpath.join(posixpath.dirname(origin), path)))
        if target is None:
            return found[0]
        here = posixpath.dirname(page) or "."
        return found[1] + posixpath.relpath(target, here) + mark + anchor + found[3]

    return LINK.sub(link, text)


def source(path: str) -> str:
    """A page that shows a file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    language = LANGUAGES.get(posixpath.splitext(path)[1], "text")
    search = "---\nsearch:\n  exclude: true\nhide: [toc]\n---\n\n"
    return f'{search}# `{path}`\n\n``````{language} linenums="1"\n{text}``````\n'


def generated() -> dict[str, str]:
    """The pages that are made of files elsewhere: their texts by where they are in docs/."""
    pages = {
        page: (ROOT / origin).read_text(encoding="utf-8") for page, origin in ELSEWHERE.items()
    }
    pages["c-reference.md"] = c_reference.page((ROOT / c_reference.HEADER).read_text("utf-8"))
    return pages | python_reference.pages()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Write out the folders of the navigation; link the repository and other versions, if any."""

    def written_out(entry: Any) -> Any:
        if isinstance(entry, list):
            return [written_out(each) for each in entry]
        if isinstance(entry, dict):
            return {title: written_out(each) for title, each in entry.items()}
        if not entry.endswith("/"):
            return entry
        docs = Path(config.docs_dir)
        lying = sorted(path.relative_to(docs).as_posix() for path in (docs / entry).rglob("*.md"))
        pages = [page for page in generated() if page.startswith(entry)] + lying
        first = [entry + name for name in ("index.md", "README.md") if entry + name in pages]
        return first + [page for page in pages if page not in first]

    config.nav = written_out(config.nav)
    if not config.repo_url:
        config.edit_uri = None  # or pages would link to places of this site to be edited at
    if "MIKE_DOCS_VERSION" in os.environ:  # mike builds: other versions lie beside this one
        config.extra["version"] = {"provider": "mike"}
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    pages = generated()
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for file in player.files(config):
        files.append(file)
    texts = [(file.src_uri, file.content_string) for file in files.documentation_pages()]
    for page, text in texts:
        for link in LINK.findall(moved(text, page)):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[1]))
            if target.startswith("source/") and files.get_file_from_path(target) is None:
                path = target.removeprefix("source/").removesuffix(".md")
                files.append(File.generated(config, target, content=source(path)))
    return files


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    """Remember the navigation, for llms.txt."""
    config.extra["sections"] = nav.items


def beginning(page: str) -> str:
    """The first paragraph of a page, without links."""
    text = re.sub(r"(?s)\A---\n.*?\n---\n|<[^>]+>", "", page)
    paragraphs = re.split(r"\n\s*\n", text.strip())
    first = next((each for each in paragraphs if re.match(r"[`\w*]", each.strip())), "")
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(first.split()))


def listed(items: list[Any], depth: int = 2) -> Iterator[str]:
    """The lines of llms.txt: headings for sections, a line for each page with its beginning."""
    for item in sorted(items, key=lambda each: each.is_section):
        if item.is_section:
            yield f"\n{'#' * depth} {item.title}\n"
            yield from listed(item.children, depth + 1)
        elif item.is_page:
            words = beginning(item.file.content_string)
            yield f"- [{item.title}]({item.url})" + (f": {words}" if words else "")


def on_post_build(config: MkDocsConfig) -> None:
    """Add the list of pages."""
    head = f"# {config.site_name}\n\n> {config.site_description}\n"
    lines = [head, *listed(config.extra["sections"])]
    Path(config.site_dir, "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Turn links to files outside of docs/ to their pages; tell the search about the page."""
    clone = f"```sh\ngit clone {config.repo_url} pyale_ma\ncd pyale_ma\n```\n"
    page.meta.setdefault("description", html.escape(beginning(markdown).replace("`", "")[:300]))
    markdown = markdown.replace(CLONE, clone if config.repo_url else "")
    for key, value in search.settings(page.file.src_uri).items():
        page.meta.setdefault(key, value)
    return moved(markdown, page.file.src_uri)
