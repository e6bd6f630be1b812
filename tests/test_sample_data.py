"""The sample tables are what their script makes, and truth.json is the truth about them."""

from __future__ import annotations

import csv
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

FOLDER = Path(__file__).parents[1] / "sample_data"
TRUTH = json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))
POSITIVES = {"clinic.parquet": 0.12, "clicks.csv": 0.05}
DRAWS = 200_000

sys.path.insert(0, str(FOLDER))
make: Any = importlib.import_module("make")
attackers: Any = importlib.import_module("attackers")

every_population = pytest.mark.parametrize("population", make.POPULATIONS, ids=lambda population: population.file)
same_versions = pytest.mark.skipif(
    TRUTH["made_with"] != {"numpy": np.__version__, "pyarrow": pa.__version__},
    reason="other versions may write the same table in other bytes",
)


def read(path: Path) -> dict[str, np.ndarray]:
    """The file as its reader sees it, in the form in which the script draws it."""
    if path.suffix == ".parquet":
        columns = pq.read_table(path).to_pydict()
        hole = {"albumin": np.nan, "referral": ""}
        return {
            name: np.array([hole[name] if cell is None else cell for cell in cells]) for name, cells in columns.items()
        }
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    columns = {name: np.array(cells) for name, cells in zip(header, zip(*rows, strict=True), strict=True)}
    return columns | {name: columns[name].astype(np.int64) for name in ("hour", "clicked")}


def sigmas_apart(sample: np.ndarray, expected: float) -> float:
    return abs(float(sample.mean()) - expected) / max(float(sample.std()) / np.sqrt(len(sample)), 1e-6)


@every_population
def test_small_and_as_described(population: Any) -> None:
    path = FOLDER / population.file
    columns, told = read(path), TRUTH["tables"][path.name]
    assert path.stat().st_size < 1_000_000
    assert {len(cells) for cells in columns.values()} == {population.rows} == {told["rows"]}
    assert columns[population.label].mean() == pytest.approx(POSITIVES[population.file], abs=0.01)
    assert told["prior"] == pytest.approx(POSITIVES[population.file], abs=0.005)
    # The label is found without being named, and no column tells eta itself.
    names = {"label", "y", "target", "class", "click", "clicked"}
    assert names & {name.lower() for name in columns} == {population.label}
    assert set(np.unique(columns[population.label])) == {0, 1}
    assert not any(np.array_equal(cells, population.eta(columns)) for cells in columns.values())


def test_the_clinic_has_every_kind_of_column_and_people_who_are_given_away() -> None:
    table = pq.read_table(FOLDER / "clinic.parquet")
    kinds = {str(kind).partition("<")[0] for kind in table.schema.types}
    assert kinds >= {"int32", "int8", "double", "bool", "string", "dictionary", "date32[day]"}
    assert all(table[name].null_count > 1000 for name in ("albumin", "referral"))
    quantiles = TRUTH["tables"]["clinic.parquet"]["eta_quantiles"]
    assert quantiles["0.01"] < 0.0015 and quantiles["0.99"] > 0.97


@every_population
def test_the_labels_were_drawn_from_eta(population: Any) -> None:
    columns = read(FOLDER / population.file)
    eta = population.eta(columns)
    for group in np.array_split(np.argsort(eta, kind="stable"), 10):
        spread = np.sqrt((eta[group] * (1 - eta[group])).sum())
        assert abs(columns[population.label][group].sum() - eta[group].sum()) < 5 * spread


@every_population
def test_the_truth_agrees_with_other_draws(population: Any) -> None:
    eta = population.eta(population.features(DRAWS, np.random.default_rng(77)))
    told = TRUTH["tables"][population.file]
    logit = np.log(eta / (1 - eta))
    gain = (2 * eta - 1) * (logit - np.log(told["prior"] / (1 - told["prior"])))
    assert sigmas_apart(eta, told["prior"]) < 5
    assert sigmas_apart(np.maximum(eta, 1 - eta), told["uninformed_utility"]) < 5
    assert sigmas_apart((2 * eta - 1) * logit, told["jeffreys"]) < 5
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        answers = told["mechanisms"][f"rr:epsilon={epsilon:g}"]
        nu_bar = gain + epsilon * np.tanh(epsilon / 2)  # (1 - 2 pi) log((1 - pi) / pi)
        assert sigmas_apart(nu_bar, answers["mean_loss"]) < 5
        for tau, share in zip(TRUTH["tau"], answers["j"], strict=True):
            assert abs((nu_bar > tau).mean() - share) < 5 * np.sqrt(share * (1 - share) / DRAWS) + 2e-4


@every_population
def test_the_extremes_give_nu_max(population: Any) -> None:
    told = TRUTH["tables"][population.file]
    low, p, high = (
        np.log(z / (1 - z)) for z in (told["eta_quantiles"]["0"], told["prior"], told["eta_quantiles"]["1"])
    )
    for name, answers in told["mechanisms"].items():
        epsilon = float(name.partition("=")[2])
        assert answers["nu_max"] == pytest.approx(epsilon + max(high - p, p - low), abs=2e-3)


@same_versions
def test_made_again_with_fewer_draws_the_tables_are_the_same_and_the_truth_nearly(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(make, "DRAWS", DRAWS)
    make.main(["--folder", str(tmp_path)])
    for name in ("clinic.parquet", "clicks.csv"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name
    made, kept = (dict(numbers_of(json.loads((folder / "truth.json").read_text()))) for folder in (tmp_path, FOLDER))
    assert [place for place, number in kept.items() if made[place] != pytest.approx(number, abs=0.01, rel=0.02)] == []


def numbers_of(content: Any, place: str = "") -> Iterator[tuple[str, float]]:
    """Each number with its place, but for nu_max, which is about the most extreme of all that were drawn."""
    if isinstance(content, dict | list):
        for key, value in content.items() if isinstance(content, dict) else enumerate(content):
            yield from numbers_of(value, f"{place}/{key}")
    elif isinstance(content, float) and "nu_max" not in place:
        yield place, content


@pytest.mark.slow
@same_versions
def test_made_again_the_files_are_the_same(tmp_path: Path) -> None:
    make.main(["--folder", str(tmp_path)])
    for name in ("clinic.parquet", "clicks.csv", "truth.json"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name


@every_population
def test_advantages_agree_with_other_draws(population: Any) -> None:
    """Where the average over bags is exact in eta, and where bags are no larger than one."""
    eta = population.eta(population.features(DRAWS, np.random.default_rng(78)))
    told = TRUTH["tables"][population.file]["advantage"]
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        gain = np.maximum(np.minimum(eta, 1 - eta) - 1 / (1 + np.exp(epsilon)), 0)
        assert sigmas_apart(gain, told[f"rr:epsilon={epsilon:g}"]) < 5
    pairs = eta.reshape(-1, 2)
    first, other = pairs[:, 0], pairs[:, 1]
    worth = [
        (first * other, 0 * first),
        (first * (1 - other), (1 - first) * other),
        (0 * first, (1 - first) * (1 - other)),
    ]
    informed = sum(np.maximum(yes, no) for yes, no in worth)
    assert sigmas_apart(informed - np.maximum(first, 1 - first), told["llp:k=2"]) < 5
    assert attackers.advantage(eta, "llp:k=1") == pytest.approx(np.minimum(eta, 1 - eta).mean(), abs=0.005)
    plain, noisy = (told[name] for name in ("llp:k=8", "laplace-llp:k=8,epsilon=1"))
    assert noisy < plain < told["llp:k=2"]


def test_the_grid_of_the_noise_is_fine_enough(monkeypatch) -> None:
    eta = np.random.default_rng(79).beta(0.5, 2, 16_000)
    coarse = attackers.advantage(eta, "laplace-llp:k=8,epsilon=1")
    monkeypatch.setattr(attackers, "STEP", 0.01)
    assert attackers.advantage(eta, "laplace-llp:k=8,epsilon=1") == pytest.approx(coarse, rel=1e-3)
