"""The command check: does a policy hold? Ends with 1 if not."""

from __future__ import annotations

from .. import options as opt


def check(
    context: opt.Context, data: opt.ReportOrData,
    label: opt.Label, positive: opt.Positive, exclude: opt.Exclude, categorical: opt.Categorical,
    drop_null_labels: opt.DropNullLabels, delimiter: opt.Delimiter, group: opt.Group, repeats: opt.Repeats,
    estimator: opt.Estimator, eta: opt.EtaColumns, eta_file: opt.EtaFile, k: opt.K, queries: opt.Queries,
    recall: opt.Recall,
    mechanism: opt.Mechanism, tau: opt.Tau, utility: opt.Utility, bags: opt.Bags, smoothness: opt.Smoothness,
    alpha: opt.Alpha, certify: opt.Certify, confidence: opt.Confidence, seed: opt.Seed,
    fail_if: opt.FailIf, policy: opt.PolicyFile,
    format: opt.Format, output: opt.Output, no_output: opt.NoOutput, with_run_info: opt.WithRunInfo,
    verbose: opt.Verbose, quiet: opt.Quiet,
    threads: opt.Threads, exit_zero: opt.ExitZero, debug: opt.Debug, config: opt.Config, no_config: opt.NoConfig,
    show_config: opt.ShowConfig,
) -> int:  # fmt: skip
    """Judge a stored report by a policy, without the data; or audit a table first, no more than the policy asks
    about. A line that says what blocks a release passes, fails, is inconclusive (the estimate passes, its
    limit does not: exit status 4), is unproven (a lower limit passes for want of rows, the estimate does not:
    4 too), or was not measured, which fails.

    \b
    Examples:
      labeldp-audit check labeldp-report/audit.json --fail-if 'advantage.high > 0.05'
          a stored report
      labeldp-audit check clinic.parquet --mechanism rr:epsilon=2 --fail-if 'advantage.high > 0.1'
          a table
      labeldp-audit check audit.json -f github -f sarif=audit.sarif
          in CI, policy from labeldp-audit.toml
    """
    from ..run_command import Job, perform

    return perform(context, Job("run.check", stored=True, wants_policy=True))
