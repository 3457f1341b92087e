// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Matchers
import Metrics

/// All trials of a run as columns: what the page's table of trials is made of.
///
/// Entry n of each column is of trial n, in the order of the plan. Names of references and sources are places in
/// `names`. Units: offsets and errors of offsets in milliseconds, skews in millionths, scores in hundredths,
/// confidences in ten-thousandths, signal-to-noise ratios in hundredths of a decibel, latencies in microseconds.
struct TrialColumns: Encodable {
    /// What the trials of one condition share.
    struct Condition: Encodable {
        let name: String
        let severity: String
        let seconds: Double
        /// The row of the condition in the table of conditions.
        let anchor: String
    }

    /// An outcome as the page names it.
    struct OutcomeName: Encodable {
        let key: String
        let name: String
        let isRight: Bool
    }

    private(set) var names: [String] = []
    private(set) var conditions: [Condition] = []
    private(set) var chains: [[String]] = []
    let outcomes = Outcome.allCases.map {
        OutcomeName(key: $0.rawValue, name: OutcomeContent.name(of: $0), isRight: $0.isRight)
    }
    /// The score from which an answer is claimed, in hundredths.
    let threshold: Int?
    /// The command before the name of a trial.
    let command: String
    /// Why requested details are missing.
    let remark: String?

    private(set) var id: [String] = []
    /// The trial's name quoted for a shell, where that differs.
    private(set) var word: [String?] = []
    private(set) var condition: [Int] = []
    private(set) var outcome: [Int?] = []
    private(set) var source: [Int] = []
    private(set) var start: [Int?] = []
    private(set) var expected: [[Int]] = []
    /// Offset, frequency skew, time skew; empty for a negative.
    private(set) var truth: [[Int?]] = []
    private(set) var rank: [Int?] = []
    private(set) var count: [Int] = []
    /// The place of the claimed answer among those listed.
    private(set) var claim: [Int?] = []
    /// The candidates that are listed: the first three and the right one, ``answerWidth`` entries each.
    ///
    /// Reference, offset, frequency skew, time skew, score, confidence, accepted.
    private(set) var answers: [[Int?]] = []
    private(set) var offsetError: [Double?] = []
    private(set) var frequencySkewError: [Double?] = []
    private(set) var timeSkewError: [Double?] = []
    private(set) var snr: [Int?] = []
    private(set) var rate: [Int] = []
    private(set) var channels: [Int] = []
    private(set) var latency: [Int?] = []
    private(set) var chain: [String] = []
    private(set) var error: [String?] = []
    /// Why a failed trial failed.
    private(set) var reason: [String?] = []
    /// 1 for a detail in the page, 2 for one in a file beside it.
    private(set) var detail: [Int?] = []

    let answerWidth = 7
    private static let mostAnswers = 3

    init(_ model: ReportModel) {
        threshold = TrialReason(model).threshold.flatMap { Self.whole($0 * 100) }
        command = model.commands.tryTrial
        remark = model.shown.remark
        let cells = Dictionary(
            model.cells.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        conditions = model.cells.enumerated().map { number, cell in
            Condition(
                name: cell.key.degradation, severity: NumberText.severity(cell.key.severity),
                seconds: cell.key.lengthSeconds, anchor: "cell-\(number + 1)")
        }
        var table = NameTable()
        var templates = DigitTemplates()
        let reasons = TrialReason(model)
        for trial in model.trials {
            condition.append(cells[CellScore.Key(trial.record)] ?? 0)
            addQuery(trial.record, &table, &templates)
            addAnswers(trial, &table)
            addJudgement(trial, reasons, model.shown)
        }
        names = table.names
        chains = templates.templates
    }

    private mutating func addQuery(
        _ record: TrialRecord, _ table: inout NameTable, _ templates: inout DigitTemplates
    ) {
        id.append(record.trial.id)
        let quoted = ShellWord.quoted(record.trial.id)
        word.append(quoted == record.trial.id ? nil : quoted)
        source.append(table.place(of: record.trial.source))
        start.append(record.sourceStartSeconds.flatMap { Self.whole($0 * 1000) })
        expected.append(record.truthReferences.map { table.place(of: $0) })
        truth.append(
            record.truth.map { truth in
                [
                    truth.offsetSeconds.map { $0 * 1000 }, truth.frequencySkew.map { $0 * 1e6 },
                    truth.timeSkew.map { $0 * 1e6 },
                ].map { $0.flatMap(Self.whole) }
            } ?? [])
        snr.append(record.query?.snrDecibels.flatMap { Self.whole($0 * 100) })
        rate.append(record.query?.sampleRate ?? 0)
        channels.append(record.query?.channelCount ?? 0)
        latency.append(record.latency.flatMap { Self.whole($0.milliseconds * 1000) })
        chain.append(templates.code(record.trial.chain))
        error.append(record.error)
    }

    private mutating func addAnswers(_ trial: JudgedTrial, _ table: inout NameTable) {
        let candidates = trial.record.candidates
        var listed = Array(candidates.indices.prefix(Self.mostAnswers))
        if let right = trial.rightRank, right > Self.mostAnswers { listed.append(right - 1) }
        rank.append(trial.rightRank)
        count.append(candidates.count)
        claim.append(trial.claim.flatMap { claim in listed.firstIndex { candidates[$0] == claim } })
        answers.append(listed.flatMap { answer(candidates[$0], &table) })
    }

    private func answer(_ candidate: Candidate, _ table: inout NameTable) -> [Int?] {
        [
            table.place(of: candidate.referenceID), Self.whole(candidate.offsetSeconds * 1000),
            candidate.frequencySkew.flatMap { Self.whole($0 * 1e6) },
            candidate.timeSkew.flatMap { Self.whole($0 * 1e6) }, Self.whole(candidate.score * 100),
            candidate.confidence.flatMap { Self.whole($0 * 1e4) }, candidate.isAccepted ? 1 : 0,
        ]
    }

    private mutating func addJudgement(_ trial: JudgedTrial, _ reasons: TrialReason, _ shown: ShownTrials) {
        outcome.append(trial.outcome.flatMap { Outcome.allCases.firstIndex(of: $0) })
        offsetError.append(trial.offsetErrorSeconds.map { Self.short($0 * 1000) })
        frequencySkewError.append(
            (trial.freeFrequencySkewError ?? trial.frequencySkewError).map { Self.short($0 * 1e6) })
        timeSkewError.append((trial.freeTimeSkewError ?? trial.timeSkewError).map { Self.short($0 * 1e6) })
        let isRight = trial.outcome?.isRight == true && trial.record.error == nil
        reason.append(isRight ? nil : reasons.text(trial))
        let name = trial.record.trial.id
        detail.append(shown.details[name] == nil ? nil : shown.embedded.contains(name) ? 1 : 2)
    }

    /// A rounded figure; nil if it is not finite.
    private static func whole(_ value: Double) -> Int? { Int(exactly: value.rounded()) }

    /// A figure with two digits after the point.
    private static func short(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

/// A list of frequent texts, referred to by their place.
struct NameTable {
    private(set) var names: [String] = []
    private var places: [String: Int] = [:]

    /// The place of `name`, which is added when it is new.
    mutating func place(of name: String) -> Int {
        if let place = places[name] { return place }
        places[name] = names.count
        names.append(name)
        return names.count - 1
    }
}

/// Texts that differ in their digits only, as a template and the digits of each.
struct DigitTemplates {
    /// Each template as the texts between runs of digits.
    private(set) var templates: [[String]] = []
    private var places: [[String]: Int] = [:]

    /// The place of the template of `text`, then its runs of digits, separated by spaces.
    mutating func code(_ text: String) -> String {
        var between = [""]
        var runs: [String] = []
        var isInRun = false
        for scalar in text.unicodeScalars {
            let isDigit = ("0"..."9").contains(scalar)
            if isDigit, !isInRun {
                runs.append("")
                between.append("")
            }
            if isDigit {
                runs[runs.count - 1].unicodeScalars.append(scalar)
            } else {
                between[between.count - 1].unicodeScalars.append(scalar)
            }
            isInRun = isDigit
        }
        let place = places[between] ?? templates.count
        if place == templates.count {
            places[between] = place
            templates.append(between)
        }
        return ([String(place)] + runs).joined(separator: " ")
    }
}
