// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Matchers
import Metrics

/// All trials of a run as columns: what the page's table of trials is made of.
///
/// Entry n of each column is of trial n, in the order of the plan. Names of references and sources are places in
/// `names`. Units: offsets and errors of offsets in milliseconds, skews in millionths, scores in hundredths,
/// confidences in ten-thousandths, signal-to-noise ratios in hundredths of a decibel, latencies in microseconds.
enum TrialColumns {
    private static let mostAnswers = 3

    static func object(_ model: ReportModel) -> JSONObject {
        let (trials, shown) = (model.trials, model.shown)
        let reasons = TrialReason(model)
        let cells = Dictionary(
            model.cells.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        let listed = trials.map(Self.listed)
        var names = NameTable()
        for (trial, places) in zip(trials, listed) {
            let answers = places.map { trial.record.candidates[$0].referenceID }
            for name in [trial.record.trial.source] + trial.record.truthReferences + answers {
                _ = names.place(of: name)
            }
        }
        var templates = DigitTemplates()
        let chain = trials.map { templates.code($0.record.trial.chain.json) }
        func detail(_ name: String) -> Int? {
            shown.details[name] == nil ? nil : shown.embedded.contains(name) ? 1 : 2
        }
        return [
            "names": names.names,
            "conditions": model.cells.enumerated().map { condition($1, anchor: "cell-\($0 + 1)") },
            "chains": templates.templates,
            // The last is of trials that were not measured, if there are any.
            "outcomes": Outcome.allCases.map { outcome -> JSONObject in
                [
                    "key": outcome.rawValue, "name": outcome.title,
                    "isRight": outcome.isRight,
                ]
            } + (model.overall.notMeasured > 0 ? [["key": "notMeasured", "name": "Not measured"]] : []),
            // The score from which an answer is claimed, in hundredths.
            "threshold": whole(reasons.threshold, times: 100),
            // The command before the name of a trial.
            "command": model.commands.tryTrial,
            // Why requested details are missing.
            "remark": shown.remark,
            "id": trials.map(\.record.trial.id),
            // The trial's name quoted for a shell, where that differs.
            "word": trials.map { quoted($0.record.trial.id) },
            "condition": trials.map { cells[CellScore.Key($0.record)] ?? 0 },
            "outcome": trials.map { trial in
                trial.record.notMeasured == nil
                    ? trial.outcome.flatMap { Outcome.allCases.firstIndex(of: $0) } : Outcome.allCases.count
            },
            "source": trials.map { names.place(of: $0.record.trial.source) },
            "start": trials.map { whole($0.record.sourceStartSeconds, times: 1000) },
            "expected": trials.map { $0.record.truthReferences.map { names.place(of: $0) } },
            // Offset, frequency skew, time skew; empty for a negative.
            "truth": trials.map { $0.record.truth.map(truth) ?? [] },
            "rank": trials.map(\.rightRank),
            "count": trials.map(\.record.candidates.count),
            // The place of the claimed answer among those listed.
            "claim": zip(trials, listed).map { trial, places in
                trial.claim.flatMap { claim in places.firstIndex { trial.record.candidates[$0] == claim } }
            },
            // The candidates that are listed: the first three and the right one, `answerWidth` entries each.
            "answers": zip(trials, listed).map { trial, places in
                places.flatMap { answer(trial.record.candidates[$0], &names) }
            },
            "answerWidth": 7,
            "offsetError": trials.map { short($0.offsetErrorSeconds, times: 1000) },
            "frequencySkewError": trials.map {
                short($0.freeFrequencySkewError ?? $0.frequencySkewError, times: 1e6)
            },
            "timeSkewError": trials.map { short($0.freeTimeSkewError ?? $0.timeSkewError, times: 1e6) },
            "snr": trials.map { whole($0.record.query?.snrDecibels, times: 100) },
            "rate": trials.map { $0.record.query?.sampleRate ?? 0 },
            "channels": trials.map { $0.record.query?.channelCount ?? 0 },
            "latency": trials.map { whole($0.record.latency?.milliseconds, times: 1000) },
            "chain": chain,
            "error": trials.map(\.record.error),
            // Why a failed trial failed.
            "reason": trials.map { trial in
                trial.outcome?.isRight == true && trial.record.error == nil ? nil : reasons.text(trial)
            },
            // 1 for a detail in the page, 2 for one in a file beside it.
            "detail": trials.map { detail($0.record.trial.id) },
        ]
    }

    /// What the trials of a condition share, with its row in the table of conditions.
    private static func condition(_ cell: CellScore, anchor: String) -> JSONObject {
        [
            "name": cell.key.degradation, "severity": NumberText.severity(cell.key.severity),
            "seconds": cell.key.lengthSeconds, "anchor": anchor,
        ]
    }

    private static func quoted(_ name: String) -> String? {
        let word = ShellWord.quoted(name)
        return word == name ? nil : word
    }

    /// The places of the listed candidates.
    private static func listed(_ trial: JudgedTrial) -> [Int] {
        let first = Array(trial.record.candidates.indices.prefix(mostAnswers))
        guard let right = trial.rightRank, right > mostAnswers else { return first }
        return first + [right - 1]
    }

    private static func truth(_ truth: Truth) -> [Int?] {
        [
            whole(truth.offsetSeconds, times: 1000), whole(truth.frequencySkew, times: 1e6),
            whole(truth.timeSkew, times: 1e6),
        ]
    }

    /// Reference, offset, frequency skew, time skew, score, confidence, accepted.
    private static func answer(_ candidate: Candidate, _ names: inout NameTable) -> [Int?] {
        [
            names.place(of: candidate.referenceID), whole(candidate.offsetSeconds, times: 1000),
            whole(candidate.frequencySkew, times: 1e6), whole(candidate.timeSkew, times: 1e6),
            whole(candidate.score, times: 100), whole(candidate.confidence, times: 1e4),
            candidate.isAccepted ? 1 : 0,
        ]
    }

    /// A rounded figure; nil if it is not finite.
    private static func whole(_ value: Double?, times scale: Double) -> Int? {
        value.flatMap { Int(exactly: ($0 * scale).rounded()) }
    }

    /// A figure with two digits after the point.
    private static func short(_ value: Double?, times scale: Double) -> Double? {
        value.map { ($0 * scale * 100).rounded() / 100 }
    }
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
