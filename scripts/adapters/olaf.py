#!/usr/bin/env python3
"""Olaf (Joren Six) as an external matcher of `earshot`: its command line program, run once a file.

    olaf.py [--home FOLDER_OF_THE_PROGRAM] [--setting default|pairs]

`olaf` of https://github.com/JorenSix/Olaf from the PATH or from `--home`; needs ffmpeg, with which
the program converts audio to 16 kHz mono by itself. It has no mode that stays, so that every query
pays for starting it and ffmpeg; its own time for fingerprints and look-up is the match time.

The settings are those of its configuration file, where nothing else is named its own: `default` is
three event points a fingerprint, `pairs` is two, which its comments advise for noisy queries.

The score is the number of fingerprints that agree in time; Olaf accepts 6 or more. Here it is told
to report from 3, and those below 6 are handed on as not accepted. The offset is where a match
begins in the reference less where it begins in the query, in steps of 8 ms. It states no skew.
"""
import json
import os

import protocol

SETTINGS = {"default": {"number_of_eps_per_fp": 3}, "pairs": {"number_of_eps_per_fp": 2}}
ACCEPTED_COUNT = 6
REPORTED_COUNT = 3


class Olaf(protocol.Rival):
    name = "olaf"

    def __init__(self, home: str | None, setting: str):
        self.program = os.path.join(home, "olaf") if home else "olaf"
        self.folder = protocol.work_folder()
        self.ids: dict[str, str] = {}
        self.settings = {"setting": setting, "min_match_count": ACCEPTED_COUNT, **SETTINGS[setting]}
        configuration = self.folder / ".olaf" / "olaf_config.json"
        configuration.parent.mkdir()
        configuration.write_text(json.dumps({
            "db_folder": f"{self.folder}/db/", "cache_folder": f"{self.folder}/cache/",
            "min_match_count": REPORTED_COUNT, **SETTINGS[setting]}))
        self.environment = {**os.environ, "HOME": str(self.folder), "TMPDIR": f"{self.folder}/"}
        self.version = self.olaf().split(" - ")[0].removeprefix("Olaf ")

    def olaf(self, *arguments: str) -> str:
        return protocol.run(self.program, *arguments, env=self.environment)

    def enrol(self, id: str, path: str) -> None:
        name = f"reference-{len(self.ids)}"
        self.olaf("store", "--with-ids", path, name)
        self.ids[name] = id

    def ready(self) -> int:
        return protocol.bytes_on_disk(self.folder / "db")

    def identify(self, path: str) -> list[protocol.Answer]:
        found = json.loads(self.olaf("query", "--format", "json", path))
        self.match_milliseconds = 1000 * found["search_time_seconds"]
        best = {}
        for match in found["matches"]:
            best.setdefault(match["path"], protocol.Answer(
                id=self.ids[match["path"]], score=match["match_count"],
                offset_seconds=match["reference_start"] - match["query_start"],
                accepted=match["match_count"] >= ACCEPTED_COUNT))
        return list(best.values())


if __name__ == "__main__":
    chosen = protocol.options(__doc__, list(SETTINGS), home="the folder of the program olaf")
    protocol.serve(Olaf(chosen.home, chosen.setting))
