"""Makes the two sample tables and the truth about them.

    python sample_data/make.py                 writes beside this script
    python sample_data/make.py --folder DIR    writes somewhere else

clinic.parquet   20 000 invented stays in hospital. `target` says who turned out to have a liver disease (12 %). People
                 referred by a liver clinic to hepatology (3 %) almost surely have it, people in maternity (5 %) almost
                 surely do not, and everybody else lies somewhere between. Numbers, categories, a boolean, a date and
                 missing cells.
clicks.csv       12 000 invented showings of an advertisement. `clicked` says who clicked (5 %). Two hundred campaigns
                 of very different size; players of a game hit its pop-ups by mistake (2.5 %), and a television cannot
                 be clicked (4 %).
truth.json       what an audit of these tables should find. The labels were drawn from an `eta` that is a known
                 function of the columns, so the truth can be had from many more draws than the files have rows.

The numbers of truth.json are about the population the rows came from; each is a mean over 2 million draws of it, so
a `j` is off by at most 0.001. An audit sees the rows alone, and eta through its neighbourhoods: set its intervals
beside these numbers, not its estimates alone.

    eta      P(label = 1 | the other columns)                p = E eta
    h(z)     (2z - 1) log(z / (1 - z))
    nu_bar   (2 eta - 1) (logit eta - logit p) + h(pi),      pi = 1 / (1 + e^epsilon)
    j        P(nu_bar > tau)                                 mean_loss = E nu_bar            jeffreys = E h(eta)
    nu_max   epsilon + max(logit eta_max - logit p, logit p - logit eta_min)
    uninformed_utility                                       E max(eta, 1 - eta)
    advantage                                                attackers.py; off by at most a few per cent for large bags

Nothing here comes from the audit itself: a mistake there cannot hide here. Running it twice gives the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from attackers import RELEASES, advantage
from populations import POPULATIONS, Columns, Floats, Population

SEED = 2024
DRAWS = 2_000_000
BLOCK = 100_000
EPSILONS = (0.5, 1.0, 2.0, 4.0)
TAUS = tuple(step / 2 for step in range(25))
QUANTILES = (0.0, 0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 1.0)

# ---- the files


def stream(population: Population, purpose: str) -> np.random.Generator:
    return np.random.default_rng([SEED, *f"{population.file} {purpose}".encode()])


def table(population: Population) -> Columns:
    """The file's rows, the label last."""
    rng = stream(population, "rows")
    columns = population.features(population.rows, rng)
    labels = rng.random(population.rows) < population.eta(columns)
    return columns | {population.label: labels.astype(np.int8)}


def missing(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
    """Where a column has no cell; None where it cannot have such."""
    holes: dict[str, Any] = {"f": np.isnan, "U": lambda cells: cells == ""}
    find = holes.get(values.dtype.kind)
    return None if find is None else np.asarray(find(values))


def write_table(columns: Columns, path: Path) -> None:
    if path.suffix == ".parquet":
        arrays = {name: pa.array(values, mask=missing(values)) for name, values in columns.items()}
        arrays["ward"] = arrays["ward"].dictionary_encode()
        pq.write_table(pa.table(arrays), path, compression="zstd")
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))


# ---- the truth


def logit(z: Floats) -> Floats:
    return np.log(z) - np.log1p(-z)


def h(z: Floats) -> Floats:
    return (2 * z - 1) * logit(z)


def draws_of_eta(population: Population, draws: int) -> Floats:
    rng = stream(population, "truth")
    sizes = [min(BLOCK, draws - done) for done in range(0, draws, BLOCK)]
    return np.concatenate([population.eta(population.features(size, rng)) for size in sizes])


def truth(eta: Floats) -> dict[str, Any]:
    """The true answers of the law of eta, to six digits."""
    p = eta.mean()
    low, middle, high = logit(np.array([eta.min(), p, eta.max()]))
    gain = (2 * eta - 1) * (logit(eta) - middle)
    return {
        "prior": rounded(p),
        "uninformed_utility": rounded(np.maximum(eta, 1 - eta).mean()),
        "jeffreys": rounded(h(eta).mean()),
        "eta_quantiles": {
            f"{at:g}": rounded(value) for at, value in zip(QUANTILES, np.quantile(eta, QUANTILES), strict=True)
        },
        "advantage": {release: rounded(advantage(eta, release)) for release in RELEASES},
        "mechanisms": {
            f"rr:epsilon={epsilon:g}": losses(gain, max(high - middle, middle - low), epsilon) for epsilon in EPSILONS
        },
    }


def losses(gain: Floats, ratio: float, epsilon: float) -> dict[str, Any]:
    nu_bar = gain + epsilon * np.tanh(epsilon / 2)  # h(pi), pi = 1 / (1 + e^epsilon)
    return {
        "nu_max": rounded(epsilon + ratio),
        "mean_loss": rounded(nu_bar.mean()),
        "j": [rounded((nu_bar > tau).mean()) for tau in TAUS],
    }


def rounded(value: float) -> float:
    return round(float(value), 6)


def show(name: str, facts: Mapping[str, Any]) -> None:
    print(
        f"\n{name}: {facts['prior']:.2%} positives, best blind guess right {facts['uninformed_utility']:.2%}, "
        f"jeffreys {facts['jeffreys']:.3f}"
    )
    print("  eta at " + "  ".join(f"{at}: {value:.4f}" for at, value in facts["eta_quantiles"].items()))
    print("  tau      " + "".join(f"{tau:7g}" for tau in TAUS[::2]) + "   mean  nu_max")
    for mechanism, answers in facts["mechanisms"].items():
        curve = "".join(f"{value:7.4f}" for value in answers["j"][::2])
        print(f"  {mechanism.removeprefix('rr:'):11}{curve}{answers['mean_loss']:7.3f}{answers['nu_max']:8.3f}")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description="Makes the sample tables and the truth about them.")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    folder = parser.parse_args(arguments).folder
    tables = {}
    for population in POPULATIONS:
        write_table(table(population), folder / population.file)
        facts = truth(draws_of_eta(population, DRAWS))
        show(population.file, facts)
        tables[population.file] = {"rows": population.rows, "label": population.label, **facts}
    made_with = {"numpy": np.__version__, "pyarrow": pa.__version__}
    known = {"made_with": made_with, "draws": DRAWS, "tau": TAUS, "tables": tables}
    (folder / "truth.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
