import SystemIO

/// Decodes other formats than libsndfile's with the programs `ffmpeg` and `ffprobe`.
///
/// The result is the mean of all audio tracks, at the rate and with the channels of the first. Each track has its own
/// process, because ffmpeg's mixer loses the rest of the longer track in some containers.
struct ForeignDecoder {
    /// The file's name in errors.
    let name: String
    let content: MediaContent
    let refusal: String

    func decode(path: String) throws -> MixedTracks {
        guard content.mayHoldAudio else {
            throw failure(.notAudio, "found \(content.name); expected an audio file")
        }
        let tracks = try probe(path)
        guard let first = tracks.first else {
            throw failure(.notAudio, "found \(content.name) without an audio track (\(refusal))")
        }
        let mix = MixedTracks(
            sampleRate: first.sampleRate, channelCount: first.channelCount, formatName: content.name,
            trackCount: tracks.count)
        for index in tracks.indices {
            mix.add(try SoundFile(bytes: decode(track: index, of: path, as: first), name: name))
        }
        return mix
    }

    /// Decodes a file in memory through a temporary file, because some containers need seeking.
    func decode(bytes: [UInt8]) throws -> MixedTracks {
        guard content.mayHoldAudio else {
            throw failure(.notAudio, "found \(content.name); expected an audio file")
        }
        let file = try TemporaryFile(bytes)
        return try withExtendedLifetime(file) { try decode(path: file.path) }
    }

    private static let timeoutSeconds = 600.0
    private static let maximumTracks = 32
    private static let headerBytes = 24

    private struct Track {
        let sampleRate: Int
        let channelCount: Int
    }

    /// The bytes of an AU file of 32-bit floats.
    private func decode(track: Int, of path: String, as format: Track) throws -> [UInt8] {
        let arguments = [
            "-nostdin", "-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file", "-i",
            "file:\(path)", "-map", "0:a:\(track)", "-ar", "\(format.sampleRate)", "-ac",
            "\(format.channelCount)", "-c:a", "pcm_f32be", "-f", "au", "-",
        ]
        let result = try run("ffmpeg", arguments, maximumOutputBytes: 4 * AudioFile.maximumSampleCount)
        switch result.end {
        case .exited where result.output.count > Self.headerBytes: return result.output
        case .exceededOutput:
            throw failure(.tooLong, "decodes to more than \(AudioFile.maximumSampleCount) samples")
        case .timedOut:
            throw failure(.damaged, "\(content.name) that ffmpeg did not decode in \(Self.timeoutSeconds) s")
        default: throw failure(.damaged, "\(content.name) that cannot be decoded (\(lastLine(result)))")
        }
    }

    private func probe(_ path: String) throws -> [Track] {
        let arguments = [
            "-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file", "-select_streams", "a",
            "-show_entries", "stream=sample_rate,channels", "-of", "csv=p=0", "-i", "file:\(path)",
        ]
        let result = try run("ffprobe", arguments, maximumOutputBytes: 1 << 20)
        guard result.end == .exited(0) else {
            throw failure(
                .notAudio,
                "found \(content.name) that cannot be opened as audio (\(refusal); \(lastLine(result)))")
        }
        let lines = String(decoding: result.output, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard lines.count <= Self.maximumTracks else {
            throw failure(
                .unsupportedChannelCount,
                "\(lines.count) audio tracks; expected at most \(Self.maximumTracks)")
        }
        return try lines.map { try track(String($0)) }
    }

    private func track(_ line: String) throws -> Track {
        let fields = line.split(separator: ",").map { Int($0) ?? 0 }
        guard fields.count >= 2, AudioFile.sampleRates.contains(fields[0]) else {
            throw failure(
                .unsupportedSampleRate,
                "an audio track of \(fields.first ?? 0) Hz; expected \(AudioFile.sampleRates.lowerBound) to "
                    + "\(AudioFile.sampleRates.upperBound) Hz")
        }
        guard AudioFile.channelCounts.contains(fields[1]) else {
            throw failure(
                .unsupportedChannelCount,
                "an audio track of \(fields[1]) channels; expected \(AudioFile.channelCounts.lowerBound) to "
                    + "\(AudioFile.channelCounts.upperBound)")
        }
        return Track(sampleRate: fields[0], channelCount: fields[1])
    }

    private func run(_ program: String, _ arguments: [String], maximumOutputBytes: Int) throws -> ChildProcess
    {
        do throws(ProcessStart.Failure) {
            return try ChildProcess.run(
                program, arguments, timeoutSeconds: Self.timeoutSeconds,
                maximumOutputBytes: maximumOutputBytes)
        } catch {
            guard error.isMissing else {
                throw failure(
                    .decoderFailed, "found \(content.name), but \(program) cannot be started: \(error)")
            }
            throw failure(
                .decoderMissing,
                "found \(content.name), which needs the program \(program); install ffmpeg "
                    + "(Debian: apt install ffmpeg), or convert the file to WAV, FLAC, Ogg or MP3")
        }
    }

    private func failure(_ code: AudioFileError.Code, _ message: String) -> AudioFileError {
        AudioFileError(code, path: name, message)
    }

    private func lastLine(_ result: ChildProcess) -> String {
        result.complaint.split(whereSeparator: \.isNewline).last.map(String.init) ?? "no reason given"
    }
}
