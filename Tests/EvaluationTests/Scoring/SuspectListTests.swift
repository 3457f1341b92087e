import Corpora
import Evaluation
import Matchers
import Testing

@Suite struct SuspectListTests {
    private static func finding(
        _ first: String, _ second: String, at seconds: Double = 10, isKnown: Bool = false,
        kind: AuditFinding.Kind = .sharedSection
    ) -> AuditFinding {
        AuditFinding(
            kind: kind, verdict: .suspect, first: first, second: second, firstSeconds: seconds,
            secondSeconds: seconds + 20, lengthSeconds: 6, timeSkew: 0, correlation: 0.4567, isKnown: isKnown)
    }

    private static func trial(
        _ source: String, from start: Double, named: String? = nil, isPositive: Bool = true
    ) -> TrialRecord {
        var record = TrialStoreTests.record(
            "t", 0, "d", "", isPositive: isPositive, source: source, references: [source],
            truth: Truth(offsetSeconds: start, frequencySkew: 0, timeSkew: 0, skewChangePerSecond: 0))
        record.query?.sourceStartSeconds = start
        record.query?.sourceEndSeconds = start + 5
        if let named {
            record.candidates = [
                Candidate(referenceID: named, offsetSeconds: 0, score: 9, isAccepted: true)
            ]
        }
        return record
    }

    @Test func readsBackWhatItWrites() throws {
        let names = ["a b/ü.ogg", "say \"hi\": #1", "tab\there", "- dash", "line\nbreak"]
        var list = SuspectList().updated(with: names.map { Self.finding($0, "z") })
        list.entries[1].judgement = .different
        list.entries[1].note = "played anew: \"listen\""
        #expect(list.entries.count == names.count)
        #expect(try SuspectList(text: list.text, name: "x.suspects") == list)
        #expect(try SuspectList(text: SuspectList().text, name: "x.suspects").entries.isEmpty)
    }

    @Test func keepsJudgements() throws {
        var list = SuspectList().updated(with: [
            Self.finding("a", "b"), Self.finding("c", "d"), Self.finding("e", "f"),
        ])
        list.entries[0].judgement = .different
        list.entries[0].note = "two bands"
        list.entries[1].judgement = .same
        let next = list.updated(with: [
            Self.finding("a", "b", at: 11), Self.finding("a", "b", at: 90), Self.finding("g", "h"),
            Self.finding("i", "j", isKnown: true), Self.finding("k", "k", kind: .repeat),
        ])
        #expect(
            next.entries.map { "\($0.first)\($0.second) \($0.judgement)" } == [
                "ab different", "ab open", "cd same", "gh open",
            ])
        #expect(next.entries[0].note == "two bands" && next.entries[0].firstSeconds == 11)
    }

    @Test func doubtsTrialsOfThePassageOnly() {
        var list = SuspectList().updated(with: [Self.finding("a", "b")])
        func doubts(_ record: TrialRecord) -> Bool {
            list.putsInDoubt(record, claim: record.candidates.first?.referenceID)
        }
        #expect(doubts(Self.trial("a", from: 6)))
        #expect(doubts(Self.trial("a", from: 15.5)))
        #expect(!doubts(Self.trial("a", from: 4)))
        #expect(!doubts(Self.trial("a", from: 16.5)))
        #expect(doubts(Self.trial("b", from: 32)))
        #expect(!doubts(Self.trial("b", from: 10)))
        #expect(!doubts(Self.trial("c", from: 10)))
        // The two may be confused anywhere; a third recording is wrong.
        #expect(doubts(Self.trial("a", from: 100, named: "b")))
        #expect(!doubts(Self.trial("a", from: 100, named: "c")))
        #expect(!doubts(Self.trial("c", from: 100, named: "b")))
        list.entries[0].judgement = .different
        #expect(!doubts(Self.trial("a", from: 6)))
    }

    @Test(arguments: [
        ("suspects:\n  - judgement: perhaps\n", 2, "is none of: open, same, different"),
        ("suspects:\n  - judgement: open\n    kind: duplicate\n", 2, "the key `verdict` is missing"),
        ("suspects: 5\n", 1, "expected a list"),
        ("suspects: []\nother: 1\n", 2, "unknown key `other`"),
    ])
    func mistakesAreNamedWithTheirLine(text: String, line: Int, message: String) {
        #expect {
            try SuspectList(text: text, name: "games.suspects")
        } throws: { error in
            "\(error)".hasPrefix("games.suspects:\(line): ") && "\(error)".contains(message)
        }
    }
}
