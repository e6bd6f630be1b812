"""Prints a table, in Markdown, so that it can be pasted into benchmarks/README.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def show(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    lines = [list(head), *([str(cell) for cell in row] for row in rows)]
    width = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = ["| " + " | ".join(cell.rjust(w) for cell, w in zip(line, width, strict=True)) + " |" for line in lines]
    text.insert(1, "|" + "|".join("-" * (w + 1) + ":" for w in width) + "|")
    print(f"\n{title}\n\n" + "\n".join(text), flush=True)
