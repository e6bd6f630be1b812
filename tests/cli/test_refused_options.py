"""What cannot be asked: one line from the real commands, nothing on standard output, nothing on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

USAGE, DATA = 2, 3
TWELVE = "a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(12))


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        (("--label", "q"), USAGE, "--label: no column 'q'"),
        (("--label", "y", "--exclude", "y"), USAGE, "column 'y' is the label and also named by --exclude"),
        (("--exclude", "y"), DATA, "no label column; the columns are 'a', 'y': t.csv"),
        (("--exclude", "a"), DATA, "no feature columns: t.csv"),
        (("--positive", "7"), USAGE, "no class '7' in the label 'y'"),
        (("--delimiter", ";"), DATA, "no label column; the columns are 'a,y': t.csv"),
        *((("--delimiter", text), USAGE, "not a single character") for text in ("ab", "é", "\n", '"', "\udcff")),
        (("--k", 12), USAGE, "k = 12 needs more than 12 rows, and the table has 12"),
        (("--k", 10**12), USAGE, f"k = {10**12} needs more than {10**12} rows, and the table has 12"),
        (("--k", 0), USAGE, "not a whole number of at least 1: 0: --k"),
        (("--threads", 0), USAGE, "not a whole number of at least 1: 0: --threads"),
        (("--queries", 0), USAGE, "not 'all' or a whole number of at least 1: 0: --queries"),
        (("--recall", 0), USAGE, "not a number above 0 and at most 1"),
        (("--confidence", 1), USAGE, "not a number of at least 0.5 and below 1"),
        (("--tau", "x"), USAGE, "not numbers written VALUES: 'x': --tau"),
        (("--tau", "1:2"), USAGE, "--tau wants VALUES or START:STOP:STEP, not '1:2'"),
        (("--tau", "2:1:0.1"), USAGE, "--tau wants START <= STOP"),
        (("--tau", "inf"), USAGE, "--tau wants finite numbers"),
        (("--tau", "nan"), USAGE, "--tau is not a number: 'nan'"),
        (("--tau", "0:1:1e-9"), USAGE, "0 to 1 by 1e-09 is more than 100000 values of tau"),
        (("--smoothness", "1"), USAGE, "--smoothness wants two numbers C,BETA, not '1'"),
        (("--smoothness", "-1,1"), USAGE, "--smoothness wants C of at least 0"),
        (("--smoothness", "1,1"), USAGE, "--smoothness needs k of at least"),
        (("--mechanism", "magic:epsilon=1"), USAGE, "unknown mechanism 'magic'"),
        (("--mechanism", "rr"), USAGE, "mechanism 'rr'"),
        (("--mechanism", "rr:epsilon=1,pi=0.1"), USAGE, "mechanism 'rr:epsilon=1,pi=0.1'"),
        (("--mechanism", "rr:pi=0.7"), USAGE, "mechanism 'rr:pi=0.7'"),
        (("--mechanism", "rr:epsilon=nan"), USAGE, "mechanism 'rr:epsilon=nan'"),
        (("--format", "pdf"), USAGE, "unknown format 'pdf'"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else None,
)
def test_options_that_cannot_be(refused_text, options, status, says):
    assert refused_text(TWELVE, *options, status=status).startswith(says)


def test_more_bags_than_anybody_waits_for(refused_text):
    said = refused_text(TWELVE, "--bags", 10**12, status=USAGE, command="advantage")
    assert said == f"not a whole number of at least 30 and at most 10000000: {10**12}: --bags"


def test_which_class_is_positive(refused_text):
    said = refused_text("a,y\n1,cat\n2,dog\n", status=USAGE)
    assert said.startswith("which class of the label 'y' is positive: 'cat' or 'dog'?")


# ---- places that cannot be written


def test_a_folder_that_cannot_be_made(refused, table):
    (refused.folder / "taken").write_text("mine")
    for output in (("-o", "taken"), ("-o", "taken/in"), ("-f", "json=taken/x"), ("-f", "json=nowhere/x")):
        assert refused(table, *output, status=USAGE)
    assert (refused.folder / "taken").read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="a folder that nobody can write is a thing of Linux")
def test_a_folder_that_nobody_can_write(refused, table):
    assert refused(table, "-o", "/proc/self/report", status=USAGE).startswith("cannot write there")
