import Foundation
import SystemIO

/// Decodes other formats than libsndfile's with the programs `ffmpeg` and `ffprobe`.
///
/// The result is the mean of the audio tracks, at the rate and with the channels of the first. Each track has its own
/// process, because ffmpeg's mixer loses the rest of the longer track in some containers.
///
/// Samples are placed by the times of the container. Files without times end at the first damage.
final class ForeignDecoder {
    struct Format {
        let sampleRate: Int
        let channelCount: Int
    }

    private let name: String
    private let file: VirtualFile
    private let limits: ProcessLimits
    /// A file in memory is copied, because some containers need seeking.
    private var copy: TemporaryFile?

    /// Errors call the file `name`.
    ///
    /// - Parameter sandbox: Confines the programs; nil only limits what they use.
    init(_ file: VirtualFile, in sandbox: DecoderSandbox?, name: String) {
        self.file = file
        self.name = name
        // More than any file needs that is meant well: a day of audio is decoded in a few minutes.
        limits = ProcessLimits(
            memoryBytes: 4 << 30, processorSeconds: 3600, openFiles: 64, isConfined: sandbox != nil)
    }

    static func requireTrack(_ track: Int?, of count: Int, name: String) throws {
        if let track, !(1...count).contains(track) {
            throw AudioFileError(
                .missingTrack, path: name,
                "has no audio track \(track); expected a number from 1 to \(count)")
        }
    }

    /// What to decode, and how.
    struct Order {
        let link: AudioLink
        /// The format of the result; nil for that of the first track.
        var format: Format?
        /// Whether it has more audio than its header states.
        var lengthIsWrong = false
        /// Why libsndfile does not read it.
        let refusal: String
        /// The number of the track to decode, from 1; nil for all.
        var track: Int?
    }

    /// Starts to decode a recording of the file.
    ///
    /// - Throws: ``AudioFileError``; `.unreadable` if the disk does not give all of its bytes.
    func decode(_ order: Order) throws -> ForeignTracks {
        let tracks: ForeignTracks
        do { tracks = try start(order) } catch let error as AudioFileError where error.isFaultOfContent {
            try file.requireReadable(order.link.bytes, name: name)
            guard error.message.contains(Self.readFailure) else { throw error }
            tracks = try start(order)
        }
        tracks.confirm = { damage, frameCount in
            try self.file.requireReadable(order.link.bytes, name: self.name)
            // Some demuxers say the same of a file that was cut. Then they say it again.
            let second = try? self.start(order)
            while try second?.skip(1 << 20) ?? false {}
            guard let second, second.damage == damage, second.framesRead == frameCount else {
                throw VirtualFile.error(EIO, name: self.name)
            }
        }
        return tracks
    }

    /// How programs name an error of the disk.
    static let readFailure = String(cString: strerror(EIO))

    private func start(_ order: Order) throws -> ForeignTracks {
        let (link, track) = (order.link, order.track)
        let kind = link.content.name
        let place = try address(of: link)
        let found = try probe(place, kind: kind, refusal: order.refusal)
        let streams = found.audio
        guard !streams.isEmpty else {
            throw failure(.notAudio, "found \(kind) without an audio track (\(order.refusal))")
        }
        guard streams.count <= Self.maximumTracks else {
            throw failure(
                .unsupportedChannelCount,
                "\(streams.count) audio tracks; expected at most \(Self.maximumTracks)")
        }
        try Self.requireTrack(track, of: streams.count, name: name)
        var tracks: [ForeignTrack] = []
        var (leftOut, first): ([String], AudioFileError?) = ([], nil)
        var format = order.format
        for number in track.map({ [$0] }) ?? Array(1...streams.count) {
            let stream = streams[number - 1]
            do {
                let own = try format ?? self.format(stream)
                let options =
                    (found.hasTimes || order.lengthIsWrong || stream.holdsSamples ? [] : ["-xerror"])
                    + (order.lengthIsWrong && link.content.isWAV ? ["-ignore_length", "1"] : [])
                tracks.append(try start(stream, of: found, at: place, as: own, link, options))
                format = own
            } catch let error as AudioFileError where error.isFaultOfContent {
                leftOut.append("its audio track \(number) is left out: \(error.message)")
                first = first ?? error
            }
        }
        guard let format, !tracks.isEmpty else { throw first ?? failure(.notAudio, "found \(kind)") }
        return ForeignTracks(format: format, formatName: kind, tracks: tracks, leftOut: leftOut)
    }

    private static let probeSeconds = 600.0
    private static let maximumTracks = 32

    /// Demuxers of containers that state times, so that a gap does not move what follows.
    private static let timed: Set<String> = [
        "mov", "matroska", "asf", "avi", "flv", "mpegts", "mpeg", "ogg", "nut", "rm", "mxf", "wtv", "dv",
    ]
    /// The other demuxers that are used.
    ///
    /// Those that open further files, such as playlists, are not.
    private static let untimed: Set<String> = [
        "aac", "ac3", "aea", "aiff", "amr", "amrnb", "amrwb", "ape", "au", "caf", "dsf", "dts", "dtshd",
        "eac3",
        "flac", "gsm", "iff", "ircam", "loas", "mp3", "mpc", "mpc8", "nistsphere", "oma", "sox", "tak",
        "truehd",
        "tta", "voc", "w64", "wav", "wv", "xwma",
    ]

    /// What ffprobe says of a file.
    private struct Probe: Decodable {
        struct Stream: Decodable {
            let index: Int
            let codec_type: String?
            let codec_name: String?
            let sample_rate: String?
            let channels: Int?

            /// Whether it is not compressed, so that nothing in it can be damaged.
            var holdsSamples: Bool { codec_name?.hasPrefix("pcm_") ?? false }
        }

        struct Container: Decodable {
            let format_name: String
            let start_time: String?
        }

        let streams: [Stream]
        let format: Container

        /// A stream that several programs share is listed once.
        var audio: [Stream] {
            var indices: Set<Int> = []
            return streams.filter { $0.codec_type == "audio" && indices.insert($0.index).inserted }
        }

        var hasTimes: Bool {
            format.format_name.split(separator: ",").contains { timed.contains(String($0)) }
        }

        /// Where its clock begins, in seconds; encoders' delays have times before 0.
        var startTime: Double { max(0, format.start_time.flatMap(Double.init) ?? 0) }
    }

    private func address(of link: AudioLink) throws -> String {
        if let memory = file as? MemoryFile, copy == nil { copy = try TemporaryFile(memory.bytes) }
        let path = copy?.path ?? (file as? StoredFile)?.path ?? name
        let isWhole = link.bytes == 0..<file.byteCount
        return isWhole
            ? "file:\(path)"
            : "subfile,,start,\(link.bytes.lowerBound),end,\(link.bytes.upperBound),,:file:\(path)"
    }

    /// Options before the input that keep ffmpeg to the file.
    private static let sources = [
        "-protocol_whitelist", "file,subfile", "-format_whitelist",
        (timed.union(untimed)).sorted().joined(separator: ","),
    ]

    /// Starts to decode a track to 32-bit floats.
    private func start(
        _ stream: Probe.Stream, of found: Probe, at place: String, as format: Format, _ link: AudioLink,
        _ options: [String]
    ) throws -> ForeignTrack {
        let arguments =
            ["-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info", "-copyts"] + Self.sources
            + options + ["-vn", "-sn", "-dn", "-i", place]
            + ["-map", "0:\(stream.index)", "-af", "aresample=\(format.sampleRate),ashowinfo"]
            + ["-ac", "\(format.channelCount)", "-c:a", "pcm_f32le", "-f", "f32le", "-"]
        let process = try start("ffmpeg", link.content.name) { () throws(ProcessStart.Failure) in
            try RunningProcess("ffmpeg", arguments, limits: limits)
        }
        let pictures = found.streams.filter { $0.codec_type != "audio" }
        return try ForeignTrack(
            process, name: name,
            stream: ForeignTrack.Stream(
                codec: stream.codec_name ?? "audio", demuxer: found.format.format_name,
                otherCodecs: Set(pictures.compactMap(\.codec_name)),
                startTime: found.hasTimes ? link.startsAtZero ? 0 : found.startTime : nil), format: format)
    }

    private func probe(_ place: String, kind: String, refusal: String) throws -> Probe {
        let arguments =
            ["-hide_banner", "-loglevel", "error"] + Self.sources + [
                "-show_entries",
                "stream=index,codec_type,codec_name,sample_rate,channels:format=format_name,start_time",
                "-of",
                "json", "-i", place,
            ]
        let result = try start("ffprobe", kind) { () throws(ProcessStart.Failure) in
            try ChildProcess.run(
                "ffprobe", arguments, timeoutSeconds: Self.probeSeconds, maximumOutputBytes: 1 << 20,
                limits: limits)
        }
        guard result.end == .exited(0),
            let found = try? JSONDecoder().decode(Probe.self, from: Data(result.output))
        else {
            let reason = result.complaint.split(whereSeparator: \.isNewline).last ?? "no reason given"
            throw failure(.notAudio, "found \(kind) that cannot be opened as audio (\(refusal); \(reason))")
        }
        return found
    }

    private func format(_ stream: Probe.Stream) throws -> Format {
        guard let codec = stream.codec_name, codec != "unknown" else {
            throw failure(.notAudio, "ffmpeg does not know its codec")
        }
        let (sampleRate, channelCount) = (stream.sample_rate.flatMap { Int($0) } ?? 0, stream.channels ?? 0)
        guard AudioFile.sampleRates.contains(sampleRate) else {
            throw failure(
                .unsupportedSampleRate,
                "an audio track of \(sampleRate) Hz; expected \(AudioFile.sampleRates.lowerBound) to "
                    + "\(AudioFile.sampleRates.upperBound) Hz")
        }
        guard AudioFile.channelCounts.contains(channelCount) else {
            throw failure(
                .unsupportedChannelCount,
                "an audio track of \(channelCount) channels; expected \(AudioFile.channelCounts.lowerBound) to "
                    + "\(AudioFile.channelCounts.upperBound)")
        }
        return Format(sampleRate: sampleRate, channelCount: channelCount)
    }

    private func start<R>(
        _ program: String, _ kind: String, _ body: () throws(ProcessStart.Failure) -> R
    ) throws -> R {
        do throws(ProcessStart.Failure) {
            return try body()
        } catch {
            guard error.isMissing else {
                throw failure(.decoderFailed, "found \(kind), but \(program) cannot be started: \(error)")
            }
            throw failure(
                .decoderMissing,
                "found \(kind), which needs the program \(program); install ffmpeg "
                    + "(Debian: apt install ffmpeg), or convert the file to WAV, FLAC, Ogg or MP3")
        }
    }

    private func failure(_ code: AudioFileError.Code, _ message: String) -> AudioFileError {
        AudioFileError(code, path: name, message)
    }
}
