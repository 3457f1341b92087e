import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers
import Metrics
import Reporting
import Testing

/// The table of all trials in the page, and the trials shown in full.
@Suite struct TrialsPageTests {
    /// A report in a folder of its own.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func text(_ name: String) throws -> String {
            try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
        }

        var scripts: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: path + "/trials")) ?? []).sorted()
        }
    }

    private typealias Columns = [String: Any]

    private func data(of script: String, in page: String) throws -> Any {
        let page = Data(page.utf8)
        let opening = Data("<script type=\"application/json\" id=\"\(script)\">".utf8)
        let start = try #require(page.range(of: opening)).upperBound
        let end = try #require(page.range(of: Data("</script>".utf8), in: start..<page.endIndex)).lowerBound
        let text = page[start..<end]
        #expect(!text.contains(UInt8(ascii: "<")) && !text.contains(UInt8(ascii: "&")))
        return try JSONSerialization.jsonObject(with: text)
    }

    /// The trial and the detail that a script beside the page hands over.
    private func handed(_ script: String) throws -> (place: Int, detail: [String: Any]) {
        let bytes = Data(script.utf8)
        #expect(script.hasPrefix("earshotTrial(") && script.hasSuffix(");\n"))
        let open = try #require(bytes.firstIndex(of: UInt8(ascii: "{")))
        let place = String(decoding: bytes[13..<(open - 2)], as: UTF8.self)
        let detail = try JSONSerialization.jsonObject(with: bytes[open..<(bytes.endIndex - 3)])
        return (try #require(Int(place)), try #require(detail as? [String: Any]))
    }

    private func columns(_ model: ReportModel) throws -> Columns {
        try #require(data(of: "trial-data", in: WrittenReport(model).page) as? Columns)
    }

    /// A detail with everything in it; whatever has a name is called `name`.
    private static func detail(_ trial: String, named name: String) -> TrialDetail {
        var detail = TrialDetail(trialID: trial)
        let place = ReferencePlace(
            referenceID: name, offsetSeconds: 12.25, frequencySkew: 0.01, timeSkew: -0.01)
        let sound = TrialDetail.Sound(data: Data("OggS".utf8), seconds: 5, wholeSeconds: 5)
        detail.query = sound
        detail.expected = TrialDetail.Passage(place: place)
        detail.expected?.sound = sound
        detail.expected?.alignment = 0
        detail.remarks = [name]
        detail.explanation = MatchExplanation(
            queryPeaks: [.init(seconds: 0.5, hertz: 440), .init(seconds: 1.25, hertz: 880.4)],
            candidates: [
                ExplainedCandidate(
                    Candidate(referenceID: name, offsetSeconds: 12.25, score: 4.5, isAccepted: true),
                    parts: [.init(name: name, amount: 4.5)], matchedPeaks: 1, comparedPeaks: 2)
            ],
            alignments: [
                PeakAlignment(
                    place: place, referencePeaks: [.init(seconds: 12.75, hertz: 441)],
                    pairs: [.init(query: 0, reference: 0)],
                    votes: .init(firstSeconds: -0.96, binSeconds: 0.32, counts: [0, 2, 1, 9, 1, 0, 3]))
            ], threshold: 3.5)
        return detail
    }

    private func model(
        _ records: [TrialRecord], details: Int, named name: String = "track", remark: String? = nil
    ) -> ReportModel {
        var model = ReportModel(records: records, facts: SampleRun.facts)
        model.shown = ShownTrials(details, of: model.trials, seed: model.facts.seed, remark: remark) {
            Self.detail($0, named: name)
        }
        return model
    }

    @Test func theColumnsHoldEveryTrial() throws {
        var records = SampleRun.records(positives: 4, negatives: 2)
        let unplaced = try #require(records.firstIndex { !$0.candidates.isEmpty })
        records[unplaced].candidates[0].offsetSeconds = nil
        let model = ReportModel(records: records, facts: SampleRun.facts)
        let columns = try columns(model)
        let names = try #require(columns["names"] as? [String])
        let chains = try #require(columns["chains"] as? [[String]])
        let outcomes = try #require(columns["outcomes"] as? [[String: Any]])
        let conditions = try #require(columns["conditions"] as? [[String: Any]])
        let markup = try WrittenReport(model).markup
        let lists = columns.filter { ($0.value as? [Any])?.count == model.trials.count }
        #expect(lists.count == 23, "\(lists.keys.sorted())")
        for (place, trial) in model.trials.enumerated() {
            func entry<T>(_ column: String) -> T? { (columns[column] as? [Any])?[place] as? T }
            let record = trial.record
            #expect(entry("id") == record.trial.id)
            let outcome: Int? = entry("outcome")
            #expect(outcome.flatMap { outcomes[$0]["key"] as? String } == trial.outcome?.rawValue)
            let condition = conditions[entry("condition") ?? 0]
            #expect(condition["name"] as? String == record.trial.cell.degradation)
            #expect(condition["seconds"] as? Double == record.trial.cell.lengthSeconds)
            #expect(markup.contains("<tr id=\"\(condition["anchor"] as? String ?? "")\""))
            let answers: [Any] = entry("answers") ?? []
            #expect(answers.count == 7 * record.candidates.count)
            for (rank, candidate) in record.candidates.enumerated() {
                let row = answers[(7 * rank)..<(7 * rank + 7)].map { $0 as? Int }
                #expect(row[0].map { names[$0] } == candidate.referenceID)
                #expect(row[1] == candidate.offsetSeconds.map { Int(($0 * 1000).rounded()) })
                #expect(row[4] == Int((candidate.score * 100).rounded()))
                #expect((row[6] == 1) == candidate.isAccepted)
            }
            #expect(entry("rank") == trial.rightRank)
            let parts = (entry("chain") ?? "").split(separator: " ").map(String.init)
            let template = chains[Int(parts[0]) ?? 0]
            #expect(template.count == parts.count)
            let chain = zip(template, parts.dropFirst() + [""]).map { $0 + $1 }.joined()
            #expect(chain == record.trial.chain.json)
            let reason: String? = entry("reason")
            #expect((reason == nil) == (trial.outcome?.isRight ?? false))
        }
    }

    @Test func fiveThousandTrialsFitIntoThePage() throws {
        var records = SampleRun.records(positives: 41, negatives: 20)
        for index in records.indices where records[index].candidates.count == 2 {
            // As many candidates as a search that finds nothing names, and chains with seeds.
            records[index].candidates += (2..<10).map { rank in
                var candidate = records[index].candidates[1]
                candidate.referenceID = "some-collection/Album \(rank)/Track \((index + rank) % 90).ogg"
                candidate.score -= Double(rank)
                return candidate
            }
            let seed = UInt64(index) &* 0x9E37_79B9_7F4A_7C15
            records[index].trial.chain = DegradationChain(
                steps: [AnyDegradation(Noise(colour: .pink, snrDecibels: -6, seed: seed))])
        }
        let model = ReportModel(records: records, facts: SampleRun.facts)
        #expect(model.trials.count >= 5000)
        let report = try WrittenReport(model)
        #expect(report.page.utf8.count < 3_000_000, "\(report.page.utf8.count)")
    }

    @Test func detailsAreInThePageOrBesideIt() throws {
        let records = SampleRun.records(positives: 4, negatives: 2)
        let folder = Folder()
        let many = model(records, details: 50)
        try many.write(to: folder.path)
        var page = try folder.text("report.html")
        let embedded = page.matches(of: #/id="trial-detail-(\d+)"/#).compactMap { Int($0.output.1) }
        #expect(embedded.count == 36 && folder.scripts.count == 14)
        #expect(page.contains("script-src 'unsafe-inline' 'self' file:;"))
        let columns = try #require(data(of: "trial-data", in: page) as? Columns)
        let held = try #require(columns["detail"] as? [Any]).map { $0 as? Int }
        #expect(held.indices.filter { held[$0] == 1 } == embedded)
        #expect(columns["threshold"] as? Int == 3600)
        for name in folder.scripts {
            let text = try folder.text("trials/" + name)
            let (place, detail) = try handed(text)
            #expect(held[place] == 2 && name.contains(String(place)))
            #expect(detail["id"] as? String == many.trials[place].record.trial.id)
        }
        // A report of fewer leaves no file of the earlier one, and what is not ours stays.
        try "kept".write(toFile: folder.path + "/trials/notes.js", atomically: true, encoding: .utf8)
        try model(records, details: 9).write(to: folder.path)
        page = try folder.text("report.html")
        #expect(folder.scripts == ["notes.js"])
        #expect(page.matches(of: #/id="trial-detail-/#).count == 9)
        #expect(!page.contains("file:;"))
        try model(records, details: 0).write(to: folder.path)
        #expect(try !folder.text("report.html").contains("id=\"trial-detail-"))
    }

    @Test func aDetailExplainsTheOutcome() throws {
        let model = model(SampleRun.records(positives: 1, negatives: 0), details: 3)
        let page = try WrittenReport(model).page
        let place = try #require(page.firstMatch(of: #/id="trial-detail-(\d+)"/#)).output.1
        let detail = try #require(data(of: "trial-detail-\(place)", in: page) as? [String: Any])
        #expect(
            detail["words"] as? [String] == [
                "1 of the query’s 2 peaks agree at the true place: that offset has 9 votes; others within "
                    + "1\u{A0}s have 1.2 on average and 3 at most."
            ])
        let sounds = try #require(detail["sounds"] as? [[String: Any]])
        #expect(sounds.map { $0["role"] as? String } == ["query", "expected"])
        #expect(sounds[0]["audio"] as? String == Data("OggS".utf8).base64EncodedString())
        #expect((sounds[0]["peaks"] as? [String: [Int]])?["times"] == [500, 1250])
        #expect(sounds[1]["pairs"] as? [Int] == [0, 0])
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "</script><script>alert(1)//", "<!-- <script>", "]]>",
        "it's \"quoted\" `$(x)`",
        "a\u{202E}gpj.exe", "line\u{2028}break\u{2029}", "nul\u{0}bell\u{7}\u{7F}\u{9F}", "\u{FFFD}\u{200F}",
        "-->", "{{{script}}}", "\\u003c/script\\u003e",
    ]) func hostileNamesAreTextInScriptsToo(name: String) throws {
        let records = Self.records(named: name)
        let folder = Folder()
        let model = model(records, details: 40, named: name, remark: name)
        try model.write(to: folder.path)
        let page = try folder.text("report.html")
        #expect(page.utf8.count(where: { $0 == UInt8(ascii: "<") }) == Self.harmlessBrackets)
        let columns = try #require(data(of: "trial-data", in: page) as? Columns)
        #expect(columns["id"] as? [String] == records.map(\.trial.id))
        #expect((columns["names"] as? [String])?.contains(name) == true)
        let words = try #require(columns["word"] as? [Any]).map { $0 as? String }
        for (word, record) in zip(words, records) {
            #expect(ShellWord.words(of: word ?? record.trial.id) == [record.trial.id])
        }
        #expect(folder.scripts.count == 4)
        let texts = try folder.scripts.map { try folder.text("trials/" + $0) }
        for text in texts + [page] {
            let unruly = text.unicodeScalars.first { scalar in
                (scalar.value < 32 && scalar != "\n" && scalar != "\t") || scalar == "\u{7F}"
                    || ("\u{202A}"..."\u{202E}").contains(scalar)
            }
            #expect(unruly == nil)
        }
        for text in texts {
            let separators: [Unicode.Scalar] = ["<", "\u{2028}", "\u{2029}"]
            #expect(!text.unicodeScalars.contains { separators.contains($0) })
            let detail = try handed(text).detail
            #expect(detail["remarks"] as? [String] == [name])
            #expect((detail["ladder"] as? [[String: Any]])?.first?["reference"] as? String == name)
        }
    }

    /// Sixty trials in which whatever has a name is called `name`.
    private static func records(named name: String) -> [TrialRecord] {
        var records = SampleRun.records(positives: 1, negatives: 1).prefix(60).map { record in
            var record = record
            record.trial.id = name + record.trial.id
            record.trial.source = name
            record.trial.chain = DegradationChain(steps: [AnyDegradation(ImpulseResponse(path: name))])
            for index in record.candidates.indices { record.candidates[index].referenceID = name }
            return record
        }
        records[3].error = name
        return records
    }

    /// How many angle brackets the same page has when nothing in it is hostile.
    private static let harmlessBrackets: Int? = {
        let name = "harmless"
        let folder = Folder()
        let model = TrialsPageTests().model(
            records(named: name), details: 40, named: name, remark: name)
        guard (try? model.write(to: folder.path)) != nil else { return nil }
        return try? folder.text("report.html").utf8.count { $0 == UInt8(ascii: "<") }
    }()

    @Test func missingDetailsHaveAReason() throws {
        var model = ReportModel(
            records: SampleRun.records(positives: 1, negatives: 1), facts: SampleRun.facts)
        #expect(try WrittenReport(model).page.contains("None has sound"))
        model.shown = ShownTrials(12, of: model.trials, seed: 1, remark: "the corpus <games> is gone") { _ in
            nil
        }
        let page = try WrittenReport(model).page
        #expect(page.contains("None has sound: the corpus &lt;games&gt; is gone"))
        let columns = try #require(data(of: "trial-data", in: page) as? Columns)
        #expect(columns["remark"] as? String == "the corpus <games> is gone")
    }
}
