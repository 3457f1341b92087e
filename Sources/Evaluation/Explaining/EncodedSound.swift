import AudioCore
import AudioIO
import Foundation
import SignalProcessing

package enum EncodedSound {
    /// Only the beginning of what is longer is encoded, in seconds.
    private static let mostSeconds = 30.0
    private static let rates = [8000, 12_000, 16_000, 24_000]

    /// Encodes at most the first 30 s, as Opus at no more than 24 kHz; equal audio gives equal bytes.
    ///
    /// Of more than two channels only the first two stay. Audio beyond full scale is scaled down.
    ///
    /// - Throws: `AudioFileError` when it cannot be encoded.
    package static func sound(of audio: AudioBuffer) throws -> TrialDetail.Sound {
        let frames = min(audio.frameCount, Int(bounded: mostSeconds * Double(audio.sampleRate)))
        let channels = min(2, audio.channelCount)
        var samples: [Float] = []
        for channel in 0..<channels { samples += audio.channel(channel).prefix(frames) }
        let peak = samples.reduce(0) { max($0, abs($1)) }
        if peak > 1 { for place in samples.indices { samples[place] /= peak } }
        let cut = AudioBuffer(samples: samples, sampleRate: audio.sampleRate, channelCount: channels)
        let rate = rates.first { $0 >= audio.sampleRate } ?? rates[rates.count - 1]
        guard let encoding = AudioEncoding(channels == 2 ? "ogg-opus-32k" : "ogg-opus-24k"),
            let resampler = PolyphaseResampler.of(rate, over: cut.sampleRate)
        else {
            preconditionFailure("no Opus for \(cut.sampleRate) Hz")
        }
        let bytes = try AudioFile.encode(cut.mapChannels(sampleRate: rate, resampler.resample), as: encoding)
        return TrialDetail.Sound(
            data: Data(OggStream.renumbered(bytes)), seconds: cut.durationSeconds,
            wholeSeconds: audio.durationSeconds)
    }
}
