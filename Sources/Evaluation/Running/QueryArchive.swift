import AudioCore
import Foundation
import Synchronization

/// An LRU cache on disk of the samples of rendered queries, with a limit in bytes.
///
/// The name of a file is the digest of its samples, which every read checks. Missing or damaged samples are
/// rendered again. A run never evicts samples that it added or used. So the next run of a plan larger than the
/// archive still finds the first part.
package final class QueryArchive: Sendable {
    private struct State {
        /// Bytes in the folder.
        var bytes = 0
        /// Files that this process has not touched, the least recently used last.
        var untouched: [(name: String, bytes: Int)] = []
    }

    private let folder: String
    private let capacityBytes: Int
    private let state: Mutex<State>

    /// Opens or creates the folder.
    ///
    /// - Throws: ``StoreError`` if it cannot be created or listed.
    package init(folder: String, capacityBytes: Int) throws {
        self.folder = folder
        self.capacityBytes = capacityBytes
        var files: [(name: String, bytes: Int, used: Date)] = []
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                // Another process may have removed it in between.
                guard
                    let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
                else { continue }
                files.append(
                    (
                        name, attributes[.size] as? Int ?? 0,
                        attributes[.modificationDate] as? Date ?? .distantPast
                    ))
            }
        } catch {
            throw StoreError(path: folder, message: "cannot be used: \(error.localizedDescription)")
        }
        files.sort { ($0.used, $0.name) > ($1.used, $1.name) }
        state = Mutex(
            State(bytes: files.reduce(0) { $0 + $1.bytes }, untouched: files.map { ($0.name, $0.bytes) }))
        makeRoom(for: 0)
    }

    /// The samples of the query with these facts, if the archive holds them undamaged.
    package func audio(of facts: QueryFacts) -> AudioBuffer? {
        let name = facts.digest
        let path = folder + "/" + name
        guard let data = FileManager.default.contents(atPath: path),
            data.count == facts.frameCount * facts.channelCount * MemoryLayout<Float>.size
        else { return nil }
        let samples = [Float](unsafeUninitializedCapacity: data.count / MemoryLayout<Float>.size) {
            data.copyBytes(to: UnsafeMutableRawBufferPointer($0))
            $1 = $0.count
        }
        let audio = AudioBuffer(
            samples: samples, sampleRate: facts.sampleRate, channelCount: facts.channelCount)
        guard audio.digest == facts.digest else { return nil }
        touch(name)
        try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: path)
        return audio
    }

    /// Stores the samples of a query if there is room; ignores a failed write.
    package func keep(_ audio: AudioBuffer, digest: String) {
        let bytes = audio.samples.count * MemoryLayout<Float>.size
        let path = folder + "/" + digest
        touch(digest)
        guard !FileManager.default.fileExists(atPath: path), makeRoom(for: bytes) else { return }
        let data = audio.samples.withUnsafeBytes { Data($0) }
        // Written to another file first. The digest detects a torn file, so no fsync is needed.
        guard (try? data.write(to: URL(fileURLWithPath: path), options: .atomic)) == nil else { return }
        state.withLock { $0.bytes -= bytes }
    }

    private func touch(_ name: String) {
        state.withLock { state in
            if let index = state.untouched.lastIndex(where: { $0.name == name }) {
                state.untouched.remove(at: index)
            }
        }
    }

    /// Evicts old files until `bytes` more fit, and counts these; false if they do not fit.
    @discardableResult
    private func makeRoom(for bytes: Int) -> Bool {
        state.withLock { state in
            while state.bytes + bytes > capacityBytes, let oldest = state.untouched.popLast() {
                try? FileManager.default.removeItem(atPath: folder + "/" + oldest.name)
                state.bytes -= oldest.bytes
            }
            guard state.bytes + bytes <= capacityBytes else { return false }
            state.bytes += bytes
            return true
        }
    }
}
