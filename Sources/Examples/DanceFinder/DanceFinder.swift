import ShazamKit

/// Recognises songs that have a dance, and stores the dances found.
@MainActor package final class DanceFinder {
    package enum Outcome: Sendable {
        /// The song has a dance, now in the library.
        case found(SHMatchedMediaItem)
        case unknown
    }

    private let session: SHManagedSession
    private let library: SHLibrary

    /// Takes a catalog of songs, each with a title and an all-digit Shazam ID.
    package init(_ catalog: SHCustomCatalog, library: SHLibrary) {
        session = SHManagedSession(catalog: catalog)
        self.library = library
    }

    package var dances: [SHMediaItem] { library.items }

    /// Opens the microphone early, so that a search can use the seconds before it.
    package func prepare() async { await session.prepare() }

    /// Listens for up to 10 s until it recognises a song.
    ///
    /// - Throws: `SHError` 202 if there is no microphone or the search was cancelled, 400 if the library
    ///   cannot store the dance.
    package func find() async throws -> Outcome {
        switch await session.result() {
        case .match(let match):
            guard let dance = match.mediaItems.first(where: { $0.title != nil }) else { return .unknown }
            try await library.addItems([dance])
            return .found(dance)
        case .noMatch: return .unknown
        case .error(let error, _): throw error
        }
    }

    package func cancel() { session.cancel() }

    /// Removes a dance.
    ///
    /// - Throws: `SHError` 400 if it is not among ``dances`` or the library cannot be written.
    package func forget(_ dance: SHMediaItem) async throws { try await library.removeItems([dance]) }
}
