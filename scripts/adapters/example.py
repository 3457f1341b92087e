#!/usr/bin/env python3
"""A complete adapter in fifty lines, which matches changes of loudness. CONTRACT.md explains it."""
import array, itertools, json, math, operator, sys, wave

HOP_SECONDS = 0.02
THRESHOLD = 0.55
references = {}


def contour(path):
    """The change of the log level of a WAV file over two steps of 20 ms."""
    with wave.open(path) as file:
        channels, rate = file.getnchannels(), file.getframerate()
        samples = array.array("h", file.readframes(file.getnframes()))
    steps = int(len(samples) / channels / rate / HOP_SECONDS)
    edges = [channels * round(step * HOP_SECONDS * rate) for step in range(steps + 1)]
    levels = [math.log(1 + sum(map(abs, samples[a:b])) / (b - a)) for a, b in zip(edges, edges[1:])]
    return [later - earlier for earlier, later in zip(levels, levels[2:])]


def best_place(query, reference):
    """The highest correlation of a query with a place of a reference, and that place in steps."""
    count = len(query)
    sums = list(itertools.accumulate((x * x for x in reference), initial=0))
    norm = math.sqrt(sum(x * x for x in query))
    return max(((sum(map(operator.mul, query, reference[i:i + count]))
                 / (norm * math.sqrt(sums[i + count] - sums[i]) + 1e-9), i)
                for i in range(len(reference) - count + 1)), default=(0.0, 0))


def respond(request):
    if request["op"] == "hello":
        return {"protocol": 1, "name": "loudness", "version": "1", "settings": {"threshold": THRESHOLD}}
    if request["op"] == "enrol":
        references[request["id"]] = contour(request["path"])
        return {"ok": True}
    if request["op"] == "ready":
        return {"ok": True, "indexBytes": 8 * sum(map(len, references.values()))}
    query = contour(request["path"])
    found = sorted((-score, name, place) for name, reference in references.items()
                   for score, place in [best_place(query, reference)] if score > 0.3)
    return {"query": request["query"],
            "answers": [{"id": name, "offsetSeconds": place * HOP_SECONDS, "score": -score,
                         "accepted": -score >= THRESHOLD} for score, name, place in found[:10]]}


for line in sys.stdin:
    try:
        answer = respond(json.loads(line))
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
