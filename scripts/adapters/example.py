#!/usr/bin/env python3
"""A complete adapter in ninety lines, which matches changes of loudness. CONTRACT.md explains it."""
import array, itertools, json, math, operator, sys, wave

HOP_SECONDS = 0.02
THRESHOLD = 0.55
NEAR = 50
"""Steps around a place in which `explain` counts votes."""
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


def parts(query, reference):
    """What rising and falling loudness add to the correlation of two contours."""
    norm = math.sqrt(sum(x * x for x in query) * sum(x * x for x in reference)) + 1e-9
    shares = {"rising loudness": 0.0, "falling loudness": 0.0}
    for x, y in zip(query, reference):
        shares["rising loudness" if x > 0 else "falling loudness"] += x * y / norm
    return [{"name": name, "amount": amount} for name, amount in shares.items()]


def rises(levels):
    """The steps at which the loudness rises most within 0.1 s."""
    return [i for i, x in enumerate(levels) if x > 0.3 and x == max(levels[max(0, i - 5):i + 6])]


def peaks(steps):
    """Moments in seconds, without a frequency. A change belongs to the middle of its two steps."""
    return [[(step + 1.5) * HOP_SECONDS, None] for step in steps]


def alignment(heard, length, place):
    """The rises of a query and of a place of a reference, where they agree, and how often at each shift."""
    first = round(place["offsetSeconds"] / HOP_SECONDS)
    stored = [step for step in rises(references[place["id"]]) if -NEAR <= step - first <= length + NEAR]
    shifts = [[step - start - first for step in stored] for start in heard]
    return {"id": place["id"], "offsetSeconds": place["offsetSeconds"], "referencePeaks": peaks(stored),
            "pairs": [[i, j] for i, row in enumerate(shifts) for j, shift in enumerate(row) if abs(shift) <= 1],
            "votes": {"firstSeconds": -NEAR * HOP_SECONDS, "binSeconds": HOP_SECONDS,
                      "counts": [sum(row.count(shift) for row in shifts) for shift in range(-NEAR, NEAR + 1)]}}


def respond(request):
    if request["op"] == "hello":
        return {"protocol": 3 if request.get("newest", 1) >= 3 else 1, "name": "loudness", "version": "1",
                "settings": {"threshold": THRESHOLD}, "operations": ["explain"]}
    if request["op"] == "enrol":
        references[request["id"]] = contour(request["path"])
        return {"ok": True}
    if request["op"] == "ready":
        return {"ok": True, "indexBytes": 8 * sum(map(len, references.values()))}
    query = contour(request["path"])
    found = sorted((-score, name, place) for name, reference in references.items()
                   for score, place in [best_place(query, reference)] if score > 0.3)
    answers = [{"id": name, "offsetSeconds": place * HOP_SECONDS, "score": -score,
                "accepted": -score >= THRESHOLD} for score, name, place in found[:10]]
    if request["op"] == "identify":
        return {"query": request["query"], "answers": answers}
    heard = rises(query)
    for answer, (_, name, place) in zip(answers, found):
        answer["parts"] = parts(query, references[name][place:place + len(query)])
    return {"query": request["query"], "threshold": THRESHOLD, "queryPeaks": peaks(heard), "candidates": answers,
            "alignments": [alignment(heard, len(query), place) for place in request["places"]]}


for line in sys.stdin:
    try:
        answer = respond(json.loads(line))
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
