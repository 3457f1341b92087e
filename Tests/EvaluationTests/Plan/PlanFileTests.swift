import Evaluation
import Testing

@Suite struct PlanFileTests {
    static let head = """
        name: p
        corpus: synthetic
        seed: 3
        positives: 2
        negatives: 1

        """

    @Test func expandsEachWayOfWritingAFamily() throws {
        let plan = try PlanFile(
            text: Self.head + """
                families:
                  - name: plain
                  - name: white noise
                    unit: dB
                    severities: [5, -3]
                    chain: [{noise: {colour: white, snrDecibels: $severity}}]
                  - name: truncation
                    lengths: [1, 2.5]
                  - name: combination
                    chain: [{gain: {decibels: -6}}]
                    variants:
                      - {name: fast, lengthSeconds: 3, chain: [{speed: {percent: 2}}]}
                  - name: matrix
                    unit: Hz
                    cross: {rate: [8000, 48000], encoding: [flac-16]}
                    chain: [{resample: {sampleRateHertz: $rate}}, {format: {encoding: $encoding}}]
                """, name: "p.yaml")
        #expect(
            plan.families.flatMap(\.members).map(\.cell.slug) == [
                "plain/5s", "white-noise/+5-db/5s", "white-noise/-3-db/5s", "truncation/1-s/1s",
                "truncation/2.5-s/2.5s", "combination/fast/3s", "matrix/8000-hz-x-flac-16/5s",
                "matrix/48000-hz-x-flac-16/5s",
            ])
        #expect(plan.families[3].members[0].chain.map(\.name) == ["gain", "speed"])
        #expect(plan.families[1].members[1].cell.severityValue == -3)
        #expect(plan.families[1].members[0].cell.severity == "+5 dB")
    }

    /// A mistake, the line it is on, and what the message must name.
    static let mistakes: [(text: String, line: Int, names: String)] = [
        (head + "colour: red\nfamilies: [{name: a}]", 6, "colour"),
        (head + "families: []", 1, "empty"),
        (head + "families: [{name: a, severities: []}]", 6, "no member"),
        (head + "families:\n  - name: a\n    sevérity: 1", 8, "sevérity"),
        (head + "families:\n  - name: a\n    chain:\n      - noise: {color: pink}", 9, "color"),
        (head + "families:\n  - name: a\n    chain:\n      - reverb: {}", 9, "reverb"),
        (head + "families:\n  - name: a\n    chain:\n      - speed: {percent: fast}", 9, "percent"),
        (head + "families:\n  - name: a\n    chain:\n      - gain: {decibels: $level}", 9, "$level"),
        (head + "families:\n  - name: a\n    lengths: [0]", 7, "length"),
        (head + "families:\n  - name: a\n    lengths: [1]\n    severities: [1]", 7, "one of"),
        (head + "families:\n  - name: a\n    source: tape", 7, "tape"),
        ("name: p\ncorpus: c\nseed: 1\npositives: many\nnegatives: 0\nfamilies: [{name: a}]", 4, "positives"),
        ("name: p\ncorpus: c\nseed: 1\npositives: -1\nnegatives: 0\nfamilies: [{name: a}]", 1, "positives"),
        ("name: p\nseed: 1\npositives: 1\nnegatives: 0\nfamilies: [{name: a}]", 1, "corpus"),
        ("name: p\ncorpus: [", 3, "YAML"),
    ]

    @Test(arguments: mistakes.indices)
    func namesFileAndLineOfAMistake(_ index: Int) throws {
        let mistake = Self.mistakes[index]
        let error = try #require(throws: ConfigurationError.self) {
            try PlanFile(text: mistake.text, name: "plan.yaml")
        }
        #expect(error.file == "plan.yaml")
        #expect(error.line == mistake.line, "\(error)")
        #expect(error.description.contains(mistake.names), "\(error)")
    }

    @Test func everyOverrideChangesTheDigest() throws {
        let plan = try PlanFile(text: Self.head + "families: [{name: a}]", name: "p.yaml")
        var digests: Set<String> = [plan.digest]
        for (corpus, positives, negatives) in [("games", nil, nil), (nil, 5, nil), (nil, nil, 5)]
            as [(String?, Int?, Int?)]
        {
            var changed = plan
            changed.override(corpus: corpus, positivesPerCell: positives, negativesPerCell: negatives)
            digests.insert(changed.digest)
        }
        #expect(digests.count == 4)
        var same = plan
        same.override(corpus: nil, positivesPerCell: nil, negativesPerCell: nil)
        #expect(same.digest == plan.digest)
    }
}
