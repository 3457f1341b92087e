"""Music made by a formula, a matcher, and a run of it."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from matchers import Peaks

import earshot_judge as ej

RATE = 8000


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def tune(seed: int, seconds: float = 16) -> np.ndarray:
    """Four decaying tones a second."""
    draw = np.random.default_rng(seed)
    notes = []
    for _ in range(int(4 * seconds)):
        time = np.arange(RATE // 4) / RATE
        chord = sum(np.sin(2 * np.pi * draw.uniform(200, 2000) * time) for _ in range(3))
        notes.append(chord * np.exp(-4 * time))
    return np.concatenate(notes) / 4


@pytest.fixture(scope="session")
def music(tmp_path_factory) -> Path:
    """Tunes in a folder, and a list of queries that are cut from them."""
    folder = tmp_path_factory.mktemp("music")
    for number in range(6):
        ej.audio.write_wav(folder / f"tune-{number}.wav", tune(number), RATE)
    rows = ["query,reference,offsetSeconds"]
    queries = folder.parent / "queries"
    queries.mkdir(exist_ok=True)
    for number in range(8):
        ej.audio.write_wav(queries / f"q{number}.wav", tune(number)[RATE * 3 : RATE * 8], RATE)
        rows.append(f"q{number}.wav,{f'tune-{number}.wav' if number < 6 else ''},{3 if number < 6 else ''}")
    (queries / "truth.csv").write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture(scope="session")
def run(music, tmp_path_factory) -> ej.Run:
    """A short run with recorded queries."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ej.evaluate(
            Peaks(), references=music, queries=music.parent / "queries/truth.csv", output=tmp_path_factory.mktemp("run"),
            progress=False, options=["--details", "4"],
        )  # fmt: skip
