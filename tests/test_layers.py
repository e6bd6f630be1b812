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
# Each room, and what of the package it may import beside itself: arrows point from the doors to the nouns.
MAY_IMPORT = {
    "core": set(),
    "engines": {"core"},
    "bounds": {"core"},
    "measures": {"core", "bounds"},
    "mechanisms": {"core"},
    "data": {"core", "engines"},
    "neighbors": {"core", "engines", "bounds"},
    "estimators": {"core", "engines", "bounds", "measures", "neighbors"},
    "attacks": {"core", "mechanisms"},
    "questions": {"core", "engines", "bounds", "measures", "mechanisms", "attacks"},
    "policy": {"core"},
    "reports": {"core"},
    "audits": {
        "core",
        "engines",
        "bounds",
        "data",
        "neighbors",
        "estimators",
        "measures",
        "mechanisms",
        "attacks",
        "questions",
        "policy",
    },
    "cli": {
        "core",
        "engines",
        "data",
        "estimators",
        "mechanisms",
        "attacks",
        "questions",
        "policy",
        "reports",
        "audits",
    },
    "__main__": {"cli"},
    "__init__": {"core", "data", "estimators", "questions", "reports", "audits", "cli"},
}
# Libraries with one home, and the world that pure rooms do not see.
HOMES = {
    "pyarrow": {"data"}, "pandas": {"data"}, "narwhals": {"data"}, "faiss": {"neighbors"},
    "numba": {"core", "neighbors"}, "llvmlite": {"neighbors"}, "lightgbm": {"estimators"},
    "sklearn": {"data", "estimators"}, "rich": {"reports", "cli"}, "typer": {"cli"}, "jinja2": {"reports"},
}  # fmt: skip
WORLD = {"os", "sys", "pathlib", "tempfile", "subprocess", "shutil"}
PURE = {"measures", "bounds", "mechanisms", "attacks", "estimators", "questions", "reports"}
DOORS = {"cli", "__main__"}


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
    return found | {f"calls {call}" for call in spoken(source) if here not in DOORS}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_file_keeps_to_its_room(file):
    assert faults(file.read_text(encoding="utf-8"), file) == set()


@pytest.mark.parametrize(
    ("file", "source", "fault"),
    [
        ("measures/tail.py", "from pathlib import Path", "imports pathlib"),
        ("measures/tail.py", "def f():\n    import pyarrow.dataset as ds", "imports pyarrow"),
        ("measures/tail.py", "from ..engines import threads", "imports engines"),
        ("bounds/intervals/hoeffding.py", "from ... import cli", "imports cli"),
        ("mechanisms/randomized_response.py", "import os.path", "imports os"),
        ("estimators/knn.py", "from ..questions.tail import findings", "imports questions"),
        ("questions/tail.py", "def f():\n    from ..estimators import auto", "imports estimators"),
        ("audits/run.py", "from labeldp_audit.cli.app import main", "imports cli"),
        ("audits/run.py", "print(1)", "calls print"),
        ("data/read.py", "import sys\nsys.exit(3)", "calls sys.exit"),
        ("data/read.py", "import sys\nsys.stdout.write('x')", "calls sys.stdout.write"),
        ("neighbors/scan.py", "import pandas as pd", "imports pandas"),
        ("reports/formats/text.py", "from ...engines.threads import in_threads", "imports engines"),
        ("core/table.py", "from ..data import read", "imports data"),
        ("__init__.py", "print(1)", "calls print"),
    ],
)
def test_and_that_test_has_teeth(file, source, fault):
    assert fault in faults(source, PACKAGE / file)


def test_the_house_has_no_other_rooms():
    there = {one.name for one in PACKAGE.iterdir() if one.name != "__pycache__"}
    assert there <= {*MAY_IMPORT, "__init__.py", "__main__.py", "py.typed"}


def test_commands_are_thin():
    """What takes more than options and one call belongs into another file."""
    tree = ast.parse((PACKAGE / "cli" / "commands.py").read_text(encoding="utf-8"))
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.decorator_list]
    commands = {one.name: one.body[1:] for one in functions if ast.get_docstring(one)}
    assert len(commands) >= 9
    assert {name: len(body) for name, body in commands.items() if len(body) > 3} == {}


def test_help_loads_nothing_heavy():
    heavy = ("numpy", "pyarrow", "faiss", "numba", "scipy", "asyncio")
    program = (
        "import sys; from labeldp_audit.cli.app import main; status = main(['--help']); "
        f"sys.exit(status or ' '.join(name for name in {heavy} if name in sys.modules) or None)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_project_uses_no_path_of_a_machine():
    own = [*FILES, *Path(__file__).parent.rglob("*.py")]
    homes = ("/" + "home/", "/" + "work/", "/" + "Users/", "/" + "root/")
    assert [file.name for file in own if any(home in file.read_text(encoding="utf-8") for home in homes)] == []
