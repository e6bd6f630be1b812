"""What the tool is built on, for reports of bugs and for `--with-run-info`."""

from __future__ import annotations

import datetime
import getpass
import platform
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from .. import __version__
from ..engines.machine import available_cores

PARTS = ("numpy", "scipy", "numba", "pyarrow", "faiss-cpu", "lightgbm", "typer", "rich")


def told(verbose: bool) -> str:
    lines = [f"labeldp-audit {__version__}"]
    if verbose:
        lines.append(f"python {platform.python_version()}, {platform.system()} {platform.machine()}")
        lines += [f"{part} {version}{_openmp(part)}" for part, version in parts().items()]
        lines.append(f"cores {available_cores()}")
    return "\n".join(lines) + "\n"


def parts() -> dict[str, str]:
    return {part: _version(part) for part in PARTS}


def _version(part: str) -> str:
    try:
        return metadata.version(part)
    except metadata.PackageNotFoundError:
        return "not installed from a package"


def _openmp(part: str) -> str:
    """Two OpenMP runtimes in one process are a known cause of crashes: say who brings one."""
    try:
        files = metadata.files(part) or []
    except metadata.PackageNotFoundError:
        return ""
    runtimes = sorted({file.name for file in files if file.name.startswith(("libgomp", "libomp", "libiomp"))})
    return f" (brings {', '.join(runtimes)})" if runtimes else ""


def of_run(data: str, arguments: Sequence[str], started: float) -> dict[str, object]:
    """Who, when, where and with what: left out of reports unless it is asked for."""
    began = datetime.datetime.fromtimestamp(started, datetime.UTC)
    return {
        "started": began.isoformat(timespec="seconds"),
        "seconds": round(time.time() - started, 3),
        "data": data if data == "-" else str(Path(data).absolute()),
        "arguments": list(arguments),
        "user": _user(),
        "host": platform.node(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cores": available_cores(),
        "versions": parts(),
    }


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's number without a name
        return "unknown"
