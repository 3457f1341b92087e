import AudioCore
import Degradations
import Foundation
import Matchers
import SystemIO

/// A query as it will be played to a contestant, with its truth.
package struct RenderedQuery: Sendable {
    /// The degraded clip.
    package var clip: Clip
    /// How many starts were thrown away because the clip was too quiet.
    package var redraws: Int
    /// What is known of a query that was recorded; nil where all follows from how it was made.
    package var stated: Truth?

    /// The query's samples.
    package var audio: AudioBuffer { clip.audio }

    /// Where the query lies in the recording it was cut from.
    package var truth: Truth {
        if let stated { return stated }
        let seconds = max(clip.audio.durationSeconds, 1e-3)
        // Below 1e-12 lies only the rounding of the arithmetic: no skew shall read as exactly 0.
        func settled(_ skew: Double) -> Double { (skew * 1e12).rounded() / 1e12 + 0 }
        let time = clip.timeMap.leastSquares(overSeconds: seconds)
        let frequency = clip.frequencyMap.leastSquares(overSeconds: seconds)
        return Truth(
            offsetSeconds: clip.timeMap(0), frequencySkew: settled(frequency.slope - 1),
            timeSkew: settled(time.slope - 1),
            skewChangePerSecond: settled(time.slopeChangePerSecond))
    }

    /// SHA-256 over rate, channel count and decoded samples, in hexadecimal; never over encoded bytes.
    package var digest: String { audio.digest }
}

extension AudioBuffer {
    /// SHA-256 over rate, channel count and samples, in hexadecimal.
    package var digest: String {
        let hash = Digest()
        hash.update("\(sampleRate) \(channelCount)\n")
        samples.withUnsafeBytes { hash.update($0) }
        return hash.finalize().hexadecimal
    }
}

extension Trial {
    /// Makes the query, the same for the same trial and recording, on any machine of one CPU type.
    ///
    /// A start is drawn again while the cut is unwinnable: its RMS is below −40 dBFS, or half its
    /// samples are below −60 dBFS.
    ///
    /// - Parameter recording: the decoded source; nil for digital silence.
    /// - Throws: `DegradationError`, with code `notOffered` when a format does not exist for it.
    package func render(from recording: AudioBuffer?, material: any Material) throws -> RenderedQuery {
        if let recorded { return try recorded.read() }
        guard let recording else {
            let rate = 44_100
            let frames = Int((cell.lengthSeconds * Double(rate)).rounded())
            let silence = AudioBuffer(silentFrames: frames, sampleRate: rate, channelCount: 2)
            let clip = try chain.render(
                source: silence, startSeconds: 0, lengthSeconds: cell.lengthSeconds, material: material)
            return RenderedQuery(clip: clip, redraws: 0)
        }
        let (start, redraws) =
            try startFrame.map { (try checked($0, in: recording), 0) } ?? drawStart(in: recording)
        let clip = try chain.render(
            source: recording, startSeconds: Double(start) / Double(recording.sampleRate),
            lengthSeconds: cell.lengthSeconds, material: material)
        return RenderedQuery(clip: clip, redraws: redraws)
    }

    /// Draws the frame of the recording at which the query begins, and counts the draws that were thrown away.
    ///
    /// - Throws: `DegradationError` when the recording is too short, or no draw is winnable.
    package func drawStart(in recording: AudioBuffer) throws -> (frame: Int, redraws: Int) {
        let rate = Double(recording.sampleRate)
        let needed = Int((chain.sourceSeconds(forSeconds: cell.lengthSeconds) * rate).rounded(.up))
        let length = Int((cell.lengthSeconds * rate).rounded())
        guard recording.frameCount >= needed, length <= needed else {
            throw DegradationError(
                .unsuitableAudio,
                "the recording has \(recording.frameCount) frames; \(needed) are needed for \(id)")
        }
        // Equal margins on both sides, so that no start touches an end of the recording.
        let margin = (needed - length) / 2
        var generator = SeededGenerator(seed: startSeed)
        let attempts = 400
        for redraws in 0..<attempts {
            let drawn = margin + generator.index(below: recording.frameCount - needed + 1)
            let start = min(max(0, drawn + startShiftFrames), recording.frameCount - length)
            if recording.isTooQuiet(frames: start..<min(start + length, recording.frameCount)) { continue }
            return (start, redraws)
        }
        throw DegradationError(
            .unsuitableAudio,
            "no start in \(attempts) draws is loud enough to be winnable (\(source ?? "silence"))")
    }

    /// A start that was named, if the recording reaches that far.
    private func checked(_ start: Int, in recording: AudioBuffer) throws -> Int {
        guard (0..<recording.frameCount).contains(start) else {
            throw DegradationError(
                .unsuitableAudio,
                "\(source ?? "silence") has \(recording.frameCount) frames; no query begins at frame \(start)"
            )
        }
        return start
    }
}

extension AudioBuffer {
    /// Whether RMS is below −40 dBFS or at least half the samples are below −60 dBFS.
    package func isTooQuiet(frames: Range<Int>) -> Bool {
        var power = 0.0
        var quiet = 0
        for channel in 0..<channelCount {
            withChannel(channel) { plane in
                for frame in frames {
                    let sample = plane[frame]
                    power += Double(sample * sample)
                    if abs(sample) < 1e-3 { quiet += 1 }
                }
            }
        }
        let count = frames.count * channelCount
        return power / Double(max(1, count)) < 1e-4 || quiet * 2 >= count
    }
}
