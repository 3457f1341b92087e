import AudioCore
import AudioIO
import Corpora
import Evaluation
import SystemIO
import TestSupport

/// Four references, and a folder with a cut of each of the first two and of another recording.
package final class RecordedFolder {
    package let own: OwnRecordings
    package let queries: String
    package let startSeconds = [2.5, 6.25]

    package init() throws {
        own = try OwnRecordings()
        queries = try own.folder.makeFolder("queries")
        for seed in UInt64(0)..<4 { try own.write(OwnRecordings.piece(seed), to: "r\(seed).wav") }
        for (seed, start) in startSeconds.enumerated() {
            let first = Int(start * 44_100)
            let cut = OwnRecordings.piece(UInt64(seed)).frames(first..<(first + 4 * 44_100))
            try write(cut, to: "q\(seed).wav")
        }
        let stranger = OwnRecordings.piece(7).frames(0..<(4 * 44_100))
        try write(stranger, to: "stranger.wav")
    }

    package func plan(
        _ list: String, references: String? = nil, half: CorpusHalf? = nil, folds: Int? = nil
    ) throws -> Plan {
        try Plan(
            recorded(list, references: references), half: half,
            negativeFolds: folds.map { NegativeFolds(count: $0) })
    }

    package func recorded(_ list: String, references: String? = nil) throws -> RecordedQueries {
        let path = "\(queries)/list.csv"
        try AtomicFile.write(list, to: path)
        let referenceList = own.folder.file("references.txt")
        if let references { try AtomicFile.write(references, to: referenceList) }
        var library = own.library
        library.comparison = own.comparison
        return try RecordedQueries(
            list: path, references: own.music, referenceList: references.map { _ in referenceList },
            library: library)
    }

    private func write(_ audio: AudioBuffer, to name: String) throws {
        guard let encoding = AudioEncoding("wav-pcm16") else { throw CorpusError(.unreadable, name) }
        try AudioFile.write(audio, to: "\(queries)/\(name)", as: encoding)
    }
}
