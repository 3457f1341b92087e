import Foundation

/// The older form of ``SHLibrary``: it can be added to only.
public final class SHMediaLibrary: NSObject, Sendable {
    /// The library of the user, as this app sees it.
    public static let `default` = SHMediaLibrary(SHLibrary.default)

    private let library: SHLibrary

    /// Takes the library to add to.
    public init(_ library: SHLibrary) { self.library = library }

    /// Adds items, all or none.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed`, as ``SHLibrary/addItems(_:)`` does.
    public func add(_ mediaItems: [SHMediaItem]) async throws { try await library.addItems(mediaItems) }

    /// Adds items, all or none, then calls the handler, with nil when all is well.
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
