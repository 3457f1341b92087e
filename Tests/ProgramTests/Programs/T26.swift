// swift-format-ignore-file
import ShazamKit

// What a user has recognised, by genre.
@MainActor @Observable final class LibraryModel {
    private(set) var genres: [(name: String, count: Int)] = []
    var problem: String?

    func reload() {
        let items = withObservationTracking { SHLibrary.default.items } onChange: {
            Task { @MainActor [weak self] in self?.reload() }
        }
        let counted = items.reduce(into: [String: Int]()) { counts, item in
            for genre in item.genres { counts[genre, default: 0] += 1 }
        }
        genres = counted.sorted { $0.value > $1.value }.map { ($0.key, $0.value) }
    }

    func keep(_ match: SHMatch) async {
        do { try await SHLibrary.default.addItems(match.mediaItems) }
        catch SHError.mediaLibrarySyncFailed { problem = "not kept" }
        catch { problem = error.localizedDescription }
    }

    func forget(_ item: SHMediaItem) async throws { try await SHLibrary.default.removeItems([item]) }
}
