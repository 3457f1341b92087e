#!/usr/bin/env python3
"""Runs Panako (Joren Six) as an external matcher of `earshot`, by its jar in a Java virtual machine.

    panako.py --home FOLDER_OF_PANAKO [--setting no-minimum|padded|as-shipped]

`--home` is the folder of panako.jar, as https://github.com/JorenSix/Panako installs it, by default
~/.panako. It needs Java 11 or later and JPype (`pip install JPype1`). It also needs ffmpeg, with which
Panako converts audio to 16 kHz mono.

All settings use the strategy PANAKO with one thread and without its cache of fingerprints.
`as-shipped` has Panako's configuration. It needs 3 s of match and finds nothing in the last 2.5 s of
its input, so it cannot answer a query of 5 s. `no-minimum` needs no duration. `padded` also appends
silence to all audio, by the ffmpeg command of its configuration, and needs fewer hits.

The score is the number of aligned hits. Every reported match is accepted. The offset is the start of
a match in the reference minus its start in the query, which is first multiplied by the time factor.
The skews are the time factor and the frequency factor minus 1. Panako computes the time factor from
the first and the last hits, and the frequency factor from one hit.
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
"""The options of Panako's start script for LMDB, and a memory limit that fits long recordings."""
ADDR_NO_RANDOMIZE = 0x0040000


def start_at_fixed_addresses() -> None:
    """Starts this program again without address space randomisation, if the system permits.

    Panako's native transform gives one of two results for the same audio, which differs by process."""
    try:
        personality = ctypes.CDLL(None).personality
    except AttributeError:
        return  # not Linux
    now = personality(0xFFFFFFFF)
    if now != -1 and not now & ADDR_NO_RANDOMIZE and personality(now | ADDR_NO_RANDOMIZE) != -1:
        os.execv(sys.executable, sys.orig_argv)


class Panako(protocol.Adapter):
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
        """A link whose name Panako uses as the identifier, instead of a hash of the path's middle."""
        with wave.open(path):
            pass  # Panako would take an unreadable file as silence
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
    protocol.serve(Panako(chosen.home or os.path.expanduser("~/.panako"), chosen.setting), chosen)
