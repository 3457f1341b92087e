import AudioCore
import AudioIO
import SystemIO
import TestSupport

/// A valid audio file, to be mutated.
struct OriginalFile: Sendable {
    /// Without a dot.
    let fileExtension: String
    let bytes: [UInt8]

    /// One file of each container and of each family of codecs, a chained one, and those that ffmpeg decodes, if it is there.
    static func all() throws -> [OriginalFile] {
        let names = [
            "wav-pcm16", "wav-pcm24", "wav-float", "wav-ulaw", "wav-ima-adpcm", "wav-ms-adpcm", "wav-gsm610",
            "au-g721",
            "flac-16", "flac-24", "caf-alac16", "ogg-vorbis-q0.3", "ogg-opus-24k", "mp3-64k", "mp3-16k",
        ]
        var files: [OriginalFile] = []
        for name in names {
            guard let encoding = AudioEncoding(name) else { continue }
            let audio = try Resampler.resample(
                music(channelCount: min(2, encoding.maxChannels)),
                to: encoding.nearestRate(to: sampleRate) ?? sampleRate)
            files.append(
                OriginalFile(
                    fileExtension: encoding.fileExtension, bytes: try AudioFile.encode(audio, as: encoding)))
        }
        let chained = files.filter { ["ogg", "opus"].contains($0.fileExtension) }.flatMap(\.bytes)
        files.append(OriginalFile(fileExtension: "ogg", bytes: chained))
        return files + [aiff(music(channelCount: 2)), w64(music(channelCount: 1))] + foreign
    }

    /// Files that libsndfile does not read.
    private static var foreign: [OriginalFile] {
        let forms = [
            ("aac", ["-f", "adts"]), ("wv", ["-f", "wv"]), ("mka", ["-f", "matroska", "-c:a", "aac"]),
            ("webm", ["-f", "webm", "-c:a", "libopus"]),
            ("m4a", ["-f", "mp4", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"]),
        ]
        return forms.compactMap { fileExtension, options in
            let noise = "anoisesrc=duration=2:color=pink:sample_rate=\(sampleRate):seed=1"
            let encoder = try? ChildProcess.run(
                "ffmpeg", ["-loglevel", "error", "-f", "lavfi", "-i", noise] + options + ["-bitexact", "-"],
                timeoutSeconds: 60, maximumOutputBytes: 1 << 24)
            guard let encoder, encoder.end == .exited(0) else { return nil }
            return OriginalFile(fileExtension: fileExtension, bytes: encoder.output)
        }
    }

    private static let sampleRate = 16_000

    private static func music(channelCount: Int) -> AudioBuffer {
        let planes = (0..<channelCount).flatMap {
            TestSignals.bandNoise(seed: UInt64($0), seconds: 2, sampleRate: sampleRate).samples
        }
        return AudioBuffer(samples: planes, sampleRate: sampleRate, channelCount: channelCount)
    }

    /// AIFF of 16 bits ("Audio Interchange File Format", Apple, 1989).
    private static func aiff(_ audio: AudioBuffer) -> OriginalFile {
        let data = words(audio).flatMap {
            [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
        }
        // 16,000 as an 80-bit extended float: exponent 16383 + 13, mantissa 16000 · 2⁵⁰.
        let rate: [UInt8] = [0x40, 0x0C] + bigEndian(16_000 << 50, 8)
        let common =
            text("COMM") + bigEndian(18, 4) + bigEndian(audio.channelCount, 2)
            + bigEndian(audio.frameCount, 4)
            + bigEndian(16, 2) + rate
        let sound = text("SSND") + bigEndian(data.count + 8, 4) + bigEndian(0, 8) + data
        let form = text("AIFF") + common + sound
        return OriginalFile(fileExtension: "aiff", bytes: text("FORM") + bigEndian(form.count, 4) + form)
    }

    /// Sony Wave64 of 16 bits: RIFF with 16-byte names and 8-byte sizes.
    private static func w64(_ audio: AudioBuffer) -> OriginalFile {
        let data = words(audio).flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }
        let riff: [UInt8] = [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00]
        let wave: [UInt8] = [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A]
        let channels = audio.channelCount
        let format =
            littleEndian(1, 2) + littleEndian(channels, 2) + littleEndian(sampleRate, 4)
            + littleEndian(sampleRate * channels * 2, 4) + littleEndian(channels * 2, 2) + littleEndian(16, 2)
        let body =
            text("wave") + wave + text("fmt ") + wave + littleEndian(24 + format.count, 8) + format
            + text("data")
            + wave + littleEndian(24 + data.count, 8) + data
        return OriginalFile(
            fileExtension: "w64", bytes: text("riff") + riff + littleEndian(24 + body.count, 8) + body)
    }

    private static func words(_ audio: AudioBuffer) -> [Int] {
        audio.interleaved.map { Int(max(-1, min(1, $0)) * 32_767) }
    }

    private static func text(_ name: String) -> [UInt8] { Array(name.utf8) }

    private static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
        littleEndian(value, count).reversed()
    }

    private static func littleEndian(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
