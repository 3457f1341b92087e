import Foundation
import SystemIO

/// A file of pink noise of one channel, too long to make in memory; `scripts/setup.sh ffmpeg` installs what makes it.
public struct LongNoise {
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// The path of the file, which exists as long as this value.
    public let path: String
    private let folder: TemporaryFolder

    /// Makes the file.
    public init(seconds: Int, sampleRate: Int) throws {
        folder = try TemporaryFolder()
        path = folder.file("long.wav")
        let noise = "anoisesrc=r=\(sampleRate):d=\(seconds):c=pink:a=0.4:seed=3"
        let ffmpeg = try ChildProcess.run(
            "ffmpeg", ["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", noise, path],
            timeoutSeconds: 300, maximumOutputBytes: 1000)
        guard ffmpeg.end == .exited(0) else { throw Failure(description: "\(path): \(ffmpeg.complaint)") }
    }

    /// How much `body` raises the largest memory that this process had, in kilobytes.
    ///
    /// The peak is that of the whole process, so a test of it needs one of its own.
    public static func peakGrowthKilobytes(_ body: () throws -> Void) throws -> Int {
        let before = try peakKilobytes()
        try body()
        return try peakKilobytes() - before
    }

    private static func peakKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let value = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
            throw Failure(description: "/proc/self/status: expected a line VmHWM with a number")
        }
        return value
    }
}
