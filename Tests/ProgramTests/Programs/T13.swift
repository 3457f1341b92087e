// swift-format-ignore-file
import ShazamKit

func scan(_ long: SHSignature, catalog: SHCustomCatalog) async throws -> [(TimeInterval, String)] {
    let session = SHSession(catalog: catalog)
    let width = min(10, catalog.maximumQuerySignatureDuration)
    precondition(width >= catalog.minimumQuerySignatureDuration)
    var hits: [(TimeInterval, String)] = []
    for try await slice in try long.slices(from: 0, duration: width, stride: 5) {
        if case .match(let m) = await session.result(from: slice), let item = m.mediaItems.first {
            hits.append((item.matchOffset, item.title ?? "?"))
        }
    }
    for try await slice in try long.slices(from: 2, duration: 8).prefix(3) { session.match(slice) }
    return hits
}
