"""``pyale-ma web``: what its server hands out, and to whom.  web/tests plays in a browser."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import pytest

from pyale_ma import _native, roms
from pyale_ma._base import install_hints
from pyale_ma.cli import common, main, page_server
from pyale_ma.games import rom_files

WEB = Path(__file__).parents[2] / "web"
PAGE = Path(_native.library_path()).parent / "page"
PLAYERS = sorted(WEB.parent.glob("pyale_ma/opponents/players/*.players"))
QUARTET = roms.find_rom("quartet")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page's files, with a module that no compiler has seen."""
    made = tmp_path / "page"
    made.mkdir()
    for file in PAGE.iterdir():
        made.joinpath(file.name).write_bytes(file.read_bytes())
    made.joinpath("ale.wasm").write_bytes(b"\0asm")
    made.joinpath("notes.txt").write_text("not the page's", "utf-8")
    made.parent.joinpath("secret.html").write_text("above the page", "utf-8")
    return made


@pytest.fixture
def server(folder: Path) -> Iterator[page_server.PageServer]:
    with page_server.PageServer(folder, {"quartet": QUARTET}) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: page_server.PageServer, path: str, method: str = "GET", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    return answer, answer.read()


def raw(server: page_server.PageServer, request: bytes) -> bytes:
    """Return the answer to these bytes."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_the_installed_page_is_whole() -> None:
    """All files of the page, and all that they load."""
    own = {path.name for path in WEB.iterdir() if path.suffix} - {"meson.build"}
    assert {path.name for path in PAGE.iterdir()} - {"ale.wasm"} == own
    for name in own:
        text = WEB.joinpath(name).read_text("utf-8")
        assert PAGE.joinpath(name).read_text("utf-8") == text
        assert set(re.findall(r"from '\./([\w.]+)'", text)) <= own


def test_files(server: page_server.PageServer, folder: Path) -> None:
    kinds = {"index.html": "text/html", "player.js": "text/javascript", "style.css": "text/css"}
    for name, kind in {**kinds, "ale.wasm": "application/wasm", "": "text/html"}.items():
        answer, body = ask(server, f"/{name}")
        assert answer.status == 200
        assert answer.headers.get_content_type() == kind
        assert body == folder.joinpath(name or "index.html").read_bytes()
    answer, body = ask(server, "/quartet.bin")
    assert body == QUARTET.read_bytes()
    answer, body = ask(server, "/games.json?whatever")
    assert json.loads(body) == {
        "documentation": False,
        "games": [{"name": "quartet", "title": "Quartet"}],
        "trained": [path.name for path in PLAYERS],
    }
    for path in PLAYERS:
        answer, body = ask(server, f"/{path.name}")
        assert body == path.read_bytes()
    assert "wasm-unsafe-eval" in answer.headers["Content-Security-Policy"]


def test_head(server: page_server.PageServer, folder: Path) -> None:
    answer, body = ask(server, "/index.html", "HEAD")
    size = folder.joinpath("index.html").stat().st_size
    assert (answer.status, body, int(answer.headers["Content-Length"])) == (200, b"", size)


@pytest.mark.parametrize(
    "path",
    [
        "/notes.txt",
        "/../secret.html",
        "/%2e%2e/secret.html",
        "/..%2fsecret.html",
        "/./index.html",
        "/pong.bin",
        "/cartridges/quartet.bin",
        "/quartet.bin/",
        "*",
        "/etc/passwd",
    ],
)
def test_nothing_else(server: page_server.PageServer, path: str) -> None:
    assert ask(server, path)[0].status == 404


def test_a_file_that_has_become_another(folder: Path, tmp_path: Path) -> None:
    """Such as a link to what is nobody's business."""
    secret, file = tmp_path / "secret", tmp_path / "quartet.bin"
    secret.write_bytes(b"whatever")
    file.write_bytes(QUARTET.read_bytes())
    with page_server.PageServer(folder, {"quartet": file}) as server:
        assert server.contents("/quartet.bin") == QUARTET.read_bytes()
        file.unlink()
        file.symlink_to(secret)
        assert server.contents("/quartet.bin") is None


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1.evil.example:{}", "localhost:1", "[::1]:{}", ""],
)
def test_other_names_are_refused(server: page_server.PageServer, host: str) -> None:
    """A page whose name is made to lead here has that name in the header, and learns nothing."""
    answer, body = ask(server, "/quartet.bin", Host=host.format(server.server_port))
    assert answer.status == 403
    assert len(body) < 1000


def test_own_names(server: page_server.PageServer) -> None:
    for name in ("127.0.0.1", "localhost", "LocalHost"):
        assert ask(server, "/", Host=f"{name}:{server.server_port}")[0].status == 200
    host = b"Host: 127.0.0.1:%d\r\n" % server.server_port
    for hosts in (b"", host * 2, host + b"Host: evil.example\r\n"):
        assert raw(server, b"GET / HTTP/1.1\r\n" + hosts + b"\r\n").startswith(b"HTTP/1.0 403 ")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "get"])
def test_other_methods_are_refused(server: page_server.PageServer, method: str) -> None:
    assert ask(server, "/", method)[0].status == 501


@pytest.mark.parametrize(
    "request_",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /games.json\r\n\r\n",
        b"\xff\xfe / HTTP/9\r\n\r\n",
    ],
)
def test_what_is_no_request(
    server: page_server.PageServer, request_: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    assert b"quartet" not in raw(server, request_)
    assert ask(server, "/")[0].status == 200
    assert capfd.readouterr().err == ""


def test_this_machine_only(server: page_server.PageServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_games_that_are_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rom_files, "search_path", lambda: [QUARTET.parent])
    assert common.found_games() == {"quartet": QUARTET}


@pytest.mark.skipif(sys.platform == "win32", reason="no process gets Ctrl-C alone there")
def test_command(folder: Path) -> None:
    """It serves until Ctrl-C, and ends without a word of complaint."""
    program = (
        "import pathlib, sys\nfrom pyale_ma.cli import main, page_server\n"
        "page_server.page_folder = lambda: pathlib.Path(sys.argv[1])\n"
        "sys.exit(main(['web', '--players', '4', '--no-open']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        line = process.stdout.readline()
        found = re.fullmatch(r"Play at http://127.0.0.1:(\d+)/\?game=quartet&players=4\n", line)
        assert found, line
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]))
        connection.request("GET", "/games.json")
        assert json.loads(connection.getresponse().read())["games"][0]["name"] == "quartet"
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate()
        assert (process.returncode, complaints) == (0, "")
    finally:
        process.kill()
        process.wait()


def test_the_browser_is_opened(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    opened = threading.Event()
    addresses = []

    def note(address: str) -> None:
        addresses.append(address)
        opened.set()

    def end(self: page_server.PageServer) -> None:
        opened.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(webbrowser, "open", note)
    monkeypatch.setattr(page_server, "page_folder", lambda: folder)
    monkeypatch.setattr(page_server.PageServer, "serve_forever", end)
    for given, expected in (
        ("", "game=quartet"),
        ("pong_v3", "game=pong&players=2&mode=4"),
        ("pong --players 2 --mode 9", "game=pong&players=2&mode=9"),
        (
            "--against strong --seat 2",
            "game=quartet&players=4&mode=6&against=strong&seat=2",
        ),
    ):
        opened.clear()
        assert main(["web", *given.split()]) == 0
        assert addresses.pop().endswith(f"/?{expected}")
    assert main(["web", "--no-open"]) == 0
    assert not addresses


def test_what_cannot_be_served(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    def refused(*arguments: str) -> str:
        assert main(["web", "--no-open", *arguments]) == 2
        return capsys.readouterr().err

    monkeypatch.setattr(page_server, "page_folder", lambda: folder)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"--port {port}: " in refused("--port", port)
    assert "'nonsense'" in refused("nonsense")
    told = refused("breakout", "--players", "4")
    assert "breakout is for 1 player, not for 4" in told
    assert "--seat is 3; pong for 2" in refused("pong", "--against", "weak", "--seat", "3")
    for level in ("planner", "rules"):
        assert f"--against is {level}" in refused("blackjack", "--against", level)
    assert "pong has no mode 99" in refused("pong", "--mode", "99")
    monkeypatch.setattr(rom_files, "search_path", lambda: [QUARTET.parent])
    assert "No ROM file of 'pong'" in refused("pong")


def test_without_the_module(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(page_server, "__file__", str(tmp_path / "cli" / "page_server.py"))
    monkeypatch.setattr(_native, "library_path", lambda: str(tmp_path / "libale.so"))
    assert main(["web"]) == 2
    assert install_hints.PLAYER in capsys.readouterr().err
