import AudioCore
import Corpora
import SignalProcessing

/// The length and sound of a recording: factors that may explain how often its queries are found.
public struct RecordingFacts: Codable, Hashable, Sendable {
    /// In seconds.
    public let durationSeconds: Double
    /// Nil for a recording that was not decoded or is silent.
    public let sound: RecordingSound?

    package init(_ track: Track, sound: RecordingSound?) {
        durationSeconds = track.durationSeconds
        self.sound = sound
    }
}

/// How a recording sounds, over frames of 0.1 s at every half second of its mono mix, each without its mean.
public struct RecordingSound: Codable, Hashable, Sendable {
    /// The root mean square, in decibels of full scale.
    public let loudnessDecibels: Double
    /// The mean frequency, weighted by power, in hertz.
    public let spectralCentroidHertz: Double
    /// The mean number of spectral peaks of a frame, within 0–4 kHz and 30 dB of the highest.
    public let peaksPerFrame: Double

    private static let peakRange = 4000.0

    /// Nil for a recording that is silent or shorter than a frame.
    package init?(_ audio: AudioBuffer) {
        let size = audio.sampleRate / 10
        guard size >= 8, audio.frameCount >= size else { return nil }
        let transform = RealFFT(size: size)
        let window = Window.hann(size)
        var power = [Float](repeating: 0, count: transform.binCount)
        var (squares, energy, moment, peaks) = (0.0, 0.0, 0.0, 0)
        let starts = stride(from: 0, through: audio.frameCount - size, by: audio.sampleRate / 2)
        for start in starts {
            var frame = audio.frames(start..<start + size).mono()
            // A constant offset is not heard, but would be most of the power.
            let mean = frame.reduce(0, +) / Float(size)
            for index in frame.indices { frame[index] -= mean }
            squares += frame.reduce(0) { $0 + Double($1) * Double($1) } / Double(size)
            for index in frame.indices { frame[index] *= window[index] }
            transform.power(frame, into: &power)
            for (bin, value) in power.enumerated() {
                energy += Double(value)
                moment += Double(value) * Double(bin)
            }
            peaks += Self.peaks(
                power[...min(power.count - 1, Int(bounded: Self.peakRange * Double(size)) / audio.sampleRate)]
            )
        }
        guard energy > 0 else { return nil }
        let frames = Double(starts.underestimatedCount)
        loudnessDecibels = Decibels.fromPowerRatio(squares / frames)
        spectralCentroidHertz = moment / energy * Double(audio.sampleRate) / Double(size)
        peaksPerFrame = Double(peaks) / frames
    }

    private static func peaks(_ power: ArraySlice<Float>) -> Int {
        let least = (power.max() ?? 0) * Float(Decibels.powerRatio(-30))
        return power.indices.dropFirst().dropLast().count { bin in
            power[bin] > 0 && power[bin] >= least && power[bin] > power[bin - 1]
                && power[bin] >= power[bin + 1]
        }
    }
}
