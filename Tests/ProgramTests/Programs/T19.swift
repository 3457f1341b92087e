// swift-format-ignore-file
import Combine
import Foundation
import ShazamKit

// A matcher that publishes its result to views.
struct PublishedResult: Equatable {
    let mediaItem: SHMatchedMediaItem?
}

class PublishingMatcher: NSObject, ObservableObject, SHSessionDelegate {
    @Published var result = PublishedResult(mediaItem: nil)

    private var session: SHSession?

    func match(_ signature: SHSignature, in catalog: SHCustomCatalog) {
        session = SHSession(catalog: catalog)
        session?.delegate = self
        session?.match(signature)
    }

    func session(_ session: SHSession, didFind match: SHMatch) {
        result = PublishedResult(mediaItem: match.mediaItems.first)
    }
}
