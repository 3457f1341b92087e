import AudioIO
import Foundation
import Studies
import SystemIO

/// Writes a recording with its references and its truth, so that any program can be judged.
package struct PassageExport {
    private let folder: String

    package init(folder: String) { self.folder = folder }

    /// Writes `references/ID.flac`, `recording.flac` and, at last, `references.csv` and `truth.csv`.
    ///
    /// - Parameter progress: gets the name of a stage, and how much of how much of it is done.
    /// - Returns: the path of the truth.
    package func write(
        _ recording: PassageRecording, progress: (String, Int, Int) -> Void = { _, _, _ in }
    ) throws -> String {
        try FileManager.default.createDirectory(
            atPath: "\(folder)/references", withIntermediateDirectories: true)
        guard let encoding = AudioEncoding("flac-16") else { preconditionFailure("no encoding flac-16") }
        for (number, reference) in recording.references.enumerated() {
            try AudioFile.write(
                recording.audio(of: reference), to: "\(folder)/references/\(reference.id).flac", as: encoding)
            progress("references", number + 1, recording.references.count)
        }
        try AtomicFile.write(PassageTables.references(recording), to: "\(folder)/references.csv")
        try Self.write(recording, to: "\(folder)/recording.flac", progress: progress)
        let path = "\(folder)/truth.csv"
        try AtomicFile.write(PassageTables.truth(recording.airings), to: path)
        return path
    }

    static func write(
        _ recording: PassageRecording, to path: String, progress: (String, Int, Int) -> Void
    ) throws {
        guard let encoding = AudioEncoding("flac-16") else { preconditionFailure("no encoding flac-16") }
        let writer = try AudioFileWriter(
            path: path, encoding: encoding, sampleRate: recording.sampleRate, channelCount: 1)
        var frames = 0
        let minutes = (recording.durationSeconds / 60).rounded(.up)
        try recording.render { block in
            try writer.append(block)
            frames += block.frameCount
            progress(
                "minutes", Int(bounded: Double(frames) / Double(60 * recording.sampleRate)),
                Int(bounded: minutes))
        }
        try writer.finish()
    }
}
