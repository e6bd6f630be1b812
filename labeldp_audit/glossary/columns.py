"""What each column contributes: the same audit with the column and without it."""

from __future__ import annotations

from .entry import Entry

_SOURCE = "boosted trees fitted with and without the column: a comparison on this table, no theorem"
_READ = (
    "Positive: the column adds to the risk. Columns that say the same hide each other: leaving one out changes nothing "
    "while the other is there, so contributions need not add up, and a small one does not show that a column is "
    "harmless. A column picked because of such a list makes the confidence of a later report less than it says."
)

ENTRIES = (
    Entry(
        "column_log_loss", "What a column tells about labels",
        "what the column adds to what features tell about labels, in nats a label",
        "log loss of labels not seen, without the column, less the same with it",
        _SOURCE,
        f"How much better labels are guessed thanks to the column. {_READ}",
        ("column_j", "column_advantage", "eta"),
    ),
    Entry(
        "column_j", "What a column adds to J",
        "what the column adds to the share of people whose loss is above tau",
        "J(tau) with the column, less J(tau) without it",
        _SOURCE,
        "0.03 means that, by these models, 3 people more in a hundred lose more than tau because the column is "
        f"published. It has no limits: models say it of themselves. {_READ}",
        ("j", "column_log_loss", "column_advantage"),
    ),
    Entry(
        "column_advantage", "What a column adds to the advantage",
        "what the column adds to the advantage of an attacker",
        "advantage with the column, less the advantage without it",
        _SOURCE,
        "It may be negative: features that already give labels away leave a release less to add. "
        f"Look at column_log_loss beside it. {_READ}",
        ("advantage", "column_log_loss", "column_j"),
    ),
)  # fmt: skip
