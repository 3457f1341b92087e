#!/usr/bin/env python3
"""Panako (Joren Six) as an external matcher of `earshot`: its own jar, in a Java machine kept running.

    panako.py --home FOLDER_OF_PANAKO [--setting no-minimum|padded|as-shipped]

`--home` is the folder of panako.jar, as https://github.com/JorenSix/Panako installs it (~/.panako
without the option). Needs Java 11 or later, JPype (`pip install JPype1`), through which the jar is
called, and ffmpeg, with which Panako converts audio to 16 kHz mono by itself.

All settings run the strategy PANAKO with one thread and without its cache of fingerprints. Else
`as-shipped` is Panako's configuration; as it demands 3 s of match and finds nothing in the last
2.5 s of its input, it cannot answer a query of 5 s. `no-minimum` demands no duration. `padded` also
appends silence to all audio, by the ffmpeg command of its configuration, and demands fewer hits.

The score is the number of hits in line. What Panako reports it accepts. The offset is where a match
begins in the reference, less where it begins in the query times the reference time in a second of
query. Its time factor and frequency factor become our skews; it finds the time factor from the
first and the last hits, and the frequency factor from one hit.
"""
import ctypes
import os
import sys
import wave
import zipfile

import protocol

CHOSEN = {"STRATEGY": "PANAKO", "AVAILABLE_PROCESSORS": "1",
          "PANAKO_CACHE_TO_FILE": "FALSE", "PANAKO_USE_CACHED_PRINTS": "FALSE"}
NO_MINIMUM = {"PANAKO_MIN_MATCH_DURATION": "0"}
PADDED = {**NO_MINIMUM, "PANAKO_MIN_HITS_UNFILTERED": "5", "PANAKO_MIN_HITS_FILTERED": "3"}
SETTINGS = {"no-minimum": NO_MINIMUM, "padded": PADDED, "as-shipped": {}}
PADDING = "-vn -af apad=pad_dur=2.7"
JAVA = ["-Xmx1g", "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"]
"""What Panako's own start script gives for LMDB, and a limit on memory that long recordings fit."""
ADDR_NO_RANDOMIZE = 0x0040000


def start_at_fixed_addresses() -> None:
    """Starts this program again with the same memory layout each time, where the system lets it.

    Panako's native transform gives one of two results for the same audio, for each process anew."""
    try:
        personality = ctypes.CDLL(None).personality
    except AttributeError:
        return  # not Linux
    now = personality(0xFFFFFFFF)
    if now != -1 and not now & ADDR_NO_RANDOMIZE and personality(now | ADDR_NO_RANDOMIZE) != -1:
        os.execv(sys.executable, sys.orig_argv)


class Panako(protocol.Rival):
    name = "panako"

    def __init__(self, home: str, setting: str):
        import jpype
        import jpype.imports
        jar = os.path.join(home, "panako.jar")
        self.version = build_version(jar)
        self.folder = protocol.work_folder()
        own = [f"-Djava.util.prefs.userRoot={self.folder}", f"-Djava.io.tmpdir={self.folder}"]
        jpype.startJVM(*JAVA, *own, classpath=[jar])
        from be.panako.cli import Panako as Program
        from be.panako.strategy import Strategy
        from be.panako.util import Config, Key
        from java.util import HashSet
        from java.util.logging import LogManager

        LogManager.getLogManager().reset()
        self.settings = {"setting": setting, **CHOSEN, **SETTINGS[setting]}
        for key, value in {**CHOSEN, **SETTINGS[setting], "PANAKO_LMDB_FOLDER": f"{self.folder}/db"}.items():
            Config.set(Key.valueOf(key), value)
        if setting == "padded":
            decoder = str(Config.get(Key.DECODER_PIPE_COMMAND))
            Config.set(Key.DECODER_PIPE_COMMAND, decoder.replace("-vn", PADDING))
            self.settings["decoder"] = PADDING
        Program()  # prepares the decoder
        self.strategy = Strategy.getInstance()
        self.avoided = HashSet()
        self.results: list = []
        self.handler = jpype.JProxy("be.panako.strategy.QueryResultHandler", dict={
            "handleQueryResult": self.results.append, "handleEmptyResult": lambda result: None})
        self.ids: list[str] = []

    def named(self, number: int, path: str) -> str:
        """A name for a file that Panako takes for the identifier; it would hash the middle otherwise."""
        with wave.open(path):
            pass  # what cannot be read would be silence to Panako
        link = self.folder / f"{number}.wav"
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.abspath(path))
        return str(link)

    def enrol(self, id: str, path: str) -> None:
        resource = self.named(len(self.ids), path)
        self.strategy.store(resource, resource)
        self.ids.append(id)

    def ready(self) -> int:
        return protocol.bytes_on_disk(self.folder / "db")

    def identify(self, path: str) -> list[protocol.Answer]:
        self.results.clear()
        resource = self.named(len(self.ids), path)
        self.strategy.query(resource, protocol.MOST_ANSWERS, self.avoided, self.handler)
        return [self.answer(result) for result in self.results]

    def answer(self, result) -> protocol.Answer:
        seconds_per_second = float(result.timeFactor)
        return protocol.Answer(
            id=self.ids[int(str(result.refIdentifier))], score=float(result.score),
            offset_seconds=float(result.refStart) - seconds_per_second * float(result.queryStart),
            frequency_skew=float(result.frequencyFactor) - 1, time_skew=seconds_per_second - 1)


def build_version(jar: str) -> str:
    """The version in a jar's manifest."""
    with zipfile.ZipFile(jar) as archive:
        lines = archive.read("META-INF/MANIFEST.MF").decode().splitlines()
    return next((line.split(": ")[1] for line in lines if line.startswith("Build-Version: ")), "unknown")


if __name__ == "__main__":
    chosen = protocol.options(__doc__, list(SETTINGS), home="the folder of panako.jar")
    start_at_fixed_addresses()
    protocol.serve(Panako(chosen.home or os.path.expanduser("~/.panako"), chosen.setting))
