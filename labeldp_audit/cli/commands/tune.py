"""The command tune: the least noise that meets a policy."""

from __future__ import annotations

from .. import options as opt


def tune(
    context: opt.Context, data: opt.Data,
    label: opt.Label, positive: opt.Positive, exclude: opt.Exclude, categorical: opt.Categorical,
    drop_null_labels: opt.DropNullLabels, delimiter: opt.Delimiter, group: opt.Group, repeats: opt.Repeats,
    estimator: opt.Estimator, eta: opt.EtaColumns, eta_file: opt.EtaFile, k: opt.K, queries: opt.Queries,
    recall: opt.Recall,
    mechanism: opt.TunedMechanism, utility: opt.Utility, bags: opt.Bags, smoothness: opt.Smoothness, alpha: opt.Alpha,
    certify: opt.Certify, confidence: opt.Confidence, seed: opt.Seed,
    fail_if: opt.FailIf, policy: opt.PolicyFile,
    format: opt.Format, output: opt.Output, no_output: opt.NoOutput, with_run_info: opt.WithRunInfo,
    verbose: opt.Verbose, quiet: opt.Quiet,
    threads: opt.Threads, exit_zero: opt.ExitZero, debug: opt.Debug, config: opt.Config, no_config: opt.NoConfig,
    show_config: opt.ShowConfig,
) -> int:  # fmt: skip
    """Choose the largest epsilon, or the smallest k, with which a policy holds, to 1 % of epsilon, and show what
    each strength of the noise costs. Says when no noise is enough, as the features give too much away, and which
    line of the policy decides.

    \b
    Examples:
      labeldp-audit tune clinic.parquet --fail-if 'advantage.high > 0.05'
          randomized response
      labeldp-audit tune clinic.parquet --mechanism llp --fail-if 'advantage.high > 0.05'
          how large a bag?
      labeldp-audit tune clinic.parquet --mechanism laplace-llp:k=8 --policy strict.toml
          epsilon at k = 8
    """
    from ..run_command import PAGES, Job, perform

    return perform(context, Job("tune.tune", pages=PAGES | {"html": "html"}, open_mechanisms=True, wants_policy=True))
