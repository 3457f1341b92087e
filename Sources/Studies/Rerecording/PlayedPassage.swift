import AudioCore
import Evaluation
import Foundation
import SignalProcessing
import SystemIO

/// Where the two sweeps of a query are in a recording.
struct PlayedPassage: Sendable {
    let query: PlayedQuery
    /// The first samples of the sweeps, in seconds of the recording.
    let first: Double
    let second: Double

    /// Clocks differ by less than this share.
    static let greatestSkew = 1e-3
    /// The error of a sweep's place, in seconds; a larger difference means that samples were lost.
    static let tolerance = 0.5e-3

    /// Recorded seconds for each played second.
    var pace: Double { (second - first) / query.secondSweep }

    /// Whether no samples were lost between the sweeps, if clocks run at `pace`.
    func isWhole(at pace: Double) -> Bool {
        abs(second - first - query.secondSweep * pace) <= Self.tolerance
    }

    /// Where the query begins in the recording, from both sweeps.
    func startSeconds(at pace: Double) -> Double {
        let before = PlayedQuery.queryStart
        return 0.5 * (first + before * pace + second - (query.secondSweep - before) * pace)
            - Sweep.apparentDelay * (pace - 1)
    }

    /// Recorded seconds for each played second, by least squares over all sweeps.
    ///
    /// Each passage has a start of its own, for a recorder may lose samples between two. Passages that differ from the
    /// median are left out. The result is 1 without a passage.
    static func pace(of passages: [PlayedPassage]) -> Double {
        let sorted = passages.map(\.pace).sorted()
        guard !sorted.isEmpty else { return 1 }
        let median = sorted[sorted.count / 2]
        let whole = passages.filter { $0.isWhole(at: median) }
        let products = whole.reduce(0) { $0 + ($1.second - $1.first) * $1.query.secondSweep }
        let squares = whole.reduce(0) { $0 + $1.query.secondSweep * $1.query.secondSweep }
        return squares > 0 ? products / squares : median
    }
}

/// A query cut from a recording.
package struct RerecordedQuery: Sendable {
    let passage: PlayedPassage
    /// The cut's frames in the recording.
    let frames: Range<Int>
    /// The rate of the recording, in hertz.
    let sampleRate: Int

    init(_ passage: PlayedPassage, pace: Double, sampleRate: Int) {
        self.passage = passage
        self.sampleRate = sampleRate
        let rate = Double(sampleRate)
        let first = Int(bounded: (passage.startSeconds(at: pace) * rate).rounded())
        frames = first..<first + Int(bounded: (passage.query.querySeconds * pace * rate).rounded())
    }

    /// The record of the query as it was recorded, under the name of its file.
    ///
    /// `pace` is recorded seconds for each played second. The digest stays that of the query as it was played.
    package func record(pace: Double, channelCount: Int) -> TrialRecord {
        var record = passage.query.record
        record.trial.queryFile = passage.query.fileName
        guard var facts = record.query else { return record }
        // Where the cut's first sample is in the query, in played seconds.
        let start =
            (Double(frames.lowerBound) / Double(sampleRate) - passage.startSeconds(at: pace)) / pace
        let timeRatio = facts.truth.timeSkew.map { 1 + $0 }
        facts.truth.offsetSeconds = facts.truth.offsetSeconds.map { $0 + (timeRatio ?? 1) * start }
        facts.truth.timeSkew = timeRatio.map { $0 / pace - 1 }
        facts.truth.frequencySkew = facts.truth.frequencySkew.map { (1 + $0) / pace - 1 }
        facts.truth.skewChangePerSecond /= pace * pace
        facts.sampleRate = sampleRate
        facts.channelCount = channelCount
        facts.frameCount = frames.count
        record.query = facts
        return record
    }

    /// What is wrong with the level of the cut, in words; nil if nothing is.
    func levelProblem(of audio: AudioBuffer) -> String? {
        let clipped = audio.samples.count { abs($0) >= 0.999 }
        if clipped >= 3 {
            return "\(clipped.counting("sample is", "samples are")) clipped. "
                + "Lower the speaker's volume or the microphone's gain"
        }
        let level = Decibels.fromPowerRatio(audio.meanPower)
        guard level < -55, passage.query.playedDecibels > -45 else { return nil }
        let text = level.isFinite ? String(format: "%.0f dBFS", level) : "silence"
        return "recorded at \(text). Raise the speaker's volume or the microphone's gain"
    }
}

extension PlayedQuery {
    /// The name of the file that the recorded query is written to.
    package var fileName: String { Self.fileName(of: record.trial.id) }

    package static func fileName(of trial: String) -> String { trial.replacing("/", with: "_") + ".flac" }
}
