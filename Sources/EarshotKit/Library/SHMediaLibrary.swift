/// The older, add-only form of ``SHLibrary``.
public final class SHMediaLibrary: NSObject, Sendable {
    /// The user's library for this app.
    public static let `default` = SHMediaLibrary(SHLibrary.default)

    private let library: SHLibrary

    /// Wraps a library.
    public init(_ library: SHLibrary) { self.library = library }

    /// Adds items, all or none.
    /// - Throws: `SHError.mediaLibrarySyncFailed`, as ``SHLibrary/addItems(_:)`` does.
    public func add(_ mediaItems: [SHMediaItem]) async throws { try await library.addItems(mediaItems) }

    /// Adds items, all or none, and passes the error or nil to the handler.
    public func add(
        _ mediaItems: [SHMediaItem], completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Task {
            do {
                try await library.addItems(mediaItems)
                completionHandler(nil)
            } catch {
                completionHandler(error)
            }
        }
    }
}
