import Fingerprinting

/// The answer of a server to a query.
package struct MatchReply: Codable, Sendable {
    package struct Alternative: Codable, Sendable {
        let matchOffset: Double
        let score: Double
    }

    /// What ranks references of several catalogs.
    package struct Evidence: Codable, Sendable {
        let matchedPeaks: Int
        let comparedPeaks: Int
        let logLikelihoodRatio: Double
        let chanceOfPeak: Float
        let skewKind: SkewKind
        let measuredFrequencySkew: Double
        let measuredTimeSkew: Double
        let reverberationDelay: Double
    }

    /// A reference, where the query is in it, and its media items.
    package struct Reference: Codable, Sendable {
        package let reference: String
        package let matchOffset: Double
        let matchOffsetError: Double
        let frequencySkew: Double
        let frequencySkewError: Double
        let timeSkew: Double
        let timeSkewError: Double
        package let score: Double
        let confidence: Double
        var isAccepted: Bool
        let alternatives: [Alternative]
        let evidence: Evidence
        let items: [ItemReply]
        /// A signature file with the reference's peaks from the match on, if the request asks for them.
        var excerpt: Data?
    }

    /// The size of the catalog, in hours.
    package let catalogHours: Double
    package let generation: Int
    /// Whether parts of the catalog could not be asked.
    package let isPartial: Bool
    /// The references that contain the query, best first; empty if none does.
    package let references: [Reference]

    package init(catalogHours: Double, generation: Int, isPartial: Bool, references: [Reference]) {
        self.catalogHours = catalogHours
        self.generation = generation
        self.isPartial = isPartial
        self.references = references
    }
}

/// A media item; its properties have the forms of JSON in <doc:MediaItemTables>.
package struct ItemReply: Codable, Sendable {
    let id: UUID
    let properties: [String: TypedValue]

    package init(_ item: SHMediaItem) {
        id = item.id
        properties = Dictionary(
            item.stored.properties.map { ($0.key, TypedValue($0.value)) },
            uniquingKeysWith: { first, _ in first })
    }

    var item: SHMediaItem {
        let stored = properties.sorted { $0.key < $1.key }.map { MediaItem.Property($0.key, $0.value.value) }
        return SHMediaItem(stored: MediaItem(stored), id: id, isIDStored: true)
    }
}

extension MatchReply.Reference {
    package init(_ match: Match, items: [SHMediaItem], excerpt: Signature?) {
        reference = match.referenceID
        matchOffset = match.offsetSeconds
        matchOffsetError = match.offsetErrorSeconds.asJSON
        frequencySkew = match.frequencySkew
        frequencySkewError = match.frequencySkewError.asJSON
        timeSkew = match.timeSkew
        timeSkewError = match.timeSkewError.asJSON
        score = match.score.asJSON
        confidence = match.confidence
        isAccepted = match.isAccepted
        alternatives = match.alternatives.map {
            MatchReply.Alternative(matchOffset: $0.offsetSeconds, score: $0.score.asJSON)
        }
        evidence = MatchReply.Evidence(
            matchedPeaks: match.matchedPeaks, comparedPeaks: match.comparedPeaks,
            logLikelihoodRatio: match.peakEvidence.asJSON, chanceOfPeak: match.chanceOfPeak,
            skewKind: match.skewKind, measuredFrequencySkew: match.freeFrequencySkew,
            measuredTimeSkew: match.freeTimeSkew, reverberationDelay: match.reverberationDelaySeconds)
        self.items = items.map(ItemReply.init)
        self.excerpt = excerpt.map { Data($0.encoded()) }
    }

    /// The same, accepted or not, without its excerpt if that is not wanted.
    package func with(isAccepted: Bool, keepsExcerpt: Bool) -> Self {
        var reference = self
        reference.isAccepted = isAccepted
        if !keepsExcerpt { reference.excerpt = nil }
        return reference
    }

    /// The peaks of the excerpt; nil if there is none.
    /// - Throws: `FingerprintingError` if it is no signature, `CatalogFault` if it has more peaks than audio has.
    package func peaks() throws -> Signature? {
        try excerpt.map { excerpt in
            let peaks = try Signature(encoded: [UInt8](excerpt), name: "the excerpt of \(reference)")
            guard !peaks.isDense else {
                throw CatalogFault(
                    .signatureInvalid, "the excerpt of \(reference) has \(peaks.peaks.count) peaks",
                    remedy: "Ask who runs the server.")
            }
            return peaks
        }
    }

    /// The match, of the reference at an index.
    package func match(at place: Int) -> Match {
        Match(
            referenceID: reference, referenceIndex: place, offsetSeconds: matchOffset,
            reverberationDelaySeconds: evidence.reverberationDelay,
            alternatives: alternatives.map {
                Match.Alternative(offsetSeconds: $0.matchOffset, score: $0.score)
            },
            offsetErrorSeconds: matchOffsetError, skewKind: evidence.skewKind, frequencySkew: frequencySkew,
            timeSkew: timeSkew, freeFrequencySkew: evidence.measuredFrequencySkew,
            freeTimeSkew: evidence.measuredTimeSkew, frequencySkewError: frequencySkewError,
            timeSkewError: timeSkewError, score: score, isAccepted: isAccepted,
            matchedPeaks: evidence.matchedPeaks, comparedPeaks: evidence.comparedPeaks,
            peakEvidence: evidence.logLikelihoodRatio, chanceOfPeak: evidence.chanceOfPeak)
    }
}

extension Double {
    /// The nearest number that JSON has.
    fileprivate var asJSON: Double {
        isNaN ? 0 : Swift.min(Swift.max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }
}

// MARK: - Decoding

extension MatchReply.Alternative {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        matchOffset = try container.decode(.matchOffset, in: AnswerRange.offsets)
        score = try container.decode(.score, in: AnswerRange.scores)
    }
}

extension MatchReply.Evidence {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        matchedPeaks = try container.decode(.matchedPeaks, in: AnswerRange.counts)
        comparedPeaks = try container.decode(.comparedPeaks, in: AnswerRange.counts)
        logLikelihoodRatio = try container.decode(.logLikelihoodRatio, in: AnswerRange.scores)
        chanceOfPeak = Float(try container.decode(.chanceOfPeak, in: AnswerRange.chances))
        skewKind = try container.decode(SkewKind.self, forKey: .skewKind)
        measuredFrequencySkew = try container.decode(.measuredFrequencySkew, in: AnswerRange.skews)
        measuredTimeSkew = try container.decode(.measuredTimeSkew, in: AnswerRange.skews)
        reverberationDelay = try container.decode(.reverberationDelay, in: AnswerRange.delays)
    }
}

extension MatchReply.Reference {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        reference = try container.decode(String.self, forKey: .reference)
        matchOffset = try container.decode(.matchOffset, in: AnswerRange.offsets)
        matchOffsetError = try container.decode(.matchOffsetError, in: AnswerRange.errors)
        frequencySkew = try container.decode(.frequencySkew, in: AnswerRange.skews)
        frequencySkewError = try container.decode(.frequencySkewError, in: AnswerRange.errors)
        timeSkew = try container.decode(.timeSkew, in: AnswerRange.skews)
        timeSkewError = try container.decode(.timeSkewError, in: AnswerRange.errors)
        score = try container.decode(.score, in: AnswerRange.scores)
        confidence = try container.decode(.confidence, in: AnswerRange.probabilities)
        isAccepted = try container.decode(Bool.self, forKey: .isAccepted)
        alternatives = try container.decode([MatchReply.Alternative].self, forKey: .alternatives)
        evidence = try container.decode(MatchReply.Evidence.self, forKey: .evidence)
        items = try container.decode([ItemReply].self, forKey: .items)
        excerpt = try container.decodeIfPresent(Data.self, forKey: .excerpt)
    }
}

extension MatchReply {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        catalogHours = try container.decode(.catalogHours, in: AnswerRange.hours)
        generation = try container.decode(.generation, in: AnswerRange.generations)
        isPartial = try container.decode(Bool.self, forKey: .isPartial)
        references = try container.decode([Reference].self, forKey: .references)
    }
}
