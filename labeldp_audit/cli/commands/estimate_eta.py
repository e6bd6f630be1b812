"""The command estimate-eta: what the features alone tell about the label."""

from __future__ import annotations

from .. import options as opt


def estimate_eta(
    context: opt.Context, data: opt.Data,
    label: opt.Label, positive: opt.Positive, exclude: opt.Exclude, categorical: opt.Categorical,
    drop_null_labels: opt.DropNullLabels, delimiter: opt.Delimiter, group: opt.Group, repeats: opt.Repeats,
    estimator: opt.Estimator, eta: opt.EtaColumns, k: opt.K, queries: opt.Queries,
    recall: opt.Recall,
    mechanism: opt.Mechanism, utility: opt.Utility, smoothness: opt.Smoothness, certify: opt.Certify,
    confidence: opt.Confidence, seed: opt.Seed,
    format: opt.Format, output: opt.Output, no_output: opt.NoOutput, with_run_info: opt.WithRunInfo,
    verbose: opt.Verbose, quiet: opt.Quiet,
    threads: opt.Threads, exit_zero: opt.ExitZero, debug: opt.Debug, config: opt.Config, no_config: opt.NoConfig,
    show_config: opt.ShowConfig,
) -> int:  # fmt: skip
    """Estimate for each row how likely each label is, given the features alone: what anybody can know before a
    release. Also writes DIR/eta.parquet, one line a row, which only you can read.

    \b
    Examples:
      labeldp-audit estimate-eta clinic.parquet
          report, and one estimate a row in labeldp-report/eta.parquet
      labeldp-audit estimate-eta clinic.parquet --no-output -f json
          the report alone, for a program
    """
    from ..run_command import Job, perform

    return perform(context, Job("run.estimate_eta", rows=("eta.parquet",)))
