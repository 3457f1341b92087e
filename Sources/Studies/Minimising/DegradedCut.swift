import Corpora
import Degradations
import Evaluation
import Foundation
import SystemIO

/// A query told by its place in a recording and the concrete steps done to it.
package struct DegradedCut: Codable, Hashable, Sendable {
    /// The track it is cut from.
    package let track: String
    /// Whether a reference contains it.
    package let isPositive: Bool
    /// The frame of the track at which it begins.
    package let startFrame: Int
    /// The track's sample rate, in hertz.
    package let sampleRate: Int
    /// Its length in seconds.
    package var lengthSeconds: Double
    /// What is done to it, with all chance fixed.
    package var chain: DegradationChain

    /// Names a query.
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

    /// Where in the track it begins, in seconds; times ``sampleRate`` it rounds to ``startFrame``.
    package var startSeconds: Double { Double(startFrame) / Double(sampleRate) }

    /// The query as a trial.
    package var trial: Trial {
        var trial = Trial(
            id: "\(track)@\(startSeconds)", index: 0,
            cell: Cell(degradation: "cut", severity: "", severityValue: nil, lengthSeconds: lengthSeconds),
            isPositive: isPositive, source: track, chain: chain, startSeed: 0)
        trial.startFrame = startFrame
        return trial
    }
}
