import Degradations
import Evaluation
import Matchers
import Metrics

extension ConformanceCheck {
    /// Units and signs of skews, at 2 %, as far as the matcher finds such queries and states skews.
    func checkSkews() {
        check("speed +2 %", Speed(percent: 2))
        check("speed -2 %", Speed(percent: -2))
        check("pitch +2 %", Pitch(percent: 2))
        check("tempo +2 %", Tempo(percent: 2))
    }

    private func check(_ name: String, _ step: any Degradation) {
        do {
            var claims: [(question: CheckMusic.Question, claim: Candidate)] = []
            for (number, question) in try music.questions([AnyDegradation(step)]).enumerated() {
                let reply = try adapter().identify(question.audio, as: Self.opaque(name, number))
                guard let claim = reply.claim, claim.referenceID == question.reference.map(String.init) else {
                    continue
                }
                claims.append((question, claim))
            }
            guard let truth = claims.first?.question else {
                return note(.pass, name, "not found, so skews are not checked")
            }
            let parts = [
                Self.mistake("frequencySkew", claims.compactMap(\.claim.frequencySkew), truth.frequencySkew),
                Self.mistake("timeSkew", claims.compactMap(\.claim.timeSkew), truth.timeSkew),
            ]
            let isRight = parts.allSatisfy { !$0.isWrong }
            note(
                isRight ? .pass : .fail, name,
                "\(claims.count) of \(CheckMusic.skewedCount) found, "
                    + parts.map(\.words).joined(separator: ", "),
                expected: isRight
                    ? ""
                    : "frequencySkew \(Self.rounded(truth.frequencySkew)) and timeSkew "
                        + "\(Self.rounded(truth.timeSkew)), as fractions, or null")
        } catch {
            note(error, in: name)
        }
    }

    package static func mistake(_ name: String, _ answered: [Double], _ truth: Double) -> (
        words: String, isWrong: Bool
    ) {
        guard let median = Percentile.of(answered, at: 0.5) else { return ("\(name) not stated", false) }
        let tolerance = 0.008
        let shown = "\(name) \(rounded(median))"
        if abs(median - truth) <= tolerance { return (shown, false) }
        if abs(median + truth) <= tolerance { return ("\(shown): the sign is reversed", true) }
        if abs(median - truth * 100) <= tolerance * 100 { return ("\(shown): looks like percent", true) }
        if abs(median - 1 - truth) <= tolerance { return ("\(shown): looks like a ratio", true) }
        return (shown, true)
    }
}
