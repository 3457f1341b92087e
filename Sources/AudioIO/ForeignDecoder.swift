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

    /// Starts to decode a recording of the file.
    ///
    /// - Parameters:
    ///   - format: The format of the result; nil for that of the first track.
    ///   - lengthIsWrong: Whether it has more audio than its header states.
    ///   - refusal: Why libsndfile does not read it.
    ///   - track: The number of the track to decode, from 1; nil for all.
    /// - Throws: ``AudioFileError``; `.unreadable` if the disk does not give all of its bytes.
    func decode(
        _ link: AudioLink, as format: Format? = nil, lengthIsWrong: Bool = false, refusal: String,
        track: Int? = nil
    ) throws -> ForeignTracks {
        let start = {
            try self.tracks(
                of: link, as: format, lengthIsWrong: lengthIsWrong, refusal: refusal, track: track)
        }
        let tracks: ForeignTracks
        do { tracks = try start() } catch let error as AudioFileError where error.isFaultOfContent {
            try file.requireReadable(link.bytes, name: name)
            // Only a read that failed lets one program open what the other cannot.
            guard error.code == .damaged || error.message.contains(Self.readFailure) else { throw error }
            tracks = try start()
        }
        tracks.confirm = { damage, frameCount in
            try self.file.requireReadable(link.bytes, name: self.name)
            // Some demuxers say the same of a file that was cut. Then they say it again.
            let second = try? start()
            while try second?.skip(1 << 20) ?? false {}
            guard let second, second.damage == damage, second.framesRead == frameCount else {
                throw VirtualFile.error(EIO, name: self.name)
            }
        }
        return tracks
    }

    /// How programs name an error of the disk.
    static let readFailure = String(cString: strerror(EIO))

    private func tracks(
        of link: AudioLink, as format: Format?, lengthIsWrong: Bool, refusal: String, track: Int?
    ) throws -> ForeignTracks {
        let kind = link.content.name
        let place = try address(of: link)
        let found = try probe(place, kind: kind, refusal: refusal)
        let streams = found.audio
        guard !streams.isEmpty else {
            throw failure(.notAudio, "found \(kind) without an audio track (\(refusal))")
        }
        guard streams.count <= Self.maximumTracks else {
            throw failure(
                .unsupportedChannelCount,
                "\(streams.count) audio tracks; expected at most \(Self.maximumTracks)")
        }
        try Self.requireTrack(track, of: streams.count, name: name)
        var tracks: [ForeignTrack] = []
        var (leftOut, first): ([String], AudioFileError?) = ([], nil)
        var format = format
        for number in track.map({ [$0] }) ?? Array(1...streams.count) {
            let stream = streams[number - 1]
            do {
                let own = try format ?? self.format(stream)
                var options = found.hasTimes || lengthIsWrong || stream.holdsSamples ? [] : ["-xerror"]
                if lengthIsWrong, link.content.isWAV { options += ["-ignore_length", "1"] }
                options += ["-vn", "-sn", "-dn", "-i", place, "-map", "0:\(stream.index)"]
                let process = try start("ffmpeg", options + Self.output(own), kind) {
                    arguments throws(ProcessStart.Failure) in
                    try RunningProcess("ffmpeg", arguments, limits: limits)
                }
                tracks.append(
                    try ForeignTrack(
                        process, stream, of: found, startsAtZero: link.startsAtZero, format: own, name: name))
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

    /// Where the programs find a recording of the file.
    private func address(of link: AudioLink) throws -> String {
        let path: String
        if let stored = file as? StoredFile {
            path = stored.path
        } else {
            do throws(ProcessStart.Failure) {
                let descriptor = try file.descriptor()
                path = "/proc/\(getpid())/fd/\(descriptor)"
            } catch {
                throw failure(.decoderFailed, "cannot be copied for a program: \(error)")
            }
        }
        return link.bytes == 0..<file.byteCount
            ? "file:\(path)"
            : "subfile,,start,\(link.bytes.lowerBound),end,\(link.bytes.upperBound),,:file:\(path)"
    }

    /// The options of both programs, which keep them to the file.
    private static let common = [
        "-hide_banner", "-protocol_whitelist", "file,subfile", "-format_whitelist",
        (ForeignProbe.timed + ForeignProbe.untimed).joined(separator: ","),
    ]

    /// 32-bit floats on standard output, and the times of their blocks on standard error.
    private static func output(_ format: Format) -> [String] {
        [
            "-af", "aresample=\(format.sampleRate),ashowinfo", "-ac", "\(format.channelCount)", "-c:a",
            "pcm_f32le", "-f", "f32le", "-",
        ]
    }

    private func probe(_ place: String, kind: String, refusal: String) throws -> ForeignProbe {
        let result = try start("ffprobe", ForeignProbe.arguments + ["-i", place], kind) {
            arguments throws(ProcessStart.Failure) in
            try ChildProcess.run(
                "ffprobe", arguments, timeoutSeconds: Self.probeSeconds, maximumOutputBytes: 1 << 20,
                limits: limits)
        }
        guard result.end == .exited(0),
            let found = try? JSONDecoder().decode(ForeignProbe.self, from: Data(result.output))
        else {
            let reason = result.complaint.split(whereSeparator: \.isNewline).last ?? "no reason given"
            throw failure(.notAudio, "found \(kind) that cannot be opened as audio (\(refusal); \(reason))")
        }
        return found
    }

    private func format(_ stream: ForeignProbe.Stream) throws -> Format {
        guard let codec = stream.codec_name, codec != "unknown" else {
            throw failure(.notAudio, "ffmpeg does not know its codec")
        }
        let format = Format(
            sampleRate: stream.sample_rate.flatMap { Int($0) } ?? 0, channelCount: stream.channels ?? 0)
        try AudioFile.require(
            sampleRate: format.sampleRate, channelCount: format.channelCount, of: "an audio track of",
            name: name)
        return format
    }

    private func start<R>(
        _ program: String, _ arguments: [String], _ kind: String,
        _ body: ([String]) throws(ProcessStart.Failure) -> R
    ) throws -> R {
        let own = program == "ffmpeg" ? ["-nostdin", "-nostats", "-loglevel", "level+info", "-copyts"] : []
        do throws(ProcessStart.Failure) {
            return try body(own + Self.common + arguments)
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

/// What ffprobe says of a file.
struct ForeignProbe: Decodable {
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
        let duration: String?
    }

    let streams: [Stream]
    let format: Container

    static let arguments = [
        "-loglevel", "error", "-of", "json", "-show_entries",
        "stream=index,codec_type,codec_name,sample_rate,channels:format=format_name,start_time,duration",
    ]

    /// Demuxers of containers that state times, so that a gap does not move what follows.
    static let timed = words("mov matroska asf avi flv mpegts mpeg ogg nut rm mxf wtv dv gxf nsv")
    /// The other demuxers that are used; those that open further files, such as playlists, are not.
    static let untimed = words(
        """
        aa aac ac3 adx aea aiff amr amrnb amrwb ape aptx aptx_hd au caf codec2 dsf dts dtshd eac3 flac g722 \
        g723_1 g726 g726le g729 gsm iff ilbc ircam loas mlp mp3 mpc mpc8 nistsphere oma rso sbc shn sln sox \
        tak truehd tta voc vqf w64 wav wv xwma
        """)

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    /// A stream that several programs share is listed once.
    var audio: [Stream] {
        var indices: Set<Int> = []
        return streams.filter { $0.codec_type == "audio" && indices.insert($0.index).inserted }
    }

    /// The codecs of pictures and texts, whose complaints do not concern the audio.
    var otherCodecs: Set<String> {
        Set(streams.filter { $0.codec_type != "audio" }.compactMap(\.codec_name))
    }

    var hasTimes: Bool {
        format.format_name.split(separator: ",").contains { Self.timed.contains(String($0)) }
    }

    /// The length that the file states, in seconds; nil if ffprobe guesses it, or if it may be that of a picture.
    var statedSeconds: Double? { hasTimes && streams.count == 1 ? format.duration.flatMap(Double.init) : nil }

    /// Where its clock begins, in seconds; encoders' delays have times before 0.
    var startTime: Double { max(0, format.start_time.flatMap(Double.init) ?? 0) }
}
