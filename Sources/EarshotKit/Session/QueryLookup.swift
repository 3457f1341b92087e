import Fingerprinting

/// Looks queries up in a session's catalog.
struct QueryLookup: Sendable {
    let catalog: SHCatalog
    let clock: PlaybackClock

    /// The engine's catalog.
    ///
    /// - Throws: `SHError` 202 for a session without a catalog, 300 when it cannot be put together.
    func engine() throws -> Catalog {
        guard let catalog = catalog as? SHCustomCatalog else {
            throw SHError(
                .matchAttemptFailed,
                message: "there is no catalog online; make the session with an SHCustomCatalog")
        }
        return try catalog.engine()
    }

    /// The outcome for a signature that was handed over at a reading of the clock.
    func result(of signature: SHSignature, receivedAtSeconds: TimeInterval) -> SHSession.Result {
        do {
            let engine = try engine()
            try check(signature)
            let matches = try SHError.mapping(to: .customCatalogInvalid) {
                try engine.match(Query(signature.signature)).filter(\.isAccepted)
            }
            guard !matches.isEmpty else { return .noMatch(signature) }
            let recognised = matches.map { match in
                let rate = 1 + match.timeSkew
                return RecognisedReference(
                    match: match, items: items(of: match),
                    line: PlaybackLine(
                        clock: clock, atSeconds: receivedAtSeconds,
                        positionSeconds: match.offsetSeconds + signature.duration * rate, rate: rate))
            }
            let found = recognised.flatMap { $0.mediaItems(atSeconds: receivedAtSeconds) }
            return .match(SHMatch(mediaItems: found, querySignature: signature))
        } catch {
            return .error(error, signature)
        }
    }

    /// The media items of a match's reference.
    func items(of match: Match) -> [SHMediaItem] {
        (catalog as? SHCustomCatalog)?.items(ofReference: match.referenceIndex) ?? []
    }

    private func check(_ signature: SHSignature) throws {
        let allowed = catalog.queryDurations
        guard allowed.contains(signature.duration) else {
            throw SHError(
                .signatureDurationInvalid,
                message: "the query has \(signature.duration) s; the catalog takes \(allowed.lowerBound) to"
                    + " \(allowed.upperBound) s")
        }
        guard !signature.signature.peaks.isEmpty else {
            throw SHError(
                .signatureInvalid, message: "the query has no peaks: its \(signature.duration) s are silent")
        }
    }
}
