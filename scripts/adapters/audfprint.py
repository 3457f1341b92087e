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

It explains its answers by the peaks of landmarks. The score has two parts: the landmarks at the very offset, whose number decides
whether it accepts, and those at the offsets beside it.
"""
import random
import sys
import time

import numpy

import protocol

DENSE = {"--density": "100", "--pks-per-frame": "10", "--fanout": "8", "--freq-sd": "20",
         "--bucketsize": "200", "--maxtimebits": "17", "--search-depth": "1000", "--match-win": "2"}
SETTINGS = {"default": {}, "dense": DENSE}
TUNABLES = {
    "density": {"lowest": 5, "highest": 150, "scale": "logarithmic", "summary": "hashes a second that it aims at"},
    "fanout": {"lowest": 1, "highest": 16, "scale": "logarithmic", "summary": "pairs of a peak"},
    "pks-per-frame": {"lowest": 1, "highest": 20, "scale": "logarithmic", "summary": "most peaks in a frame"},
    "freq-sd": {"lowest": 5, "highest": 60, "scale": "logarithmic", "summary": "bins in which a peak hides its neighbours"},
    "match-win": {"lowest": 0, "highest": 6, "summary": "frames by which landmarks may differ at one place"},
}
NEAR_SECONDS = 2
"""How far around a place its peaks and votes are shown."""
SEED = 1
"""For the random entries that audfprint drops from a full bucket."""


class Audfprint(protocol.Adapter):
    name = "audfprint"

    def __init__(self, home: str, setting: str, finds_ranges: bool):
        sys.path.insert(0, home)  # before this folder, which has a file of the same name
        import audfprint
        import audfprint_analyze
        import docopt
        import hash_table

        self.audfprint, self.docopt, self.hash_table = audfprint, docopt.docopt, hash_table
        self.analysis = audfprint_analyze
        self.setting, self.finds_ranges = setting, finds_ranges
        self.version = protocol.commit(home)
        given = self.prepare(SETTINGS[setting])
        self.tunables = [{"name": name, "type": "whole", "default": round(float(given["--" + name])), **rest}
                         for name, rest in TUNABLES.items()]

    def configure(self, settings: dict) -> None:
        self.prepare({**SETTINGS[self.setting], **{f"--{name}": str(value) for name, value in settings.items()}})

    def prepare(self, options: dict[str, str]) -> dict:
        """Sets everything up for options of audfprint; returns all of them."""
        audfprint = self.audfprint

        def arguments(mode: str) -> dict:
            return self.docopt(audfprint.USAGE, [mode, *(word for option in options.items() for word in option)])

        new, match = arguments("new"), arguments("match")
        self.reference_analyzer = audfprint.setup_analyzer(new)
        self.query_analyzer = audfprint.setup_analyzer(match)
        self.matcher = audfprint.setup_matcher(match)
        self.matcher.find_time_range = self.finds_ranges
        bits = new["--maxtimebits"]
        self.table = self.hash_table.HashTable(
            hashbits=int(new["--hashbits"]), depth=int(new["--bucketsize"]),
            maxtime=1 << int(bits) if bits else int(new["--maxtime"]))
        self.seconds_per_hop = self.query_analyzer.n_hop / self.query_analyzer.target_sr
        self.settings = {"setting": self.setting, "shifts": self.query_analyzer.shifts,
                         "maxtimebits": self.table.maxtimebits,
                         "min-count": self.matcher.threshcount,
                         **{option[2:]: match[option] for option in DENSE if option != "--maxtimebits"}}
        random.seed(SEED)
        return match

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

    def explain(self, path: str, places: list[protocol.Place]) -> protocol.Explanation:
        hashes = self.query_analyzer.wavfile2hashes(path)
        hits = self.table.get_hits(hashes)
        heard = self.peaks(hashes)
        return protocol.Explanation(
            query_peaks=self.points(heard), candidates=[self.parts(answer, hits, len(hashes)) for answer in self.identify(path)],
            alignments=[self.aligned(place, heard, hits) for place in places])

    def peaks(self, hashes) -> dict:
        """The place of each peak of landmarks, by hop and bin."""
        marks = self.analysis.hashes2landmarks([(int(at), int(value)) for at, value in hashes])
        ends = {end for at, low, high, hops in marks for end in ((at, low), (at + hops, high))}
        return {end: place for place, end in enumerate(sorted(ends))}

    def points(self, peaks) -> list[protocol.Peak]:
        hertz_per_bin = self.query_analyzer.target_sr / self.query_analyzer.n_fft
        return [(at * self.seconds_per_hop, bin * hertz_per_bin) for at, bin in peaks]

    def shifts(self, name: str, hops: int, hits) -> tuple:
        """The hits of a reference, and how many hops each is from an offset. Stored times wrap."""
        own = hits[hits[:, 0] == self.table.names.index(name)].astype(int)
        return own, self.unwrapped(own[:, 1] - hops)

    def unwrapped(self, hops):
        half = 1 << self.table.maxtimebits - 1
        return (hops + half) % (2 * half) - half

    def parts(self, answer: protocol.Answer, hits, landmarks: int) -> protocol.ExplainedAnswer:
        own, shifts = self.shifts(answer.id, round(answer.place / self.seconds_per_hop), hits)
        near = abs(shifts) <= self.matcher.window
        exact = int((shifts == 0).sum())
        return protocol.ExplainedAnswer(
            answer.id, answer.score, answer.offset_seconds,
            {"landmarks at the offset": exact, "landmarks beside it": answer.score - exact},
            matched_peaks=len(numpy.unique(own[near][:, 2:], axis=0)), compared_peaks=landmarks)

    def aligned(self, place: protocol.Place, heard: dict, hits) -> protocol.Alignment:
        """The stored landmarks of a place, and those of the query that agree with it."""
        first = round(place.offset_seconds / self.seconds_per_hop)
        last = first + max((at for at, _ in heard), default=0)
        margin = round(NEAR_SECONDS / self.seconds_per_hop)
        stored = self.table.retrieve(place.id)
        stored[:, 0] = first + self.unwrapped(stored[:, 0] - first)
        kept = self.peaks(stored[(stored[:, 0] >= first - margin) & (stored[:, 0] <= last + margin)])
        own, shifts = self.shifts(place.id, first, hits)
        pairs = set()
        for (_, _, value, start), shift in zip(own, shifts):
            if abs(shift) <= self.matcher.window:
                for at, bin in self.peaks([(start, value)]):
                    partner = kept.get((at + first + int(shift), bin))
                    if (at, bin) in heard and partner is not None:
                        pairs.add((heard[at, bin], partner))
        counts = numpy.bincount(shifts[abs(shifts) <= margin] + margin, minlength=2 * margin + 1)
        return protocol.Alignment(place, self.points(kept), sorted(pairs), protocol.Votes(
            -margin * self.seconds_per_hop, self.seconds_per_hop, counts))


if __name__ == "__main__":
    chosen = protocol.options(__doc__, list(SETTINGS), home="a checkout of audfprint", needs_home=True)
    protocol.serve(Audfprint(chosen.home, chosen.setting, chosen.window is not None), chosen)
