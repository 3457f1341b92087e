import EarshotKit
import KitTestSupport
import Testing

/// What managed sessions do before the microphone opens; there is none here.
@Suite struct PreparationTests {
    private static let nowhere = "unix:/nowhere/socket"

    @Test func withoutACatalogTheMicrophoneStaysClosed() async throws {
        let session = SHManagedSession(catalog: SHCatalog(), device: nil, server: Self.nowhere)
        await session.prepare()
        #expect(await session.state == .idle)
        var outcomes = [await session.result()]
        for await outcome in session.results { outcomes.append(outcome) }
        #expect(outcomes.count == 2)
        for outcome in outcomes {
            guard case .error(let error as SHError, _) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(error.code == .matchAttemptFailed && error.message.contains("no catalog is online"))
        }
        #expect(await session.state == .idle)
    }

    @Test func preparingBuildsTheIndex() async throws {
        let catalog = try SongBook.catalog()
        let session = SHManagedSession(catalog: catalog, device: nil, server: Self.nowhere)
        #expect(!catalog.isBuilt)
        await session.prepare()
        #expect(catalog.isBuilt)
    }
}
