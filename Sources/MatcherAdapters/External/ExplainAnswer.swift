import Matchers
import SystemIO

/// The answer to `explain`; each part but `query` may be missing.
struct ExplainAnswer: Codable {
    struct Candidate: Codable {
        var id: String
        var score: Double
        var offsetSeconds: Double?
        var parts: [ExplainedCandidate.ScorePart]?
        var matchedPeaks: Int?
        var comparedPeaks: Int?
    }

    struct Alignment: Codable {
        var id: String
        var offsetSeconds: Double
        var referencePeaks: [Point]?
        var pairs: [Pair]?
        var votes: PeakAlignment.OffsetVotes?
    }

    /// A peak as `[seconds, hertz]`, of which the second is null where a matcher has no frequencies.
    struct Point: Codable {
        var seconds: Double
        var hertz: Double?

        init(_ point: SpectralPoint) { (seconds, hertz) = (point.seconds, point.hertz) }

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            seconds = try list.decode(Double.self)
            hertz = try list.decode(Double?.self)
            try list.requireEnd()
        }

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(seconds)
            try list.encode(hertz)
        }
    }

    /// The places of two peaks that agree, as `[query, reference]`.
    struct Pair: Codable {
        var query: Int
        var reference: Int

        init(_ pair: PeakAlignment.Pair) { (query, reference) = (pair.query, pair.reference) }

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            query = try list.decode(Int.self)
            reference = try list.decode(Int.self)
            try list.requireEnd()
        }

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(query)
            try list.encode(reference)
        }
    }

    var query: String
    var queryPeaks: [Point]?
    var candidates: [Candidate]?
    var alignments: [Alignment]?
    var threshold: Double?

    static let mostPeaks = 20_000
    static let mostCandidates = 200
    static let mostParts = 40
    static let mostBins = 2000
    private static let times = -1e7...1e7
    private static let frequencies = 0...1e6
    private static let counts = 0...1_000_000_000

    init(_ explanation: MatchExplanation, of query: String) {
        self.query = query
        queryPeaks = explanation.queryPeaks.map(Point.init)
        candidates = explanation.candidates.map { explained in
            Candidate(
                id: explained.candidate.referenceID, score: explained.candidate.score,
                offsetSeconds: explained.candidate.offsetSeconds, parts: explained.parts,
                matchedPeaks: explained.matchedPeaks, comparedPeaks: explained.comparedPeaks)
        }
        alignments = explanation.alignments.map { alignment in
            Alignment(
                id: alignment.place.referenceID, offsetSeconds: alignment.place.offsetSeconds,
                referencePeaks: alignment.referencePeaks.map(Point.init),
                pairs: alignment.pairs.map(Pair.init), votes: alignment.votes)
        }
        threshold = explanation.threshold
    }

    /// The explanation; the candidates have no skews, and none is accepted.
    ///
    /// - Parameters:
    ///   - places: The places that were asked for.
    ///   - names: The judge's names of references by those of the adapter.
    /// - Throws: ``ExternalMatcherError`` for the first value that no explanation can have.
    func explanation(of places: [ReferencePlace], names: [String: String]) throws -> MatchExplanation {
        let peaks = try Self.points(queryPeaks ?? [], "queryPeaks")
        try Self.require(threshold ?? 0, isIn: nil, "threshold")
        return MatchExplanation(
            queryPeaks: peaks, candidates: try explainedCandidates(names),
            alignments: try peakAlignments(of: places, names, queryPeaks: peaks.count), threshold: threshold)
    }

    private func explainedCandidates(_ names: [String: String]) throws -> [ExplainedCandidate] {
        let candidates = candidates ?? []
        try Self.require(candidates.count, "candidates", most: Self.mostCandidates)
        let partNames = candidates.first?.parts?.map(\.name) ?? []
        return try candidates.enumerated().map { number, candidate in
            let key = "candidates[\(number)]"
            let reference = try Self.reference(candidate.id, names, key)
            try Self.require(candidate.score, isIn: nil, key + ".score")
            try Self.require(candidate.offsetSeconds ?? 0, isIn: Self.times, key + ".offsetSeconds")
            let parts = candidate.parts ?? []
            try Self.require(parts.count, key + ".parts", most: Self.mostParts)
            guard parts.isEmpty || parts.map(\.name) == partNames else {
                throw Self.refusal(
                    key + ".parts", parts.map(\.name).joined(separator: ", "),
                    "the names of the first candidate's parts, in their order")
            }
            for (place, part) in parts.enumerated() {
                guard (1...80).contains(part.name.count),
                    VisibleText.quoted(part.name, limit: .max) == part.name
                else {
                    throw Self.refusal(
                        "\(key).parts[\(place)].name", part.name, "1 to 80 characters that can be shown")
                }
                try Self.require(part.amount, isIn: nil, "\(key).parts[\(place)].amount")
            }
            guard (candidate.matchedPeaks == nil) == (candidate.comparedPeaks == nil) else {
                throw Self.refusal(key, "one of `matchedPeaks` and `comparedPeaks`", "both or none")
            }
            if let matched = candidate.matchedPeaks, let compared = candidate.comparedPeaks {
                guard Self.counts.contains(compared) else {
                    throw Self.refusal(key + ".comparedPeaks", compared, "a number in \(Self.counts)")
                }
                guard (0...compared).contains(matched) else {
                    throw Self.refusal(key + ".matchedPeaks", matched, "a number in 0...\(compared)")
                }
            }
            return ExplainedCandidate(
                Matchers.Candidate(
                    referenceID: reference, offsetSeconds: candidate.offsetSeconds, score: candidate.score,
                    isAccepted: false),
                parts: parts, matchedPeaks: candidate.matchedPeaks, comparedPeaks: candidate.comparedPeaks)
        }
    }

    private func peakAlignments(
        of places: [ReferencePlace], _ names: [String: String], queryPeaks: Int
    ) throws -> [PeakAlignment] {
        var open = places
        return try (alignments ?? []).enumerated().map { number, alignment in
            let key = "alignments[\(number)]"
            let reference = try Self.reference(alignment.id, names, key)
            try Self.require(alignment.offsetSeconds, isIn: Self.times, key + ".offsetSeconds")
            guard
                let asked = open.firstIndex(where: {
                    $0.referenceID == reference && abs($0.offsetSeconds - alignment.offsetSeconds) <= 1e-3
                })
            else {
                throw Self.refusal(
                    key, "\(alignment.id) at \(alignment.offsetSeconds) s", "one of the `places`, once")
            }
            let peaks = try Self.points(alignment.referencePeaks ?? [], key + ".referencePeaks")
            let pairs = alignment.pairs ?? []
            try Self.require(pairs.count, key + ".pairs", most: Self.mostPeaks)
            for (place, pair) in pairs.enumerated() {
                for (index, count) in [(pair.query, queryPeaks), (pair.reference, peaks.count)]
                where !(0..<count).contains(index) {
                    throw Self.refusal("\(key).pairs[\(place)]", index, "the place of one of \(count) peaks")
                }
            }
            if let votes = alignment.votes { try Self.check(votes, key + ".votes") }
            return PeakAlignment(
                place: open.remove(at: asked), referencePeaks: peaks,
                pairs: pairs.map { .init(query: $0.query, reference: $0.reference) },
                votes: alignment.votes ?? .init(firstSeconds: 0, binSeconds: 1, counts: []))
        }
    }

    private static func check(_ votes: PeakAlignment.OffsetVotes, _ key: String) throws {
        try require(votes.firstSeconds, isIn: times, key + ".firstSeconds")
        try require(votes.binSeconds, isIn: 1e-6...1e7, key + ".binSeconds")
        try require(votes.counts.count, key + ".counts", most: mostBins)
        if let place = votes.counts.firstIndex(where: { !counts.contains($0) }) {
            throw refusal("\(key).counts[\(place)]", votes.counts[place], "a number in \(counts)")
        }
    }

    private static func points(_ points: [Point], _ key: String) throws -> [SpectralPoint] {
        try require(points.count, key, most: mostPeaks)
        return try points.enumerated().map { number, point in
            try require(point.seconds, isIn: times, "\(key)[\(number)][0]")
            if let hertz = point.hertz { try require(hertz, isIn: frequencies, "\(key)[\(number)][1]") }
            return SpectralPoint(seconds: point.seconds, hertz: point.hertz)
        }
    }

    private static func reference(_ id: String, _ names: [String: String], _ key: String) throws -> String {
        guard let reference = names[id] else {
            throw refusal(key + ".id", "'\(id)'", "the id of an enrolled reference")
        }
        return reference
    }

    private static func require(_ count: Int, _ key: String, most: Int) throws {
        guard count <= most else { throw refusal(key, "a list of \(count)", "at most \(most)") }
    }

    private static func require(_ value: Double, isIn range: ClosedRange<Double>?, _ key: String) throws {
        if let range, !range.contains(value) { throw refusal(key, value, "a number in \(range)") }
        guard value.isFinite else { throw refusal(key, value, "a finite number") }
    }

    private static func refusal(_ key: String, _ value: some Any, _ expected: String) -> ExternalMatcherError
    {
        ExternalMatcherError("`\(key)` is \(VisibleText.quoted("\(value)")); expected \(expected)")
    }
}

extension UnkeyedDecodingContainer {
    /// - Throws: `DecodingError` if there is another value.
    fileprivate func requireEnd() throws {
        guard isAtEnd else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "expected two values"))
        }
    }
}
