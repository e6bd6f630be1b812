"""The command estimate-j: the share of people whose loss is above tau."""

from __future__ import annotations

from .. import options as opt


def estimate_j(
    context: opt.Context, data: opt.Data,
    label: opt.Label, positive: opt.Positive, exclude: opt.Exclude, categorical: opt.Categorical,
    drop_null_labels: opt.DropNullLabels, delimiter: opt.Delimiter, group: opt.Group, repeats: opt.Repeats,
    estimator: opt.Estimator, eta: opt.EtaColumns, eta_file: opt.EtaFile, k: opt.K, queries: opt.Queries,
    recall: opt.Recall,
    mechanism: opt.Mechanism, tau: opt.Tau, smoothness: opt.Smoothness, alpha: opt.Alpha, certify: opt.Certify,
    confidence: opt.Confidence, seed: opt.Seed,
    format: opt.Format, output: opt.Output, no_output: opt.NoOutput, with_run_info: opt.WithRunInfo,
    verbose: opt.Verbose, quiet: opt.Quiet,
    threads: opt.Threads, exit_zero: opt.ExitZero, debug: opt.Debug, config: opt.Config, no_config: opt.NoConfig,
    show_config: opt.ShowConfig,
) -> int:  # fmt: skip
    """Estimate J(tau): the share of people about whose label a release tells more than tau nats, for every tau and
    mechanism asked for, with an interval that covers all of them at once.

    \b
    Examples:
      labeldp-audit estimate-j clinic.parquet  # no option is needed
      labeldp-audit estimate-j clinic.parquet --mechanism 'rr:pi=0.1|0.2'
          two releases
      labeldp-audit estimate-j clinic.parquet --tau 0.5,1,2 -o audit
          three losses, another folder
      labeldp-audit estimate-j - --delimiter ';' < clicks.csv
          a table on standard input
    """
    from ..run_command import Job, perform

    return perform(context, Job("run.estimate_j"))
