#!/usr/bin/env python3
"""Attack `earshot serve`, and those who ask it, with hostile requests and answers, from a fixed seed.

    EARSHOT_BINARY=.build/release/earshot scripts/checks/attack-server.py [--answers N] [DURATION [KIND...]]

DURATION is a number of seconds, or of minutes as 10m (the default). --answers makes `parts` and `hosted` go on until they had
N mutated answers each. Without kinds all run at once:

    requests  wrong requests: forged, cut, oversized        noread  clients that ask for ever and read nothing
    bytes     no HTTP, and requests that stop or drip       bodies  bodies that stop just before their end
    dense     forged signatures of as many peaks as a body has, and of as many as are searched, on 120 connections
    loop      servers that are parts of each other          parts   a part whose answers are mutated
    hosted    mutated answers to `earshot match` and `earshot listen`

A good client asks meanwhile from an address of its own. Prints what happened by kind, the slowest good answer and the most
memory of the server. Exits with 1 if a process ends by itself, an answer to a request is 5xx but 503, a good query has no
good answer within half a second, a server takes more than 150 MB, or a loop of parts asks more than once.
EARSHOT_SLOWEST is another limit than 0.5 s, for a busy machine.
"""
import argparse, base64, collections, copy, http.client, http.server, json, multiprocessing, os, random, re, socket, struct
import subprocess, sys, tempfile, threading, time, urllib.request

from harness import EARSHOT, RATE, Bench, Server, ask, checksum, free_port, song, wav

SLOWEST = float(os.environ.get("EARSHOT_SLOWEST", 0.5))
MOST_KILOBYTES = 150_000
LIMIT = 64 << 10
METHODS = ["POST"] * 6 + ["GET", "PUT", "DELETE", "HEAD", "BREW"]


def duration(text):
    return float(text[:-1]) * 60 if text.endswith("m") else float(text)


def signature(peaks, frames, identity, rate=16000):
    """The bytes of a signature of (time, frequency, rank), in order."""
    records, last = [], 0
    for when, frequency, rank in peaks:
        while when - last > 511:
            records.append(511 << 16)
            last += 511
        records.append(min(rank, 3) << 25 | (when - last) << 16 | frequency)
        last = when
    info = struct.pack("<QIBBHQQ", frames, rate, 16, 0, 0, len(peaks), len(records)) + identity
    sections = [(b"INFO    ", info), (b"PEAKS   ", struct.pack(f"<{len(records)}I", *records)),
                (b"RANKS   ", bytes(rank for _, _, rank in peaks))]
    head = (56 + 24 * len(sections) + 63) // 64 * 64
    payload, entries = b"", b""
    for name, data in sections:
        entries += name + struct.pack("<QQ", head + len(payload), len(data))
        payload += data + bytes(-len(data) % 64)
    blocks = [payload[n:n + 65536] for n in range(0, len(payload), 65536)]
    table = head + len(payload)
    header = b"\x89EARSIG\n" + struct.pack("<IIQQQII", 4, len(sections), table + 8 * len(blocks) + 8, head, table, 65536, len(blocks))
    header += entries
    header += bytes(head - 8 - len(header))
    sums = struct.pack(f"<{len(blocks)}Q", *map(checksum, blocks))
    return header + struct.pack("<Q", checksum(header)) + payload + sums + struct.pack("<Q", checksum(sums))


def dense(count, seconds, identity, seed=1):
    choice, times = random.Random(seed), int((seconds - 0.2) * 2000)
    peaks = set()
    while len(peaks) < count:
        peaks.add((choice.randrange(times), 1000 * choice.randrange(4, 30)))
    return signature([(a, b, 0) for a, b in sorted(peaks)], int(seconds * 16000), identity)


# --- Answers that no catalog gives

VALUES = [0, -1, 1e308, -1e308, 5e-324, 2**31, 2**63 - 1, 2**63, -2**63, 2**64, 1e19, "", None, [], {}, "x" * 5000, True, 1.5,
          -0.0, 2**53 + 1, "NaN", 1e-300, 0.5, -0.5, 10, 1000, 1e6, 1e9, "\x1b[2J", "a\nb"]


def paths(value, place=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield place + (key,)
        yield from paths(inner, place + (key,))


def mutated(good, identity, choice):
    """The bytes of a mutated answer to a query."""
    answer, kind = copy.deepcopy(good), choice.randrange(10)
    if kind == 0:
        return choice.choice([b"[" * 100000, b'{"a":' * 10000, b"", b"null", b"{}", b"\xff" * 1000])
    if kind == 1:
        answer["references"] = [dict(copy.deepcopy(good["references"][0]), reference=f"r{n}") for n in range(choice.choice([2, 50, 300]))]
    if kind == 2:
        peaks, when, step = set(), 0, choice.choice([1, 3, 4095, 100000, 2**31])
        for _ in range(choice.choice([0, 1, 5, 2000, 20000])):
            when += choice.randrange(step + 1)
            if when < 2**32:
                peaks.add((when, choice.randrange(1, 65536)))
        forged = signature([(a, b, 0) for a, b in sorted(peaks)], choice.choice([0, 1, 2**40, 2**47]), identity)
        answer["references"][0]["excerpt"] = base64.b64encode(forged).decode()
        answer["references"][0]["matchOffset"] = choice.choice([0, 6, 1e7, -1e7, 1e9, 1e308])
    if kind >= 2:
        places = list(paths(answer))
        for _ in range(choice.choice([1, 1, 1, 2, 4])):
            place = choice.choice(places)
            try:
                inner = answer
                for key in place[:-1]:
                    inner = inner[key]
                inner[place[-1]] = copy.deepcopy(choice.choice(VALUES))
            except (KeyError, TypeError, IndexError):
                pass
    return json.dumps(answer).encode()


class HostileServer:
    """Answers as a catalog does, but each query in another wrong way."""

    def __init__(self, facts, good, identity, seed):
        self.queries, lock, hostile = 0, threading.Lock(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def send(self, body):
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.send(json.dumps(facts).encode())

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with lock:
                    hostile.queries += 1
                    number = hostile.queries
                self.send(mutated(good, identity, random.Random(seed * 1_000_000 + number)))

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True
        # Any loopback address, so that one server is many parts.
        self.server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class AttackedServer(Server):
    def get(self, path):
        return urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30).read()

    def queries(self):
        return sum(map(int, re.findall(r'earshot_requests_total\{route="/v1/match",status="\d+"\} (\d+)', self.get("/metrics").decode())))

    def end(self):
        """What is wrong with its end."""
        if self.process.poll() is not None:
            return [f"a server ended with {self.process.returncode}"]
        most = self.kilobytes()
        self.process.terminate()
        code = self.process.wait(60)
        return ([f"a server ended with {code}"] if code else []) + (
            [f"a server took {most} kB"] if most > MOST_KILOBYTES else [])


class Attack:
    """One kind of attack, in a process of its own."""

    def __init__(self, folder, port, end, answers):
        self.folder, self.port, self.end, self.answers = folder, port, end, answers
        with open(f"{folder}/q.earsignature", "rb") as file:
            self.good = file.read()
        head = int.from_bytes(self.good[24:32], "little")
        self.identity = self.good[head + 32:head + 40]
        self.counts, self.wrong = collections.Counter(), []

    def address(self, last):
        return (f"127.0.0.{last}", 0)

    def on_threads(self, count, work, hostile=None):
        """Works until the end, and until a hostile server has answered often enough."""
        def goes_on():
            return time.monotonic() < self.end or hostile and hostile.queries < self.answers

        def loop(seed):
            choice = random.Random(seed)
            while goes_on():
                try:
                    work(choice)
                except (OSError, http.client.HTTPException) as error:
                    self.counts[type(error).__name__] += 1
        threads = [threading.Thread(target=loop, args=(100 * count + seed,), daemon=True) for seed in range(count)]
        for thread in threads:
            thread.start()
        while goes_on():
            time.sleep(0.1)
        end = time.monotonic() + 30
        for thread in threads:
            thread.join(max(1, end - time.monotonic()))

    # --- Kinds

    def body(self, choice):
        body = bytearray(self.good)
        kind = choice.randrange(6)
        if kind == 0:
            return choice.randbytes(choice.randrange(LIMIT + 4000))
        if kind == 1:
            for _ in range(choice.randrange(1, 9)):
                body[choice.randrange(len(body))] = choice.randrange(256)
        elif kind == 2:
            del body[choice.randrange(len(body)):]
        elif kind == 3:
            body += choice.randbytes(choice.randrange(1, 3000))
        elif kind == 4:
            place = choice.randrange(len(body) - 8)
            body[place:place + 8] = struct.pack("<Q", choice.choice([0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]))
        return bytes(body)

    def text(self, choice, most):
        return "".join(chr(choice.randrange(33, 127)) for _ in range(choice.randrange(most)))

    def requests(self):
        def one(choice):
            path = choice.choice(["/v1/match"] * 5 + ["/v1/recognise", "/v1/items/" + self.text(choice, 40), "/v1/references/x", "/health",
                                                      "/v1/match?" + self.text(choice, 80), "/" + self.text(choice, 200)])
            headers = {f"X-{n}": self.text(choice, 400) for n in range(choice.choice([0, 0, 0, 1, 30, 300]))}
            headers.update(choice.choice([{}, {}, {}, {"Host": self.text(choice, 80)}, {"Earshot-Hops": self.text(choice, 5)}]))
            status, _ = ask(self.port, choice.choice(METHODS), path, self.body(choice), headers)
            self.counts[status] += 1
            if status >= 500 and status not in (503, 508):
                self.wrong.append(f"status {status}")
        self.on_threads(4, one)

    def bytes(self):
        head = b"POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000\r\n\r\n"

        def one(choice):
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
            self.counts["slow or no HTTP"] += 1
        self.on_threads(30, one)

    def noread(self):
        def one(choice):
            path = choice.choice(["/health", "/metrics", "/v1/catalog", "/", "/nothing"]).encode()
            requests = (b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n\r\n") * choice.choice([1, 10, 500])
            with socket.socket() as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.bind(self.address(choice.randrange(20, 23)))
                connection.connect(("127.0.0.1", self.port))
                connection.settimeout(30)
                begin = time.monotonic()
                try:
                    while time.monotonic() < begin + 20:
                        connection.sendall(requests)
                    self.wrong.append("a client that reads nothing was served for 20 s")
                except OSError:
                    self.counts["closed"] += 1
        self.on_threads(20, one)

    def dense(self):
        bodies = [dense(count, seconds, self.identity) for count, seconds in [(12000, 12), (12000, 1.5), (2500, 12), (380, 1.2)]]

        def one(choice):
            kind = choice.randrange(len(bodies))
            status, _ = ask(self.port, "POST", "/v1/match", bodies[kind], source=self.address(30))
            self.counts["refused" if kind < 2 and status == 400 else status] += 1
            if kind < 2 and status == 200:
                self.wrong.append("a forged signature of 12,000 peaks was searched")
        self.on_threads(120, one)

    def bodies(self):
        def one(choice):
            path, size = choice.choice([("/v1/recognise", 4 << 20), ("/v1/match", 64 << 10)])
            with socket.socket() as connection:
                connection.bind(self.address(choice.randrange(40, 43)))
                connection.connect(("127.0.0.1", self.port))
                connection.settimeout(30)
                connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n".encode())
                try:
                    connection.sendall(bytes(size - 1 - choice.randrange(100)))
                    connection.recv(1)
                finally:
                    self.counts["bodies"] += 1
        self.on_threads(200, one)

    def loop(self):
        ports = [free_port(), free_port()]
        catalog = f"{self.folder}/c.earcatalog"
        pair = [AttackedServer("--catalog", catalog, "--catalog", f"http://127.0.0.1:{ports[1 - n]}",
                       "--catalog", f"http://localhost:{ports[1 - n]}", port=ports[n]) for n in range(2)]
        time.sleep(3)
        while time.monotonic() < self.end:
            before = sum(server.queries() for server in pair)
            status, _ = ask(pair[0].port, "POST", "/v1/match", self.good)
            asked = sum(server.queries() for server in pair) - before
            facts = json.loads(pair[0].get("/v1/catalog"))
            self.counts[status] += 1
            if asked != 1 or facts["references"] != 1:
                self.wrong.append(f"a loop of parts: {asked} queries for one, {facts['references']} references")
            time.sleep(1)
        for server in pair:
            self.wrong += server.end()

    def good_answer(self):
        return (json.loads(urllib.request.urlopen(f"http://127.0.0.1:{self.port}/v1/catalog", timeout=30).read()),
                json.loads(ask(self.port, "POST", "/v1/match?followSeconds=60", self.good)[1]))

    def parts(self):
        facts, good = self.good_answer()
        facts["servers"] = ["hostile"]
        hostile = HostileServer(facts, good, self.identity, 1)
        # A part that answers nonsense is asked again half a second later, so there are many.
        front = AttackedServer("--catalog", f"{self.folder}/c.earcatalog",
                       *(word for n in range(50, 90) for word in ("--catalog", f"http://127.0.0.{n}:{hostile.port}")))

        def one(choice):
            time.sleep(0.2)
            query = choice.choice(["", "?followSeconds=60", "?minimumScore=-1000000"])
            status, _ = ask(front.port, "POST", "/v1/match" + query, self.good)
            self.counts[status] += 1
            if status != 200:
                self.wrong.append(f"status {status} for a query with forged parts")
        self.on_threads(2, one, hostile)
        self.counts["mutated answers"] = hostile.queries
        self.wrong += front.end()

    def hosted(self):
        facts, good = self.good_answer()
        hostile = HostileServer(facts, good, self.identity, 2)
        catalog = f"http://127.0.0.1:{hostile.port}"
        samples = song(1, 20)[6 * RATE:12 * RATE].tobytes()

        def one(choice):
            listens = choice.random() < 0.2
            words = (["listen", "--catalog", catalog, "--raw", "s16le", "--rate", "16000"] if listens
                     else ["match", "--catalog", catalog, *[f"{self.folder}/q.earsignature"] * 200])
            done = subprocess.run(["nice", EARSHOT, *words], input=samples * 5 if listens else b"", capture_output=True, timeout=300)
            self.counts[f"{words[0]} {done.returncode}"] += 1
            if done.returncode not in (0, 1):
                self.wrong.append(f"{words[0]} ended with {done.returncode}: {done.stderr[-200:]}")
            if b"\x1b" in done.stdout + done.stderr:
                self.wrong.append(f"{words[0]} printed an escape sequence")
        self.on_threads(2, one, hostile)
        self.counts["mutated answers"] = hostile.queries

    KINDS = ["requests", "bytes", "noread", "dense", "bodies", "loop", "parts", "hosted"]

    # --- The client that must not notice

    def good_queries(self):
        times = []
        while time.monotonic() < self.end:
            begin = time.monotonic()
            try:
                status, body = ask(self.port, "POST", "/v1/match", self.good, source=self.address(9))
                if status != 200 or b'"reference":"tune"' not in body:
                    self.wrong.append(f"a good query had status {status}")
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(f"a good query had {type(error).__name__}")
            times.append(time.monotonic() - begin)
            time.sleep(0.05)
        times.sort()
        self.counts.update({"queries": len(times)})
        slow = sum(t > SLOWEST for t in times)
        print(f"good queries: median {times[len(times) // 2] * 1000:.0f} ms, 99 % {times[len(times) * 99 // 100] * 1000:.0f} ms, "
              f"slowest {times[-1]:.2f} s, {slow} of {len(times)} slower than {SLOWEST} s", flush=True)
        if slow:
            self.wrong.append(f"{slow} good answers took longer than {SLOWEST} s")


def run(kind, attack, results):
    if kind != "good_queries":
        os.nice(5)
    try:
        getattr(attack, kind)()
    except Exception as error:
        attack.wrong.append(f"{kind} stopped: {error!r}")
    results.put((kind, dict(attack.counts), attack.wrong))
    # Threads that wait for answers that do not come end here.
    results.close()
    results.join_thread()
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=0)
    parser.add_argument("seconds", type=duration, nargs="?", default=600)
    parser.add_argument("kinds", nargs="*", metavar="kind")
    options = parser.parse_args()
    kinds = options.kinds or Attack.KINDS
    with tempfile.TemporaryDirectory() as folder:
        bench, tune = Bench(folder), song(1, 20)
        (bench.folder / "tune.wav").write_bytes(wav(tune))
        (bench.folder / "query.wav").write_bytes(wav(tune[6 * RATE:12 * RATE]))
        bench.run([EARSHOT, "custom-catalog", "create", "-s", "tune.wav", "-o", "c.earcatalog"])
        bench.run([EARSHOT, "signature", "-i", "query.wav", "-o", "q.earsignature"])
        server = AttackedServer("--catalog", f"{folder}/c.earcatalog", "--accept-audio", "--patience", "2")
        before = server.kilobytes("VmRSS")
        results = multiprocessing.Queue()
        end = time.monotonic() + options.seconds
        processes = [multiprocessing.Process(target=run, args=(kind, Attack(folder, server.port, end, options.answers), results))
                     for kind in ["good_queries", *kinds]]
        for process in processes:
            process.start()
        wrong = []
        for _ in processes:
            kind, counts, faults = results.get(timeout=options.seconds + 400 + options.answers)
            print(f"{kind}: {counts}")
            wrong += [f"{kind}: {fault}" for fault in faults]
        for process in processes:
            process.join()
        if server.process.poll() is None:
            print(f"memory: {before} kB at the start, {server.kilobytes()} kB at most, {server.kilobytes('VmRSS')} kB at the end")
        wrong += server.end()
    for what, times in collections.Counter(wrong).items():
        print(f"WRONG: {what}, {times} times")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
