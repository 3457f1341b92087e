import Evaluation
import Foundation
import Synchronization
import SystemIO

/// The finished chains of a study of negatives, in one file that is valid at any time.
package final class NegativeStreamFile: Sendable {
    package let path: String
    private let state: Mutex<NegativeStreams?>
    private let order = Mutex<[String]>([])

    /// Opens or creates the file at `path`.
    ///
    /// - Throws: ``MeasurementError`` if the file cannot be read.
    package init(path: String) throws {
        self.path = path
        guard let data = FileManager.default.contents(atPath: path) else {
            state = Mutex(nil)
            return
        }
        do {
            state = Mutex(try JSONDecoder().decode(NegativeStreams.self, from: data))
        } catch {
            throw MeasurementError(
                "\(path): expected the finished chains of earlier negatives, found something else (\(error)); "
                    + "remove it or choose another folder")
        }
    }

    /// Sets the requested measurement; keeps finished chains if matcher and settings are the same.
    func begin(_ asked: NegativeStreams, chains: [String]) throws {
        order.withLock { $0 = chains }
        try state.withLock { state in
            guard let kept = state else {
                state = asked
                return
            }
            guard kept.isContinued(by: asked) else {
                throw MeasurementError(
                    "\(path): holds negatives of another matcher, corpus, half, seed or block",
                    holdsOther: true)
            }
        }
    }

    func holds(_ chain: String) -> Bool {
        state.withLock { $0?.chains.contains { $0.chain == chain } ?? false }
    }

    /// Adds a finished chain and writes the file.
    func keep(_ stream: NegativeStream) throws {
        try state.withLock { state in
            state?.chains.append(stream)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            if let state { try AtomicFile.write(Array(encoder.encode(state)), to: path) }
        }
    }

    /// The requested measurement with its finished chains, in the requested order.
    func contents(of asked: NegativeStreams) -> NegativeStreams {
        var contents = asked
        let kept = state.withLock { $0?.chains ?? [] }
        contents.chains = order.withLock { order in
            order.compactMap { chain in kept.first { $0.chain == chain } }
        }
        return contents
    }
}
