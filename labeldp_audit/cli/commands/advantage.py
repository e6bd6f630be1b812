"""The command advantage: how much better an attacker guesses once the release is out."""

from __future__ import annotations

from .. import options as opt


def advantage(
    context: opt.Context, data: opt.Data,
    label: opt.Label, positive: opt.Positive, exclude: opt.Exclude, categorical: opt.Categorical,
    drop_null_labels: opt.DropNullLabels, delimiter: opt.Delimiter, group: opt.Group, repeats: opt.Repeats,
    estimator: opt.Estimator, eta: opt.EtaColumns, eta_file: opt.EtaFile, k: opt.K, queries: opt.Queries,
    recall: opt.Recall,
    mechanism: opt.ComparedMechanism, utility: opt.Utility, bags: opt.Bags, smoothness: opt.Smoothness,
    certify: opt.Certify, confidence: opt.Confidence, seed: opt.Seed,
    format: opt.Format, output: opt.Output, no_output: opt.NoOutput, with_run_info: opt.WithRunInfo,
    verbose: opt.Verbose, quiet: opt.Quiet,
    threads: opt.Threads, exit_zero: opt.ExitZero, debug: opt.Debug, config: opt.Config, no_config: opt.NoConfig,
    show_config: opt.ShowConfig,
) -> int:  # fmt: skip
    """Compare noise with aggregation: how many more labels the best attacker guesses right with the release than
    from the features alone, under each mechanism, beside the bounds that papers give, and which strength of one
    mechanism protects like which of another.

    \b
    Examples:
      labeldp-audit advantage clinic.parquet  # three kinds of release
      labeldp-audit advantage clinic.parquet --mechanism 'rr:epsilon=0.5|1' --mechanism 'llp:k=8|64'
          noise or aggregation?
      labeldp-audit advantage clinic.parquet --eta-file labeldp-report/eta.parquet
          after estimate-eta, without another search
      labeldp-audit advantage clicks.csv --label clicked --utility balanced
          rare labels count as much
    """
    from ..run_command import Job, perform

    return perform(context, Job("run.gains"))
