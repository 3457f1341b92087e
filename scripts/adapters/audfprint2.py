#!/usr/bin/env python3
"""Runs audfprint2 (Daniel Cervenkov, Roman Zhymabek) as an external matcher of `earshot`, by its Python modules.

    audfprint2.py [--setting default|dense]

It needs `pip install audfprint2`. It also needs ffmpeg, with which it converts audio to 11,025 Hz mono.

audfprint2 is audfprint for today's Python, with the same options. So the settings, scores, thresholds and
offsets are those of `audfprint.py`.
"""
import importlib.metadata
import random
import sys

sys.path.append(sys.path.pop(0))  # this folder after the installed packages: this file has the name of one

import audfprint
import protocol
from audfprint2 import HashTable, cli
from audfprint2.core import analyzer


class Audfprint2(audfprint.Audfprint):
    name = "audfprint2"

    def __init__(self, setting: str):
        given = [word for option in audfprint.SETTINGS[setting].items() for word in option]
        new, match = cli.parse_args(["new", *given]), cli.parse_args(["match", *given])
        self.reference_analyzer, self.query_analyzer = (cli.setup_analyzer(
            options.density, options.cmd == "match", options.pks_per_frame, options.fanout, options.freq_sd, options.shifts,
            options.samplerate, options.continue_on_error, options.ffmpeg_path) for options in (new, match))
        # It finds the range of time, as for `audfprint2 match --find-time-range`.
        self.matcher = cli.setup_matcher(
            match.match_win, match.search_depth, match.min_count, match.max_matches, match.exact_count,
            True, match.time_quantile, match.sortbytime, match.illustrate, match.illustrate_hpf)
        self.table = HashTable(hashbits=new.hashbits, depth=new.bucketsize,
                               maxtime=1 << new.maxtimebits if new.maxtimebits else new.maxtime)
        self.analysis = analyzer
        self.seconds_per_hop = self.query_analyzer.n_hop / self.query_analyzer.target_sr
        self.version = importlib.metadata.version("audfprint2")
        self.settings = {"setting": setting, "shifts": self.query_analyzer.shifts, "maxtimebits": self.table.maxtimebits,
                         "min-count": self.matcher.threshcount,
                         **{option[2:]: getattr(match, option[2:].replace("-", "_"))
                            for option in audfprint.DENSE if option != "--maxtimebits"}}
        random.seed(audfprint.SEED)


if __name__ == "__main__":
    chosen = protocol.options(__doc__, list(audfprint.SETTINGS), home="not needed")
    protocol.serve(Audfprint2(chosen.setting), chosen)
