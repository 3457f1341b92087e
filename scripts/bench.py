"""What the scripts that disturb `earshot` share: the program, a folder to run it in, songs, and requests to a server."""
import array, http.client, math, os, pathlib, random, shlex, struct, subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
# EARSHOT_BINARY is the program, .build/release/earshot by default.
EARSHOT = str(pathlib.Path(os.environ.get("EARSHOT_BINARY", ROOT / ".build/release/earshot")).resolve())

RATE = 16000


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


def ask(port, method, path, body=None, headers={}, source=None):
    """The status and the body of a server's answer; `source` is the address to ask from."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=source)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def song(seed, seconds):
    """Notes of random pitch, as 16-bit samples."""
    notes, samples = random.Random(seed), array.array("h")
    while len(samples) < seconds * RATE:
        steps = [2 * math.pi * 200 * 2 ** (notes.randrange(40) / 12) / RATE for _ in range(3)]
        length = int(RATE * notes.uniform(0.1, 0.3))
        for n in range(length):
            value = sum(math.sin(step * n) + 0.4 * math.sin(3 * step * n) for step in steps)
            samples.append(int(4500 * value * (1 - n / length)))
    return samples[:int(seconds * RATE)]


def wav(samples, rate=RATE):
    data = samples.tobytes()
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16)
            + b"data" + struct.pack("<I", len(data)) + data)
