import EarshotKit

/// Listens for a song that there is a dance to, and remembers the dances that were found.
@MainActor public final class DanceFinder {
    /// How a search ended.
    public enum Outcome: Sendable {
        /// The song has a dance, which is in the library now.
        case found(SHMatchedMediaItem)
        /// No song that there is a dance to was heard.
        case unknown
    }

    private let session: SHManagedSession
    private let library: SHLibrary

    /// Takes the songs with their dances, each with a title and a Shazam ID of digits.
    public init(_ catalog: SHCustomCatalog, library: SHLibrary) {
        session = SHManagedSession(catalog: catalog)
        self.library = library
    }

    /// The dances found so far, the latest first.
    public var dances: [SHMediaItem] { library.items }

    /// Opens the microphone ahead of a search, which then has the seconds before it at hand.
    public func prepare() async { await session.prepare() }

    /// Listens until a song is recognised, for 10 s at most.
    ///
    /// - Throws: `SHError` 202 when there is no microphone or the search was cancelled, 400 when the library cannot
    ///   take the dance.
    public func find() async throws -> Outcome {
        switch await session.result() {
        case .match(let match):
            guard let dance = match.mediaItems.first(where: { $0.title != nil }) else { return .unknown }
            try await library.addItems([dance])
            return .found(dance)
        case .noMatch: return .unknown
        case .error(let error, _): throw error
        }
    }

    /// Ends a search.
    public func cancel() { session.cancel() }

    /// Forgets a dance.
    ///
    /// - Throws: `SHError` 400 when it is not among the dances, or the library cannot be written.
    public func forget(_ dance: SHMediaItem) async throws { try await library.removeItems([dance]) }
}
