// swift-format-ignore-file
import AVFoundation
import ShazamKit

// Episodes of a show share an opening; a role says who is seen when.
extension SHMediaItemProperty {
    static let episode = SHMediaItemProperty("episode")
    static let role = SHMediaItemProperty("role")
}

struct Season {
    let catalog = SHCustomCatalog()

    init(_ episodes: [URL], hero: [Range<TimeInterval>]) async throws {
        for (number, url) in episodes.enumerated() {
            let whole = SHMediaItem(properties: [.title: url.lastPathComponent, .episode: number + 1])
            let role = SHMediaItem(properties: [.episode: number + 1, .role: "hero", .timeRanges: hero])
            try catalog.addReferenceSignature(try await SHSignatureGenerator.signature(from: AVURLAsset(url: url)), representing: [whole, role])
        }
    }

    func episodes(in recording: SHSignature) async throws -> [[Int]] {
        let session = SHSession(catalog: catalog)
        var all: [[Int]] = []
        for try await slice in try recording.slices(from: 0, duration: 4, stride: 1) {
            guard case .match(let match) = await session.result(from: slice) else { all.append([]); continue }
            all.append(Set(match.mediaItems.compactMap { $0[.episode] as? Int }).sorted())
        }
        return all
    }
}
