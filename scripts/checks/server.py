#!/usr/bin/env python3
"""Checks `earshot serve` with real music, load and a proxy. Exits with 1 if a statement does not hold.

    parts       1, 4 and 16 parts answer as one catalog, over the conditions of a plan
    outage      a part is killed under load: answers are marked within a second, and whole after its return
    replicas    HAProxy with two replicas: a killed one costs no request
    load        queries a second, delays and memory, by wrk
    growth      1,000 references are added under load: no request is lost
    page        Chromium shows the facts, identifies a dropped file, and closes the microphone it cannot record

EARSHOT_BINARY is the program, .build/release/earshot by default.
"""
import argparse, base64, collections, glob, hashlib, http.client, json, os, re, secrets, shutil, subprocess, sys, tempfile
import threading, time

from harness import EARSHOT, ROOT, Server, ask, free_port
from pages import Browser

LUA = """
local bodies, place = {}, 0
for path in (os.getenv("QUERIES")):gmatch("[^\\n]+") do
  local file = io.open(path, "rb")
  bodies[#bodies + 1] = file:read("*a")
  file:close()
end
function request()
  place = place % #bodies + 1
  return wrk.format("POST", "/v1/match", nil, bodies[place])
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
"""


def run(*arguments):
    return subprocess.run([EARSHOT, *arguments], check=True, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True).stdout


def require(condition, text):
    print(("holds: " if condition else "DOES NOT HOLD: ") + text, flush=True)
    if not condition:
        require.failed = True


require.failed = False


def enrolled():
    """The signatures of the corpus, each in a file named by its identifier."""
    folder = f"{work}/references"
    if not os.path.isdir(folder):
        run("custom-catalog", "create", "-o", f"{work}/whole.earcatalog",
            *[word for path in run("corpus", "path", options.corpus).split("\n") if path for word in ("-s", path)])
        run("custom-catalog", "export", "-i", f"{work}/whole.earcatalog", "-o", folder)
    return sorted(glob.glob(f"{folder}/**/*.earsignature", recursive=True))


def catalogs(parts):
    """Divides the references by a hash of their identifier; returns the catalog files of the parts that have any."""
    files = collections.defaultdict(list)
    for path in enrolled():
        name = os.path.basename(path).encode()
        files[int.from_bytes(hashlib.sha256(name).digest()[:8], "big") % parts].append(path)
    paths = []
    for part, members in sorted(files.items()):
        paths.append(f"{work}/{part + 1}-of-{parts}.earcatalog")
        run("custom-catalog", "create", "-o", paths[-1], *[word for path in members for word in ("-s", path)])
    return paths


def queries():
    """The signatures of the plan's queries, cut from the corpus."""
    folder = f"{work}/queries"
    run("degrade", "--plan", options.plan, "--corpus", options.corpus, "--positives", str(options.positives),
        "--negatives", str(options.negatives), "--output", folder)
    for path in sorted(glob.glob(f"{folder}/*.wav")):
        run("signature", "-i", path, "-o", os.path.splitext(path)[0] + ".earsignature")
        os.remove(path)
    return sorted(glob.glob(f"{folder}/*.earsignature"))


def known_queries():
    """Signatures of 5 s of what the catalog holds."""
    folder = f"{work}/known"
    files = [path for path in run("corpus", "path", options.corpus).split("\n") if path][::4]
    run("degrade", *files, "--output", folder)
    paths = []
    for path in sorted(glob.glob(f"{folder}/*.wav")):
        paths.append(os.path.splitext(path)[0] + ".earsignature")
        run("signature", "-i", path, "-o", paths[-1])
        os.remove(path)
    return paths


def parts():
    asked = queries()

    def answers(catalog):
        lines = {}
        for _ in range(10):
            with open(f"{work}/list", "w") as file:
                file.writelines(path + "\n" for path in asked if path not in lines)
            output = subprocess.run([EARSHOT, "match", "--catalog", catalog, "--files", f"{work}/list"],
                                    capture_output=True, text=True).stdout
            for line in map(json.loads, output.splitlines()):
                # A busy machine has late parts. What they may have is asked again.
                if "only parts" not in (line["error"] or ""):
                    lines[line["query"]] = line
            if len(lines) == len(asked):
                break
        return [lines.get(path, {"error": "parts are missing"}) for path in asked]

    whole = answers(Server("--catalog", catalogs(1)[0]).address)
    found = sum(bool(line["answers"]) for line in whole)
    print(f"{len(asked)} queries, {found} of them found in one catalog of {len(enrolled())} references")
    require(found > len(asked) / 3, "most positives are found")
    for count in (0, 1, 4, 16):
        if count:
            servers = [Server("--catalog", path) for path in catalogs(count)]
            lines = answers(Server(*[word for server in servers for word in ("--catalog", server.address)]).address)
        else:
            lines = answers(f"{work}/1-of-1.earcatalog")
        differences, moved, scores = [], [], []
        for path, a, b in zip(asked, whole, lines):
            # Longer ones are sent to a server piece by piece.
            if not count and a["durationSeconds"] > 12:
                continue
            if a["error"] or b["error"] or [x["reference"] for x in a["answers"]] != [x["reference"] for x in b["answers"]]:
                differences.append(f"{os.path.basename(path)}: {a} {b}")
                continue
            for x, y in zip(a["answers"], b["answers"]):
                moved.append(abs(x["matchOffset"] - y["matchOffset"]))
                scores.append(abs(x["score"] - y["score"]))
        for line in differences:
            print("  " + line)
        name = f"{count} part" + "s" * (count > 1) if count else "the catalog in process"
        equal = sum(distance < 1e-6 for distance in moved)
        require(not differences and max(moved) <= 0.005 and max(scores) <= 0.01,
                f"{name}: the same references; {equal} of {len(moved)} offsets are equal, the others within "
                f"{1000 * max(moved):.3f} ms; scores within {max(scores):.4f}")
        for server in Server.running:
            server.kill()


def load_in_background(port, bodies, seconds, threads=4):
    """Asks without pause; returns a list that fills with (time, status, answer or None)."""
    results, end = [], time.monotonic() + seconds

    def work_on(number):
        place = number
        while time.monotonic() < end:
            place += 1
            try:
                status, answer = ask(port, "POST", "/v1/match", bodies[place % len(bodies)])
            except (OSError, http.client.HTTPException) as error:
                status, answer = type(error).__name__, None
            results.append((time.monotonic(), status, answer))

    workers = [threading.Thread(target=work_on, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    return results, workers


def outage():
    bodies = [open(path, "rb").read() for path in known_queries()]
    files = catalogs(4)
    servers = [Server("--catalog", path) for path in files]
    front = Server(*[word for server in servers for word in ("--catalog", server.address)])
    results, workers = load_in_background(front.port, bodies, options.seconds)
    time.sleep(options.seconds / 3)
    servers[1].kill()
    killed = time.monotonic()
    time.sleep(options.seconds / 3)
    Server("--catalog", files[1], port=servers[1].port)
    back = time.monotonic()
    for worker in workers:
        worker.join()
    wrong = collections.Counter(status for _, status, _ in results if status != 200)
    partial = [(when, json.loads(answer)["isPartial"]) for when, status, answer in results if status == 200]
    print(f"{len(results)} requests, {sum(is_partial for _, is_partial in partial)} marked partial")
    require(not wrong, f"every request is answered with 200 {dict(wrong)}")
    require(not any(is_partial for when, is_partial in partial if when < killed), "no answer is partial before")
    late = [when - killed for when, is_partial in partial if killed < when < back and not is_partial]
    require(max(late, default=0) < 1, f"answers are marked {max(late, default=0):.2f} s after the part was killed")
    after = [when - back for when, is_partial in partial if when > back and is_partial]
    require(max(after, default=0) < 1.5 and partial[-1][1] is False,
            f"answers are whole {max(after, default=0):.2f} s after its return")


def replicas():
    bodies = [open(path, "rb").read() for path in known_queries()]
    file = catalogs(1)[0]
    servers = [Server("--catalog", file, "--trust-proxy") for _ in range(2)]
    port = free_port()
    proxy = subprocess.Popen(
        ["haproxy", "-f", f"{ROOT}/scripts/server/haproxy.cfg"],
        env={**os.environ, "FRONT": f"127.0.0.1:{port}", "REPLICA1": f"127.0.0.1:{servers[0].port}",
             "REPLICA2": f"127.0.0.1:{servers[1].port}"}, stderr=subprocess.DEVNULL)
    try:
        time.sleep(2)
        results, workers = load_in_background(port, bodies, options.seconds)
        time.sleep(options.seconds / 3)
        servers[0].kill()
        time.sleep(options.seconds / 3)
        Server("--catalog", file, "--trust-proxy", port=servers[0].port)
        for worker in workers:
            worker.join()
    finally:
        proxy.terminate()
        proxy.wait()
    wrong = collections.Counter(status for _, status, _ in results if status != 200)
    require(len(results) > 20 and not wrong, f"{len(results)} requests, every one answered with 200 {dict(wrong)}")
    empty = sum(not json.loads(answer)["references"] for _, status, answer in results if status == 200)
    require(empty == 0, f"each of them finds its recording ({empty} do not)")


def wrk(port, paths, connections, seconds, rate=None):
    """Runs wrk with as many connections; returns queries a second, median and 99 % in ms, and errors."""
    script = f"{work}/post.lua"
    with open(script, "w") as file:
        file.write(LUA + (f"\nfunction delay() return {int(1000 * connections / rate)} end\n" if rate else ""))
    output = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds:g}s", "--timeout", "10s", "-s", script, f"http://127.0.0.1:{port}"],
        check=True, capture_output=True, text=True, env={**os.environ, "QUERIES": "\n".join(paths)}).stdout
    requests, duration, median, most, status, other = map(int, re.search(r"RESULT(( \d+){6})", output)[1].split())
    return requests * 1e6 / duration, median / 1000, most / 1000, status + other


def load():
    asked = known_queries()
    for path in options.catalog or [catalogs(1)[0]]:
        server = Server("--catalog", path)
        facts = json.loads(ask(server.port, "GET", "/v1/catalog")[1])
        found = 0
        for query in asked:
            found += bool(json.loads(ask(server.port, "POST", "/v1/match", open(query, "rb").read())[1])["references"])
        print(f"{facts['hours']:.0f} h, {facts['references']} references; {found} of {len(asked)} queries are known")
        best = 0
        for connections in (1, 2, 4, 8):
            rate, median, most, errors = wrk(server.port, asked, connections, options.seconds)
            best = max(best, rate)
            print(f"{connections} clients: {rate:.0f} queries a second, median {median:.0f} ms, 99 % {most:.0f} ms, "
                  f"{server.kilobytes('VmRSS') / 1024:.0f} MB", flush=True)
            require(errors == 0, f"no request fails ({errors})")
        rate, median, most, errors = wrk(server.port, asked, 4, options.seconds, rate=best / 2)
        require(most < 100 and errors == 0,
                f"at half that load ({rate:.0f} queries a second): median {median:.0f} ms, 99 % {most:.0f} ms, below 100 ms")
        if facts["hours"] < 20:
            require(best >= 150, f"{best:.0f} queries a second are at least 150")
        server.kill()


def growth():
    """References are added to a store while queries are asked, and a catalog file is replaced."""
    asked = known_queries()
    bodies = [open(path, "rb").read() for path in asked]
    token = secrets.token_hex(16)
    with open(f"{work}/tokens", "w") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(f"editor match,write {token}\n")
    catalog = f"{work}/served.earcatalog"
    shutil.copy(catalogs(1)[0], catalog)
    server = Server("--catalog", catalog, "--store", f"{work}/store", "--tokens", f"{work}/tokens")
    bearer = {"Authorization": f"Bearer {token}"}
    uploads = [json.dumps({"signature": base64.b64encode(open(path, "rb").read()).decode()}) for path in enrolled()]
    stop, outcomes = threading.Event(), collections.Counter()

    def keep_asking(number):
        place = number
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        while not stop.is_set():
            place += 1
            try:
                connection.request("POST", "/v1/match", bodies[place % len(bodies)], bearer)
                answer = connection.getresponse()
                reply = json.loads(answer.read())
                outcomes[(answer.status, bool(reply.get("references")))] += 1
            except (OSError, http.client.HTTPException) as error:
                outcomes[(type(error).__name__, False)] += 1
                connection.close()

    workers = [threading.Thread(target=keep_asking, args=(number,)) for number in range(2)]
    for worker in workers:
        worker.start()
    start, refused = time.monotonic(), collections.Counter()
    for number in range(options.references):
        status, _ = ask(server.port, "PUT", f"/v1/references/added-{number}", uploads[number % len(uploads)], bearer)
        refused[status] += 1
        if number % 100 == 50:
            shutil.copy(catalogs(1)[0], catalog + ".new")
            os.replace(catalog + ".new", catalog)
    seconds = time.monotonic() - start
    end = time.monotonic() + 60
    expected = len(enrolled()) + options.references
    while time.monotonic() < end:
        facts = json.loads(ask(server.port, "GET", "/v1/catalog", headers=bearer)[1])
        if facts["references"] == expected:
            break
        time.sleep(0.05)
    stop.set()
    for worker in workers:
        worker.join()
    print(f"{options.references} references in {seconds:.0f} s, {sum(outcomes.values())} queries meanwhile, "
          f"{server.kilobytes('VmRSS') / 1024:.0f} MB")
    require(set(refused) == {200}, f"every reference is taken {dict(refused)}")
    require(facts["references"] == expected, f"{facts['references']} of {expected} references are served")
    require(set(outcomes) == {(200, True)}, f"no query is lost or finds nothing {dict(outcomes)}")


DROP = """
const [name, text] = arguments;
const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const dropped = new DataTransfer();
dropped.items.add(new File([bytes], name));
document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: dropped, cancelable: true}));
"""
SHOWN = """
const text = (id) => document.getElementById(id).innerText;
return {facts: text("facts"), answers: text("answers"), progress: text("progress"), problem: text("problem")};
"""
# A browser that lends the microphone, and cannot record.
REFUSED = """
window.stopped = 0;
navigator.mediaDevices.getUserMedia = async () => ({getTracks: () => [{stop: () => { window.stopped += 1; }}]});
window.MediaRecorder = class { constructor() { throw new DOMException("", "NotSupportedError"); } };
document.getElementById("record").click();
"""


def page():
    browser = Browser()
    server = Server("--catalog", catalogs(1)[0], "--accept-audio")

    def wait(condition):
        for _ in range(100):
            shown = browser.run(SHOWN)
            if condition(shown):
                break
            time.sleep(0.1)
        return shown

    try:
        browser.open(server.address)
        shown = wait(lambda shown: shown["facts"])
        require(str(len(enrolled())) in shown["facts"], "the page shows the number of references")
        song = next(path for path in run("corpus", "path", options.corpus).split("\n") if path.endswith(".ogg"))
        with open(song, "rb") as file:
            browser.run(DROP, "dropped.ogg", base64.b64encode(file.read()).decode())
        shown = wait(lambda shown: shown["answers"] or shown["problem"])
        name = os.path.splitext(os.path.basename(song))[0]
        require(name in shown["answers"], f"the dropped file is identified: {shown['answers']} {shown['problem']}")
        browser.run(DROP, "text.txt", base64.b64encode(b"no audio").decode())
        shown = wait(lambda shown: shown["problem"])
        require("text.txt" in shown["problem"], f"a file that is no audio is said to be none: {shown['problem']}")
        browser.run(REFUSED)
        shown = wait(lambda shown: "record" in shown["problem"])
        require("could not record" in shown["problem"], f"a browser that cannot record is said to: {shown['problem']}")
        require(browser.run("return window.stopped;") == 1, "the microphone is closed after that")
        log = [entry["message"] for entry in browser.log("browser") if "favicon" not in entry["message"]]
        require(not log, f"the console is empty {log}")
    finally:
        browser.close()


CHECKS = {"page": page, "parts": parts, "outage": outage, "replicas": replicas, "load": load, "growth": growth}
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("checks", nargs="*", metavar="CHECK", help="all of them by default")
parser.add_argument("--corpus", default="games-small")
parser.add_argument("--plan", default="conditions")
parser.add_argument("--positives", type=int, default=2, help="queries of each condition")
parser.add_argument("--negatives", type=int, default=1, help="queries of each condition that no reference contains")
parser.add_argument("--seconds", type=float, default=15, help="how long each load lasts")
parser.add_argument("--references", type=int, default=1000, help="how many references are added")
parser.add_argument("--catalog", action="append", help="a catalog file to load, instead of the corpus; may be repeated")
options = parser.parse_args()
if unknown := set(options.checks) - CHECKS.keys():
    parser.error(f"no check {', '.join(unknown)}")
with tempfile.TemporaryDirectory() as work:
    try:
        for check in options.checks or CHECKS:
            print(f"== {check}", flush=True)
            CHECKS[check]()
    finally:
        for server in Server.running:
            if server.process.poll() is None:
                server.kill()
sys.exit(require.failed)
