"""Where a table stands in its repository: programs that point to a file count from the top of that."""

from __future__ import annotations

from pathlib import Path

_MARK = ".git"  # a folder at the top, or a file where the rest of it is elsewhere


def place(data: str, workspace: str | None = None) -> str | None:
    """From the top of the repository, with slashes; None where there is none, or the table is not in it.

    workspace: the folder that a runner checked out, which is the top wherever the table is below it.
    """
    try:
        file = _resolved(Path(data))
        top = _top(file, workspace)
    except (OSError, RuntimeError):  # a working folder that is gone, links that run in a circle, a closed folder
        return None
    return None if top is None or file == top else file.relative_to(top).as_posix()


def _resolved(path: Path) -> Path:
    """A link stays the file that it is in the repository, wherever it leads."""
    return path.resolve() if path.name in ("", "..") else path.parent.resolve() / path.name


def _top(file: Path, workspace: str | None) -> Path | None:
    if workspace and Path(workspace).is_absolute():
        top = Path(workspace).resolve()
        if top in file.parents:
            return top
    return next((folder for folder in file.parents if (folder / _MARK).exists()), None)
