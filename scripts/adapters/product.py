#!/usr/bin/env python3
"""Adapter for the product itself: enrols in a catalog file, and asks as its users do.

    earshot arena run --plan conditions --contestants scripts/adapters/ways.yaml --output ways

--through adapter  `earshot arena adapter`, the judge's own matcher in a process of its own
--through match    `earshot match` with the query's file
--through serve    `earshot match` at `earshot serve`, which gets a signature
--through session  an SHSession of the kit, by the program SessionProgram beside `earshot`

--written-by PROGRAM names an `earshot` of another version that makes signatures and catalog, which this one then reads.
EARSHOT_BINARY names `earshot`. CONTRACT.md explains the rest.
"""
import argparse, json, os, shutil, subprocess, sys

EARSHOT = os.environ.get("EARSHOT_BINARY") or shutil.which("earshot") or "earshot"
WORK = os.environ.get("EARSHOT_WORK", ".")
REFERENCES = os.path.join(WORK, "references")
CATALOG = os.path.join(WORK, "product.earcatalog")
THRESHOLD = 3.0
# Times are printed to a microsecond.
SAME_SECONDS = 2e-6


def run(*command, program=EARSHOT):
    return subprocess.run([program, *command], check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout


class Product:
    def __init__(self, through, writer):
        self.through, self.writer, self.processes = through, writer, []

    def start(self, *command):
        self.processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return self.processes[-1]

    def ready(self):
        run("custom-catalog", "create", "-s", REFERENCES, "-o", CATALOG, program=self.writer)
        place = CATALOG
        if self.through == "serve":
            server = self.start(EARSHOT, "serve", "--catalog", CATALOG, "--address", "127.0.0.1:0", "--requests-per-second", "0")
            place = server.stdout.readline().split()[-1]
        if self.through == "session":
            self.start(os.path.join(os.path.dirname(EARSHOT), "SessionProgram"), CATALOG)
        else:
            self.start(EARSHOT, "match", "--json", "--catalog", place, "--minimum-score=-20", "--files", "/dev/stdin")
        return os.path.getsize(CATALOG)

    def ask(self, path):
        """A line of `match`, or of the program of a session, which has no scores and only what is accepted."""
        asked = self.processes[-1]
        print(path, file=asked.stdin, flush=True)
        return json.loads(asked.stdout.readline())

    def answers(self, request):
        line = self.ask(request["path"])
        if line.get("error"):
            raise RuntimeError(line["error"])
        return line

    def passages(self, request):
        """The passages of a recording over 30 s, of which `match` says from when to when they play."""
        found = self.answers(request)["answers"]
        return {"query": request["query"], "answers": [
            {"id": answer["reference"], **{key: answer[key] for key in (
                "queryRange", "referenceRange", "frequencySkew", "timeSkew", "score", "confidence")}} for answer in found]}

    def identify(self, request):
        line = self.answers(request)
        for answer in line["answers"]:
            require_consistent(answer)
        answers = [{"id": answer["reference"], "offsetSeconds": answer["matchOffset"], "frequencySkew": answer["frequencySkew"],
                    "timeSkew": answer["timeSkew"], "score": answer.get("score", answer["confidence"]),
                    "confidence": answer["confidence"],
                    "accepted": "score" not in answer or answer["score"] >= THRESHOLD} for answer in line["answers"]]
        # A long query has passages, of which a reference may have several.
        answers = [answer for at, answer in enumerate(answers) if answer["id"] not in {other["id"] for other in answers[:at]}]
        return {"query": request["query"], "answers": answers[:10]}

    def respond(self, request):
        if request["op"] == "hello":
            finds_passages = self.through == "match" and request.get("newest", 1) >= 2
            return {"protocol": 2 if finds_passages else 1, "name": f"earshot-{self.through}", "version": run("--version").split()[1],
                    "settings": {"threshold": THRESHOLD, "writer": run("--version", program=self.writer).split("(")[1].split(",")[0]}}
        if request["op"] == "enrol":
            # The file is gone after the answer.
            os.makedirs(REFERENCES, exist_ok=True)
            run("signature", "-i", request["path"], "-o", f"{REFERENCES}/{request['id']}.earsignature", program=self.writer)
            return {"ok": True}
        if request["op"] == "ready":
            return {"ok": True, "indexBytes": self.ready()}
        if request["op"] == "passages":
            return self.passages(request)
        return self.identify(request)


def require_consistent(answer):
    """Raises unless the ranges of an answer to a query are on the line in time that its offset and skew state."""
    if "queryRange" not in answer:
        return
    for at, place in zip(answer["queryRange"], answer["referenceRange"]):
        if abs(answer["matchOffset"] + (1 + answer["timeSkew"]) * at - place) > SAME_SECONDS:
            raise RuntimeError(f"{at} s of the query is {place} s of the reference, and the offset {answer['matchOffset']} s")


options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
options.add_argument("--through", choices=["adapter", "match", "serve", "session"], default="match")
options.add_argument("--written-by", metavar="PROGRAM", default=EARSHOT)
chosen = options.parse_args()
if chosen.through == "adapter":
    os.execvp(EARSHOT, [EARSHOT, "arena", "adapter"])
product = Product(chosen.through, chosen.written_by)
try:
    for line in sys.stdin:
        try:
            answer = product.respond(json.loads(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
finally:
    for process in product.processes:
        process.terminate()
