/// An open audio file, or decoded audio, that is read in order.
protocol SampleSource: AnyObject {
    var sampleRate: Int { get }
    var channelCount: Int { get }
    /// The container and codec in words.
    var formatName: String { get }
    /// The number of frames of the header, which may be wrong.
    var expectedFrames: Int { get }
    /// Whether its samples are 16-bit integers; 32-bit floats otherwise.
    var holdsInt16: Bool { get }
    /// The number of audio tracks that are mixed.
    var trackCount: Int { get }
    /// What users should know of its tracks.
    var remark: String? { get }
    /// The first damage of what was read so far; complete at the end.
    var damage: AudioDamage? { get }

    /// Fills `target` with interleaved frames and returns their number, which is only less at the end.
    ///
    /// - Parameter target: Room for ``SoundFile/unitFrames`` frames of floats.
    func read(into target: UnsafeMutableRawBufferPointer) throws -> Int
}

extension SampleSource {
    var holdsInt16: Bool { false }
    var trackCount: Int { 1 }
    var remark: String? { nil }

    /// Reads frames that are known already; false if there are no more than that.
    func skip(_ frameCount: Int) throws -> Bool {
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: SoundFile.unitFrames * channelCount * MemoryLayout<Float>.stride, alignment: 16)
        defer { room.deallocate() }
        var left = frameCount
        while left > 0 {
            let target = UnsafeMutableRawBufferPointer(
                rebasing: room[
                    ..<(min(left, SoundFile.unitFrames) * channelCount * MemoryLayout<Float>.stride)])
            let frames = try read(into: target)
            guard frames > 0 else { return false }
            left -= frames
        }
        return true
    }
}

/// A place of a file where audio is missing.
public struct AudioDamage: Codable, Sendable, Equatable, CustomStringConvertible {
    /// The place in seconds from the beginning.
    public let seconds: Double
    /// What is wrong, and what becomes of it.
    public let reason: String

    /// The place and the reason.
    public var description: String { "damaged at \(Self.text(seconds)) s: \(reason)" }

    /// The error where damaged audio is refused.
    package func error(path: String) -> AudioFileError { AudioFileError(.damaged, path: path, description) }

    /// Seconds with at most two digits after the point.
    static func text(_ seconds: Double) -> String { "\((seconds * 100).rounded() / 100)" }
}
