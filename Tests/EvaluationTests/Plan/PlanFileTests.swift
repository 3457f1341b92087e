import Corpora
import Evaluation
import TestSupport
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
        ("corpus: c\nseed: 1\npositives: 1\nnegatives: 0\nfamilies: [{name: a}]", 1, "name"),
        ("name: p\ncorpus: [", 3, "YAML"),
        (head + "negativeFolds: 1\nfamilies: [{name: a}]", 1, "negativeFolds"),
        (head + "speedCopies: {tracks: 2, percents: [1]}\nfamilies: [{name: a}]", 6, "percents"),
        (head + "speedCopies: {tracks: 2, percents: [1, 1]}\nfamilies: [{name: a}]", 6, "percents"),
        (head + "speedCopies: {tracks: 0, percents: [0, 1]}\nfamilies: [{name: a}]", 6, "tracks"),
        (
            head + "negativeFolds: 2\nspeedCopies: {tracks: 1, percents: [0, 1]}\nfamilies: [{name: a}]", 1,
            "exclude"
        ),
        (head + "families: [{name: a, positives: {perClass: 3}}]", 6, "perTrack"),
        (head + "families: [{name: a, severities: {from: 2, to: 1, step: 1}}]", 6, "from <= to"),
        (head + "families: [{name: a, severities: {from: 1, to: 2, step: 0}}]", 6, "step"),
        (head + "families: [{name: a, severities: {from: 0, to: 1e9, step: 1e-6}}]", 6, "fewer"),
        (head + "families: [{name: a, severities: {from: 0, to: 1}}]", 6, "step"),
        (head + "families: [{name: a, positives: {perTrack: -3}}]", 6, "perTrack"),
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

    @Test func severitiesMayBeSteps() throws {
        let plan = try PlanFile(path: PackageFolder.path + "/Corpora/Plans/sweep.yaml")
        let steps = (-60...60).map { Double($0) / 10 }
        for family in plan.families {
            #expect(family.members.map(\.cell.severityValue) == steps)
            #expect(family.members.first?.cell.slug == "\(family.name)/-6-pct/5s")
            #expect(family.members.dropFirst(61).first?.cell.severity == "+0.1 %")
        }
    }

    @Test func quotasAreNumbersOrPerTrack() throws {
        let plan = try PlanFile(
            text: Self.head + """
                families:
                  - {name: a}
                  - {name: b, positives: {perTrack: 3}, negatives: 7}
                """, name: "p.yaml")
        #expect(plan.positives == .trials(2) && plan.negatives == .trials(1))
        #expect(plan.families[0].positives == nil)
        #expect(plan.families[1].positives == .perTrack(3) && plan.families[1].negatives == .trials(7))
    }

    @Test(arguments: [
        "accuracy", "conditions", "copies", "formats", "microphone", "negatives", "rows", "smoke", "standard",
        "sweep",
    ])
    func theProjectsPlansAreRead(_ name: String) throws {
        let plan = try PlanFile(path: "\(PackageFolder.path)/Corpora/Plans/\(name).yaml")
        #expect(plan.name == name)
    }

    /// The comparison with other matchers names 84 conditions.
    @Test func theConditionsAreAllThere() throws {
        let plan = try PlanFile(path: PackageFolder.path + "/Corpora/Plans/conditions.yaml")
        let names = plan.families.map(\.name)
        #expect(Set(names).count == 84)
        #expect(plan.families.allSatisfy { $0.members.count == 1 })
        let lengths = Dictionary(
            uniqueKeysWithValues: plan.families.map { ($0.name, $0.members[0].cell.lengthSeconds) })
        #expect(lengths["trunc1"] == 1 && lengths["combo_3s_skew2_white10"] == 3 && lengths["white-9"] == 5)
    }

    /// Recall by length compares only if nothing but the length differs; only whole recordings have a beginning.
    @Test func microphoneConditionsDifferInLengthAlone() throws {
        let plan = try PlanFile(path: PackageFolder.path + "/Corpora/Plans/microphone.yaml")
        #expect(
            plan.families.map { $0.members.map(\.cell.lengthSeconds) }
                == [10, 5, 3, 2].map { [Double](repeating: $0, count: 5) })
        let levels = plan.families.map { $0.members.map(\.cell.severityValue) }
        #expect(levels.allSatisfy { $0 == [6, 0, -6, -12, -18] })
        let chains = plan.families.map { $0.members.map { $0.chain.filter { $0.name != "startUp" } } }
        #expect(chains.allSatisfy { $0 == chains[0] })
        #expect(
            plan.families.map { $0.members[0].chain.contains { $0.name == "startUp" } }
                == [true, false, false, false])
    }

    @Test func copiesCannotBeGivenFolds() throws {
        var plan = try PlanFile(
            text: Self.head + "speedCopies: {tracks: 1, percents: [0, 1]}\nfamilies: [{name: a}]", name: "p")
        #expect(throws: ConfigurationError.self) {
            try plan.override(negativeFolds: NegativeFolds(count: 3))
        }
    }

    @Test func everyOverrideChangesTheDigest() throws {
        let plan = try PlanFile(text: Self.head + "families: [{name: a}]", name: "p.yaml")
        var digests: Set<String> = [plan.digest]
        for (corpus, positives, negatives, folds) in [
            ("games", nil, nil, nil), (nil, 5, nil, nil), (nil, nil, 5, nil), (nil, nil, nil, 5),
        ] as [(String?, Int?, Int?, Int?)] {
            var changed = plan
            try changed.override(
                corpus: corpus, positives: positives, negatives: negatives,
                negativeFolds: folds.map { NegativeFolds(count: $0) })
            digests.insert(changed.digest)
        }
        #expect(digests.count == 5)
        var same = plan
        try same.override()
        #expect(same.digest == plan.digest)
    }
}
