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
    /// - Throws: `FingerprintingError` if it is no signature.
    package func peaks() throws -> Signature? {
        try excerpt.map { try Signature(encoded: [UInt8]($0), name: "the excerpt of \(reference)") }
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
