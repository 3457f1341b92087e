import Corpora
import Studies
import Testing

@Suite struct IntroPlanTests {
    static let text = """
        name: intros
        corpus: synthetic
        seed: 5
        sets: 1
        episodes: [3]
        queriedEpisodes: 2
        introSeconds: 8
        openingSeconds: {from: 0, to: 4}
        bodySeconds: 6
        queryLengths: [3]
        tails: [1, 2]
        insideQueries: 1
        skewSpacings: [0.5]
        skewQueries: 2
        conditions:
          - {name: clean}
          - {name: noise, chain: [{noise: {snrDecibels: 10, belowHertz: 4000}}]}
        """

    @Test func readsEveryKey() throws {
        let plan = try IntroPlanFile(text: Self.text, name: "t.yaml")
        #expect(plan.episodes == [3] && plan.queryLengths == [3] && plan.tails == [1, 2])
        #expect(plan.introSeconds == 8...8 && plan.openingSeconds == 0...4)
        #expect(plan.conditions.map(\.name) == ["clean", "noise"] && plan.half == .test)
        #expect(plan.margin == IntroDesign.usualMargin && plan.background == 0)
    }

    @Test(arguments: [
        ("episodes: [3]", "episodes: [1]", "2…100"),
        ("introSeconds: 8", "introSeconds: 2", "shorter than a query"),
        ("bodySeconds: 6", "bodySeconds: 2", "bodySeconds"),
        ("openingSeconds: {from: 0, to: 4}", "openingSeconds: {from: 5, to: 4}", "from <= to"),
        ("skewSpacings: [0.5]", "skewSpacings: [9]", "skewSpacings"),
        ("tails: [1, 2]", "tails: []", "tails"),
        ("sets: 1", "sets: 1\nset: 2", "unknown key"),
        ("name: clean}", "name: noise}", "different names"),
    ])
    func mistakesAreNamed(_ part: String, _ mistake: String, _ words: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try IntroPlanFile(text: Self.text.replacing(part, with: mistake), name: "t.yaml")
        }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func everyOverrideChangesTheDigest() throws {
        let plan = try IntroPlanFile(text: Self.text, name: "t.yaml")
        var other = plan
        other.replace("sets", \.sets, by: nil)
        #expect(other.digest == plan.digest)
        other.replace("sets", \.sets, by: 2)
        other.replace("margin", \.margin, by: 3)
        #expect(other.digest != plan.digest && other.sets == 2 && other.margin == 3)
    }

    @Test func tagsFillFivePercentEitherWay() {
        let counts = [0.5, 0.1, 5, 0.03].map(IntroDesign.episodes(taggedAt:))
        #expect(counts == [21, 101, 3, 333])
    }

    @Test func aLeadBelowTheMarginIsAmbiguous() {
        var record = IntroRecord(
            kind: .boundary, set: "s", episodes: 2, right: 2, condition: "clean", lengthSeconds: 5,
            tailSeconds: 1)
        #expect(record.verdict(margin: 8) == .missed)
        record.first = 2
        #expect(record.verdict(margin: 8) == .right)
        record.lead = 7.9
        #expect(record.verdict(margin: 8) == .ambiguous)
        record.lead = 8
        #expect(record.verdict(margin: 8) == .right)
        record.first = 1
        #expect(record.verdict(margin: 8) == .wrong)
        record.kind = .inside
        record.first = 2
        #expect(record.verdict(margin: 8) == .wrong)
    }

    @Test(arguments: [(-0.0026, -1), (-0.0025, 0), (0.00249, 0), (0.0025, 1), (0.05, 10)])
    func tagsAreHalfOpenRanges(_ skew: Double, _ tag: Int) {
        var record = IntroRecord(
            kind: .tag, set: "s", episodes: 21, right: 0, condition: "clean", lengthSeconds: 5,
            spacingPercent: 0.5)
        record.frequencySkew = skew
        #expect(record.tag == tag && record.freeTag == tag)
    }
}
