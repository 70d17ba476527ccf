"""Plays the first ten minutes with the package, and writes docs/first-minutes.md about them.

    python docs/tools/film_first_minutes.py

It clones this repository, as it is committed, into an empty folder, and runs the commands of the
README: install, the first program, the tool that looks at the installation, the page in the
browser, which a headless Chromium plays.  Needs Chromium with its driver, Pillow, a C compiler and
a package index.
"""

from __future__ import annotations

import datetime
import io
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
from browser import Browser, chromium

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "first-minutes.md"
FILM = ROOT / "docs" / "images" / "first-minutes.webp"
SECONDS = 6  # of play in the film
RATE = 6  # frames a second of the film
LINES = 40  # of a command's output that are shown
# The keys of the first player, who defends the left side: up and down in turn.
KEYS = ("ArrowUp", "ArrowDown")
HEAD = """# The first ten minutes

<!-- Written by docs/tools/film_first_minutes.py: run it anew. -->

This page shows the commands of the [README](../README.md), typed in a new clone: what each prints
and how long it takes. The output is copied from a real run.

{machine}

"""
# A sentence or two about each step, by its title.
NOTES = {
    "Install, and a demo": (
        "Build and install the package, then play Quartet with four random agents:"
    ),
    "The first program": "Save this as `first.py`, then run it:",
    "Is all well?": (
        "`doctor` checks the installation, and says what to do about what is missing. Nothing\n"
        "that is absent here is needed for the first steps:"
    ),
    "Play in the browser": (
        "Without options, `pyale-ma web` opens the page in your browser. Here it has trained\n"
        "opponents for the other seats, and opens no window:"
    ),
}


class Step(NamedTuple):
    """Something that was typed, and what came of it."""

    title: str
    typed: str
    seconds: float
    printed: str


def blocks(section: str, language: str) -> list[str]:
    """The README's blocks of code in a section."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    part = text.split(f"## {section}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)\n```", part, re.DOTALL)


def inline(start: str) -> str:
    """The README's command that begins so."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(rf"`({re.escape(start)}[^`]*)`", text)
    if not match:
        raise SystemExit(f"the README has no command that begins with {start!r}")
    return match[1]


def run(title: str, command: str, folder: Path, environment: dict[str, str]) -> Step:
    """Run a command in the clone; whatever fails ends this."""
    print("$", command, flush=True)
    began = time.monotonic()
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - began
    print(done.stdout, f"({seconds:.0f} s)", flush=True)
    if done.returncode:
        raise SystemExit(f"{command!r} failed, with status {done.returncode}")
    printed = done.stdout.replace(str(folder), ".").replace(platform.release(), "VERSION")
    return Step(title, command, seconds, re.sub(r", commit \w+", "", printed))


def frames(browser: Browser) -> Iterator[Image.Image]:
    """Pictures of the page, while its first player moves."""
    began = time.monotonic()
    held = 0
    browser.keys(("keyDown", KEYS[held]))
    for number in range(SECONDS * RATE):
        if number % RATE == RATE - 1:
            browser.keys(("keyUp", KEYS[held]), ("keyDown", KEYS[1 - held]))
            held = 1 - held
        time.sleep(max(0.0, began + number / RATE - time.monotonic()))
        yield Image.open(io.BytesIO(browser.picture())).convert("RGB")
    browser.keys(("keyUp", KEYS[held]))


def play(command: str, folder: Path, environment: dict[str, str]) -> Step:
    """Play Quartet for four on the page, against the trained players; Ctrl-C ends the server."""
    command = f"{command} --players 4 --against strong --no-open"
    print("$", command, flush=True)
    began = time.monotonic()
    server = subprocess.Popen(
        command.split(), cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout
        printed = server.stdout.readline()
        address = printed.split()[-1]
        with chromium() as browser:
            browser.size(1000, 720)
            browser.post("url", url=address)
            browser.wait("return !!window.player")
            seconds = time.monotonic() - began
            browser.click("#go")
            film = [image.resize((600, 432)) for image in frames(browser)]
            if complaints := browser.complaints():
                raise SystemExit(f"the page complains: {complaints}")
            score = browser.run("return document.body.innerText")
        server.send_signal(signal.SIGINT)
        if server.wait(timeout=60):
            raise SystemExit("pyale-ma web did not end well")
    finally:
        server.kill()
    print(printed, score[:300], sep="")
    film[0].save(
        FILM, save_all=True, append_images=film[1:], duration=1000 // RATE, loop=0, quality=50
    )
    port = re.sub(r":\d+/", ":PORT/", printed)
    return Step("Play in the browser", command, seconds, port)


def machine() -> str:
    """Where this was, in a sentence."""
    name = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    today = datetime.date.today().isoformat()
    cores = os.cpu_count()
    return (
        f"This was on {today}, with {platform.system()}, Python {platform.python_version()} and "
        f"{cores} cores\n({name})."
    )


def written(step: Step) -> str:
    """A step, as the page shows it."""
    lines = [line.rstrip() for line in step.printed.strip().splitlines()]
    if len(lines) > LINES:
        lines = ["…", *lines[-LINES:]]
    took = f"{step.seconds:.0f} s" if step.seconds >= 1 else f"{step.seconds:.1f} s"
    shown = "\n".join(lines)
    output = f"This prints nothing, and takes {took}.\n"
    if shown:
        output = f'```text title="prints, after {took}"\n{shown}\n```\n'
    program = f'```python title="first.py"\n{blocks("First steps", "python")[0]}\n```\n\n'
    note = f"{NOTES[step.title]}\n\n{program if step.title == 'The first program' else ''}"
    typed = f'```sh title="typed"\n{step.typed}\n```'
    return f"## {step.title}\n\n{note}{typed}\n\n{output}"


def main() -> None:
    """Do it all, and write the page."""
    with tempfile.TemporaryDirectory() as home:
        clone = Path(home, "pyale_ma")
        environment = {
            "HOME": home,
            "PATH": f"{clone / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "PIP_QUIET": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        (clone / "first.py").write_text(blocks("First steps", "python")[0], encoding="utf-8")
        steps = [
            run("Install, and a demo", blocks("Install", "sh")[0], clone, environment),
            run("The first program", inline("python first.py"), clone, environment),
            run("Is all well?", inline("pyale-ma doctor"), clone, environment),
            play(inline("pyale-ma web"), clone, environment),
        ]
        shutil.rmtree(clone)
    film = (
        f"![The page plays Quartet: four paddles, their keys, their rewards](images/{FILM.name})\n"
    )
    total = sum(step.seconds for step in steps)
    head = HEAD.format(machine=f"All steps took {total / 60:.1f} minutes. {machine()}")
    PAGE.write_text(head + "\n".join(map(written, steps)) + "\n" + film, encoding="utf-8")
    print(PAGE, FILM, f"{FILM.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
