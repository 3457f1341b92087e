import AudioCore
import Evaluation
import Fingerprinting
import Foundation
import Matchers
import Synchronization

final class FingerprintingMatcher: Matcher {
    let name = "earshot"
    let version: String
    let settings: [String: String]

    private struct State {
        var signatures: [(id: String, signature: Signature)] = []
        var filler: (count: Int, seed: UInt64) = (0, 0)
        var catalog: Catalog?
    }

    private let engineSettings: Settings
    /// Signatures depend on the settings of analysis alone, but not on the number of peaks of queries.
    private let preparationKey: String
    private let state = Mutex(State())

    init(settings: Settings = Settings()) {
        engineSettings = settings
        version = Settings.engineVersion
        self.settings = Self.described(settings)
        let analysis = self.settings.filter {
            $0.key.hasPrefix("analysis.") && $0.key != "analysis.queryRank"
        }
        preparationKey = ([version] + analysis.map { "\($0.key)=\($0.value)" }.sorted())
            .joined(separator: "\n")
    }

    var powers: MatcherPowers {
        MatcherPowers(
            preparation: .init(key: preparationKey, prepare: signature, enrol: enrol), explain: explain,
            examination: .init(values: Self.measures, examine: examine),
            startStream: startStream, startPassages: startPassages, enrolFillers: enrolFillers)
    }

    func enrol(id: String, audio: AudioBuffer) throws { enrol(id, try signature(of: audio)) }

    private func signature(of audio: AudioBuffer) throws -> Signature {
        try SignatureExtractor.signature(of: audio, settings: engineSettings)
    }

    private func enrol(_ id: String, _ signature: Signature) {
        state.withLock { $0.signatures.append((id, signature)) }
    }

    private func enrolFillers(hours: Double, seed: UInt64) throws {
        try state.withLock { state in
            guard
                state.signatures.contains(where: {
                    $0.signature.durationSeconds >= SyntheticReferences.shortestSourceSeconds
                })
            else {
                throw MeasurementError(
                    "fillers need references of at least \(SyntheticReferences.shortestSourceSeconds) s, "
                        + "and none is enrolled")
            }
            state.filler = (Int(bounded: hours * 3600 / SyntheticReferences.seconds + 0.5), seed)
        }
    }

    func finishEnrolment() throws -> Int? {
        // Threads enrol in any order, but the order of the catalog must be fixed.
        let (signatures, filler) = state.withLock { state in
            defer { state.signatures = [] }
            return (state.signatures.sorted { $0.id < $1.id }, state.filler)
        }
        let catalog = try catalog(
            of: signatures.map { Reference(id: $0.id, signature: $0.signature) }, filler)
        state.withLock { $0.catalog = catalog }
        return catalog.indexBytes
    }

    private func catalog(of real: [Reference], _ filler: (count: Int, seed: UInt64)) throws -> Catalog {
        guard filler.count > 0 else { return try Catalog(references: real, settings: engineSettings) }
        let synthetic = SyntheticReferences(
            sources: real.map(\.signature), seed: filler.seed, settings: engineSettings)
        // One at a time, because the peaks of thousands of hours do not fit beside the index.
        return try Catalog(
            references: (0..<real.count + filler.count).lazy.map {
                $0 < real.count ? real[$0] : synthetic.reference($0 - real.count)
            }, settings: engineSettings)
    }

    var catalog: Catalog? { state.withLock { $0.catalog } }

    /// - Parameter task: what it was asked for, in words.
    func catalog(for task: String) throws -> Catalog {
        guard let catalog else {
            throw MeasurementError("\(name) was asked \(task) before enrolment was finished")
        }
        return catalog
    }

    func identify(_ query: Matchers.Query) throws -> [Matchers.Candidate] {
        try matches(query).map(Self.candidate)
    }

    func identify(_ query: Matchers.Query, most: Int) throws -> [Matchers.Candidate] {
        try matches(query, most: most).map { match in
            var candidate = Self.candidate(match)
            candidate.logLikelihoodDeficit = match.logLikelihoodDeficit
            return candidate
        }
    }

    private func matches(_ query: Matchers.Query, most: Int? = nil) throws -> [Match] {
        try catalog?.match(query: query.audio, most: most) ?? []
    }

    static func candidate(_ match: Match) -> Matchers.Candidate {
        var candidate = Matchers.Candidate(
            referenceID: match.referenceID, offsetSeconds: match.offsetSeconds,
            frequencySkew: match.frequencySkew, timeSkew: match.timeSkew, score: match.score,
            confidence: match.confidence, isAccepted: match.isAccepted)
        candidate.freeFrequencySkew = finite(match.freeFrequencySkew)
        candidate.freeTimeSkew = finite(match.freeTimeSkew)
        candidate.frequencySkewStandardError = finite(match.frequencySkewError)
        candidate.timeSkewStandardError = finite(match.timeSkewError)
        return candidate
    }

    /// Few peaks give an infinite error, which a store cannot hold.
    private static func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }

    /// Every setting as `group.name` → value.
    private static func described(_ settings: Settings) -> [String: String] {
        guard let data = try? JSONEncoder().encode(settings),
            let groups = try? JSONDecoder().decode([String: [String: SettingText]].self, from: data)
        else { return [:] }
        var described: [String: String] = [:]
        for (group, values) in groups {
            for (name, value) in values { described["\(group).\(name)"] = value.text }
        }
        return described
    }

    private struct SettingText: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {
                text = "\(number)"
            } else {
                let curve = try container.decode(Settings.Curve.self)
                text = "slopes \(curve.slopes) between \(curve.knots)"
            }
        }
    }
}

extension FingerprintingMatcher {
    private func explain(_ query: Matchers.Query, _ places: [ReferencePlace]) throws -> MatchExplanation {
        let catalog = try catalog(for: "to explain")
        let explained = try catalog.explain(query.audio)
        return MatchExplanation(
            queryPeaks: explained.peaks.map(SpectralPoint.init),
            candidates: explained.answers.map { match, parts in
                ExplainedCandidate(
                    Self.candidate(match), parts: parts.map { .init(name: $0.name, amount: $0.amount) },
                    matchedPeaks: match.matchedPeaks, comparedPeaks: match.comparedPeaks)
            },
            alignments: try places.map { try lay(explained.query, on: $0, of: catalog) },
            threshold: catalog.threshold)
    }

    private static let measures = ExaminedPlace.measured.map {
        MatcherPowers.Examination.Value(name: $0.name, meaning: $0.meaning)
    }

    private func examine(_ query: Matchers.Query) throws -> [CandidateEvidence] {
        try catalog(for: "to examine").examine(query.audio).map {
            CandidateEvidence(
                Self.candidate($0.match), variant: $0.bandSet, isChosen: $0.isChosen, values: $0.values)
        }
    }

    private func lay(
        _ query: Fingerprinting.Query, on place: ReferencePlace, of catalog: Catalog
    ) throws -> PeakAlignment {
        let votesFrom = -Double(ExplainedAlignment.margin) * ExplainedAlignment.frameSeconds
        guard let reference = try catalog.place(ofID: place.referenceID) else {
            return PeakAlignment(
                place: place, referencePeaks: [], pairs: [],
                votes: .init(firstSeconds: votesFrom, binSeconds: ExplainedAlignment.frameSeconds, counts: [])
            )
        }
        let aligned = try catalog.align(
            query, with: reference, offsetSeconds: place.offsetSeconds, frequencySkew: place.frequencySkew,
            timeSkew: place.timeSkew)
        return PeakAlignment(
            place: place, referencePeaks: aligned.reference.map(SpectralPoint.init),
            pairs: aligned.pairs.map { .init(query: $0.query, reference: $0.reference) },
            votes: .init(
                firstSeconds: votesFrom, binSeconds: ExplainedAlignment.frameSeconds, counts: aligned.votes))
    }
}

extension SpectralPoint {
    fileprivate init(_ peak: Peak) {
        self.init(seconds: peak.timeSeconds, hertz: peak.frequencyHertz)
    }
}
