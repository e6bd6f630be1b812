"""The manual page is whole, and troff takes it as it is."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from labeldp_audit.cli import manual
from labeldp_audit.cli.options import COMMANDS, PROGRAM


@pytest.fixture(scope="module")
def page() -> str:
    return manual.page()


def formatted(page: str, width: int = 100) -> tuple[str, str]:
    if shutil.which("groff") is None:
        pytest.skip("no groff here")
    command = ["groff", "-man", "-Tutf8", "-ww", "-P-c", "-P-b", "-P-u", f"-rLL={width}n"]
    done = subprocess.run(command, input=page, capture_output=True, text=True, check=True, encoding="utf-8")
    return done.stdout, done.stderr


def test_its_parts_in_their_order(page):
    heads = re.findall(r'^\.SH "?([A-Z ]+)"?$', page, re.MULTILINE)
    assert heads == ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "EXIT STATUS", "FILES", "ENVIRONMENT",
                     "EXAMPLES", "SEE ALSO"]  # fmt: skip


def test_every_command_and_option_is_there(page):
    for command in COMMANDS:
        assert rf"\fB{manual.escaped(command.name)}\fR" in page
    for option in (*PROGRAM, *(one for command in COMMANDS for one in command.options)):
        assert manual.escaped(option.flag) in page
        assert manual.escaped(option.help) in page


def test_troff_has_nothing_to_say_against_it(page):
    text, said = formatted(page)
    assert said == ""
    assert "  labeldp-audit estimate-j - --delimiter ';' < clicks.csv" in text
    assert "advantage.high > 0.05'" in text
    assert "-Tutf8" not in text


def test_an_option_can_be_copied(page):
    text, _ = formatted(page)
    assert "--drop-null-labels" in text
    assert "‐" not in text
    assert "−" not in text


def test_what_looks_like_a_request_is_text():
    wild = [".so secret", "'br", r"back\slash \fB", '"quoted"', "..", "a\n.sp 9", "grüße ✓", "--x 'y' `z` ^ ~"]
    page = ".TH x 1 2020-01-01\n.SH NAME\nx\n" + "".join(f".PP\n{manual.escaped(text)}\n" for text in wild)
    text, said = formatted(page)
    assert said == ""
    for one in wild:
        assert " ".join(one.split()) in text


def test_and_that_test_has_teeth():
    text, _ = formatted(".TH x 1 2020-01-01\n.SH NAME\n.so nowhere\n'br\nrest\n")
    assert "nowhere" not in text


def test_the_command_prints_it(audit, page):
    ended = audit("--man")
    assert (ended.status, ended.out, ended.err) == (0, page, "")
