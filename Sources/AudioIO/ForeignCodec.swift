import AudioCore
import SystemIO

/// Encodes with the program `ffmpeg` what libsndfile does not, and decodes it again.
///
/// ITU-T and ETSI codecs and Bluetooth's SBC have raw formats, which `ffmpeg` must be told.
struct ForeignCodec: Hashable {
    /// The name of the encoder in `ffmpeg`.
    let encoder: String
    /// The name of the demuxer.
    let format: String
    let muxer: String
    let bitsPerSecond: Int

    init(_ encoder: String, format: String, muxer: String? = nil, bitsPerSecond: Int) {
        self.encoder = encoder
        self.format = format
        self.muxer = muxer ?? format
        self.bitsPerSecond = bitsPerSecond
    }

    /// The encoders of the installed `ffmpeg`.
    static let encoders: Set<String> = {
        let result = try? ChildProcess.run(
            "ffmpeg", ["-v", "quiet", "-encoders"], timeoutSeconds: 10, maximumOutputBytes: 1 << 20,
            limits: ForeignDecoder.limits)
        guard let result, result.end == .exited(0) else { return [] }
        // " A....D sbc                  SBC (low-complexity subband codec)"
        let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
        return Set(lines.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) })
    }()

    /// Silence after the end, for encoders that drop a last frame which is not full.
    private static let paddingSeconds = 0.02

    func encode(_ audio: AudioBuffer, name: String) throws -> [UInt8] {
        let padding = Int(bounded: (Self.paddingSeconds * Double(audio.sampleRate)).rounded(.up))
        let samples = audio.interleaved + [Float](repeating: 0, count: padding * audio.channelCount)
        return try Self.run(
            Self.raw(audio.sampleRate, audio.channelCount) + [
                "-i", "-", "-map_metadata", "-1", "-bitexact", "-c:a", encoder, "-b:a", "\(bitsPerSecond)",
                "-f",
                muxer, "-",
            ], input: samples.withUnsafeBytes { Array($0) }, name: name)
    }

    func decode(
        _ bytes: [UInt8], sampleRate: Int, channelCount: Int, name: String
    ) throws -> AudioBuffer {
        let output = try Self.run(
            ["-f", format, "-i", "-", "-c:a", "pcm_f32le"] + Self.raw(sampleRate, channelCount) + ["-"],
            input: bytes, name: name)
        guard output.count >= 4 * channelCount else {
            throw AudioFileError(.noSamples, path: name, "nothing is left of the audio")
        }
        return output.withUnsafeBytes {
            AudioBuffer(
                interleaved: $0.bindMemory(to: Float.self), sampleRate: sampleRate, channelCount: channelCount
            )
        }
    }

    private static func raw(_ sampleRate: Int, _ channelCount: Int) -> [String] {
        ["-f", "f32le", "-ar", "\(sampleRate)", "-ac", "\(channelCount)"]
    }

    private static func run(_ arguments: [String], input: [UInt8], name: String) throws -> [UInt8] {
        let process: ChildProcess
        do throws(ProcessStart.Failure) {
            process = try ChildProcess.run(
                "ffmpeg", ["-nostdin", "-v", "error", "-threads", "1"] + arguments, input: input,
                timeoutSeconds: 600, maximumOutputBytes: 1 << 32, limits: ForeignDecoder.limits)
        } catch {
            throw AudioFileError(.decoderFailed, path: name, "ffmpeg cannot be started: \(error)")
        }
        switch process.end {
        case .exited(0): return process.output
        case .exited:
            throw AudioFileError(.cannotEncode, path: name, "ffmpeg says: \(process.complaint)")
        case .signalled, .timedOut, .exceededOutput:
            throw AudioFileError(.decoderFailed, path: name, "ffmpeg did not end: \(process.end)")
        }
    }
}
