// swift-format-ignore-file
import ShazamKit

func listenOnce(_ catalog: SHCustomCatalog) async -> [SHMatchedMediaItem] {
    let session = SHManagedSession(catalog: catalog)
    await session.prepare()
    defer { session.cancel() }
    guard case .match(let match) = await session.result() else { return [] }
    return match.mediaItems.filter { $0.title == "Episode 2" }
}
@MainActor func status(_ session: SHManagedSession) -> String {
    switch session.state {
    case .idle: "idle"
    case .prerecording: "warming up"
    case .matching: "matching"
    }
}
func listenForever(_ session: SHManagedSession) async {
    for await result in session.results {
        if case .error(let error, _) = result { print(error); session.cancel() }
    }
}
