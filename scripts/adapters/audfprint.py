#!/usr/bin/env python3
"""audfprint (Dan Ellis) as an external matcher of `earshot`: its own Python modules, kept loaded.

    audfprint.py --home FOLDER_OF_AUDFPRINT [--setting default|dense]

`--home` is a checkout of https://github.com/dpwe/audfprint; needs numpy, scipy, docopt, joblib and
psutil, as its README says, and ffmpeg, with which it converts audio to 11,025 Hz mono by itself.

Settings go through audfprint's own parser of options. `default` gives it none, so that the numbers
of its usage text hold: density 20, fanout 3, 100 entries a bucket, 14 bits of time, and so on.
`dense` gives those of DENSE. Queries are analysed at four shifts in both, as `audfprint match` does.

The score is the number of landmarks that agree in time, its rule to accept is its own, "more than 5
at one place", and it names no candidate below that. Offsets are multiples of 23 ms, at the middle
of what it allows to drift; with 14 bits they wrap at 380 s. It states no skew.
"""
import random
import sys
import time

import protocol

DENSE = {"--density": "100", "--pks-per-frame": "10", "--fanout": "8", "--freq-sd": "20",
         "--bucketsize": "200", "--maxtimebits": "17", "--search-depth": "1000", "--match-win": "2"}
SETTINGS = {"default": {}, "dense": DENSE}
SEED = 1
"""For the entries that audfprint drops by chance when a bucket is full."""


class Audfprint(protocol.Rival):
    name = "audfprint"

    def __init__(self, home: str, setting: str):
        sys.path.insert(0, home)  # before this folder, where a file of the same name lies
        import audfprint
        import docopt
        import hash_table

        def arguments(mode: str) -> dict:
            given = [word for option in SETTINGS[setting].items() for word in option]
            return docopt.docopt(audfprint.USAGE, [mode, *given])

        new, match = arguments("new"), arguments("match")
        self.reference_analyzer = audfprint.setup_analyzer(new)
        self.query_analyzer = audfprint.setup_analyzer(match)
        self.matcher = audfprint.setup_matcher(match)
        bits = new["--maxtimebits"]
        self.table = hash_table.HashTable(
            hashbits=int(new["--hashbits"]), depth=int(new["--bucketsize"]),
            maxtime=1 << int(bits) if bits else int(new["--maxtime"]))
        self.seconds_per_hop = self.query_analyzer.n_hop / self.query_analyzer.target_sr
        self.version = protocol.commit(home)
        self.settings = {"setting": setting, "shifts": self.query_analyzer.shifts,
                         "maxtimebits": self.table.maxtimebits,
                         "min-count": self.matcher.threshcount,
                         **{option[2:]: match[option] for option in DENSE if option != "--maxtimebits"}}
        random.seed(SEED)

    def enrol(self, id: str, path: str) -> None:
        self.table.store(id, self.reference_analyzer.wavfile2hashes(path))

    def ready(self) -> int:
        """The size of the database as audfprint writes it, compressed."""
        database = protocol.work_folder() / "database.pklz"
        self.table.save(str(database))
        return database.stat().st_size

    def identify(self, path: str) -> list[protocol.Answer]:
        hashes = self.query_analyzer.wavfile2hashes(path)
        start = time.perf_counter()
        rows = self.matcher.match_hashes(self.table, hashes)
        self.match_milliseconds = 1000 * (time.perf_counter() - start)
        best = {}
        for track, aligned, hops, *_ in rows:
            best.setdefault(int(track), protocol.Answer(
                id=self.table.names[track], score=int(aligned),
                offset_seconds=float(hops) * self.seconds_per_hop))
        return list(best.values())


if __name__ == "__main__":
    chosen = protocol.options(__doc__, list(SETTINGS), home="a checkout of audfprint", needs_home=True)
    protocol.serve(Audfprint(chosen.home, chosen.setting))
