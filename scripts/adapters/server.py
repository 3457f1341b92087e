#!/usr/bin/env python3
"""Adapter for a catalog server: enrols in a catalog file, serves it, and sends signatures of the queries.

    earshot arena run --plan conditions --matcher earshot --matcher-command scripts/adapters/server.py

EARSHOT_BINARY names the program. CONTRACT.md explains the rest.
"""
import json, os, subprocess, sys

EARSHOT = os.environ.get("EARSHOT_BINARY", "earshot")
WORK = os.environ.get("EARSHOT_WORK", ".")
REFERENCES = os.path.join(WORK, "references")
THRESHOLD = 3.0
server = None
address = None


def enrol(request):
    """Keeps the signature, because the file is gone afterwards."""
    os.makedirs(REFERENCES, exist_ok=True)
    subprocess.run([EARSHOT, "signature", "-i", request["path"], "-o", f"{REFERENCES}/{request['id']}.earsignature"],
                   check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return {"ok": True}


def ready():
    """Makes a catalog and starts a server."""
    global server, address
    catalog = os.path.join(WORK, "served.earcatalog")
    subprocess.run([EARSHOT, "custom-catalog", "create", "-s", REFERENCES, "-o", catalog], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = subprocess.Popen([EARSHOT, "serve", "--catalog", catalog, "--address", "127.0.0.1:0",
                               "--requests-per-second", "0"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().split()[-1]
    return os.path.getsize(catalog)


def identify(request):
    run = subprocess.run([EARSHOT, "match", "--catalog", address, "--minimum-score=-20", request["path"]],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True)
    line = json.loads(run.stdout)
    if line["error"]:
        raise RuntimeError(line["error"])
    return {"query": request["query"], "answers": [
        {"id": answer["reference"], "offsetSeconds": answer["matchOffset"], "frequencySkew": answer["frequencySkew"],
         "timeSkew": answer["timeSkew"], "score": answer["score"], "confidence": answer["confidence"],
         "accepted": answer["score"] >= THRESHOLD} for answer in line["answers"][:10]]}


def respond(request):
    if request["op"] == "hello":
        version = subprocess.run([EARSHOT, "--version"], capture_output=True, text=True).stdout.split()[1]
        return {"protocol": 1, "name": "earshot-server", "version": version, "settings": {"threshold": THRESHOLD}}
    if request["op"] == "enrol":
        return enrol(request)
    if request["op"] == "ready":
        return {"ok": True, "indexBytes": ready()}
    return identify(request)


try:
    for line in sys.stdin:
        try:
            answer = respond(json.loads(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
finally:
    if server:
        server.terminate()
