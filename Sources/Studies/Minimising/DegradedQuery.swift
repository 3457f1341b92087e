import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import SystemIO

/// A query, defined by its place in a recording and the steps of its degradation.
package struct DegradedQuery: Codable, Hashable, Sendable {
    package let track: String
    package let isPositive: Bool
    package let startFrame: Int
    /// The track's sample rate, in hertz.
    package let sampleRate: Int
    package var lengthSeconds: Double
    package var chain: DegradationChain

    package init(
        track: Track, isPositive: Bool, startFrame: Int, lengthSeconds: Double, chain: DegradationChain
    ) {
        self.track = track.id
        self.isPositive = isPositive
        self.startFrame = startFrame
        sampleRate = track.sampleRate
        self.lengthSeconds = lengthSeconds
        self.chain = chain
    }

    /// A cut from a track, degraded by a chain in YAML whose draws `seed` decides.
    package init(_ track: Track, startFrame: Int, lengthSeconds: Double, chain: String, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed, "try", "chain")
        let steps = try PlanFile.chain(text: chain).map { try $0.draw(using: &generator) }
        self.init(
            track: track, isPositive: track.isEnrolled, startFrame: startFrame, lengthSeconds: lengthSeconds,
            chain: DegradationChain(steps: steps))
    }

    /// The start in seconds; times ``sampleRate`` it rounds to ``startFrame``.
    package var startSeconds: Double { Double(startFrame) / Double(sampleRate) }

    package var trial: Trial {
        var trial = Trial(
            id: "\(track)@\(startSeconds)", index: 0,
            cell: Cell(degradation: "cut", severity: "", severityValue: nil, lengthSeconds: lengthSeconds),
            isPositive: isPositive, source: track, chain: chain, startSeed: 0)
        trial.startFrame = startFrame
        return trial
    }
}
