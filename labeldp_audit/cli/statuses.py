"""How the program ends, for scripts and for help."""

from __future__ import annotations

FINE, VIOLATED, USAGE, DATA, INCONCLUSIVE, BUG, CLOSED = 0, 1, 2, 3, 4, 70, 141
SENTENCE = (
    "Exit status: 0 it ran, and a policy holds; 1 the policy is violated; 2 usage or configuration; 3 the data cannot "
    "be audited; 4 inconclusive or unproven; 70 a bug; 130 interrupted; 141 broken pipe; 143 terminated."
)
