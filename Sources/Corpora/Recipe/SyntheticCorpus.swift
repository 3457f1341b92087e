import AudioCore
import Foundation
import SystemIO

struct SyntheticCorpus {
    static let package = "synthetic"

    struct Piece {
        var id: String
        var path: String
        var music: SyntheticMusic
    }

    let pieces: [Piece]

    init(_ synthetic: CorpusRecipe.Synthetic) {
        let digits = String(synthetic.tracks).count
        pieces = (1...synthetic.tracks).map { number in
            let text = String(number)
            let name = "track-" + String(repeating: "0", count: digits - text.count) + text
            return Piece(
                id: "\(Self.package)/\(name)", path: "seed-\(synthetic.seed)/\(name)",
                music: SyntheticMusic(
                    seed: StableHash.of("corpus", "\(synthetic.seed)", text), seconds: synthetic.seconds))
        }
    }

    /// SHA-256 of the samples as 16-bit little-endian integers, interleaved as in a WAV file.
    static func digest(of audio: AudioBuffer) -> String {
        let integers = audio.interleaved.map { Int16(max(-32768, min(32767, $0 * 32768))).littleEndian }
        return integers.withUnsafeBytes { Digest.sha256(Data($0)) }
    }
}
