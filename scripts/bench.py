"""What the scripts that disturb `earshot` share: the program, and a folder to run it in."""
import os, pathlib, shlex, subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
# EARSHOT_BINARY is the program, .build/release/earshot by default.
EARSHOT = str(pathlib.Path(os.environ.get("EARSHOT_BINARY", ROOT / ".build/release/earshot")).resolve())


class Skipped(Exception):
    pass


class Bench:
    """A folder, with a cache, a library and temporary files of its own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"),
                                XDG_DATA_HOME=str(self.folder / "data"))
        self.environment.setdefault("EARSHOT_CORPORA", str(ROOT / "Tests/Corpora"))

    def run(self, words, expected=(0,), timeout=900):
        done = subprocess.run(words, cwd=self.folder, env=self.environment, timeout=timeout,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode in expected, f"exit code {done.returncode} of {shlex.join(words)}: {done.stderr[-500:]}"
        return done

    def shell(self, script, *words, **options):
        return self.run(["sh", "-euc", script, "sh", *words], **options)
