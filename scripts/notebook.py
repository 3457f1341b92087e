# %% [markdown]
# # A run in pandas
# Reads the folder of a run, redraws three charts of its report, and fits SNR50 again with an effect of the recording.
# Open it in an editor that knows `# %%` cells, or run `python3 scripts/notebook.py RUN [FOLDER FOR PICTURES]`.
# Needs `pip install pandas matplotlib scipy`. The article *Columns of the tables* explains every column.

# %% Read the tables
import json
import sys
from pathlib import Path

import matplotlib
import numpy
import pandas
from scipy.optimize import minimize
from scipy.special import expit, roots_hermitenorm

if "--help" in sys.argv[1:]:
    sys.exit(print(__doc__.strip()))


def read(run):
    """The tables of a run by their names without `.csv`; an empty field is a missing value."""
    return {path.stem: pandas.read_csv(path, keep_default_na=False, na_values=[""]) for path in Path(run).glob("*.csv")}


# %% Chart 1: recall against the signal-to-noise ratio
def draw_noise(tables, axes):
    for (noise, seconds), curve in tables["snr"].groupby(["noise", "lengthSeconds"]):
        ends = [curve.recall - curve.recallLower, curve.recallUpper - curve.recall]
        axes.errorbar(curve.snrDecibels, curve.recall, yerr=ends, marker="o", label=f"{noise}, {seconds:g} s")
        axes.plot(curve.snrDecibels, curve.fitted, color=axes.lines[-1].get_color(), linestyle=":")
    axes.set(xlabel="signal-to-noise ratio, dB", ylabel="recall", title="Recall in noise")
    if len(tables["snr"]):
        axes.legend()


# %% Chart 2: recall by recording
def draw_recordings(tables, axes, most=20):
    worst = tables["recordings"].head(most).iloc[::-1]
    axes.barh(worst.recording.map(lambda name: Path(name).stem), worst.recall)
    axes.set(xlabel="recall", title=f"The {len(worst)} recordings with the most misses")


# %% Chart 3: misses against false accepts
def draw_detection(tables, axes):
    axes.plot(tables["det"].falseAcceptRate, tables["det"].missRate, drawstyle="steps-post")
    axes.set(xlabel="false-accept rate", ylabel="miss rate", title="Every threshold", xscale="symlog")


# %% SNR50 with an effect of the recording
def noise_trials(trials):
    """Positives whose chain is one noise at a stated ratio: noise, ratio in dB, recording, found."""
    mixes = {"noise", "babble", "ambience", "music"}

    def is_noise(chain):
        steps = json.loads(chain)
        steps = steps["steps"] if isinstance(steps, dict) else steps
        return len(steps) == 1 and next(iter(steps[0])) in mixes

    own = trials[(trials.kind == "positive") & trials.outcome.notna() & trials.severityValue.notna()]
    own = own[own.chain.map(is_noise).astype(bool)]
    return pandas.DataFrame(
        {
            "noise": own.degradation + ", " + own.lengthSeconds.map("{:g} s".format),
            "ratio": own.severityValue,
            "recording": own.sourceClass.fillna(own.source),
            "found": own.outcome == "correct",
        }
    )


def fit_snr50(ratio, found, recording, nodes=31):
    """SNR50 in dB, its standard error, and the spread of recordings in dB.

    The model is logit P(found) = slope (ratio - snr50 - effect), where the effect of a recording is normal around 0.
    The effects are integrated by Gauss-Hermite quadrature; the standard error is from the curvature of the likelihood.
    """
    ratio, found = numpy.asarray(ratio, float), numpy.asarray(found, float)
    points, weights = roots_hermitenorm(nodes)
    weights = weights / weights.sum()
    group = pandas.factorize(pandas.Series(list(recording)))[0]

    def deficit(parameters):
        snr50, slope, spread = parameters[0], numpy.exp(parameters[1]), numpy.exp(parameters[2])
        share = expit(slope * (ratio[:, None] - snr50 - spread * points[None, :]))
        share = numpy.clip(share, 1e-12, 1 - 1e-12)
        logs = numpy.where(found[:, None] > 0, numpy.log(share), numpy.log(1 - share))
        sums = numpy.zeros((group.max() + 1, nodes))
        numpy.add.at(sums, group, logs)
        top = sums.max(axis=1, keepdims=True)
        # Weak priors keep a fit of few trials finite: slope around 0.5 a dB, spread around 3 dB.
        prior = ((parameters[1] - numpy.log(0.5)) / 1.5) ** 2 / 2 + ((parameters[2] - numpy.log(3)) / 1.5) ** 2 / 2
        return prior - (top[:, 0] + numpy.log(numpy.exp(sums - top) @ weights)).sum()

    best = minimize(deficit, [numpy.median(ratio), numpy.log(0.5), numpy.log(3)], method="Nelder-Mead").x
    steps = 0.01 * numpy.eye(3)
    curvature = [
        [
            deficit(best + one + other) - deficit(best + one - other) - deficit(best - one + other)
            + deficit(best - one - other)
            for one in steps
        ]
        for other in steps
    ]
    variance = numpy.linalg.pinv(numpy.array(curvature) / (4 * 0.01**2))[0, 0]
    return best[0], numpy.sqrt(variance) if variance > 0 else numpy.inf, numpy.exp(best[2])


def refit(tables):
    """One row for each noise with three or more ratios: the fit here beside that of the report."""
    report = tables["snr"].drop_duplicates(["noise", "lengthSeconds"])
    report = report.assign(noise=report.noise + ", " + report.lengthSeconds.map("{:g} s".format))
    known = report.set_index("noise").snrAt50
    rows = []
    for noise, own in noise_trials(tables["trials"]).groupby("noise"):
        if own.ratio.nunique() < 3:
            continue
        snr50, error, spread = fit_snr50(own.ratio, own.found, own.recording)
        inside = own.ratio.min() <= snr50 <= own.ratio.max()
        rows.append([noise, len(own), own.recording.nunique(), snr50, error, spread, inside, known.get(noise)])
    names = ["noise", "queries", "recordings", "snr50", "standardError", "recordingSpread", "isMeasured", "report"]
    return pandas.DataFrame(rows, columns=names)


# %% All of it
def main(run, pictures=None):
    if pictures:
        matplotlib.use("Agg")
    from matplotlib import pyplot

    tables = read(run)
    for name, draw in [("snr", draw_noise), ("recordings", draw_recordings), ("det", draw_detection)]:
        figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
        draw(tables, axes)
        if pictures:
            figure.savefig(Path(pictures) / f"{name}.png", dpi=120)
    print(refit(tables).to_string(index=False, float_format="{:.2f}".format))
    if not pictures:
        pyplot.show()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("No run. Give the folder of a run, and a folder for the pictures to save them.")
    main(*sys.argv[1:3])
