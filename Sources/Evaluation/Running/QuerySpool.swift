import AudioCore
import Foundation
import Synchronization

/// Samples on disk between two passes, so that none is rendered or decoded twice.
///
/// Missing samples are made again. The file ends with the process.
package final class QuerySpool: Sendable {
    private struct Entry {
        var offset: UInt64
        var sampleRate: Int
        var channelCount: Int
        var sampleCount: Int
    }

    private struct State {
        var end: UInt64 = 0
        var entries: [String: Entry] = [:]
    }

    private let file: Int32
    private let state = Mutex(State())
    private let mostBytes: UInt64
    private let spareBytes: UInt64

    /// Makes a file in `folder` and unlinks it, so that a kill leaves nothing behind.
    ///
    /// - Parameters:
    ///   - mostBytes: The most bytes of samples.
    ///   - spareBytes: The bytes that stay free on the disk.
    package init?(folder: String, mostBytes: UInt64 = .max, spareBytes: UInt64 = 0) {
        self.mostBytes = mostBytes
        self.spareBytes = spareBytes
        let path = folder + "/queries-\(UUID().uuidString).spool"
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        unlink(path)
    }

    deinit { if file >= 0 { close(file) } }

    /// Stores `audio` under `name`; returns false if the write failed, or the file or the disk is full.
    @discardableResult
    package func keep(_ audio: AudioBuffer, for name: String) -> Bool {
        state.withLock { state in
            let offset = state.end
            let bytes = UInt64(audio.samples.count * MemoryLayout<Float>.size)
            guard bytes <= mostBytes - offset, hasRoom(for: bytes) else { return false }
            let isWritten = audio.samples.withUnsafeBytes { samples in
                transfer(samples.count) { done in
                    let rest = samples[done...]
                    return pwrite(
                        file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count,
                        off_t(offset) + done)
                }
            }
            guard isWritten else {
                // Gives a full disk its room back.
                ftruncate(file, off_t(offset))
                return false
            }
            state.entries[name] = Entry(
                offset: offset, sampleRate: audio.sampleRate, channelCount: audio.channelCount,
                sampleCount: audio.samples.count)
            state.end = offset + bytes
            return true
        }
    }

    /// The samples under `name`, if stored.
    package func audio(for name: String) -> AudioBuffer? {
        guard let entry = state.withLock({ $0.entries[name] }) else { return nil }
        var isRead = false
        let samples = [Float](unsafeUninitializedCapacity: entry.sampleCount) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            isRead = transfer(bytes.count) { done in
                let rest = bytes[done...]
                return pread(
                    file, UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress, rest.count,
                    off_t(entry.offset) + done)
            }
            count = isRead ? entry.sampleCount : 0
        }
        guard isRead else { return nil }
        return AudioBuffer(
            samples: samples, sampleRate: entry.sampleRate, channelCount: entry.channelCount)
    }

    /// Calls `part` with the number of bytes that are done, until all of `count` are; false if it fails.
    private func transfer(_ count: Int, _ part: (Int) -> Int) -> Bool {
        var done = 0
        while done < count {
            let step = part(done)
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { return false }
            done += step
        }
        return true
    }

    private func hasRoom(for bytes: UInt64) -> Bool {
        guard spareBytes > 0 else { return true }
        var disk = statvfs()
        guard fstatvfs(file, &disk) == 0 else { return false }
        return UInt64(disk.f_bavail) * UInt64(disk.f_frsize) >= bytes + spareBytes
    }
}
