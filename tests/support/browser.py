"""A headless Chromium, which chromedriver drives by its protocol, W3C WebDriver."""

from __future__ import annotations

import base64
import functools
import http.server
import json
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

KEYS = {"ArrowUp": "\ue013", "ArrowDown": "\ue015", "ArrowLeft": "\ue012", "ArrowRight": "\ue014"}
_SWITCHES = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage --mute-audio"
).split()
# It knows this machine only: what a page wants from elsewhere fails, and its console says so.
_SWITCHES.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The address at which a folder is served meanwhile."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Browser:
    """A window of Chromium.

    Args:
        driver: chromedriver's address.
        profile: A folder for what the browser keeps.
    """

    def __init__(self, driver: str, profile: str) -> None:
        self._driver = driver
        wishes = {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"pageLoad": 300_000, "script": 300_000},  # ms, for busy machines
            "goog:chromeOptions": {"args": [*_SWITCHES, f"--user-data-dir={profile}"]},
        }
        answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wishes}})
        self._session = f"/session/{answer['sessionId']}"
        self._metrics: dict[str, Any] = {}

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(self._driver + path, method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=400) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def post(self, command: str, **body: Any) -> Any:
        """A command of the protocol."""
        return self._ask("POST", f"{self._session}/{command}", body)

    def close(self) -> None:
        """End the browser."""
        self._ask("DELETE", self._session)

    def size(self, width: int, height: int, *, touch: bool = False) -> None:
        """Give the page a size, and fingers."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch}
        if metrics == self._metrics:
            return  # else the page would be laid out anew
        self._metrics = metrics
        self.devtools("Emulation.setDeviceMetricsOverride", **metrics)
        self.devtools("Emulation.setTouchEmulationEnabled", enabled=touch)

    def devtools(self, command: str, **parameters: Any) -> Any:
        """A command of Chromium's own."""
        return self.post("goog/cdp/execute", cmd=command, params=parameters)

    def run(self, script: str, *arguments: Any) -> Any:
        """Run the body of a function in the page; promises are waited for."""
        return self.post("execute/sync", script=script, args=list(arguments))

    def wait(self, script: str) -> None:
        """Wait until the body of a function in the page returns something true."""
        end = time.monotonic() + 300
        while not self.run(script):
            assert time.monotonic() < end, f"the page never came so far: {script}"
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        """Click on an element as a person does."""
        self.post(f"element/{self._find(selector)}/click")

    def upload(self, selector: str, path: Path) -> None:
        """Give a file to an input that takes files."""
        self.post(f"element/{self._find(selector)}/value", text=str(path))

    def _find(self, selector: str) -> str:
        found: dict[str, str] = self.post("element", using="css selector", value=selector)
        return next(iter(found.values()))

    def choose(self, selector: str, value: int | str) -> None:
        """Choose from a list."""
        self.click(f"{selector} option[value='{value}']")

    def keys(self, *presses: tuple[str, str]) -> None:
        """Press and let go of keys at once: pairs of "keyDown" or "keyUp", and a key."""
        actions = [{"type": kind, "value": KEYS.get(key, key)} for kind, key in presses]
        self.post("actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def complaints(self) -> list[str]:
        """Errors and warnings of the console since the last call."""
        entries = self.post("se/log", type="browser")
        return [one["message"] for one in entries if one["level"] in ("SEVERE", "WARNING")]

    def picture(self) -> bytes:
        """Return a screenshot as PNG."""
        taken = self._ask("GET", f"{self._session}/screenshot")
        return base64.b64decode(taken)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for the time of a `with` block."""
    tool = shutil.which("chromedriver")
    assert tool, "chromedriver is not installed"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        driver = subprocess.Popen(
            [tool, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert driver.stdout
        try:
            port = next(
                line.split()[-1].rstrip(".")
                for line in driver.stdout
                if "successfully on port" in line
            )
            browser = Browser(f"http://127.0.0.1:{port}", profile)
            try:
                yield browser
            finally:
                browser.close()
        finally:
            driver.terminate()
            driver.wait()
