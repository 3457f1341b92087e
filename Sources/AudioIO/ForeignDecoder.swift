import SystemIO

/// Decodes other formats than libsndfile's with the programs `ffmpeg` and `ffprobe`.
///
/// The result is the mean of the audio tracks, at the rate and with the channels of the first. Each track has its own
/// process, because ffmpeg's mixer loses the rest of the longer track in some containers.
///
/// Where samples are missing but the container states times, ffmpeg fills in silence, so that later times stay true.
/// Other files end at the first damage.
struct ForeignDecoder {
    /// The file's name in errors.
    let name: String
    let content: MediaContent
    let refusal: String
    /// The number of the track to decode, from 1; nil for all.
    var track: Int?

    /// Starts to decode the file at `path`; `file` is kept until the end.
    func decode(path: String, keeping file: TemporaryFile? = nil) throws -> ForeignTracks {
        guard content.mayHoldAudio else {
            throw failure(.notAudio, "found \(content.name); expected an audio file")
        }
        let formats = try probe(path)
        guard !formats.isEmpty else {
            throw failure(.notAudio, "found \(content.name) without an audio track (\(refusal))")
        }
        try AudioFileReader.requireTrack(track, of: formats.count, name: name)
        let places = track.map { $0 - 1..<$0 } ?? formats.indices
        let format = formats[places.lowerBound]
        let tracks = try places.map { try start($0, of: path, as: format) }
        return ForeignTracks(
            sampleRate: format.sampleRate, channelCount: format.channelCount, formatName: content.name,
            tracks: tracks, file: file)
    }

    /// Decodes a file in memory through a temporary file, because some containers need seeking.
    func decode(bytes: [UInt8]) throws -> ForeignTracks {
        guard content.mayHoldAudio else {
            throw failure(.notAudio, "found \(content.name); expected an audio file")
        }
        let file = try TemporaryFile(bytes)
        return try decode(path: file.path, keeping: file)
    }

    private static let probeSeconds = 600.0
    private static let maximumTracks = 32
    /// Less than the shortest packet of common codecs, more than the rounding of containers' times.
    private static let longestGapSeconds = 0.015

    private struct Format {
        let sampleRate: Int
        let channelCount: Int
    }

    /// Starts to decode a track to 32-bit floats.
    private func start(_ number: Int, of path: String, as format: Format) throws -> ForeignTrack {
        let repair =
            content.hasTimes
            ? ["-af", "aresample=async=1:min_hard_comp=\(Self.longestGapSeconds)"] : ["-xerror"]
        let arguments =
            [
                "-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+verbose", "-protocol_whitelist",
                "file", "-i", "file:\(path)", "-map", "0:a:\(number)",
            ] + repair + [
                "-ar", "\(format.sampleRate)", "-ac", "\(format.channelCount)", "-c:a", "pcm_f32le", "-f",
                "f32le", "-",
            ]
        let process = try start("ffmpeg") { () throws(ProcessStart.Failure) in
            try RunningProcess("ffmpeg", arguments)
        }
        return ForeignTrack(
            process, name: name, content: content, sampleRate: format.sampleRate,
            channelCount: format.channelCount)
    }

    private func probe(_ path: String) throws -> [Format] {
        let arguments = [
            "-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file", "-select_streams", "a",
            "-show_entries", "stream=sample_rate,channels", "-of", "csv=p=0", "-i", "file:\(path)",
        ]
        let result = try start("ffprobe") { () throws(ProcessStart.Failure) in
            try ChildProcess.run(
                "ffprobe", arguments, timeoutSeconds: Self.probeSeconds, maximumOutputBytes: 1 << 20)
        }
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
        return try lines.map { try self.format(String($0)) }
    }

    private func format(_ line: String) throws -> Format {
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
        return Format(sampleRate: fields[0], channelCount: fields[1])
    }

    private func start<R>(_ program: String, _ body: () throws(ProcessStart.Failure) -> R) throws -> R {
        do throws(ProcessStart.Failure) {
            return try body()
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
