"""A headless browser, controlled over a pipe with Chromium's protocol, without a driver."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome")

SECONDS = 120
"""Longest wait for one reply in seconds, even on a busy machine."""


def browser() -> str | None:
    """Return the path of this system's browser."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """A page in a separate browser.

    Args:
        place: File or address to open.
        width: Width of the viewport in CSS pixels.
        height: Height of the viewport in CSS pixels.
        profile: Folder for the browser's profile.
        scheme: Preferred color scheme, "light" or "dark".
    """

    def __init__(
        self, place: Path | str, width: int, height: int, profile: Path, scheme: str = "light"
    ) -> None:
        self.errors: list[str] = []
        """Errors in the browser console."""
        self._number = 0
        self._left = b""
        self._session: str | None = None
        program = browser()
        assert program is not None, "there is no Chromium; on Debian: apt-get install chromium"
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        # The protocol uses descriptors 3 and 4, which a shell can provide.
        script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        command = [
            "bash",
            "-c",
            script,
            "bash",
            program,
            *options,
            f"--user-data-dir={profile}",
            "about:blank",
        ]
        self._process = subprocess.Popen(
            command, pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        mobile = width < 600
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        preferred = {"name": "prefers-color-scheme", "value": scheme}
        self.send("Emulation.setEmulatedMedia", features=[preferred])
        self.requests: list[str] = []
        """Requested addresses."""
        self._loaded = False
        begun = time.monotonic()
        self.send("Page.navigate", url=place.absolute().as_uri() if isinstance(place, Path) else place)
        while not self._loaded:
            self._hear()
        self.seconds = time.monotonic() - begun
        """Seconds to open the page."""

    def send(self, method: str, **params: Any) -> Any:
        """Send a request to the browser and return its reply."""
        self._number += 1
        number = self._number
        asked: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session is not None:
            asked["sessionId"] = self._session
        os.write(self._out, json.dumps(asked).encode() + b"\0")
        while True:
            answer = self._hear()
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """Take a screenshot of the whole page."""
        drawn = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(drawn["data"]))

    def _hear(self) -> dict[str, Any]:
        """Return the browser's next message."""
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self._left:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"the browser says nothing for {SECONDS} seconds"
            piece = os.read(self._in, 1 << 20)
            assert piece, "the browser is gone"
            self._left += piece
        said, _, self._left = self._left.partition(b"\0")
        event: dict[str, Any] = json.loads(said)
        params = event.get("params", {})
        match event.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Runtime.exceptionThrown":
                self.errors.append(str(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                self.errors.append(str(params["args"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.errors.append(str(params["entry"]["text"]))
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
        return event

    def close(self) -> None:
        """Stop the browser."""
        self._process.terminate()
        self._process.wait(timeout=SECONDS)
        os.close(self._in)
        os.close(self._out)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
