#!/usr/bin/env python3
"""Runs Olaf (Joren Six) as an external matcher of `earshot`, by its program, once for each file.

    olaf.py [--home FOLDER_OF_THE_PROGRAM] [--setting default|pairs]

`olaf` of https://github.com/JorenSix/Olaf must be on PATH or in `--home`. It needs ffmpeg, with which
it converts audio to 16 kHz mono. Every query starts `olaf` and ffmpeg again. The match time is olaf's
own time for fingerprints and lookup.

The settings are Olaf's defaults, except for the event points of a fingerprint. `default` has three.
`pairs` has two, which Olaf's comments recommend for noisy queries.

The score is the number of fingerprints that agree in time. Olaf accepts 6 or more. The adapter
reports from 3 on, and those below 6 as not accepted. The offset is the start of a match in the
reference minus its start in the query, in steps of 8 ms. There is no skew.
"""
import json
import os

import protocol

SETTINGS = {"default": {"number_of_eps_per_fp": 3}, "pairs": {"number_of_eps_per_fp": 2}}
TUNABLES = {
    "number_of_eps_per_fp": {"lowest": 2, "highest": 3, "summary": "event points of a fingerprint"},
    "filter_size_time": {"lowest": 8, "highest": 48, "scale": "logarithmic", "summary": "steps of 8 ms around an event point"},
    "filter_size_frequency": {"lowest": 25, "highest": 205, "step": 2, "summary": "bins around an event point"},
    "max_event_point_usages": {"lowest": 2, "highest": 40, "scale": "logarithmic", "summary": "fingerprints of an event point"},
    "search_range": {"lowest": 0, "highest": 10, "summary": "how far hashes may differ"},
}
DEFAULTS = {"filter_size_time": 24, "filter_size_frequency": 103, "max_event_point_usages": 10, "search_range": 5}
"""Those of Olaf itself."""
ACCEPTED_COUNT = 6
REPORTED_COUNT = 3


class Olaf(protocol.Adapter):
    name = "olaf"

    def __init__(self, home: str | None, setting: str):
        self.program = os.path.join(home, "olaf") if home else "olaf"
        self.folder = protocol.work_folder()
        self.ids: dict[str, str] = {}
        self.settings = {"setting": setting, "min_match_count": ACCEPTED_COUNT, **SETTINGS[setting]}
        given = {**DEFAULTS, **SETTINGS[setting]}
        self.tunables = [{"name": name, "type": "whole", "default": given[name], **rest} for name, rest in TUNABLES.items()]
        self.configure(SETTINGS[setting])
        self.environment = {**os.environ, "HOME": str(self.folder), "TMPDIR": f"{self.folder}/"}
        self.version = self.olaf().split(" - ")[0].removeprefix("Olaf ")

    def configure(self, settings: dict) -> None:
        """Writes the settings for the processes of Olaf, which passes over numbers of another type."""
        configuration = self.folder / ".olaf" / "olaf_config.json"
        configuration.parent.mkdir(exist_ok=True)
        configuration.write_text(json.dumps({
            "db_folder": f"{self.folder}/db/", "cache_folder": f"{self.folder}/cache/",
            "min_match_count": REPORTED_COUNT, **{name: int(value) for name, value in settings.items()}}))

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
    protocol.serve(Olaf(chosen.home, chosen.setting), chosen)
