"""Strangers' text is made safe in one place, and there is no other way out."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from labeldp_audit.cli import terminal
from labeldp_audit.core import errors, quoting
from labeldp_audit.core.errors import DataError, SpecError

PACKAGE = Path(quoting.__file__).parents[1]
FILES = sorted(PACKAGE.rglob("*.py"))
# Who may write to the terminal, and who may look for what cannot be printed: one makes text safe; others count
# characters for the reader, or spell what a shell or a file reads again.
PRINT = {"cli/terminal.py", "cli/app.py", "__main__.py"}
STREAMS = ("stderr.write", "stdout.write", "buffer.write")
LOOK = {
    "core/quoting.py",
    "policy/lines.py",
    "reports/formats/call.py",
    "reports/formats/json.py",
    "cli/configuration.py",
}
NASTY = "\x1b[31m\x00\r\n\u2028\u202e\ufeff\x7f\x9b\ud800tail"


@given(st.text(st.characters(), max_size=200), st.integers(2, 100))
def test_whatever_was_written_is_one_printable_line(text, most):
    safe = quoting.plain(text, most)
    assert safe.isprintable() and safe.encode() is not None
    assert len(text) > most or not text.isprintable() or safe == text
    assert len(safe) <= 10 * most


def test_messages_are_safe_and_cut(capfd):
    error = DataError(f"what {NASTY}", NASTY, "y" * 5_000_000)
    assert str(error).isprintable() and len(str(error)) < errors.LONGEST_WHAT + 2 * errors.LONGEST_PLACE + 100
    terminal.complain(f"{NASTY}{'x' * 100_000}", NASTY)
    terminal.warn([NASTY], quiet=False)
    lines = capfd.readouterr().err.split("\n")
    assert len(lines) == 4 and all(line.isprintable() and len(line) < 2100 for line in lines)


def test_an_unknown_key_of_five_million_characters_is_not_printed_whole():
    error = SpecError.unknown("key", "k" * 5_000_000, ["label"])
    assert len(str(error)) < 1100


def calls(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def test_there_is_no_other_way():
    for file in FILES:
        name, used = file.relative_to(PACKAGE).as_posix(), set(calls(file))
        out = {one for one in used if one in ("print", "os.write") or one.endswith(STREAMS)}
        assert not out or name in PRINT, (name, out)
        assert not any(one.endswith(".isprintable") for one in used) or name in LOOK, name
