"""The server of ``pyale-ma web``: the page on which games are played, for browsers of this machine.

It hands out a fixed set of files from memory, and ROM files of known games; no request becomes a
path.  It listens on 127.0.0.1 alone, and answers only who calls it by that name, so that a page
from elsewhere cannot reach it under a name of its own.
"""

from __future__ import annotations

import http.server
import json
import os
import sys
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from pyale_ma import _native
from pyale_ma._base import install_hints
from pyale_ma.games import rom_files
from pyale_ma.opponents import catalogue

_TYPES = {
    ".bin": "application/octet-stream",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    catalogue.SUFFIX: "application/octet-stream",
    ".wasm": "application/wasm",
}
_HEADERS = {
    "Cache-Control": "no-store",  # another version of the package may serve here next
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; "
        "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def page_folder() -> Path:
    """Where the page's files are: in the package, or in a clone beside the library.

    Raises:
        FileNotFoundError: The package was built without the page's WebAssembly.
    """
    places = [Path(__file__).parents[1] / "page", Path(_native.library_path()).parent / "page"]
    for place in places:
        if (place / "ale.wasm").is_file():
            return place
    raise FileNotFoundError(
        f"this installation was built without the player for the browser\n{install_hints.PLAYER}"
    )


class PageServer(http.server.ThreadingHTTPServer):
    """Serves the page until it is closed.

    Args:
        folder: The page's files, which are read now.
        games: ROM files by the names of their games, each read when it is asked for; one that has
            become something else is not given out.
        port: Of 127.0.0.1; 0: any that is free.

    Attributes:
        address: Where the page is.

    Raises:
        OSError: The port is taken, or a file cannot be read.
    """

    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # where it would share a port that is in use

    def __init__(self, folder: Path, games: Mapping[str, Path], port: int = 0) -> None:
        trained = sorted(catalogue.FOLDER.glob(f"*{catalogue.SUFFIX}"))
        files = {
            f"/{path.name}": path.read_bytes()
            for path in [*sorted(folder.iterdir()), *trained]
            if path.suffix in _TYPES
        }
        files["/"] = files["/index.html"]
        known = _native.games()
        about = {
            "documentation": False,
            "games": [{"name": name, "title": known[name].title} for name in games],
            "trained": [path.name for path in trained],
        }
        files["/games.json"] = json.dumps(about).encode()
        self._files = files
        self._roms = {f"/{name}.bin": (path, known[name].md5) for name, path in games.items()}
        super().__init__(("127.0.0.1", port), _Handler)
        self.names = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}
        if self.server_port == 80:
            self.names |= {"127.0.0.1", "localhost"}
        self.address = f"http://127.0.0.1:{self.server_port}/"

    def contents(self, path: str) -> bytes | None:
        """Return the contents at an address, or None."""
        if path in self._roms:
            file, md5 = self._roms[path]
            try:
                data = rom_files.read(file)
            except OSError:  # it was there when the server began
                return None
            return data if rom_files.md5_of(data) == md5 else None
        return self._files.get(path)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Let browsers go that hang up, or take too long."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(http.server.BaseHTTPRequestHandler):
    server: PageServer
    server_version = "pyale-ma"
    sys_version = ""
    timeout = 30.0  # seconds without a byte

    def parse_request(self) -> bool:
        """Read a request; refuse other names for this server."""
        if not super().parse_request():
            return False
        hosts = [name.lower() for name in self.headers.get_all("Host", [])]
        if len(hosts) == 1 and hosts[0] in self.server.names:
            return True
        self.send_error(HTTPStatus.FORBIDDEN, f"this is {self.server.address}")
        return False

    def do_GET(self) -> None:
        """Send a file."""
        path = self.path.partition("?")[0]
        contents = self.server.contents(path)
        if contents is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", _TYPES[Path(path).suffix or ".html"])
        self.send_header("Content-Length", str(len(contents)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(contents)

    do_HEAD = do_GET  # noqa: N815

    def end_headers(self) -> None:
        """Say to browsers that the page is on its own."""
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""
