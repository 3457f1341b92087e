import Evaluation
import Foundation
import MatcherAdapters
import TestSupport
import Testing

/// What `earshot arena check` finds in an honest adapter, and in one that does everything wrong.
@Suite struct ConformanceTests {
    /// Finds queries whose samples occur unchanged in a reference; `bad` breaks every rule.
    private static let script = #"""
        import json, random, sys, time, wave
        bad = sys.argv[1] == "bad"
        references = {}

        def samples(path):
            with wave.open(path) as file:
                return file.readframes(file.getnframes()), 2 * file.getnchannels(), file.getframerate()

        def identify(request):
            data, width, rate = samples(request["path"])
            start = len(data) // 2 // width * width
            piece = data[start:start + 100 * width]
            if bad and len(data) > 1000 and not any(data): sys.exit("silence is golden")
            answers = []
            for name, (reference, _, _) in references.items():
                place = reference.find(piece) if any(piece) and len(piece) == 100 * width else -1
                if place < 0 and not (bad and name == request["query"]): continue
                seconds = (place - start) / width / rate
                if sys.argv[1] == "nowhere": seconds = None
                answers.append({"id": name, "offsetSeconds": seconds * 1000 if bad else seconds,
                                "score": random.random() if bad else 1, "confidence": 1, "frequencySkew": 0})
            return {"query": request["query"], "answers": answers[:10]}

        def passages(request):
            data, width, rate = samples(request["path"])
            found = []
            for name, (reference, _, _) in references.items():
                for at in range(rate, len(data) // width - 100, rate):
                    piece = data[at * width:(at + 100) * width]
                    place = reference.find(piece) if any(piece) else -1
                    if place < 0: continue
                    begin, offset = at / rate, place / width / rate
                    if found and found[-1]["id"] == name: found[-1]["queryRange"][1] = begin + 1
                    else: found.append({"id": name, "queryRange": [begin, begin + 1], "score": 1,
                                        "referenceRange": [offset, offset + 1]})
            for each in found if bad else []: each["referenceRange"] = [1000 * at for at in each["referenceRange"]]
            return {"query": request["query"], "answers": found}

        def explain(request):
            place, seconds, odd = request["places"][0], [at / 10 for at in range(20)], sys.argv[1] == "odd"
            shift = 0 if odd else place["offsetSeconds"]
            parts = [{"name": "samples", "amount": 2 if odd else 1}]
            return {"query": request["query"], "queryPeaks": [[at, None] for at in seconds],
                    "candidates": [{**each, "parts": parts} for each in identify(request)["answers"]],
                    "alignments": [{"id": place["id"], "offsetSeconds": place["offsetSeconds"],
                                    "referencePeaks": [[at + shift, None] for at in seconds],
                                    "pairs": [[at, at] for at in range(20)]}]}

        for line in sys.stdin:
            request = json.loads(line)
            try:
                if request["op"] == "hello":
                    answer = {"protocol": 3, "name": "exact", "version": "1", "operations": ["passages", "explain"]}
                elif request["op"] == "explain": answer = explain(request)
                elif request["op"] == "passages": answer = passages(request)
                elif request["op"] == "enrol": references[request["id"]] = samples(request["path"]); answer = {"ok": True}
                elif request["op"] == "ready": answer = {"ok": True, "indexBytes": 10}
                else: answer = identify(request)
            except Exception as error: answer = {"error": str(error)}
            print(json.dumps(answer), flush=True)
        if bad: time.sleep(1000)
        """#

    private func findings(_ mode: String) throws -> [String: CheckFinding] {
        let folder = try TemporaryFolder()
        let path = folder.file("exact.py")
        try Self.script.write(toFile: path, atomically: true, encoding: .utf8)
        var limits = ExternalLimits()
        limits.exitSeconds = mode == "bad" ? 0.5 : 20
        let check = try ConformanceCheck(ExternalCommand("python3 \(path) \(mode)"), limits: limits) { _ in }
        return Dictionary(check.run().map { ($0.check, $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func anHonestAdapterPasses() throws {
        let findings = try findings("good")
        #expect(findings.values.filter { $0.verdict == .fail } == [])
        for check in [
            "clean queries", "offset", "best first", "music it does not know", "twice the same",
            "another process",
            "other order of enrolment", "other names and dates", "names that lie", "processes apart",
            "silence", "passages", "explain",
            "one sample", "5 s", "no such file", "a file of asterisks", "end of standard input",
        ] {
            #expect(findings[check]?.verdict == .pass, "\(check): \(findings[check]?.seen ?? "not checked")")
        }
        #expect(findings["mono"]?.verdict == .warn, "other samples are not found")
    }

    @Test func positionsMayBeLeftOut() throws {
        let findings = try findings("nowhere")
        #expect(findings.values.filter { $0.verdict == .fail } == [])
        #expect(findings["offset"]?.seen == "not stated; answers count by their recording alone")
    }

    @Test func everyMistakeIsNamed() throws {
        let findings = try findings("bad")
        for (check, words) in [
            ("offset", "looks like milliseconds"), ("twice the same", "6 answers differ"),
            ("names that lie", "answers differ"), ("passages", "0 of 2 found"),
            ("silence", "silence is golden"), ("explain", "candidate 1 is "),
            ("end of standard input", "it was killed"),
        ] {
            #expect(findings[check]?.verdict == .fail, "\(check)")
            #expect(
                findings[check]?.seen.contains(words) == true, "\(findings[check]?.seen ?? "not checked")")
        }
        #expect(findings["clean queries"]?.verdict == .pass && findings["one sample"]?.verdict == .pass)
    }

    @Test func mistakesOfAnExplanationAreNamed() throws {
        let finding = try #require(try findings("odd")["explain"])
        #expect(finding.verdict == .fail && finding.seen.hasPrefix("20 peaks, 20 pairs at the right place, "))
        #expect(finding.seen.hasSuffix(" s apart, parts of a score of 1.0 sum to 2.0"), "\(finding.seen)")
    }

    @Test(arguments: [
        (1000.0, 0.0, "looks like milliseconds"), (-1, 0, "the sign is reversed"), (44_100, 0, "samples"),
        (1, 2.5, "2.5 s off throughout"), (43.066, 0, "about 43.066 a second"),
    ])
    func unitsOfOffsetsAreTold(_ factor: Double, _ shift: Double, _ words: String) {
        let pairs = [3.17, 5.88, 8.59, 11.3].map { (truth: $0, answered: $0 * factor + shift) }
        #expect(ConformanceCheck.offsetMistake(pairs).contains(words))
    }

    @Test func unitsOfSkewsAreDetected() {
        func mistake(_ answered: Double, _ truth: Double) -> (words: String, isWrong: Bool) {
            ConformanceCheck.mistake("timeSkew", [answered, answered], truth)
        }
        #expect(!mistake(0.021, 0.02).isWrong && !mistake(-0.02, -0.02).isWrong && !mistake(0, 0).isWrong)
        #expect(mistake(-0.02, 0.02).words.contains("sign") && mistake(2, 0.02).words.contains("percent"))
        #expect(mistake(0.98, -0.02).words.contains("ratio") && mistake(0.05, 0.02).isWrong)
        #expect(!ConformanceCheck.mistake("timeSkew", [], 0.02).isWrong)
    }
}
