import AudioCore
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
    /// - Parameter progress: gets the name of a stage, the steps done, and all steps.
    /// - Returns: the path of the truth.
    package func write(
        _ recording: PassageRecording, progress: (String, Int, Int) -> Void = { _, _, _ in }
    ) throws -> String {
        try FileManager.default.createDirectory(
            atPath: "\(folder)/references", withIntermediateDirectories: true)
        for (number, reference) in recording.references.enumerated() {
            try AudioFile.write(
                recording.audio(of: reference), to: "\(folder)/references/\(reference.id).flac",
                as: Self.encoding)
            progress("references", number + 1, recording.references.count)
        }
        try AtomicFile.write(PassageTables.references(recording), to: "\(folder)/references.csv")
        let writer = try Self.writer(for: recording.plan, in: folder)
        let minutes = max(1, Int(bounded: (recording.durationSeconds / 60).rounded(.up)))
        var seconds = 0.0
        try recording.render { block in
            try writer.append(block)
            seconds += block.durationSeconds
            progress("minutes", min(minutes, Int(bounded: seconds / 60)), minutes)
        }
        try writer.finish()
        progress("minutes", minutes, minutes)
        let path = "\(folder)/truth.csv"
        try AtomicFile.write(
            PassageTables.truth(
                PassageOutcome(
                    airings: recording.airings, durationSeconds: recording.durationSeconds,
                    catalog: recording.references.map(\.id))), to: path)
        return path
    }

    /// Begins the file of a recording in a folder.
    package static func writer(for plan: PassagePlanFile, in folder: String) throws -> AudioFileWriter {
        try AudioFileWriter(
            path: "\(folder)/recording.flac", encoding: encoding, sampleRate: plan.sampleRate, channelCount: 1
        )
    }

    private static var encoding: AudioEncoding {
        guard let encoding = AudioEncoding("flac-16") else { preconditionFailure("no encoding flac-16") }
        return encoding
    }
}
