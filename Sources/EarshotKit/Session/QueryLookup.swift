import Fingerprinting

struct QueryLookup: Sendable {
    let catalog: SHCatalog
    let clock: PlaybackClock

    func result(of signature: SHSignature, receivedAtSeconds: TimeInterval) -> SHSession.Result {
        do {
            if let fault = catalog.fault { throw fault }
            try check(signature)
            let matches = try catalog.matches(of: signature)
            guard !matches.isEmpty else { return .noMatch(signature) }
            let found = catalog.mediaItems(
                of: matches, queryDuration: signature.duration, endingAtSeconds: receivedAtSeconds, of: clock)
            return .match(SHMatch(mediaItems: found, querySignature: signature))
        } catch {
            return .error(error, signature)
        }
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
