import AudioCore
import Foundation
import SystemIO

/// A file of the cache with the samples of a ``SyntheticMusic``: reading it is faster than making the piece again.
///
/// It holds 16-bit little-endian integers, plane after plane, and the SHA-256 of its name and these bytes. A damaged file
/// counts as missing.
struct KeptPiece {
    let folder: String
    /// The checksum of the piece in its lock.
    let name: String

    private static let digestBytes = 32
    /// Means −0; no sample of a piece is that low, because its peak is 0.85.
    private static let negativeZero = Int16.min

    /// The piece, with as many samples as `track` has; nil if it is not kept.
    func read(as track: Track) -> AudioBuffer? {
        let count = track.frameCount * track.channelCount
        guard let file = FileManager.default.contents(atPath: "\(folder)/\(name)"),
            file.count == 2 * count + Self.digestBytes,
            digest(of: file.dropLast(Self.digestBytes)) == Array(file.suffix(Self.digestBytes))
        else { return nil }
        let samples = file.withUnsafeBytes { bytes in
            (0..<count).map { index in
                let stored = Int16(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))
                return stored == Self.negativeZero ? -0.0 : Float(stored) / 32768
            }
        }
        return AudioBuffer(samples: samples, sampleRate: track.sampleRate, channelCount: track.channelCount)
    }

    /// Keeps a piece, unless the cache cannot be written.
    func write(_ audio: AudioBuffer) {
        let integers = audio.samples.map { sample in
            (sample == 0 && sample.sign == .minus ? Self.negativeZero : Int16(sample * 32768)).littleEndian
        }
        let bytes = integers.withUnsafeBytes { [UInt8]($0) }
        try? FileTree.createFolder(folder)
        try? AtomicFile.write(bytes + digest(of: bytes), to: "\(folder)/\(name)")
    }

    private func digest(of bytes: some ContiguousBytes) -> [UInt8] {
        let digest = Digest()
        digest.update(name)
        digest.update(bytes)
        return digest.finalize()
    }
}
