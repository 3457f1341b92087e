import Foundation

/// A small external matcher in Python that explains its answers, the first time in the way of a mode.
///
/// It answers every query with the first reference at 1 s.
public struct ExplainingScript {
    /// The folder of the script and its notes.
    public let folder: TemporaryFolder
    /// The command line that starts it.
    public let commandLine: String

    /// Writes the script; a mode that it does not know explains well.
    ///
    /// - Parameter always: Whether it misbehaves at every explanation.
    public init(_ mode: String, always: Bool = false) throws {
        folder = try TemporaryFolder()
        let path = folder.file("adapter.py")
        try Self.text.write(toFile: path, atomically: true, encoding: .utf8)
        commandLine = "python3 '\(path)' \(mode) \(folder.path) \(always ? "always" : "once")"
    }

    /// The requests for explanations, in order.
    public var requests: [String] {
        ((try? String(contentsOfFile: folder.file("requests"), encoding: .utf8)) ?? "")
            .split(separator: "\n").map(String.init)
    }

    private static let text = #"""
        import json, os, signal, sys, time
        mode, folder, often = sys.argv[1:4]

        def say(text):
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

        def explanation(request):
            return {
                "query": request["query"], "threshold": 0.5, "queryPeaks": [[0.1, 440], [0.2, None], [0.3, 880.5]],
                "candidates": [
                    {"id": first, "score": 1, "offsetSeconds": 1, "matchedPeaks": 2, "comparedPeaks": 3,
                     "parts": [{"name": "pairs", "amount": 0.75}, {"name": "length", "amount": 0.25}]},
                    {"id": first, "score": 0.25, "offsetSeconds": 2,
                     "parts": [{"name": "pairs", "amount": 0.5}, {"name": "length", "amount": -0.25}]}],
                "alignments": [
                    {"id": place["id"], "offsetSeconds": place["offsetSeconds"],
                     "referencePeaks": [[place["offsetSeconds"] + 0.1, 440], [place["offsetSeconds"] + 0.2, None]],
                     "pairs": [[0, 0], [1, 1]], "votes": {"firstSeconds": -0.5, "binSeconds": 0.5, "counts": [0, 3, 1]}}
                    for place in request["places"]]}

        def misbehave(request):
            if mode == "die": sys.stderr.write("out of luck\n"); sys.exit(3)
            if mode == "signal": os.kill(os.getpid(), signal.SIGSEGV)
            if mode == "killed": os.kill(os.getpid(), signal.SIGKILL)
            if mode == "hang": time.sleep(1000)
            if mode == "close": os.close(1); time.sleep(1000)
            if mode == "flood":
                while True: sys.stdout.write("x" * 65536)
            if mode == "flood-error":
                while True: sys.stderr.write("complaint " * 1000)
            if mode == "fork":
                os.fork() and os._exit(0); time.sleep(1000)
            good = explanation(request)
            candidate, alignment = good["candidates"][0], good["alignments"][0]
            said = {
                "garbage": "\x1b[31m%$ no JSON at all", "empty-line": "", "list": "[1, 2]", "text": '"text"',
                "deep": "[" * 200000, "deep-peaks": '{"query":"%s","queryPeaks":%s}' % (request["query"], "[" * 100000),
                "infinite": '{"query":"%s","threshold":1e999}' % request["query"],
                "twice": '{"query":"%s","threshold":1,"thr\\u0065shold":2}' % request["query"],
                "error": '{"error":"cannot\\nexplain"}', "null": "null", "no-query": '{"threshold":1}',
            }
            if mode == "binary": sys.stdout.buffer.write(b"\xff\xfe\n"); sys.stdout.flush(); return
            if mode in said: say(said[mode]); return
            if mode == "two-lines": say(json.dumps(good))
            if mode == "other-query": good["query"] = "another"
            if mode == "nan": good["threshold"] = float("nan")
            if mode == "least": good = {"query": request["query"]}
            if mode == "nulls": good = dict.fromkeys(good, None) | {"query": request["query"]}
            if mode == "long": good["note"] = "x" * 3_900_000
            if mode == "too-long": good["note"] = "x" * 4_300_000
            if mode == "peaks": good["queryPeaks"] = "many"
            if mode == "peak-of-one": good["queryPeaks"] = [[1]]
            if mode == "peak-of-three": good["queryPeaks"] = [[0.1, 440, 1]]
            if mode == "far-peak": good["queryPeaks"][0][0] = 1e300
            if mode == "low-peak": alignment["referencePeaks"][1][1] = -1
            if mode == "many-peaks": good["queryPeaks"] = [[0.5, 100]] * 20001
            if mode == "many-candidates": good["candidates"] = [candidate] * 201
            if mode == "candidate": candidate["id"] = "r-nobody"
            if mode == "far-candidate": candidate["offsetSeconds"] = -1e9
            if mode == "many-parts": candidate["parts"] = [{"name": "x", "amount": 1}] * 41
            if mode == "odd-part": candidate["parts"][0]["name"] = "pai\u202ers"
            if mode == "long-part": candidate["parts"][0]["name"] = "x" * 81
            if mode == "other-parts": good["candidates"][1]["parts"].reverse()
            if mode == "more-parts": candidate["parts"] = []
            if mode == "part-amount": candidate["parts"][0]["amount"] = "much"
            if mode == "matched": candidate["matchedPeaks"] = 4
            if mode == "only-matched": del candidate["comparedPeaks"]
            if mode == "compared": candidate["comparedPeaks"] = 1 << 62
            if mode == "alignment": alignment["id"] = "r-nobody"
            if mode == "other-place": alignment["offsetSeconds"] += 0.5
            if mode == "place-twice": good["alignments"].append(alignment)
            if mode == "pair-before": alignment["pairs"] = [[-1, 0]]
            if mode == "pair-behind": alignment["pairs"] = [[0, 2]]
            if mode == "pair-of-nothing": del good["queryPeaks"]
            if mode == "half-pair": alignment["pairs"] = [[0.5, 0]]
            if mode == "many-pairs": alignment["pairs"] = [[0, 0]] * 20001
            if mode == "no-bin": alignment["votes"]["binSeconds"] = 0
            if mode == "many-bins": alignment["votes"]["counts"] = [1] * 2001
            if mode == "negative-votes": alignment["votes"]["counts"][1] = -1
            if mode == "many-votes": alignment["votes"]["counts"] = [1 << 62] * 3
            if mode == "other-answer": candidate["score"] = 2
            if mode == "other-offset": candidate["offsetSeconds"] = 3
            say(json.dumps(good))

        def note(name, text):
            with open(folder + "/" + name, "a+") as file:
                file.write(text)
                return file.tell()

        first = None
        for line in sys.stdin:
            request = json.loads(line)
            if request["op"] == "hello":
                say('{"protocol": 3, "name": "explaining", "version": "1", "operations": ["explain"]}')
            elif request["op"] == "enrol":
                first = min(first or request["id"], request["id"])
                say('{"ok": true}')
            elif request["op"] == "ready":
                say('{"ok": true}')
            elif request["op"] == "identify":
                say(json.dumps({"query": request["query"], "answers": [{"id": first, "offsetSeconds": 1, "score": 1}]}))
            elif note("requests", line) == len(line) or often == "always":
                misbehave(request)
            else:
                say(json.dumps(explanation(request)))
        """#
}
