// swift-format-ignore-file
import ShazamKit

func identify(_ query: SHSignature, catalog: SHCatalog) async throws -> [SHMatchedMediaItem] {
    let session = SHSession(catalog: catalog)
    switch await session.result(from: query) {
    case .match(let match): return match.mediaItems
    case .noMatch: return []
    case .error(let error, _): throw error
    }
}
func isHit(_ result: SHSession.Result) -> Bool { if case .match = result { true } else { false } }
