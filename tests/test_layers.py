"""Who may import whom: arrows point one way, from the door to the nouns."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "labeldp_audit"
FILES = sorted(PACKAGE.rglob("*.py"))
NOUNS = {"model", "errors"}
MIDDLE = {"tables", "neighbors", "estimators", "mechanisms", "attacks", "measures", "bounds"}
# Each room, and what of the package it may import beside itself.
MAY_IMPORT = {
    "model": set(),
    "errors": set(),
    "engine": set(),
    "randomness": set(),
    "registry": {"errors"},
    "policy": NOUNS | {"policy_lines"},
    "policy_lines": {"errors"},
    "compiled": set(),
    "bounds": NOUNS,
    "measures": NOUNS | {"bounds"},
    "mechanisms": NOUNS | {"registry", "compiled"},
    "estimators": NOUNS | {"registry", "compiled"},
    "attacks": NOUNS | {"registry"},
    "digests": set(),
    "tables": NOUNS | {"digests", "engine", "randomness"},
    "neighbors": NOUNS | {"bounds", "compiled", "engine", "randomness"},
    "glossary": set(),
    "formats": NOUNS | {"glossary", "policy_lines"},
    "commands": NOUNS | MIDDLE | {"registry", "engine", "randomness", "policy", "glossary"},
    "doubts": NOUNS | {"glossary", "policy"},
    "policy_files": NOUNS | {"configuration", "glossary", "mechanisms", "policy"},
    "gate": NOUNS | {"configuration", "doubts", "formats", "mechanisms", "policy", "policy_files"},
    "configuration": {"commands", "errors"},
    "grammar": {"commands", "configuration", "errors", "estimators", "formats", "mechanisms"},
    "delivery": NOUNS | {"formats", "tables"},
    "repository": set(),
    "versions": {"engine"},
    "completion": {"commands", "estimators", "formats", "glossary", "mechanisms"},
    "shells": {"completion", "errors"},
    "manual": {"commands", "grammar"},
    "about": {"manual", "shells", "versions"},
    "watch": {"engine"},
    "errand": NOUNS
    | {"commands", "configuration", "delivery", "estimators", "gate", "mechanisms", "watch"}
    | {"policy_files", "repository"},
    "cli": NOUNS
    | {
        "about",
        "commands",
        "completion",
        "configuration",
        "delivery",
        "errand",
        "gate",
        "grammar",
        "policy_files",
        "versions",
        "watch",
    },
    "pre_commit": NOUNS | {"cli", "commands", "configuration", "digests", "gate"},
    "__main__": {"cli"},
    "__init__": set(),
}
# Libraries with one home, and the world that pure rooms do not see.
HOMES = {
    "pyarrow": {"tables"}, "pandas": {"tables"}, "faiss": {"neighbors"}, "numba": {"compiled", "neighbors"},
    "llvmlite": {"neighbors"}, "lightgbm": {"estimators"}, "rich": {"formats", "watch"}, "typer": {"grammar"},
}  # fmt: skip
WORLD = {"os", "sys", "pathlib", "tempfile", "subprocess", "shutil"}
PURE = {
    "measures",
    "bounds",
    "mechanisms",
    "estimators",
    "attacks",
    "formats",
    "glossary",
    "policy",
    "policy_lines",
    "doubts",
    "model",
    "errors",
    "registry",
}


def room(file: Path) -> str:
    """The folder below the package, or the file's own name."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imports(source: str, file: Path) -> Iterator[str]:
    """Dotted names; those of the package start with `labeldp_audit.`."""
    package = ("labeldp_audit", *file.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{module}.{name.name}" for name in node.names)


def outside(source: str, file: Path) -> set[str]:
    return {name.split(".")[0] for name in imports(source, file)}


def inside(source: str, file: Path) -> set[str]:
    names = (name.split(".") for name in imports(source, file))
    return {parts[1] for parts in names if parts[0] == "labeldp_audit" and len(parts) > 1}


def spoken(source: str) -> set[str]:
    """Calls that print or end the program."""
    ways = {"print", "sys.exit", "exit", "quit", "os._exit", "typer.echo", "typer.secho", "typer.Exit", "SystemExit"}
    ways |= {f"sys.{stream}.write" for stream in ("stdout", "stderr", "stdout.buffer", "stderr.buffer")}
    calls = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return {ast.unparse(call) for call in calls} & ways


def faults(source: str, file: Path) -> set[str]:
    """What a file does that its room may not."""
    here, far = room(file), outside(source, file)
    found = {f"imports {name}" for name in inside(source, file) - MAY_IMPORT[here] - {here, "__version__"}}
    found |= {f"imports {name}" for name in far if here not in HOMES.get(name, {here})}
    found |= {f"imports {name}" for name in far & WORLD if here in PURE}
    return found | {f"calls {call}" for call in spoken(source) if here not in ("cli", "__main__")}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_file_keeps_to_its_room(file):
    assert faults(file.read_text(encoding="utf-8"), file) == set()


@pytest.mark.parametrize(
    ("file", "source", "fault"),
    [
        ("measures/tail.py", "from pathlib import Path", "imports pathlib"),
        ("measures/tail.py", "def f():\n    import pyarrow.dataset as ds", "imports pyarrow"),
        ("bounds/binomial.py", "from ..tables import read", "imports tables"),
        ("bounds/binomial.py", "from .. import cli", "imports cli"),
        ("mechanisms/randomized_response.py", "import os.path", "imports os"),
        ("estimators/knn.py", "from ..commands.settings import Settings", "imports commands"),
        ("commands/nu_max.py", "import faiss", "imports faiss"),
        ("commands/nu_max.py", "from labeldp_audit.cli import main", "imports cli"),
        ("commands/nu_max.py", "print(1)", "calls print"),
        ("tables/read.py", "import sys\nsys.exit(3)", "calls sys.exit"),
        ("tables/read.py", "from ..commands import settings", "imports commands"),
        ("tables/read.py", "import sys\nsys.stdout.write('x')", "calls sys.stdout.write"),
        ("tables/read.py", "from ..neighbors import count", "imports neighbors"),
        ("neighbors/scan.py", "from .. import tables", "imports tables"),
        ("neighbors/scan.py", "import pandas as pd", "imports pandas"),
        ("bounds/hoeffding.py", "from ..measures.loss import logit", "imports measures"),
        ("measures/tail.py", "from numba import njit", "imports numba"),
        ("measures/tail.py", "from .. import engine", "imports engine"),
        ("commands/nu_max.py", "from .. import formats", "imports formats"),
        ("commands/nu_max.py", "from ..configuration import near", "imports configuration"),
        ("formats/text.py", "from ..engine import run", "imports engine"),
        ("formats/text.py", "import os", "imports os"),
        ("model.py", "from .engine import run", "imports engine"),
        ("glossary/letters.py", "from ..model import Report", "imports model"),
        ("watch.py", "from . import cli", "imports cli"),
    ],
)
def test_and_that_test_has_teeth(file, source, fault):
    assert fault in faults(source, PACKAGE / file)


def test_help_loads_nothing_heavy():
    heavy = ("numpy", "pyarrow", "faiss", "numba", "scipy", "asyncio")
    program = (
        "import sys; from labeldp_audit.cli import main; status = main(['--help']); "
        f"sys.exit(status or ' '.join(name for name in {heavy} if name in sys.modules) or None)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_project_uses_no_path_of_a_machine():
    own = [*FILES, *Path(__file__).parent.rglob("*.py")]
    homes = ("/" + "home/", "/" + "work/", "/" + "Users/", "/" + "root/")
    assert [file.name for file in own if any(home in file.read_text(encoding="utf-8") for home in homes)] == []
