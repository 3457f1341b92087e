"""Matchers of this process under the program, also those that do something wrong."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import matchers
import numpy as np
import pandas as pd
import pytest
from conftest import RATE, tune

import earshot_judge as ej


def measure(matcher, music, output, **options):
    return ej.evaluate(
        matcher, references=music, queries=music.parent / "queries/truth.csv", output=output, progress=False,
        options=["--details", "0"], **options,
    )


def descendants():
    """The processes that have the cache of these tests."""
    own = os.environ["XDG_CACHE_HOME"].encode()
    this = str(os.getpid())
    return [path for path in Path("/proc").glob("[0-9]*/environ") if path.parent.name != this and own in read(path)]


def read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_matcher_finds_what_it_enrolled(run):
    assert run.summary.value["recall"] == 1
    assert run.errors.empty
    assert run.name.startswith("Peaks ")
    assert abs(run.trials.offsetErrorSeconds.dropna()).max() < 0.02


def test_the_object_stays_as_it_is_and_a_finished_run_is_read_again(music, run):
    matcher = matchers.Peaks()
    again = measure(matcher, music, run.folder)
    assert matcher.table == {}
    pd.testing.assert_frame_equal(again.trials.drop(columns="matchMilliseconds"), run.trials.drop(columns="matchMilliseconds"))


def test_a_query_of_a_list_is_tried_again(music, tmp_path):
    run = measure("earshot", music, tmp_path)
    listed = ["--references", music, "--queries", music.parent / "queries/truth.csv"]
    for place in (0, len(run.trials) - 1):
        row = run.trials.iloc[place]
        said = ej.program.run("try", *listed, "--trial", row.trial).stdout
        assert f"score {row.bestScore:.2f}".replace("-", "\N{MINUS SIGN}") in said
        assert (f"expected  {row.source}\n" if row.kind == "positive" else "expected  no reference\n") in said


def test_a_folder_holds_one_matcher(music, run):
    with pytest.raises(ej.EarshotError, match=r"holds a run of Peaks .*; choose another output for Printing"):
        measure(matchers.Printing(), music, run.folder)


def test_changed_code_is_another_version():
    def digest(number):
        class Own(matchers.Peaks):
            def identify(self, samples, rate):
                return helper(number)

        def helper(value):
            return value

        return ej.matcher.code_digest(Own())

    space = {"Matcher": ej.Matcher, "__name__": "cell"}
    versions = []
    for body in ("return limit()", "return limit()", "return None"):
        for limit in (1, 1, 2):
            cell = f"def limit(): return {limit}\nclass Own(Matcher):\n    def identify(self, samples, rate): {body}\n"
            exec(cell, space)
            versions.append(ej.matcher.code_digest(space["Own"]()))
    assert versions[0] == versions[1] == versions[3] != versions[2]
    assert versions[6] == versions[8], "a function that is not used does not count"
    assert len(set(versions)) == 3
    assert digest(1) == digest(1)


def test_exceptions_come_with_their_trial(music, tmp_path):
    with pytest.warns(UserWarning, match=r"trials failed.*The first is (?s:.*)raise KeyError") as caught:
        run = measure(matchers.Raising(), music, tmp_path)
    assert len(caught) == 1
    assert len(run.errors) > 0
    assert run.errors.trial.iloc[0] in str(caught[0].message)
    assert run.errors.error.str.contains(r"KeyError: 'no such band' \(matchers.py:\d+, in identify\)").all()


def test_exceptions_are_kept_in_a_relative_folder(music, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.warns(UserWarning, match=r"(?s)trials failed.*raise LookupError"):
        run = measure(matchers.Failing(), music, "relative")
    assert len(run.errors) == len(run.trials)
    assert run.errors.error.str.contains("LookupError: no such octave").all()


def test_a_refused_reference_ends_the_run_with_its_traceback(music, tmp_path):
    with pytest.raises(ej.EarshotError, match=r"the table is full(?s:.*)raise MemoryError"):
        measure(matchers.Refusing(), music, tmp_path)


@pytest.mark.parametrize("matcher", [matchers.Printing(), matchers.Forking()])
def test_printing_and_forking_do_no_harm(matcher, music, run, tmp_path):
    assert measure(matcher, music, tmp_path).summary.value["recall"] == run.summary.value["recall"]
    assert not descendants()


def test_a_matcher_may_state_no_positions(music, run, tmp_path):
    other = measure(matchers.Unplaced(), music, tmp_path)
    assert other.summary.value["recall"] == run.summary.value["recall"]
    assert other.trials.answerReference.equals(run.trials.answerReference)
    assert other.errors.empty
    assert other.trials.answerOffsetSeconds.isna().all()
    assert other.trials.offsetErrorSeconds.isna().all()


@pytest.mark.parametrize(
    ("matcher", "text"),
    [
        (matchers.Undefined(), "a score of nan; expected a finite number"),
        (matchers.Unknown(), "identify named 'somebody', which is no enrolled reference"),
        (matchers.Wordy(), "identify returned str; expected an Answer"),
    ],
)
def test_wrong_answers_are_errors_of_their_trials(matcher, text, music, tmp_path):
    with pytest.warns(UserWarning, match=text):
        run = measure(matcher, music, tmp_path)
    assert run.errors.error.str.contains(text).all()
    assert len(run.errors) == len(run.trials)


def test_a_matcher_that_dies_costs_its_trials(music, tmp_path):
    with pytest.warns(UserWarning, match="trials failed"):
        run = measure(matchers.Dying(), music, tmp_path)
    assert run.errors.error.str.contains("status 134").any()
    assert not descendants()


def test_a_matcher_that_somebody_ends_is_asked_again(music, run, tmp_path):
    killed = measure(matchers.Killed(str(tmp_path / "note")), music, tmp_path / "run")
    assert (tmp_path / "note").exists()
    assert killed.errors.empty
    assert killed.summary.value["recall"] == run.summary.value["recall"]


VARIABLES = """
import os
import matchers
assert os.environ["NAMED"] == "x" and "SECRET" not in os.environ, sorted(os.environ)
with open(f"/proc/{os.getppid()}/cmdline", "rb") as file:
    assert b"truth.csv" not in file.read()
matchers.Peaks().serve()
"""


def test_a_program_gets_few_variables(music, tmp_path, monkeypatch):
    folders = [Path(__file__).parent, Path(ej.__file__).parents[1]]
    for name, value in {"SECRET": "x", "NAMED": "x", "PYTHONPATH": os.pathsep.join(map(str, folders))}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "mine.py").write_text(VARIABLES)
    found = ej.evaluate(
        f"{sys.executable} {tmp_path}/mine.py", references=music, queries=music.parent / "queries/truth.csv",
        output=tmp_path / "run", progress=False, options=["--details", "0", "--adapter-env", "NAMED"],
    )  # fmt: skip
    assert found.errors.empty


def test_processes_share_the_trials(music, run, tmp_path):
    shared = measure(matchers.Peaks(), music, tmp_path, processes=2)
    assert list(shared.trials.trial) == list(run.trials.trial)
    assert list(shared.trials.outcome) == list(run.trials.outcome)


def test_arrays_are_recordings(tmp_path):
    forms = [lambda x: (x * 32767).astype(np.int16), lambda x: np.stack([x, x], 1), np.float16, list]
    references = {f"tune {n}": (form(tune(n)), RATE) for n, form in enumerate(forms)}
    for number in range(2):
        ej.audio.write_wav(tmp_path / f"q{number}.wav", tune(number)[: 5 * RATE], RATE)
    files = [str(tmp_path / f"q{n}.wav") for n in range(2)]
    queries = pd.DataFrame({"query": files, "reference": ["tune 0.wav", "tune 1.wav"]})
    run = ej.evaluate(matchers.Peaks(), references=references, queries=queries, output=tmp_path / "run", progress=False)
    assert list(run.trials.outcome) == ["correct", "correct"]


@pytest.mark.parametrize("processes", [1, 2])
def test_warnings_of_a_run_are_heard(processes, music, tmp_path):
    references = tmp_path / "references"
    shutil.copytree(music, references)
    (references / "broken.wav").write_bytes(b"RIFF")
    with pytest.warns(ej.EarshotWarning, match=r"broken\.wav") as caught:
        ej.evaluate(
            matchers.Peaks(), references=references, queries=music.parent / "queries/truth.csv", output=tmp_path / "run",
            processes=processes, progress=False, options=["--details", "0"],
        )  # fmt: skip
    texts = [str(one.message) for one in caught]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"queries": "list.csv"}, ValueError, "queries need references"),
        ({"references": "nowhere"}, ej.EarshotError, "nowhere"),
        ({"plan": "nosuch"}, ej.EarshotError, "nosuch"),
        ({"plan": "standard"}, ej.EarshotError, "earshot corpus fetch"),
        ({"references": {"a/b": (np.zeros(8), RATE)}}, ValueError, "'a/b' cannot be the name of a file"),
        ({"references": {".a": (np.zeros(8), RATE)}}, ValueError, r"'\.a' cannot be the name of a file"),
        ({"references": {1: (np.zeros(8), RATE)}}, TypeError, "reference 1: its name is of type int; expected text"),
        ({"references": {"a": (np.zeros(8, complex), RATE)}}, TypeError, "reference 'a': samples are of type complex"),
        ({"references": {"a": (np.zeros((2, 90)), RATE)}}, ValueError, "transpose them"),
        ({"references": {"a": (np.zeros(0), RATE)}}, ValueError, "there are no samples"),
        ({"references": {"a": ([0.0, np.nan], RATE)}}, ValueError, "not finite, the first in frame 1"),
        ({"references": {"a": (np.zeros(8), 44.1)}}, ValueError, "whole Hz, found 44.1"),
    ],
)
def test_wrong_arguments_are_named(options, kind, text, tmp_path):
    with pytest.raises(kind, match=text):
        ej.evaluate(matchers.Peaks(), output=tmp_path / "run", progress=False, **options)


def test_a_start_that_fails_leaves_no_folder(tmp_path):
    with pytest.raises(TypeError, match=r"Peaks is a class; give an instance of it: evaluate\(Peaks\(\)\)"):
        ej.evaluate(matchers.Peaks, output=tmp_path / "run")
    with pytest.raises(ej.EarshotError, match='PATH has no program "earshott"'):
        ej.evaluate("earshott mine", output=tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()


def test_a_folder_without_audio_is_named(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ej.EarshotError, match=r"^[^\n]*empty"):
        ej.evaluate(matchers.Peaks(), references=tmp_path / "empty", output=tmp_path / "run", progress=False)


def script(tmp_path, music, matcher="Slow", **environment):
    """A program that measures a matcher, as its own process."""
    path = tmp_path / "slow.py"
    path.write_text(
        textwrap.dedent(f"""
        import sys
        sys.path[:0] = {[str(Path(ej.__file__).parents[1]), str(Path(__file__).parent)]}
        import earshot_judge as ej, matchers
        run = ej.evaluate(matchers.{matcher}(), references={str(music)!r}, queries={str(music.parent / "queries/truth.csv")!r},
                          output={str(tmp_path / "run")!r}, options=["--details", "0"])
        print(len(run.trials), run.summary.value["recall"])
        """)
    )
    # A shell that starts the tests in the background lets them ignore Ctrl-C.
    return subprocess.Popen(
        [sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_process_and_continues(sign, music, tmp_path):
    process = script(tmp_path, music)
    printed = ""
    while "trials: " not in printed:
        character = process.stderr.read(1)
        assert character, printed
        printed += character
    process.send_signal(sign)
    _, rest = process.communicate(timeout=300)
    if sign == signal.SIGINT:
        assert "interrupted; the same call continues the run" in rest
    deadline = time.monotonic() + 120
    while descendants() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not descendants()
    again = script(tmp_path, music)
    output, errors = again.communicate(timeout=600)
    assert output.split()[1] == "1.0", errors
    assert "continues" in errors or "already" in errors, errors


def test_a_home_that_cannot_be_written(music, tmp_path):
    if os.geteuid() == 0:
        environment = {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": ""}
    else:
        tmp_path.joinpath("home").mkdir(mode=0o500)
        environment = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": ""}
    output, errors = script(tmp_path, music, "Peaks", **environment).communicate(timeout=600)
    assert output.split()[1:] == ["1.0"], errors


def test_a_program_on_the_command_line(music, run, tmp_path):
    program = tmp_path / "mine.py"
    program.write_text(
        f"import sys\nsys.path[:0] = {[str(Path(ej.__file__).parents[1]), str(Path(__file__).parent)]}\n"
        "import matchers\nmatchers.Printing().serve()\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        served = measure(f"{sys.executable} {program}", music, tmp_path / "run")
    assert served.summary.value["recall"] == run.summary.value["recall"]
    assert served.name.startswith("Printing ")
