"""What checks share: the program, a folder to run it in, a running server, songs, and files of its formats."""
import array, http.client, math, os, pathlib, random, shlex, socket, sqlite3, struct, subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# EARSHOT_BINARY is the program, .build/release/earshot by default.
EARSHOT = str(pathlib.Path(os.environ.get("EARSHOT_BINARY", ROOT / ".build/release/earshot")).resolve())
GOLDEN = ROOT / "Tests/Golden"

RATE = 16000


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


class Server:
    """A running `earshot serve`, on a free port or a given one."""

    running = []

    def __init__(self, *words, port=0):
        self.process = subprocess.Popen(
            [EARSHOT, "serve", "--address", f"127.0.0.1:{port}", "--requests-per-second", "0", *words],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        Server.running.append(self)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the server did not start: " + shlex.join(words))
        self.address = line.split()[-1]
        self.port = int(self.address.rsplit(":", 1)[1])

    def kilobytes(self, what="VmHWM"):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(what))

    def kill(self):
        self.process.kill()
        self.process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


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


def checksum(data):
    """The checksum of a part of a file, as the article FileFormats describes it."""
    seed, multiplier, word = 0xD6E8FEB86659FD93, 0x9E3779B97F4A7C15, 2**64 - 1

    def mix(state, value):
        product = ((state ^ value) * multiplier) & word
        return (product << 29 | product >> 35) & word
    padded = bytes(data) + bytes(-len(data) % 64)
    lanes = [(lane * seed) & word for lane in range(1, 9)]
    for place, value in enumerate(struct.unpack(f"<{len(padded) // 8}Q", padded)):
        lanes[place & 7] = mix(lanes[place & 7], value)
    result = len(data)
    for lane in lanes:
        result = mix(result, lane)
    result = ((result ^ result >> 32) * seed) & word
    return result ^ result >> 32


def write_first_manifest(path, removals):
    """Writes the manifest of a store of release 0.1.0: removed places by segment, and one reference that is in none."""
    with sqlite3.connect(path) as manifest:
        manifest.executescript("""
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('1');
            CREATE TABLE file (number INTEGER PRIMARY KEY AUTOINCREMENT, isWritten BOOLEAN NOT NULL);
            CREATE TABLE removal (file INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (file, place));
            CREATE TABLE reference (version INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                item BLOB NOT NULL, signature BLOB NOT NULL);""")
        for number, places in removals.items():
            manifest.execute("INSERT INTO file VALUES (?, 1)", [number])
            manifest.executemany("INSERT INTO removal VALUES (?, ?)", [(number, place) for place in places])
        manifest.execute("INSERT INTO reference (id, item, signature) VALUES ('latest', ?, ?)",
                         [b"\0\0", (GOLDEN / "standard-3.earsignature").read_bytes()])
    manifest.close()
