"""The command report: a stored report in another format."""

from __future__ import annotations

from .. import options as opt


def report(
    context: opt.Context, data: opt.StoredReport,
    format: opt.Format, output: opt.Output, no_output: opt.NoOutput, with_run_info: opt.WithRunInfo,
    verbose: opt.Verbose, quiet: opt.Quiet,
    exit_zero: opt.ExitZero, debug: opt.Debug, config: opt.Config, no_config: opt.NoConfig, show_config: opt.ShowConfig,
) -> int:  # fmt: skip
    """Show a stored report, as text or in any other format; nothing is measured.

    \b
    Examples:
      labeldp-audit report labeldp-report/audit.json -f html=audit.html
          a page
      labeldp-audit report labeldp-report/audit.json  # as text
    """
    from ..run_command import Job, perform

    return perform(context, Job(stored=True))
