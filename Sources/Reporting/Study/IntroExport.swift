import AudioIO
import Corpora
import Foundation
import Studies
import SystemIO

/// Writes the episodes of a study as audio files, and the places of their intros as a table.
package struct IntroExport {
    private let folder: String
    private let encodings: [AudioEncoding]

    /// Writes into `folder` with the named encodings in turn.
    ///
    /// - Throws: ``ConfigurationError`` when there is no such encoding.
    package init(folder: String, encodings names: [String]) throws {
        self.folder = folder
        encodings = try names.map { name in
            guard let encoding = AudioEncoding(name) else {
                throw ConfigurationError(
                    file: "encodings", line: nil,
                    message: "there is no encoding \"\(name)\"; there are "
                        + AudioEncoding.all.map(\.name).joined(separator: ", "))
            }
            return encoding
        }
        guard !encodings.isEmpty else {
            throw ConfigurationError(file: "encodings", line: nil, message: "no encoding is named")
        }
    }

    /// Writes every set into a folder of its own, and `truth.csv` at last.
    ///
    /// - Returns: the path of the table.
    package func write(_ study: IntroStudy, jobs: Int) throws -> String {
        typealias Row = (file: String, episode: BuiltEpisode)
        var rows: [Row] = []
        for name in try study.setNames() {
            let place = "\(folder)/\(name)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            for (number, episode) in try study.episodes(ofSet: name, jobs: jobs).enumerated() {
                let encoding = encodings[number % encodings.count]
                let file = "\(episode.id).\(encoding.fileExtension)"
                var audio = episode.audio
                let peak = audio.peak
                if peak > 1 { audio = audio.mapChannels { $0.map { $0 / peak } } }
                try AudioFile.write(audio, to: "\(folder)/\(file)", as: encoding)
                rows.append(Row(file, episode))
            }
        }
        let table = Table<Row>([
            .init("file", exactText: \.file),
            .init("introStartSeconds", number: \.episode.introSeconds.lowerBound),
            .init("introEndSeconds", number: \.episode.introSeconds.upperBound),
            .init("durationSeconds", number: \.episode.audio.durationSeconds),
        ])
        try AtomicFile.write(table.csv(rows), to: "\(folder)/truth.csv")
        return "\(folder)/truth.csv"
    }
}
