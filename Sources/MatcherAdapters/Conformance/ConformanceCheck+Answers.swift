import Evaluation
import Matchers
import Metrics

extension ConformanceCheck {
    /// Clean queries: right, in seconds, best first.
    ///
    /// - Returns: the answers, nil where there was none.
    func checkAnswers() -> [[Candidate]?] {
        var errors: [String] = []
        let replies = music.clean.enumerated().map { number, question -> [Candidate]? in
            do {
                return try adapter().identify(question.audio, as: Self.opaque("q", number))
            } catch {
                errors.append("\(error)")
                return nil
            }
        }
        if let first = errors.first {
            note(.fail, "answers", "\(errors.count) of \(replies.count) erred: \(first)")
        }
        let pairs = zip(music.clean, replies).compactMap { question, reply in reply.map { (question, $0) } }
        let right = pairs.filter { $0.1.claim?.referenceID == $0.0.reference.map(String.init) }
        note(
            right.count == replies.count ? .pass : right.isEmpty ? .fail : .warn, "clean queries",
            "\(right.count) of \(replies.count) answered with the right reference",
            expected: right.count == replies.count
                ? "" : "all, of \(Int(CheckMusic.querySeconds)) s unchanged")
        checkOffsets(right.compactMap { question, reply in reply.claim.map { (question.offsetSeconds, $0) } })
        checkOrder(replies.compactMap(\.self))
        checkStrangers()
        return replies
    }

    private func checkOffsets(_ answers: [(truth: Double, claim: Candidate)]) {
        guard !answers.isEmpty else { return }
        let pairs = answers.map { (truth: $0.truth, answered: $0.claim.offsetSeconds) }
        let errors = pairs.map { abs($0.answered - $0.truth) }
        guard let median = Percentile.of(errors, at: 0.5) else { return }
        if median <= 0.5 {
            note(.pass, "offset", "median error \(Int((median * 1000).rounded())) ms, in seconds, right sign")
        } else {
            note(
                .fail, "offset", Self.offsetMistake(pairs),
                expected: "seconds into the reference at the query's first sample")
        }
    }

    /// What answered offsets look like beside the true ones, which are all different and positive.
    package static func offsetMistake(_ pairs: [(truth: Double, answered: Double)]) -> String {
        let example = pairs[0]
        let shown = "answered \(example.answered) where \(rounded(example.truth)) is right"
        func isAbout(_ factor: Double, plus shift: Double = 0) -> Bool {
            pairs.allSatisfy {
                abs($0.answered - ($0.truth * factor + shift)) <= 0.05 * abs($0.truth * factor) + 0.5
            }
        }
        let units: [(Double, String)] = [
            (1000, "milliseconds"), (-1000, "milliseconds with the sign reversed"),
            (44_100, "samples at 44.1 kHz"), (-1, "the sign is reversed"),
        ]
        if let unit = units.first(where: { isAbout($0.0) }) { return "\(shown): looks like \(unit.1)" }
        let shifts = pairs.map { $0.answered - $0.truth }
        if let shift = Percentile.of(shifts, at: 0.5), isAbout(1, plus: shift) {
            return "\(shown): \(rounded(shift)) s off throughout"
        }
        let ratios = pairs.map { $0.answered / $0.truth }
        if let ratio = Percentile.of(ratios, at: 0.5), isAbout(ratio), abs(ratio) > 0.01 {
            return "\(shown): about \(rounded(ratio)) a second, as frames or blocks"
        }
        return "\(shown): no unit fits"
    }

    static func rounded(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }

    private func checkOrder(_ replies: [[Candidate]]) {
        let scores = replies.map { $0.map(\.score) }
        let falling = scores.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0 >= $1 } }
        note(
            falling ? .pass : .fail, "best first",
            falling ? "scores fall in all \(scores.count) answers" : "a score rises within an answer",
            expected: falling ? "" : "the surest candidate first, a greater score for a surer one")
        let stated = replies.flatMap(\.self).compactMap(\.confidence)
        note(
            .pass, "confidence",
            stated.isEmpty ? "not stated" : "\(stated.min() ?? 0)…\(stated.max() ?? 0), within 0…1")
    }

    private func checkStrangers() {
        do {
            let replies = try music.strange.enumerated().map {
                try adapter().identify($0.element.audio, as: Self.opaque("s", $0.offset))
            }
            let claims = replies.count { $0.claim != nil }
            note(
                claims == 0 ? .pass : .warn, "music it does not know",
                "accepts \(claims) of \(replies.count)",
                expected: claims == 0 ? "" : "no answer, or `accepted` false")
        } catch {
            note(error, in: "music it does not know")
        }
    }
}
