import AudioCore
import Foundation
import Synchronization

/// Rendered queries on disk between the main pass and the latency pass, so that none is rendered twice.
///
/// A missing query is rendered again. The file ends with the process.
package final class QuerySpool: Sendable {
    private struct Entry {
        var offset: UInt64
        var sampleRate: Int
        var channelCount: Int
        var sampleCount: Int
    }

    private struct State {
        var file: FileHandle
        var end: UInt64 = 0
        var entries: [String: Entry] = [:]
    }

    private let state: Mutex<State>
    private let mostBytes: UInt64

    /// Makes a file in `folder` and unlinks it, so that a kill leaves nothing behind.
    package init?(folder: String, mostBytes: UInt64 = .max) {
        self.mostBytes = mostBytes
        let path = folder + "/queries-\(UUID().uuidString).spool"
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forUpdatingAtPath: path)
        else { return nil }
        try? FileManager.default.removeItem(atPath: path)
        state = Mutex(State(file: file))
    }

    /// Stores `audio` for the trial `name`; returns false if the write failed or the file is full.
    @discardableResult
    package func keep(_ audio: AudioBuffer, for name: String) -> Bool {
        state.withLock { state in
            let data = audio.samples.withUnsafeBytes { Data($0) }
            guard UInt64(data.count) <= mostBytes - state.end else { return false }
            do {
                try state.file.seek(toOffset: state.end)
                try state.file.write(contentsOf: data)
            } catch { return false }
            state.entries[name] = Entry(
                offset: state.end, sampleRate: audio.sampleRate, channelCount: audio.channelCount,
                sampleCount: audio.samples.count)
            state.end += UInt64(data.count)
            return true
        }
    }

    /// The query of the trial `name`, if stored.
    package func audio(for name: String) -> AudioBuffer? {
        state.withLock { state in
            guard let entry = state.entries[name] else { return nil }
            let bytes = entry.sampleCount * MemoryLayout<Float>.size
            guard (try? state.file.seek(toOffset: entry.offset)) != nil,
                let data = try? state.file.read(upToCount: bytes), data.count == bytes
            else { return nil }
            let samples = [Float](unsafeUninitializedCapacity: entry.sampleCount) { buffer, count in
                data.copyBytes(to: UnsafeMutableRawBufferPointer(buffer))
                count = entry.sampleCount
            }
            return AudioBuffer(
                samples: samples, sampleRate: entry.sampleRate, channelCount: entry.channelCount)
        }
    }
}
