"""Where neighbours see nothing, the report says so, and its limits are withheld if trees see something."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def hidden(tmp_path):
    """One telling column among twelve of noise, and the telling one alone."""
    rng = np.random.default_rng(5)
    code, noise = rng.integers(0, 400, 3000), rng.standard_normal((3000, 12))
    label = rng.random(3000) < np.where(code < 80, 0.999, 0.1)
    head = ",".join(["code", *(f"x{f}" for f in range(12)), "y"])
    rows = [f"c{c},{','.join(f'{v:.3f}' for v in x)},{int(y)}" for c, x, y in zip(code, noise, label, strict=True)]
    path = tmp_path / "hidden.csv"
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    return path


def test_noise_hides_what_a_column_tells(audit, hidden):
    ended = audit("estimate-j", hidden, "--tau", "3", "--no-output")
    assert "warning: the model guesses labels no better" in ended.err
    assert "warning: boosted trees with a logistic regression on all published columns predict" in ended.err
    assert "guesses labels no better than" in " ".join(ended.out.split())


def test_and_without_the_noise_nothing_is_said(audit, hidden):
    without = [part for f in range(12) for part in ("--exclude", f"x{f}")]
    ended = audit("estimate-j", hidden, "--tau", "3", "--no-output", "--k", "30", *without)
    assert "guesses labels no better" not in ended.err
    assert "mean little" not in ended.out
