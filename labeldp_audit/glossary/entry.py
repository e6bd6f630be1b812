"""What the tool says of a quantity or a term."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    quantity: str  # as reports and policies write it
    title: str
    meaning: str  # in one line, as reports show it
    formula: str
    source: str  # a paper, or a section of docs/mathematics.md
    read: str  # what to conclude, and what not to
    related: tuple[str, ...] = ()


PITFALLS = "On the Pitfalls of Label Differential Privacy (001)"
TRAINING = "Label Differential Privacy and Private Training Data Release (000)"
PREVENT = "Does Label Differential Privacy Prevent Label Inference Attacks? (002)"
UNIFIED = "A Unified Analysis of Label Inference Attacks (003)"
MATHEMATICS = "docs/mathematics.md"
