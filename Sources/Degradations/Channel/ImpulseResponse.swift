import AudioCore
import AudioIO

/// Convolves the clip with a measured impulse response of a room, loudspeaker or microphone.
///
/// `path` names an audio file. Its first channel is used, at most 20 s of it, resampled to the clip's rate. The onset is
/// the first sample that reaches a tenth of the peak. The direct path is the greatest magnitude within 10 ms of the
/// onset. It is scaled to 1 and moved to time 0, so that the truth is the direct path.
package struct ImpulseResponse: Degradation {
    package static let name = "impulseResponse"
    package static let version = 2
    package static let parameters = [Parameter("path", .file)]

    package var path: String

    package init(path: String) { self.path = path }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        var file: AudioBuffer
        do {
            file = try AudioFile.read(path, seconds: 0...20)
        } catch let error as AudioFileError where error.isFaultOfContent {
            throw DegradationError.invalid("\(Self.name): \(error)")
        }
        file = AudioBuffer(samples: Array(file.channel(0)), sampleRate: file.sampleRate)
        let response = try file.resampled(to: clip.audio.sampleRate).samples
        let peak = response.reduce(0) { max($0, abs($1)) }
        guard peak > 0, let onset = response.firstIndex(where: { abs($0) >= 0.1 * peak }) else {
            throw DegradationError.invalid("\(Self.name): \(path) is silent")
        }
        let early = onset..<min(response.count, onset + clip.audio.sampleRate / 100 + 1)
        let direct = early.reduce(onset) { abs(response[$1]) > abs(response[$0]) ? $1 : $0 }
        let scale = 1 / abs(response[direct])
        clip.convolve(with: response.map { $0 * scale }, direct: direct)
    }
}
