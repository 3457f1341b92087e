extension Candidate {
    /// A value that no answer can have, in words; nil if there is none.
    package var fault: String? {
        let most = 1e7
        if let offsetSeconds, !(abs(offsetSeconds) <= most) { return "an offset of \(offsetSeconds) s" }
        if !(abs(score) <= .greatestFiniteMagnitude) { return "a score of \(score)" }
        if let confidence, !(0...1).contains(confidence) { return "a confidence of \(confidence)" }
        let others = [
            frequencySkew, timeSkew, freeFrequencySkew, freeTimeSkew, frequencySkewStandardError,
            timeSkewStandardError, logLikelihoodDeficit,
        ]
        return others.compactMap(\.self).first { !($0.isFinite && abs($0) <= most) }.map { "a skew of \($0)" }
    }
}
