#!/usr/bin/env python3
"""Runs audfprint (Dan Ellis) as an external matcher of `earshot`, by its Python modules.

    audfprint.py --home FOLDER_OF_AUDFPRINT [--setting default|dense]

`--home` is a checkout of https://github.com/dpwe/audfprint. It needs numpy, scipy, docopt, joblib
and psutil. It also needs ffmpeg, with which it converts audio to 11,025 Hz mono.

audfprint parses the settings as options. `default` has no options, which gives density 20, fanout
3, 100 entries for each bucket and 14 bits of time. `dense` has the options of DENSE. Both analyse
queries at four shifts, as `audfprint match` does.

The score is the number of landmarks that agree in time. audfprint accepts more than 5 at one place.
Where it accepts nothing, it is asked again with a limit of 0, and what it then names is handed over as
not accepted. Offsets are multiples of 23 ms, at the middle of the allowed drift.
With 14 bits they wrap at 380 s. There is no skew.

With `--window` it is not asked again, as only what is accepted counts. It states the time range of each match, as `audfprint match --find-time-range` does:
from the first landmark to the last, without one in twenty at either end.
"""
import random
import sys
import time

import protocol

DENSE = {"--density": "100", "--pks-per-frame": "10", "--fanout": "8", "--freq-sd": "20",
         "--bucketsize": "200", "--maxtimebits": "17", "--search-depth": "1000", "--match-win": "2"}
SETTINGS = {"default": {}, "dense": DENSE}
SEED = 1
"""For the random entries that audfprint drops from a full bucket."""


class Audfprint(protocol.Adapter):
    name = "audfprint"

    def __init__(self, home: str, setting: str, finds_ranges: bool):
        sys.path.insert(0, home)  # before this folder, which has a file of the same name
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
        self.matcher.find_time_range = finds_ranges
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
        """The size of the compressed database file."""
        database = protocol.work_folder() / "database.pklz"
        self.table.save(str(database))
        return database.stat().st_size

    def identify(self, path: str) -> list[protocol.Answer]:
        hashes = self.query_analyzer.wavfile2hashes(path)
        start = time.perf_counter()
        rows = self.matcher.match_hashes(self.table, hashes)
        accepted = len(rows) > 0
        if not accepted and self.window_seconds is None:
            limit, self.matcher.threshcount = self.matcher.threshcount, 0
            rows = self.matcher.match_hashes(self.table, hashes)
            self.matcher.threshcount = limit
        self.match_milliseconds = 1000 * (time.perf_counter() - start)
        best = {}
        for track, aligned, hops, _, _, first, last in rows:
            best.setdefault(int(track), protocol.Answer(
                id=self.table.names[track], score=int(aligned), accepted=accepted,
                offset_seconds=float(hops) * self.seconds_per_hop,
                heard=(float(first) * self.seconds_per_hop, float(last) * self.seconds_per_hop)
                if self.matcher.find_time_range else None))
        return list(best.values())


if __name__ == "__main__":
    chosen = protocol.options(__doc__, list(SETTINGS), home="a checkout of audfprint", needs_home=True)
    protocol.serve(Audfprint(chosen.home, chosen.setting, chosen.window is not None), chosen)
