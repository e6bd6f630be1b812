"""The command explain: what a number of a report means."""

from __future__ import annotations

from .. import options as opt


def explain(quantity: opt.Quantity, format: opt.ExplainedAs, debug: opt.Debug) -> int:
    """Say what a quantity or a term means, its formula, how to read it and where it comes from. Without a name,
    list all there are.

    \b
    Examples:
      labeldp-audit explain  # all names, one line each
      labeldp-audit explain nu_max  # one of them
      labeldp-audit explain j -f json  # for a program
    """
    from .. import explain as glossary
    from .. import progress, statuses, streams

    streams.show(glossary.run(quantity, format, progress.screen()[0]))
    return statuses.FINE
