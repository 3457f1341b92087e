import AudioCore
import Degradations
import Foundation
import Matchers
import SystemIO

/// A query as the contestant receives it, with its truth.
package struct RenderedQuery: Sendable {
    package var clip: Clip
    /// The number of starts rejected because the clip was too quiet.
    package var redraws: Int
    /// The stated truth of a recorded query; nil for a rendered one.
    package var stated: Truth?

    package init(_ clip: Clip, redraws: Int = 0, stated: Truth? = nil) {
        self.clip = clip
        self.redraws = redraws
        self.stated = stated
    }

    package var audio: AudioBuffer { clip.audio }

    /// The position of the query in its source recording.
    ///
    /// Offset and skews are of least-squares lines over the query's signal, without padding. So they describe one line
    /// even where speed changes, and a change of speed has equal skews of time and frequency.
    package var truth: Truth {
        if let stated { return stated }
        let rate = Double(clip.audio.sampleRate)
        let signal =
            Double(clip.signalFrames.lowerBound) / rate...Double(clip.signalFrames.upperBound) / rate
        // Values below 1e-12 are rounding errors; without this, no skew would not be exactly 0.
        func settled(_ skew: Double) -> Double { (skew * 1e12).rounded() / 1e12 + 0 }
        let time = clip.timeMap.leastSquares(over: signal)
        let frequency = clip.frequencyMap.leastSquares(over: signal)
        return Truth(
            offsetSeconds: time.valueAtZero, frequencySkew: settled(frequency.slope - 1),
            timeSkew: settled(time.slope - 1),
            skewChangePerSecond: settled(time.slopeChangePerSecond))
    }

    /// SHA-256 over rate, channel count and decoded samples, in hexadecimal.
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
    /// Makes the query; the result is the same on every machine of one CPU type.
    ///
    /// Starts are drawn until the cut is loud enough (``AudioBuffer/isTooQuiet(frames:)``). For noise at an SNR, so must
    /// be its mono mix (``AudioBuffer/isTooQuietInMono(frames:)``).
    ///
    /// - Parameter recording: the source; nil for digital silence.
    /// - Throws: `DegradationError`, with code `notOffered` if its format does not exist.
    package func render(from recording: (any FrameSource)?, material: any Material) throws -> RenderedQuery {
        if let recorded {
            let query = try recorded.read()
            guard !chain.steps.isEmpty else { return query }
            // Where a step changes time, the place is another than the list says.
            let clip = try chain.render(
                source: query.audio, startSeconds: 0, lengthSeconds: cell.lengthSeconds, material: material)
            let unknown = Truth(
                offsetSeconds: nil, frequencySkew: nil, timeSkew: nil, skewChangePerSecond: 0)
            return RenderedQuery(clip, stated: unknown)
        }
        guard let recording else {
            let rate = 44_100
            let frames = Int(bounded: (cell.lengthSeconds * Double(rate)).rounded())
            let silence = AudioBuffer(silentFrames: frames, sampleRate: rate, channelCount: 2)
            let clip = try chain.render(
                source: silence, startSeconds: 0, lengthSeconds: cell.lengthSeconds, material: material)
            return RenderedQuery(clip)
        }
        let (start, redraws) =
            try startFrame.map { (try checked($0, in: recording), 0) } ?? drawStart(in: recording)
        let clip = try chain.render(
            source: recording, startSeconds: Double(start) / Double(recording.sampleRate),
            lengthSeconds: cell.lengthSeconds, material: material)
        return RenderedQuery(clip, redraws: redraws)
    }

    /// Draws the first frame of the query and counts the rejected draws.
    ///
    /// - Throws: `DegradationError` if the recording is too short, or every draw is too quiet.
    package func drawStart(in recording: any FrameSource) throws -> (frame: Int, redraws: Int) {
        let length = Int(bounded: (cell.lengthSeconds * Double(recording.sampleRate)).rounded())
        var redraws = 0
        for start in try starts(in: recording) {
            let cut = try recording.frames(start..<min(start + length, recording.frameCount))
            let frames = 0..<cut.frameCount
            guard cut.isTooQuiet(frames: frames) || chain.addsNoise && cut.isTooQuietInMono(frames: frames)
            else { return (start, redraws) }
            redraws += 1
        }
        throw DegradationError(
            .unsuitableAudio,
            "no start in \(redraws) draws is loud enough to be winnable (\(source ?? "silence"))")
    }

    /// The first frames to try for the query, in the order of their draws.
    ///
    /// - Throws: `DegradationError` if the recording is too short.
    package func starts(in recording: any FrameSource) throws -> some Sequence<Int> {
        let rate = Double(recording.sampleRate)
        let needed = Int(bounded: (chain.sourceSeconds(forSeconds: cell.lengthSeconds) * rate).rounded(.up))
        // A long query that is slowed down needs less of the recording than its own length.
        let length = min(needed, Int(bounded: (cell.lengthSeconds * rate).rounded()))
        let frameCount = try recording.frameCount
        guard frameCount >= needed else {
            throw DegradationError(
                .unsuitableAudio,
                "the recording has \(frameCount) frames; \(needed) are needed for \(id)")
        }
        // Equal margins on both sides, so that no start touches an end of the recording.
        let margin = (needed - length) / 2
        let shift = startShiftFrames
        return sequence(state: SeededGenerator(seed: startSeed)) { generator in
            let drawn = margin + generator.index(below: frameCount - needed + 1)
            return min(max(0, drawn + shift), frameCount - length)
        }.prefix(400)
    }

    /// The given start, if the recording is long enough.
    private func checked(_ start: Int, in recording: any FrameSource) throws -> Int {
        let frameCount = try recording.frameCount
        guard (0..<frameCount).contains(start) else {
            throw DegradationError(
                .unsuitableAudio,
                "\(source ?? "silence") has \(frameCount) frames; no query begins at frame \(start)")
        }
        return start
    }
}
