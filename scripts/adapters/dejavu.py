#!/usr/bin/env python3
"""Runs dejavu (Will Drevo) as an external matcher of `earshot`, by its Python modules on SQLite.

    dejavu.py --home FOLDER_OF_DEJAVU [--setting default|dense]

`--home` is a checkout of https://github.com/worldveil/dejavu. It needs numpy below 2.3, scipy,
matplotlib and pydub. dejavu supports MySQL and PostgreSQL servers. The class below implements its
database over sqlite3, with the same tables and index. Fingerprints, lookup and alignment are dejavu's.

`default` has dejavu's settings: 5 neighbours for each peak, and peaks at least 10 cells apart.
`dense` has 15 neighbours, the value of older versions according to dejavu's settings file.

dejavu takes all audio as 44.1 kHz, so ffmpeg converts other rates first. The score is the number of
hashes that agree in time. There is no threshold, so the best track is always accepted. Offsets are
multiples of 46 ms. There is no skew.
"""
import contextlib
import importlib.util
import sqlite3
import sys
import time
import types
import wave
from collections import Counter

import protocol

SETTINGS = {"default": {}, "dense": {"DEFAULT_FAN_VALUE": 15}}
NAMED = ["DEFAULT_FAN_VALUE", "PEAK_NEIGHBORHOOD_SIZE", "DEFAULT_AMP_MIN", "CONNECTIVITY_MASK"]
RATE_HERTZ = 44100


def sqlite_database(common_database: type) -> type:
    """dejavu's database over sqlite3."""

    class SQLiteDatabase(common_database):
        type = "sqlite"
        CREATE_SONGS_TABLE = """CREATE TABLE IF NOT EXISTS songs (song_id INTEGER PRIMARY KEY, song_name TEXT,
            fingerprinted INTEGER DEFAULT 0, file_sha1 TEXT, total_hashes INTEGER)"""
        CREATE_FINGERPRINTS_TABLE = """CREATE TABLE IF NOT EXISTS fingerprints (hash TEXT, song_id INTEGER,
            "offset" INTEGER, PRIMARY KEY (hash, song_id, "offset")) WITHOUT ROWID"""
        DELETE_UNFINGERPRINTED = "DELETE FROM songs WHERE fingerprinted = 0"
        INSERT_SONG = "INSERT INTO songs (song_name, file_sha1, total_hashes) VALUES (?, ?, ?)"
        INSERT_FINGERPRINT = 'INSERT OR IGNORE INTO fingerprints (song_id, hash, "offset") VALUES (?, ?, ?)'
        UPDATE_SONG_FINGERPRINTED = "UPDATE songs SET fingerprinted = 1 WHERE song_id = ?"
        SELECT_SONGS = "SELECT * FROM songs WHERE fingerprinted = 1"
        SELECT_SONG = "SELECT song_name, file_sha1, total_hashes FROM songs WHERE song_id = ?"
        SELECT_MULTIPLE = 'SELECT upper(hash), song_id, "offset" FROM fingerprints WHERE hash IN (%s)'
        IN_MATCH = "lower(?)"

        def __init__(self, path: str):
            super().__init__()
            self.connection = sqlite3.connect(path)

        @contextlib.contextmanager
        def cursor(self, dictionary: bool = False, **_):
            cursor = self.connection.cursor()
            if dictionary:
                cursor.row_factory = lambda found, row: {
                    name: value for (name, *_), value in zip(found.description, row)}
            with self.connection:
                yield cursor

        def insert_song(self, song_name: str, file_hash: str, total_hashes: int) -> int:
            with self.cursor() as cursor:
                return cursor.execute(self.INSERT_SONG, (song_name, file_hash, total_hashes)).lastrowid

    return SQLiteDatabase


def configure(home: str, changes: dict) -> types.ModuleType:
    """dejavu's settings module, changed before other modules read their defaults from it."""
    name = "dejavu.config.settings"
    spec = importlib.util.spec_from_file_location(name, f"{home}/dejavu/config/settings.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(changes)
    return module


class Dejavu(protocol.Adapter):
    name = "dejavu"

    def __init__(self, home: str, setting: str):
        sys.path.insert(0, home)  # before this folder, which has a file of the same name
        configuration = configure(home, SETTINGS[setting])
        import dejavu
        from dejavu.base_classes.common_database import CommonDatabase
        self.folder = protocol.work_folder()
        self.database = self.folder / "dejavu.sqlite"
        self.ids: dict[int, str] = {}
        dejavu.get_database = lambda kind: sqlite_database(CommonDatabase)
        self.dejavu = dejavu.Dejavu({"database_type": "sqlite", "database": {"path": str(self.database)}})
        self.version = protocol.commit(home)
        self.settings = {"setting": setting, **{key: getattr(configuration, key) for key in NAMED}}

    def hashes(self, path: str) -> tuple[set, str]:
        with wave.open(path) as file:
            rate = file.getframerate()
        if rate != RATE_HERTZ:
            converted = str(self.folder / "converted.wav")
            protocol.run("ffmpeg", "-v", "error", "-y", "-i", path, "-ar", str(RATE_HERTZ), converted)
            path = converted
        return self.dejavu.get_file_fingerprints(path, None)

    def enrol(self, id: str, path: str) -> None:
        hashes, sha1 = self.hashes(path)
        song = self.dejavu.db.insert_song(id, sha1, len(hashes))
        self.dejavu.db.insert_hashes(song, list(hashes))
        self.dejavu.db.set_song_fingerprinted(song)
        self.ids[song] = id

    def ready(self) -> int:
        return self.database.stat().st_size

    def identify(self, path: str) -> list[protocol.Answer]:
        hashes, _ = self.hashes(path)
        start = time.perf_counter()
        matches, songs_hashes, _ = self.dejavu.find_matches(hashes)
        found = self.dejavu.align_matches(matches, songs_hashes, len(hashes), topn=protocol.MOST_ANSWERS)
        self.match_milliseconds = 1000 * (time.perf_counter() - start)
        aligned = Counter(matches)
        scores = [aligned[song["song_id"], song["offset"]] for song in found]
        return [protocol.Answer(id=self.ids[song["song_id"]], score=score,
                                offset_seconds=song["offset_seconds"], accepted=score == max(scores))
                for song, score in zip(found, scores)]


if __name__ == "__main__":
    chosen = protocol.options(__doc__, list(SETTINGS), home="a checkout of dejavu", needs_home=True)
    protocol.serve(Dejavu(chosen.home, chosen.setting), chosen)
