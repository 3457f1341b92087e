// swift-format-ignore-file
import ShazamKit

final class DelegateMatcher: NSObject, SHSessionDelegate {
    private var session: SHSession?
    private(set) var lastOffset: TimeInterval?

    func begin(_ query: SHSignature, in catalog: SHCustomCatalog) {
        if session?.catalog != catalog {
            session = SHSession(catalog: catalog)
            session?.delegate = self
        }
        session?.match(query)
    }
    func session(_ session: SHSession, didFind match: SHMatch) {
        guard let best = match.mediaItems.first else { return }
        lastOffset = best.predictedCurrentMatchOffset
        print(best.title ?? "?", best.matchOffset, best.frequencySkew, match.querySignature.duration)
    }
    func session(_ session: SHSession, didNotFindMatchFor signature: SHSignature, error: Error?) {
        if let error { print("failed:", error.localizedDescription) } else { print("no match for", signature.duration, "s") }
    }
}
final class OnlyHits: NSObject, SHSessionDelegate {           // both delegate methods are optional
    func session(_ session: SHSession, didFind match: SHMatch) { print(match.mediaItems.count) }
}
