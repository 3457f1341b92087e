import AudioCore
import Synchronization

extension TimeStretch {
    /// How much later events sound in the result of ``stretch(_:timeRatio:pitchRatio:)`` than at `timeRatio` times
    /// their input times, in seconds; negative if earlier.
    ///
    /// The engine moves in whole hops, so every setting has a delay of its own, up to 1.5 ms for changes of up to 5 %.
    /// It hardly depends on the audio. Each process measures it once for a setting, as the median over a train of
    /// clicks. Single clicks differ from it by up to 0.7 ms.
    ///
    /// - Throws: ``TimeStretchError`` when a ratio is out of range.
    public static func delaySeconds(sampleRate: Int, timeRatio: Double, pitchRatio: Double) throws -> Double {
        if timeRatio == 1 && pitchRatio == 1 { return 0 }
        let setting = StretchSetting(sampleRate: sampleRate, timeRatio: timeRatio, pitchRatio: pitchRatio)
        if let known = measuredDelays.withLock({ $0[setting] }) { return known }
        // Measured outside the lock: two threads may do it twice, none waits for another.
        let delay = try ClickTrain(sampleRate: sampleRate).delaySeconds(setting)
        measuredDelays.withLock { $0[setting] = delay }
        return delay
    }

    private static let measuredDelays = Mutex<[StretchSetting: Double]>([:])
}

private struct StretchSetting: Hashable {
    let sampleRate: Int
    let timeRatio: Double
    let pitchRatio: Double
}

/// Single samples in silence, at uneven distances so that they fall on all phases of the engine's hops.
private struct ClickTrain {
    let audio: AudioBuffer
    private let frames: [Int]

    init(sampleRate: Int) {
        var generator = SeededGenerator(seed: 1, "click train")
        var seconds = 0.5
        frames = (0..<20).map { _ in
            seconds += generator.uniform(in: 0.2...0.3)
            return Int(bounded: seconds * Double(sampleRate))
        }
        var samples = [Float](repeating: 0, count: Int(bounded: (seconds + 0.5) * Double(sampleRate)))
        for frame in frames { samples[frame] = 0.9 }
        audio = AudioBuffer(samples: samples, sampleRate: sampleRate)
    }

    /// The median delay of the clicks in seconds.
    func delaySeconds(_ setting: StretchSetting) throws -> Double {
        let stretched = try TimeStretch.stretch(
            audio, timeRatio: setting.timeRatio, pitchRatio: setting.pitchRatio)
        let rate = Double(setting.sampleRate)
        let delays = frames.compactMap { frame -> Double? in
            let expected = Double(frame) * setting.timeRatio
            return Self.place(near: expected, in: stretched).map { ($0 - expected) / rate }
        }.sorted()
        guard !delays.isEmpty else { return 0 }
        return (delays[(delays.count - 1) / 2] + delays[delays.count / 2]) / 2
    }

    /// The centre of energy within 5 ms of the loudest sample that is within 20 ms of `frame`; nil in silence.
    private static func place(near frame: Double, in audio: AudioBuffer) -> Double? {
        func around(_ centre: Int, seconds: Double) -> Range<Int> {
            let reach = max(1, Int(bounded: seconds * Double(audio.sampleRate)))
            return (centre - reach..<centre + reach + 1).clamped(to: 0..<audio.frameCount)
        }
        return audio.withChannel(0) { samples in
            let near = around(Int(bounded: frame.rounded()), seconds: 0.02)
            guard let loudest = near.max(by: { abs(samples[$0]) < abs(samples[$1]) }) else { return nil }
            var energy = 0.0
            var moment = 0.0
            for index in around(loudest, seconds: 0.005) {
                let square = Double(samples[index]) * Double(samples[index])
                energy += square
                moment += square * Double(index)
            }
            return energy > 0 ? moment / energy : nil
        }
    }
}
