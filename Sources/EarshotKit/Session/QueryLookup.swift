import Fingerprinting

struct QueryLookup: Sendable {
    let catalog: SHCatalog
    let clock: PlaybackClock

    static let noCatalog = SHError(
        .matchAttemptFailed, message: "no catalog is online; make the session with an SHCustomCatalog")

    /// The engine's catalog.
    /// - Throws: `SHError` 202 if the session has no catalog, 300 if the catalog cannot be built.
    func engine() throws -> Catalog {
        guard let catalog = catalog as? SHCustomCatalog else { throw Self.noCatalog }
        return try catalog.engine()
    }

    func result(of signature: SHSignature, receivedAtSeconds: TimeInterval) -> SHSession.Result {
        do {
            let engine = try engine()
            try check(signature)
            let matches = try SHError.mapping(to: .customCatalogInvalid) {
                try engine.matchAll(Query(signature.signature)).filter(\.isAccepted)
            }
            guard !matches.isEmpty else { return .noMatch(signature) }
            let recognised = matches.map { match in
                let rate = 1 + match.timeSkew
                return RecognisedReference(
                    match: match, items: items(of: match), showsAll: catalog.showsAllItems,
                    line: PlaybackLine(
                        clock: clock, atSeconds: receivedAtSeconds,
                        positionSeconds: match.offsetSeconds + signature.duration * rate, rate: rate))
            }
            let found = RecognisedReference.mediaItems(of: recognised, atSeconds: receivedAtSeconds)
            return .match(SHMatch(mediaItems: found, querySignature: signature))
        } catch {
            return .error(error, signature)
        }
    }

    func items(of match: Match) -> [SHMediaItem] {
        (catalog as? SHCustomCatalog)?.items(ofReference: match.referenceIndex) ?? []
    }

    private func check(_ signature: SHSignature) throws {
        let allowed = catalog.queryDurations
        guard allowed.contains(signature.duration) else {
            throw SHError(
                .signatureDurationInvalid,
                message:
                    "the query lasts \(signature.duration) s; the catalog accepts \(allowed.lowerBound) to"
                    + " \(allowed.upperBound) s")
        }
        guard !signature.signature.peaks.isEmpty else {
            throw SHError(
                .signatureInvalid, message: "the query has no peaks: its \(signature.duration) s are silent")
        }
    }
}
