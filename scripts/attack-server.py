#!/usr/bin/env python3
"""Attack `earshot serve` with forged, cut, oversized and slow requests for ten minutes, from a fixed seed.

    EARSHOT_BINARY=.build/release/earshot scripts/attack-server.py [SECONDS]

Prints the answers by status, the slowest answer to a good query meanwhile, and the server's memory at the start and end.
Exits with 1 if the server ends, answers with 5xx, does not answer a good query, or grows by more than 64 MB.
"""
import collections, http.client, math, os, random, socket, struct, subprocess, sys, tempfile, threading, time, wave

EARSHOT = os.environ.get("EARSHOT_BINARY", ".build/release/earshot")
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 600
LIMIT = 64 << 10
METHODS = ["POST"] * 6 + ["GET", "PUT", "DELETE", "HEAD", "BREW"]


def tune(path, seconds=20):
    """Writes notes of a random walk as a WAV file."""
    notes = random.Random(1)
    samples, pitch = [], 220.0
    for _ in range(seconds * 4):
        pitch = min(880, max(110, pitch * 2 ** (notes.randrange(-5, 6) / 12)))
        samples += [int(9000 * math.exp(-4 * n / 4000) * math.sin(2 * math.pi * pitch * n / 16000)) for n in range(4000)]
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))


class Attack:
    def __init__(self, folder):
        tune(f"{folder}/tune.wav")
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([EARSHOT, "custom-catalog", "create", "-s", f"{folder}/tune.wav", "-o", f"{folder}/c.earcatalog"], **quiet)
        with wave.open(f"{folder}/tune.wav") as whole, wave.open(f"{folder}/query.wav", "wb") as query:
            query.setparams(whole.getparams())
            whole.setpos(16000 * 6)
            query.writeframes(whole.readframes(16000 * 6))
        subprocess.run([EARSHOT, "signature", "-i", f"{folder}/query.wav", "-o", f"{folder}/q.earsignature"], **quiet)
        with open(f"{folder}/q.earsignature", "rb") as file:
            self.good = file.read()
        self.server = subprocess.Popen(
            [EARSHOT, "serve", "--catalog", f"{folder}/c.earcatalog", "--address", "127.0.0.1:0",
             "--requests-per-second", "0", "--patience", "2"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.server.stdout.readline().rsplit(":", 1)[1])
        self.end = time.monotonic() + SECONDS
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.slowest = 0.0
        self.wrong = []

    def kilobytes(self):
        with open(f"/proc/{self.server.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def body(self, random):
        body = bytearray(self.good)
        kind = random.randrange(6)
        if kind == 0:
            return random.randbytes(random.randrange(LIMIT + 4000))
        if kind == 1:
            for _ in range(random.randrange(1, 9)):
                body[random.randrange(len(body))] = random.randrange(256)
        elif kind == 2:
            del body[random.randrange(len(body)):]
        elif kind == 3:
            body += random.randbytes(random.randrange(1, 3000))
        elif kind == 4:
            place = random.randrange(len(body) - 8)
            body[place:place + 8] = struct.pack("<Q", random.choice([0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]))
        return bytes(body)

    def text(self, random, most):
        return "".join(chr(random.randrange(33, 127)) for _ in range(random.randrange(most)))

    def requests(self, seed):
        """Whole requests, most of them wrong."""
        choice = random.Random(seed)
        while time.monotonic() < self.end:
            path = choice.choice(["/v1/match"] * 5 + ["/v1/items/" + self.text(choice, 40), "/v1/references/x", "/health",
                                                      "/v1/match?" + self.text(choice, 80), "/" + self.text(choice, 200)])
            headers = {f"X-{n}": self.text(choice, 400) for n in range(choice.choice([0, 0, 0, 1, 30, 300]))}
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                connection.request(choice.choice(METHODS), path, self.body(choice), headers)
                answer = connection.getresponse()
                answer.read()
                connection.close()
                self.count(answer.status)
                if answer.status >= 500:
                    self.wrong.append(f"status {answer.status}")
            except (OSError, http.client.HTTPException) as error:
                self.count(type(error).__name__)

    def bytes(self, seed):
        """What is no HTTP, and requests that stop or drip."""
        choice = random.Random(seed)
        head = b"POST /v1/match HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n"
        while time.monotonic() < self.end:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
                    kind = choice.randrange(4)
                    if kind == 0:
                        connection.sendall(choice.randbytes(choice.randrange(3000)))
                    elif kind == 1:
                        connection.sendall(head[:choice.randrange(len(head))])
                    elif kind == 2:
                        connection.sendall(head + b"x" * choice.randrange(1999))
                    else:
                        for byte in head:
                            connection.sendall(bytes([byte]))
                            time.sleep(0.1)
                    if choice.random() < 0.7:
                        while connection.recv(65536):
                            pass
                self.count("slow or no HTTP")
            except OSError:
                self.count("closed")

    def good_queries(self):
        while time.monotonic() < self.end:
            start = time.monotonic()
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                connection.request("POST", "/v1/match", self.good)
                answer = connection.getresponse()
                if answer.status != 200 or b'"reference":"tune"' not in answer.read():
                    self.wrong.append(f"a good query had status {answer.status}")
                connection.close()
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(f"a good query had {type(error).__name__}")
            self.slowest = max(self.slowest, time.monotonic() - start)
            time.sleep(0.05)

    def run(self):
        threads = [threading.Thread(target=self.requests, args=(seed,)) for seed in range(4)]
        threads += [threading.Thread(target=self.bytes, args=(seed,)) for seed in range(100, 130)]
        threads += [threading.Thread(target=self.good_queries)]
        for thread in threads:
            thread.start()
        time.sleep(min(20, SECONDS / 4))
        before = self.kilobytes()
        for thread in threads:
            thread.join()
        if self.server.poll() is not None:
            self.wrong.append(f"the server ended with {self.server.returncode}")
        else:
            after = self.kilobytes()
            print(f"memory: {before} kB at the start, {after} kB at the end")
            if after > before + 65536:
                self.wrong.append("the memory grew")
            self.server.terminate()
            if self.server.wait(60) != 0:
                self.wrong.append(f"the server ended with {self.server.returncode}")
        print(f"{sum(self.counts.values())} attempts:", dict(sorted(self.counts.items(), key=str)))
        print(f"slowest answer to a good query: {self.slowest:.2f} s")
        for what, times in collections.Counter(self.wrong).items():
            print(f"WRONG: {what}, {times} times")
        sys.exit(bool(self.wrong))


with tempfile.TemporaryDirectory() as folder:
    Attack(folder).run()
