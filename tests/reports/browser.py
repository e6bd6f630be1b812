"""A headless Chromium, spoken to through a pipe: nothing is installed, no port is opened, nothing is fetched."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
PATIENCE = 30.0  # seconds for one answer


class Browser:
    """One page at a time; whatever it asks for or complains about is kept."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading, self.writing = reading, writing
        self.left, self.number, self.events = b"", 0, list[dict[str, Any]]()
        page = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for room in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{room}.enable")

    session: str | None = None

    def ask(self, method: str, **parameters: Any) -> Any:
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        return self._answer(self.number, method)

    def _answer(self, number: int, method: str) -> Any:
        until = time.monotonic() + PATIENCE
        while True:
            told = self._next(until)
            if told.get("id") == number:
                assert "error" not in told, f"{method}: {told.get('error')}"
                return told["result"]
            if "method" in told:
                self.events.append(told)

    def _next(self, until: float) -> dict[str, Any]:
        while b"\0" not in self.left:
            ready, _, _ = select([self.reading], [], [], max(0.0, until - time.monotonic()))
            if not ready or not (more := os.read(self.reading, 1 << 20)):
                raise TimeoutError("the browser does not answer")
            self.left += more
        told, _, self.left = self.left.partition(b"\0")
        found = json.loads(told)
        assert isinstance(found, dict)
        return found

    def open(self, file: Path, width: int, height: int = 900, *, dark: bool = False, media: str = "") -> None:
        """From an empty list of events."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.events.clear()
        self.ask("Page.navigate", url=file.as_uri())
        until = time.monotonic() + PATIENCE
        while not any(one["method"] == "Page.loadEventFired" for one in self.events):
            self.events.append(self._next(until))

    def unfold(self) -> None:
        """Whatever is a click away."""
        self.run("document.querySelectorAll('details').forEach(one => { one.open = true })")

    def run(self, program: str) -> Any:
        found = self.ask("Runtime.evaluate", expression=program, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def seen(self, method: str) -> list[dict[str, Any]]:
        return [one["params"] for one in self.events if one["method"] == method]


# Chromium reads commands from 3 and answers on 4.
_CHILD = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)


@contextmanager
def started(home: Path) -> Iterator[Browser]:
    """home: an empty folder for its profile."""
    assert PROGRAM is not None
    (from_browser, its_writing), (its_reading, to_browser) = os.pipe(), os.pipe()
    # Away from 3 and 4, between which the child sorts them.
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (its_reading, its_writing)]
    flags = (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
        "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage", f"--user-data-dir={home}",
    )  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", _CHILD, *map(str, ends), PROGRAM, *flags], pass_fds=ends, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True, env=os.environ | {"HOME": str(home)},
    )  # fmt: skip
    for end in (*ends, its_reading, its_writing):
        os.close(end)
    try:
        yield Browser(from_browser, to_browser)
    finally:
        os.close(to_browser)
        os.close(from_browser)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
