"""The command nu-max: the largest loss, over all neighbourhoods."""

from __future__ import annotations

from .. import options as opt


def nu_max(
    context: opt.Context, data: opt.Data,
    label: opt.Label, positive: opt.Positive, exclude: opt.Exclude, categorical: opt.Categorical,
    drop_null_labels: opt.DropNullLabels, delimiter: opt.Delimiter, group: opt.Group, repeats: opt.Repeats,
    estimator: opt.Estimator, eta: opt.EtaColumns, eta_file: opt.EtaFile, k: opt.K, queries: opt.Queries,
    recall: opt.Recall,
    mechanism: opt.Mechanism, smoothness: opt.Smoothness, certify: opt.Certify, confidence: opt.Confidence,
    seed: opt.Seed,
    format: opt.Format, output: opt.Output, no_output: opt.NoOutput, with_run_info: opt.WithRunInfo,
    verbose: opt.Verbose, quiet: opt.Quiet,
    threads: opt.Threads, exit_zero: opt.ExitZero, debug: opt.Debug, config: opt.Config, no_config: opt.NoConfig,
    show_config: opt.ShowConfig,
) -> int:  # fmt: skip
    """Estimate the worst case: the largest change in log odds that a release can cause, whichever way the noise
    falls. The limits are about averages over neighbourhoods: a person who stands out in one may lose more.

    \b
    Examples:
      labeldp-audit nu-max clicks.csv --label clicked  # name the label
      labeldp-audit nu-max clicks.csv -f markdown=worst.md -f text
          two forms at once
    """
    from ..run_command import Job, perform

    return perform(context, Job("run.nu_max"))
