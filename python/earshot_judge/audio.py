"""Samples as arrays: what is accepted, WAV files, and the program's degradations."""

from __future__ import annotations

import json
import math
import numbers
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .program import EarshotError, run

Samples = npt.NDArray[np.float32]
"""Mono samples of shape (frames,), or of shape (frames, channels), in −1…1."""

MOST_CHANNELS = 32


def as_samples(samples: npt.ArrayLike) -> Samples:
    """Samples as 32-bit floats. Floats keep their values. int8, int16, int32 and uint8 are divided by their full scale.

    The full scale of other integers is unknown: sums and lists of 16-bit samples have 64 bits.
    Raises a `TypeError` or `ValueError` that says what is wrong with the array.
    """
    array = np.asarray(samples)
    if array.ndim not in (1, 2):
        raise ValueError(f"samples have shape {array.shape}; expected (frames,) or (frames, channels)")
    if array.ndim == 2 and not 0 < array.shape[1] <= MOST_CHANNELS:
        hint = "; transpose them" if 0 < array.shape[0] <= MOST_CHANNELS else ""
        raise ValueError(f"samples have shape {array.shape}; expected (frames, channels){hint}")
    if array.shape[0] == 0:
        raise ValueError("there are no samples")
    if array.dtype == np.uint8:
        return ((array.astype(np.float32) - 128) / 128).astype(np.float32)
    if np.issubdtype(array.dtype, np.signedinteger) and array.dtype.itemsize <= 4:
        return (array / (float(np.iinfo(array.dtype).max) + 1)).astype(np.float32)
    if not np.issubdtype(array.dtype, np.floating):
        raise TypeError(
            f"samples are of type {array.dtype}; expected floats in −1…1, int8, int16, int32 or uint8. "
            "Convert 16-bit samples with numpy.asarray(samples).astype(numpy.int16)."
        )
    wrong = ~np.isfinite(array)
    if wrong.any():
        raise ValueError(f"{int(wrong.sum())} samples are not finite, the first in frame {int(np.argwhere(wrong)[0][0])}")
    return array.astype(np.float32)


def as_rate(rate: Any) -> int:
    """A sample rate in Hz. Raises a `ValueError` if it is not a whole number above 0."""
    if isinstance(rate, bool) or not isinstance(rate, (int, float, np.integer, np.floating)) or rate != rate // 1 or rate <= 0:
        raise ValueError(f"expected a sample rate in whole Hz, found {rate!r}")
    return int(rate)


def write_wav(path: Path, samples: npt.ArrayLike, rate: Any) -> None:
    """Writes a WAV file of 32-bit floats."""
    array, hertz = as_samples(samples), as_rate(rate)
    channels = 1 if array.ndim == 1 else array.shape[1]
    data = array.astype("<f4").tobytes()
    form = struct.pack("<HHIIHHH", 3, channels, hertz, 4 * channels * hertz, 4 * channels, 32, 0)
    fact = struct.pack("<I", len(array))
    chunks = b"".join(
        name + struct.pack("<I", len(body)) + body for name, body in ((b"fmt ", form), (b"fact", fact), (b"data", data))
    )
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)


def write_recordings(folder: Path, recordings: Mapping[str, tuple[npt.ArrayLike, float]]) -> None:
    """Writes samples and their rates by name, except files that are there already, so that a run can continue."""
    folder.mkdir(exist_ok=True)
    for name, (samples, rate) in recordings.items():
        if not isinstance(name, str):
            raise TypeError(f"reference {name!r}: its name is of type {type(name).__name__}; expected text")
        if "/" in name or not name or name.startswith("."):
            # The program leaves out hidden files.
            raise ValueError(f"{name!r} cannot be the name of a file; expected a name without / that begins with no dot")
        path, part = folder / f"{name}.wav", folder / f"{name}.part"
        try:
            write_wav(part, samples, rate)
        except (TypeError, ValueError) as error:
            raise type(error)(f"reference {name!r}: {error}") from None
        if path.exists() and path.read_bytes() == part.read_bytes():
            part.unlink()
        else:
            part.replace(path)


def read_wav(path: Path) -> tuple[Samples, int]:
    """Reads a WAV file of 16-bit integers or 32-bit floats, as `earshot` writes them."""
    content = path.read_bytes()
    place, form, data = 12, b"", b""
    while place + 8 <= len(content):
        name, length = content[place : place + 4], int.from_bytes(content[place + 4 : place + 8], "little")
        body = content[place + 8 : place + 8 + length]
        form, data = (body if name == b"fmt " else form), (body if name == b"data" else data)
        place += 8 + length + length % 2
    if len(form) < 16:
        raise ValueError(f"{path}: no WAV file")
    kind, channels, rate, _, _, bits = struct.unpack("<HHIIHH", form[:16])
    kind = int.from_bytes(form[24:26], "little") if kind == 0xFFFE else kind
    if (kind, bits) not in ((1, 16), (3, 32)):
        raise ValueError(f"{path}: expected 16-bit integers or 32-bit floats")
    samples = as_samples(np.frombuffer(data, "<i2" if bits == 16 else "<f4"))
    return (samples if channels == 1 else samples.reshape(-1, channels)), rate


def as_json(value: Any) -> str:
    """JSON, also of numbers and arrays of NumPy."""

    def plain(value: Any) -> Any:
        if isinstance(value, (np.generic, np.ndarray)):
            return value.tolist()
        if isinstance(value, numbers.Real):
            return float(value)
        raise TypeError(f"{value!r} is of type {type(value).__name__}; expected a number, a text or a list")

    return json.dumps(value, default=plain)


def degrade(
    samples: npt.ArrayLike, rate: float, chain: Sequence[Mapping[str, Any]], *, seconds: float | None = None, seed: int = 1
) -> tuple[Samples, dict[str, Any]]:
    """Sends samples through a chain of degradations, such as `[{"noise": {"colour": "pink", "snrDecibels": 0}}]`.

    Returns the degraded samples and their truth. The truth has the columns of a table of truth, such as `offsetSeconds`
    (the second of the input at the first sample), `frequencySkew`, `timeSkew`, `snrDecibels`, `sampleRateHertz`, and
    `chain` with the drawn values.

    `seconds` is the length of the result. Its start is drawn from `seed`, as the noise is. Without `seconds` the result is as
    long as the samples. What a faster chain needs beyond their end is silence.
    """
    array, hertz = as_samples(samples), as_rate(rate)
    with tempfile.TemporaryDirectory(prefix="earshot-") as name:
        folder = Path(name)
        length = len(array) / hertz if seconds is None else float(seconds)
        options = ["--chain", as_json(list(chain)), "--length", repr(length), f"--seed={seed}"]

        def cut(missing: int) -> subprocess.CompletedProcess[str]:
            """The samples between silence. The program cuts from the middle, so that the cut begins at the first one."""
            padding = [(missing // 2, missing - missing // 2)] + [(0, 0)] * (array.ndim - 1)
            write_wav(folder / "samples.wav", np.pad(array, padding), hertz)
            return run("degrade", folder / "samples.wav", *options, "--output", folder / "out", allowed=(0, 1))

        missing = 0
        done = cut(missing)
        if done.returncode != 0 and seconds is None:
            # A cut from ample silence tells how much more a faster chain needs, but for a second that resamplers run in.
            missing = len(array) // 4 + 3 * hertz
            done = cut(missing)
            if done.returncode == 0:
                skew = pd.read_csv(folder / "out" / "truth.csv")["timeSkew"].iloc[0]
                more = max(0, math.ceil(len(array) * skew))
                for spare in (2, hertz + 2, 2 * hertz, 2 * hertz + 2):
                    missing = more + spare
                    if (done := cut(missing)).returncode == 0:
                        break
        if done.returncode != 0:
            raise EarshotError(done.stderr.strip().splitlines()[-1].removeprefix("Error: "))
        row = pd.read_csv(folder / "out" / "truth.csv").iloc[0]
        row["offsetSeconds"] -= missing // 2 / hertz
        result, _ = read_wav(folder / "out" / str(row["query"]))
        kept: dict[Any, Any] = row.drop(["query", "reference", "source", "trial", "degradation", "sha256"]).dropna().to_dict()
        return result, {**kept, "chain": json.loads(kept["chain"])}
