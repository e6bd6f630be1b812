"""The questions that an audit asks, in the order of its report. One line here for each."""

from __future__ import annotations

from . import advantage, eta_range, tail, worst_case

QUESTIONS = (worst_case.QUESTION, tail.QUESTION, eta_range.QUESTION, advantage.QUESTION)
