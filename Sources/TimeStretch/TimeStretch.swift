import AudioCore
internal import CRubberBand

/// Changes of tempo and of pitch, each without the other.
public enum TimeStretch {
    /// The smallest and largest time and pitch ratio accepted.
    public static let ratios = 0.25...4.0

    /// Stretches `audio` to `timeRatio` times its length and scales its frequencies by `pitchRatio`.
    ///
    /// The R3 engine of the Rubber Band library works in offline mode: it studies the whole input first and
    /// compensates most of its own delay. An event at input second t moves to `timeRatio`·t plus
    /// ``delaySeconds(sampleRate:timeRatio:pitchRatio:)``. It is there within 1 ms for changes of up to 5 %, and within
    /// 4 ms up to 25 %. The engine stretches all channels together, so their phases
    /// stay related. The result has `(frameCount · timeRatio).rounded()` frames. The same input always gives
    /// the same samples. If both ratios are 1, the result is the input.
    ///
    /// The engine keeps time best at rates a little below 64 kHz; above, its blocks have twice as many samples.
    /// Audio of 32 kHz or less is therefore stretched at a multiple of its rate. Audio above 64 kHz is
    /// stretched at a fraction of its rate, and loses frequencies above 0.45 times that lower rate.
    ///
    /// - Throws: ``TimeStretchError`` when a ratio is out of range.
    public static func stretch(
        _ audio: AudioBuffer, timeRatio: Double, pitchRatio: Double
    ) throws -> AudioBuffer {
        for (name, ratio) in [("time", timeRatio), ("pitch", pitchRatio)] where !ratios.contains(ratio) {
            throw TimeStretchError(description: "the \(name) ratio \(ratio) is not within \(ratios)")
        }
        if audio.isEmpty || (timeRatio == 1 && pitchRatio == 1) { return audio }
        let frames = Int(bounded: (Double(audio.frameCount) * timeRatio).rounded())
        let rate = audio.sampleRate
        if rate <= highestWorkingRate / 2 {
            let factor = highestWorkingRate / rate
            let multiple = RateMultiple(factor: factor)
            let raised = audio.mapChannels(sampleRate: rate * factor) { multiple.raise(Array($0)) }
            return run(raised, timeRatio, pitchRatio, frames: frames * factor)
                .mapChannels(sampleRate: rate) { multiple.lower(Array($0), count: frames) }
        }
        if rate > highestWorkingRate {
            let factor = (rate + highestWorkingRate - 1) / highestWorkingRate
            let multiple = RateMultiple(factor: factor)
            let count = (audio.frameCount + factor - 1) / factor
            let lowered = audio.mapChannels(sampleRate: rate / factor) {
                multiple.lower(Array($0), count: count)
            }
            return run(lowered, timeRatio, pitchRatio, frames: (frames + factor - 1) / factor)
                .mapChannels(sampleRate: rate) { Array(multiple.raise(Array($0)).prefix(frames)) }
        }
        return run(audio, timeRatio, pitchRatio, frames: frames)
    }

    /// The version of Rubber Band.
    public static var libraryVersion: String { RUBBERBAND_VERSION }

    private static let highestWorkingRate = 64_000

    private static func run(
        _ audio: AudioBuffer, _ timeRatio: Double, _ pitchRatio: Double, frames: Int
    ) -> AudioBuffer {
        Stretcher(
            sampleRate: audio.sampleRate, channelCount: audio.channelCount, timeRatio: timeRatio,
            pitchRatio: pitchRatio
        ).stretch(audio, outputFrames: frames)
    }
}

/// A stretch that cannot be made, and why.
public struct TimeStretchError: Error, CustomStringConvertible, Sendable {
    /// The value found and the values expected.
    public let description: String
}

/// Owns one Rubber Band stretcher.
private struct Stretcher: ~Copyable {
    private let state: RubberBandState

    init(sampleRate: Int, channelCount: Int, timeRatio: Double, pitchRatio: Double) {
        let window =
            Self.shortWindowRatios.contains(timeRatio * pitchRatio)
            ? RubberBandOptionWindowShort : RubberBandOptionWindowStandard
        let options =
            RubberBandOptionEngineFiner.rawValue | RubberBandOptionProcessOffline.rawValue
            | RubberBandOptionPitchHighQuality.rawValue | RubberBandOptionChannelsTogether.rawValue
            | RubberBandOptionThreadingNever.rawValue | window.rawValue
        state = rubberband_new(
            UInt32(sampleRate), UInt32(channelCount), RubberBandOptions(options), timeRatio, pitchRatio)
    }

    deinit {
        rubberband_delete(state)
    }

    /// Passes `audio` to the engine twice: to study it, then to stretch it.
    borrowing func stretch(_ audio: AudioBuffer, outputFrames: Int) -> AudioBuffer {
        rubberband_set_expected_input_duration(state, UInt32(clamping: audio.frameCount))
        rubberband_set_max_process_size(state, UInt32(Self.blockFrames))
        var output = [Float](repeating: 0, count: outputFrames * audio.channelCount)
        audio.samples.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                for pass in [Pass.study, .process] {
                    var written = 0
                    for start in stride(from: 0, to: audio.frameCount, by: Self.blockFrames) {
                        let count = min(Self.blockFrames, audio.frameCount - start)
                        let planes = (0..<audio.channelCount).map {
                            input.baseAddress?.advanced(by: $0 * audio.frameCount + start)
                        }
                        let isLast: Int32 = start + count == audio.frameCount ? 1 : 0
                        switch pass {
                        case .study: rubberband_study(state, planes, UInt32(count), isLast)
                        case .process:
                            rubberband_process(state, planes, UInt32(count), isLast)
                            written += retrieve(into: output, channelCount: audio.channelCount, from: written)
                        }
                    }
                }
            }
        }
        return AudioBuffer(samples: output, sampleRate: audio.sampleRate, channelCount: audio.channelCount)
    }

    /// Moves finished frames into the planes of `output` from frame `start` on, as far as they fit.
    private borrowing func retrieve(
        into output: UnsafeMutableBufferPointer<Float>, channelCount: Int, from start: Int
    ) -> Int {
        let frames = output.count / channelCount
        var position = start
        while position < frames {
            let ready = min(Int(rubberband_available(state)), frames - position)
            guard ready > 0 else { break }
            let planes = (0..<channelCount).map { output.baseAddress?.advanced(by: $0 * frames + position) }
            position += Int(rubberband_retrieve(state, planes, UInt32(ready)))
        }
        return position - start
    }

    private static let blockFrames = 4096

    /// The stretches, before the pitch is changed back, that are made with one size of window instead of three.
    ///
    /// This takes a third of the time, and onsets stay nearer to their places. Beyond, it would soften them.
    private static let shortWindowRatios = 0.9...1.1

    private enum Pass {
        case study, process
    }
}
