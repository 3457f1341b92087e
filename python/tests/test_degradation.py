"""Degradations of this process under the program, also those that do something wrong."""

import os
import random
import time

import numpy as np
import pandas as pd
import pytest

import earshot_judge as ej
from earshot_judge.degradation import Degrader
from earshot_judge.matcher import code_digest

PLAN = """
name: own
seed: 1
half: test
positives: 4
negatives: 0
latencyTrials: 0
lengthSeconds: 4
families:
  - {name: clean, positives: 1}
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    return path


def measure(plan, music, output, *options, **given):
    return ej.evaluate(
        "null", references=music, plan=plan, output=plan.parent / output, progress=False,
        options=["--undivided", "--details", "0", *options], **given,
    )  # fmt: skip


def tremolo(samples, rate, rng, severity):
    seconds = np.arange(len(samples)) / rate
    wave = np.sin(2 * np.pi * 5 * seconds + rng.uniform(0, 2 * np.pi))
    return (samples.T * (1 - (severity or 0.5) * (1 + wave) / 2)).T


def noisy(samples, rate, rng, severity):
    """Draws from the generators of the process."""
    noise = np.random.normal(size=samples.shape) + random.gauss(0, 1)
    return samples + 0.01 * noise


def late(samples, rate, rng, severity):
    frames = rate // 4
    return np.concatenate([np.zeros_like(samples[:frames]), samples[:-frames]])


def stated(samples, rate, rng, severity):
    return late(samples, rate, rng, severity), 0.25


@pytest.mark.filterwarnings("ignore::earshot_judge.EarshotWarning")
def test_functions_become_conditions_and_runs_are_equal_on_any_number_of_threads(music, plan):
    given = {
        "degradations": {"tremolo": ej.Degradation(tremolo, [0.2, 0.8]), "noisy": noisy, "late": late, "stated": stated},
        "chain": [{"speed": {"percent": 2}}, late, {"tremolo": {"severity": 0.4}}, {"format": {"encoding": "wav-pcm16"}}],
    }
    one = measure(plan, music, "one", "--jobs", "1", "--no-cache", **given)
    two = measure(plan, music, "two", "--jobs", "2", "--no-cache", **given)
    left = ["matchMilliseconds", "processorMilliseconds"]
    pd.testing.assert_frame_equal(one.trials.drop(columns=left), two.trials.drop(columns=left))
    cells = one.cells[["degradation", "severity"]].fillna("").apply(" ".join, axis=1).str.strip().tolist()
    assert cells == ["clean", "tremolo 0.2", "tremolo 0.8", "noisy", "late", "stated", "chain"]
    assert one.trials.queryDigest.nunique() == len(one.trials) == 25


@pytest.mark.filterwarnings("ignore::earshot_judge.EarshotWarning")
def test_a_changed_function_is_measured_again(music, plan):
    functions = [lambda samples, rate, rng, severity: 0.5 * samples, lambda samples, rate, rng, severity: 0.25 * samples]
    first, second = [measure(plan, music, "run", degradations={"own": function}).trials for function in functions]
    own = first.degradation == "own"
    assert (first.queryDigest[own] != second.queryDigest[own]).all()
    assert (first.queryDigest[~own] == second.queryDigest[~own]).all()


def shorter(samples, rate, rng, severity):
    return samples[1:]


def broken(samples, rate, rng, severity):
    raise KeyError("no luck")


def infinite(samples, rate, rng, severity):
    return samples / 0


def nothing(samples, rate, rng, severity):
    return None


def crash(samples, rate, rng, severity):
    os._exit(7)


def hang(samples, rate, rng, severity):
    time.sleep(100)


def changing(samples, rate, rng, severity):
    return samples * (1 + 0.001 * (time.perf_counter() % 1))


@pytest.mark.filterwarnings("ignore::earshot_judge.EarshotWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (shorter, "gave a length of 31999 frames; expected 32000"),
        (broken, r"no luck.*\(test_degradation.py:\d+, in broken\)"),
        (infinite, "not finite"), (nothing, "returned None; expected samples"), (crash, "it exited with status 7"),
        (hang, "gave no answer to a query within 2.0 s"), (changing, "gave other samples when it was asked again"),
    ],
)  # fmt: skip
def test_a_fault_ends_the_run_and_names_the_degradation(music, plan, function, message):
    with pytest.raises(ej.EarshotError, match=f"degradation wrong: .*{message}"):
        measure(plan, music, "run", "--degradation-limit-seconds", "2", degradations={"wrong": function})


def test_recorded_queries_are_not_degraded(music, plan):
    with pytest.raises(ValueError, match="recorded queries are not degraded"):
        measure(plan, music, "run", queries=music.parent / "queries/truth.csv", chain=[])


def test_the_digest_follows_what_a_function_uses():
    def make(factor):
        return lambda samples, rate, rng, severity: factor * samples

    assert code_digest(make(2)) == code_digest(make(2))
    assert code_digest(make(2)) != code_digest(make(3))
    assert code_digest(tremolo) != code_digest(noisy)


def test_steps_of_a_chain_name_functions():
    steps = [tremolo, {"tremolo": {"severity": 1}}, {"gain": {"decibels": 1}}, noisy, lambda samples: samples]
    degrader = Degrader({"tremolo": tremolo}, steps)
    assert degrader.chain == [
        {"program": {"name": "tremolo"}}, {"program": {"name": "tremolo", "severity": 1}}, {"gain": {"decibels": 1}},
        {"program": {"name": "noisy"}}, {"program": {"name": "lambda"}},
    ]  # fmt: skip
    assert [one["severities"] for one in degrader.offered] == [None, [], []]
    with pytest.raises(TypeError, match="expected a function"):
        Degrader({"a": 3})
