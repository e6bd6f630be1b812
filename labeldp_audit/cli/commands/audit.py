"""The command audit: all of this at once, at one joint confidence."""

from __future__ import annotations

from .. import options as opt


def audit(
    context: opt.Context, data: opt.Data,
    label: opt.Label, positive: opt.Positive, exclude: opt.Exclude, categorical: opt.Categorical,
    drop_null_labels: opt.DropNullLabels, delimiter: opt.Delimiter, group: opt.Group, repeats: opt.Repeats,
    estimator: opt.Estimator, eta: opt.EtaColumns, eta_file: opt.EtaFile, k: opt.K, queries: opt.Queries,
    recall: opt.Recall,
    mechanism: opt.Mechanism, tau: opt.Tau, utility: opt.Utility, bags: opt.Bags, smoothness: opt.Smoothness,
    alpha: opt.Alpha, certify: opt.Certify, explain: opt.Explain, confidence: opt.Confidence, seed: opt.Seed,
    fail_if: opt.FailIf, policy: opt.PolicyFile,
    format: opt.Format, output: opt.Output, no_output: opt.NoOutput, with_run_info: opt.WithRunInfo,
    verbose: opt.Verbose, quiet: opt.Quiet,
    threads: opt.Threads, exit_zero: opt.ExitZero, debug: opt.Debug, config: opt.Config, no_config: opt.NoConfig,
    show_config: opt.ShowConfig,
) -> int:  # fmt: skip
    """Ask every question that the table allows, at one joint confidence: losses, the worst case, and what an
    attacker gains, beside other mechanisms on a fixed scale. Leaves the report in all formats in DIR, among them a
    page for people, and judges a policy if there is one.

    \b
    Examples:
      labeldp-audit audit clinic.parquet
          labeldp-report/audit.html is the page
      labeldp-audit audit clinic.parquet --mechanism rr:epsilon=2 --explain
          and which columns give it away
      labeldp-audit audit clinic.parquet --fail-if 'advantage.high > 0.05'
          with a verdict
    """
    from ..run_command import EVERY_PAGE, Job, perform

    return perform(context, Job("run.audit", pages=EVERY_PAGE))
