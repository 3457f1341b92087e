import EarshotKit
import Fingerprinting
import Logging
import Synchronization
import SystemIO

/// The catalog of files, opened again when they change.
final class CatalogFiles: Sendable {
    private struct State {
        var stamps: [FileStamp?]
        var catalogs: [Catalog]
        var served: ServedCatalog
    }

    private let paths: [String]
    private let log: Logger
    private let state: Mutex<State>

    init(_ paths: [String], log: Logger) throws {
        self.paths = paths
        self.log = log
        let stamps = paths.map { FileStamp(path: $0) }
        let catalogs = try paths.map { try CatalogFile.open($0) }
        let served = try ServedCatalog(catalogs, generation: 1) {
            log.warning("twice in the catalogs: \($0)")
        }
        state = Mutex(State(stamps: stamps, catalogs: catalogs, served: served))
    }

    var current: ServedCatalog { state.withLock { $0.served } }

    /// Opens the files that have changed; one that cannot be opened leaves the old one in use.
    func refresh() {
        let (old, catalogs) = state.withLock { ($0.stamps, $0.catalogs) }
        let stamps = paths.map { FileStamp(path: $0) }
        let changed = paths.indices.filter { stamps[$0] != old[$0] && stamps[$0] != nil }
        guard !changed.isEmpty else { return }
        do {
            var catalogs = catalogs
            for place in changed { catalogs[place] = try CatalogFile.open(paths[place]) }
            let served = try ServedCatalog(catalogs, generation: current.generation + 1) {
                log.warning("twice in the catalogs: \($0)")
            }
            state.withLock { $0 = State(stamps: stamps, catalogs: catalogs, served: served) }
            log.notice(
                "opened \(changed.map { paths[$0] }.joined(separator: ", ")): \(served.referenceCount) references"
            )
        } catch {
            // The next look tries no more until the file changes again.
            state.withLock { $0.stamps = stamps }
            log.error("the old catalog stays in use: \(error)")
        }
    }
}
