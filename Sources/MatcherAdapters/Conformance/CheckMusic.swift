import AudioCore
import Corpora
import Degradations

/// Synthetic music, and queries cut from it with known truth.
struct CheckMusic {
    struct Question {
        let audio: AudioBuffer
        /// The index of the reference; nil for a query of no reference.
        let reference: Int?
        let offsetSeconds: Double
        var frequencySkew = 0.0
        var timeSkew = 0.0
    }

    static let referenceCount = 6
    static let referenceSeconds = 30.0
    static let querySeconds = 10.0
    /// Queries of each skew.
    ///
    /// Making them takes longer than asking.
    static let skewedCount = 2

    let references: [AudioBuffer]
    let clean: [Question]
    let strange: [Question]

    init() throws {
        let pieces = (0..<Self.referenceCount + 2).map {
            SyntheticMusic(seed: 0xA2E7_0000 + UInt64($0), seconds: Self.referenceSeconds).render()
        }
        let references = Array(pieces.prefix(Self.referenceCount))
        self.references = references
        // No start is a multiple of another, so that a wrong unit shows.
        clean = try references.indices.map { number in
            try Self.question(references[number], number, at: 3.17 + 2.71 * Double(number))
        }
        strange = try pieces.suffix(2).map { try Self.question($0, nil, at: 11.3) }
    }

    /// The queries that a chain makes of ``skewedCount`` references.
    func questions(_ steps: [AnyDegradation]) throws -> [Question] {
        try (0..<Self.skewedCount).map {
            try Self.question(references[$0], $0, at: 9.1 + 1.9 * Double($0), steps)
        }
    }

    private static func question(
        _ source: AudioBuffer, _ reference: Int?, at seconds: Double, _ steps: [AnyDegradation] = []
    ) throws -> Question {
        let clip = try DegradationChain(steps: steps).render(
            source: source, startSeconds: seconds, lengthSeconds: querySeconds, material: NoMaterial())
        return Question(
            audio: clip.audio, reference: reference, offsetSeconds: clip.timeMap(0),
            frequencySkew: Self.slope(clip.frequencyMap) - 1, timeSkew: Self.slope(clip.timeMap) - 1)
    }

    private static func slope(_ map: TimeMap) -> Double { (map(querySeconds) - map(0)) / querySeconds }
}
