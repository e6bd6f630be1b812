"""The two invented populations: how their features are drawn, and the `eta` their labels are drawn from.

`eta` is a function of the columns as they are in the file, rounded and with cells missing. make.py says what the
tables are about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Columns = dict[str, npt.NDArray[Any]]  # a missing number is NaN, a missing category is ""


@dataclass(frozen=True)
class Population:
    """Where a table's rows come from: how its features are drawn and what they tell about the label."""

    file: str
    label: str
    rows: int
    features: Callable[[int, np.random.Generator], Columns]
    eta: Callable[[Columns], Floats]


def logistic(t: Floats) -> Floats:
    return 1 / (1 + np.exp(-t))


def look_up(column: npt.NDArray[Any], of: Mapping[str, Any]) -> npt.NDArray[Any]:
    """What belongs to each cell's level."""
    levels = sorted(of)
    return np.array([of[level] for level in levels])[np.searchsorted(levels, column)]


def choose(shares: Mapping[str, float], n: int, rng: np.random.Generator) -> npt.NDArray[np.str_]:
    return np.array(list(shares))[rng.choice(len(shares), n, p=np.array(list(shares.values())) / sum(shares.values()))]


# ---- clinic.parquet

WARDS = {"cardiology": 20, "emergency": 25, "hepatology": 8, "internal": 27, "surgery": 20}
WARD_LOGITS = {"cardiology": -0.3, "emergency": 0, "hepatology": 1.1, "internal": 0.2, "maternity": 0, "surgery": -0.4}
REFERRALS = {"": 18, "ambulance": 17, "family doctor": 40, "specialist": 25}
REGIONS = {"centre": 30, "coast": 15, "east": 15, "hills": 8, "north": 14, "south": 18}


def clinic_features(n: int, rng: np.random.Generator) -> Columns:
    """Illness is never written down, but most columns show it: few directions matter, as in most tables."""
    fate = rng.random(n)
    referred, mother = fate < 0.03, fate > 0.95
    illness = rng.normal(np.where(referred, 3.6, 0), np.select([referred, mother], [0.4, 0.3], 1.0))
    age = rng.normal(np.select([referred, mother], [58, 31], 57 + 5 * illness), np.where(referred | mother, 5, 14))
    albumin = (41 - 3 * illness + rng.normal(0, 1.5, n)).round(1)
    unmeasured = mother | (rng.random(n) < np.where(referred, 0, 0.13))
    return {
        "age": age.clip(18, 97).round().astype(np.int32),
        "sex": np.where(mother | (rng.random(n) < 0.48), "female", "male"),
        "bmi": (26.5 + 0.04 * (age - 57) + 0.8 * illness + rng.normal(0, 2.5, n)).clip(15, 55).round(1),
        "smoker": ~mother & (rng.random(n) < logistic(-2.2 + 0.4 * illness)),
        "alt": np.exp(3.2 + 0.5 * illness + rng.normal(0, 0.35, n)).clip(4, 3000).round(),
        "albumin": np.where(unmeasured, np.nan, albumin),
        "earlier_stays": rng.poisson(np.exp(-0.3 + 0.35 * illness)).astype(np.int32),
        "ward": np.select([referred, mother], ["hepatology", "maternity"], choose(WARDS, n, rng)),
        "referral": np.select([referred, mother], ["liver clinic", "midwife"], choose(REFERRALS, n, rng)),
        "region": choose(REGIONS, n, rng),
        "admitted": np.datetime64("2023-01-01") + rng.integers(0, 365, n),
    }


def clinic_eta(columns: Columns) -> Floats:
    """Three groups; in each eta moves smoothly. A missing albumin tells nothing, so alt has to."""
    liver, albumin = (np.log(columns["alt"]) - 3.2) / 0.6, (41 - columns["albumin"]) / 3.35
    signs = np.where(np.isnan(albumin), 1.3 * liver, 0.7 * liver + 0.8 * np.nan_to_num(albumin))
    usual = logistic(-3.14 + signs + 0.015 * (columns["age"] - 57.0) + look_up(columns["ward"], WARD_LOGITS))
    referred, mother = columns["referral"] == "liver clinic", columns["ward"] == "maternity"
    almost_surely = 0.97 + 0.025 * logistic(2 * (liver - 3.0))
    hardly_ever = 0.0006 + 0.0008 * logistic((columns["age"] - 31.0) / 4)
    return np.select([referred, mother], [almost_surely, hardly_ever], 0.02 + 0.88 * usual)


# ---- clicks.csv

SITES = {"auctions": 8, "cooking": 10, "mail": 16, "maps": 7, "music": 9, "news": 22, "sports": 13, "weather": 15}
SITE_LOGITS = {
    "auctions": 1.5,
    "cooking": 0.7,
    "mail": -1.3,
    "maps": 0.2,
    "music": 0.4,
    "news": -0.3,
    "puzzle game": 0,
    "sports": 0.1,
    "tv guide": 0,
    "weather": -0.9,
}
PLACES = {
    "auctions": "list",
    "cooking": "list",
    "mail": "side",
    "maps": "list",
    "music": "video",
    "news": "top",
    "puzzle game": "pop-up",
    "sports": "video",
    "tv guide": "break",
    "weather": "side",
}
DEVICES = {"computer": 36, "phone": 54, "tablet": 10}
VISITORS = {"": 10, "new": 55, "returning": 35}
COUNTRIES = {f"land {i:02}": 1 / i**1.5 for i in range(1, 31)}
CAMPAIGNS = {f"campaign {i:03}": 1 / i**1.1 for i in range(1, 201)}
# Multiples of the golden angle: large and small campaigns alike get every appeal, without a pattern.
CAMPAIGN_LOGITS = {name: 0.5 * float(np.sin(2.39996 * i)) for i, name in enumerate(CAMPAIGNS)}


def clicks_features(n: int, rng: np.random.Generator) -> Columns:
    fate = rng.random(n)
    game, television = fate < 0.025, fate > 0.96
    site = np.select([game, television], ["puzzle game", "tv guide"], choose(SITES, n, rng))
    elsewhere = ~game & ~television & (rng.random(n) < 0.2)
    return {
        "device": np.select([game, television], ["phone", "television"], choose(DEVICES, n, rng)),
        "site": site,
        "placement": np.where(elsewhere, "top", look_up(site, PLACES)),
        "campaign": np.where(game, "campaign 003", choose(CAMPAIGNS, n, rng)),
        "country": choose(COUNTRIES, n, rng),
        "visitor": np.where(game, "returning", choose(VISITORS, n, rng)),
        "hour": np.floor(24 * rng.beta(2.5, 1.8, n)).astype(np.int32),
    }


def clicks_eta(columns: Columns) -> Floats:
    evening = np.sin(2 * np.pi * (columns["hour"] - 13.0) / 24)
    appeal = look_up(columns["campaign"], CAMPAIGN_LOGITS) + 0.4 * evening + 0.4 * (columns["visitor"] == "returning")
    usual = 0.01 + 0.9 * logistic(-3.9 + appeal + look_up(columns["site"], SITE_LOGITS))
    by_mistake, unclickable = columns["placement"] == "pop-up", columns["device"] == "television"
    return np.select([by_mistake, unclickable], [logistic(0.6 + appeal), 0.001], usual)


POPULATIONS = (
    Population("clinic.parquet", "target", 20_000, clinic_features, clinic_eta),
    Population("clicks.csv", "clicked", 12_000, clicks_features, clicks_eta),
)
