import Foundation
import SystemIO

/// Who decodes what libsndfile does not read.
protocol ForeignPrograms: AnyObject {
    /// - Throws: ``AudioFileError``; `.unreadable` if the disk does not give all of its bytes.
    func decode(_ request: ForeignRequest) throws -> any SampleSource
}

/// Programs that are wanted and not started.
final class NoProgram: ForeignPrograms {
    private let name: String

    init(name: String) { self.name = name }

    func decode(_ request: ForeignRequest) throws -> any SampleSource {
        throw AudioFileError(.decoderMissing, path: name, "no program is used")
    }
}

/// A recording of a file to be decoded.
struct ForeignRequest: Codable {
    struct Format: Codable {
        let sampleRate: Int
        let channelCount: Int
    }

    let bytes: Range<Int>
    /// What it is by its first bytes.
    let kind: String
    let isWAV: Bool
    /// What its samples hold that is no sound, in words.
    let coding: String?
    /// Whether what is missing at the beginning moves no time.
    let startsAtZero: Bool
    /// The format of the result; nil for that of the first track.
    let format: Format?
    /// Whether it has more audio than its header states.
    let lengthIsWrong: Bool
    /// Why libsndfile does not read it.
    let refusal: String
    /// The number of the track to decode, from 1; nil for all.
    let track: Int?

    init(
        _ link: AudioLink, as format: Format? = nil, lengthIsWrong: Bool = false, refusal: String,
        track: Int? = nil
    ) {
        (bytes, kind, isWAV, coding) = (link.bytes, link.content.name, link.content.isWAV, link.coding)
        startsAtZero = link.startsAtZero
        (self.format, self.lengthIsWrong) = (format, lengthIsWrong)
        (self.refusal, self.track) = (refusal, track)
    }
}

/// Decodes other formats than libsndfile's with the programs `ffmpeg` and `ffprobe`.
///
/// The result is the mean of the audio tracks, at the rate and with the channels of the first. Each track has its own
/// process, because ffmpeg's mixer loses the rest of the longer track in some containers.
///
/// Samples are placed by the times of the container. Files without times end at the first damage.
final class ForeignDecoder: ForeignPrograms {
    private let name: String
    private let file: VirtualFile

    /// Errors call the file `name`.
    init(_ file: VirtualFile, name: String) {
        self.file = file
        self.name = name
    }

    /// More than any file needs that is meant well: a day of audio is decoded in a few minutes.
    static let limits = ProcessLimits(
        memoryBytes: 1 << 30, processorSeconds: 3600, openFiles: 64, isConfined: ProcessStart.canConfine)

    static func requireTrack(_ track: Int?, of count: Int, name: String) throws {
        if let track, !(1...count).contains(track) {
            throw AudioFileError(
                .missingTrack, path: name,
                "has no audio track \(track); expected a number from 1 to \(count)")
        }
    }

    func decode(_ request: ForeignRequest) throws -> any SampleSource {
        guard request.bytes.clamped(to: 0..<file.byteCount) == request.bytes else {
            throw failure(.decoderEnded, "its decoder asks for bytes that it does not have")
        }
        let start = { try self.tracks(of: request) }
        let tracks: ForeignTracks
        do { tracks = try start() } catch let error as AudioFileError where error.isFaultOfContent {
            try file.requireReadable(request.bytes, name: name)
            // Only a read that failed lets one program open what the other cannot.
            guard error.code == .damaged || error.message.contains(Self.readFailure) else { throw error }
            tracks = try start()
        }
        tracks.confirm = { damage, frameCount in
            try self.file.requireReadable(request.bytes, name: self.name)
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

    private func tracks(of request: ForeignRequest) throws -> ForeignTracks {
        let (kind, refusal, track) = (request.kind, request.refusal, request.track)
        let place = try address(of: request.bytes)
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
        var format = request.format
        for number in track.map({ [$0] }) ?? Array(1...streams.count) {
            let stream = streams[number - 1]
            do {
                if let coding = request.coding, stream.holdsSamples {
                    throw failure(.notAudio, "its samples hold \(coding), which ffmpeg does not decode")
                }
                let own = try self.format(stream, as: format)
                var options =
                    found.hasTimes || request.lengthIsWrong || stream.holdsSamples ? [] : ["-xerror"]
                if request.lengthIsWrong, request.isWAV { options += ["-ignore_length", "1"] }
                options += ["-vn", "-sn", "-dn", "-i", place, "-map", "0:\(stream.index)"]
                let process = try start("ffmpeg", options + Self.output(own), kind) {
                    arguments throws(ProcessStart.Failure) in
                    try RunningProcess("ffmpeg", arguments, limits: Self.limits)
                }
                tracks.append(
                    try ForeignTrack(
                        process, stream, of: found, startsAtZero: request.startsAtZero, format: own,
                        name: name))
                format = own
            } catch let error as AudioFileError where error.isFaultOfContent {
                let error = isEncrypted(place, stream, kind) ? Self.encrypted(name: name) : error
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
    private func address(of bytes: Range<Int>) throws -> String {
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
        return bytes == 0..<file.byteCount
            ? "file:\(path)"
            : "subfile,,start,\(bytes.lowerBound),end,\(bytes.upperBound),,:file:\(path)"
    }

    /// The options of both programs, which keep them to the file.
    private static let common = [
        "-hide_banner", "-protocol_whitelist", "file,subfile", "-format_whitelist",
        (ForeignProbe.timed + ForeignProbe.untimed).joined(separator: ","),
    ]

    /// 32-bit floats on standard output, and the times of their blocks on standard error.
    private static func output(_ format: ForeignRequest.Format) -> [String] {
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
                limits: Self.limits)
        }
        guard result.end == .exited(0),
            let found = try? JSONDecoder().decode(ForeignProbe.self, from: Data(result.output))
        else {
            let reason = result.complaint.split(whereSeparator: \.isNewline).last ?? "no reason given"
            throw failure(.notAudio, "found \(kind) that cannot be opened as audio (\(refusal); \(reason))")
        }
        return found
    }

    private static func encrypted(name: String) -> AudioFileError {
        AudioFileError(
            .notAudio, path: name, "its audio is encrypted (DRM); expected a file without protection")
    }

    /// Whether its first packet needs a key, which a decoder only takes for damage.
    private func isEncrypted(_ place: String, _ stream: ForeignProbe.Stream, _ kind: String) -> Bool {
        let arguments = [
            "-loglevel", "quiet", "-of", "csv", "-select_streams", "\(stream.index)", "-read_intervals",
            "%+#1",
            "-show_entries", "packet_side_data=side_data_type", "-i", place,
        ]
        let result = try? start("ffprobe", arguments, kind) { arguments throws(ProcessStart.Failure) in
            try ChildProcess.run(
                "ffprobe", arguments, timeoutSeconds: Self.probeSeconds, maximumOutputBytes: 1 << 16,
                limits: Self.limits)
        }
        return result.map { String(decoding: $0.output, as: UTF8.self).contains("Encryption info") } ?? false
    }

    private func format(
        _ stream: ForeignProbe.Stream, as wanted: ForeignRequest.Format?
    ) throws -> ForeignRequest.Format {
        guard !stream.isEncrypted else { throw Self.encrypted(name: name) }
        guard let codec = stream.codec_name, codec != "unknown" else {
            throw failure(.notAudio, "ffmpeg does not know its codec")
        }
        let format =
            wanted
            ?? ForeignRequest.Format(
                sampleRate: stream.sample_rate.flatMap { Int($0) } ?? 0, channelCount: stream.channels ?? 0)
        // Other bytes with the extension of a format.
        guard format.sampleRate != 0 else {
            throw failure(.notAudio, "has no frame of \(codec) with a sample rate; expected an audio file")
        }
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
        let codec_tag_string: String?
        let sample_rate: String?
        let channels: Int?

        /// Whether it is for holders of a key.
        var isEncrypted: Bool { ["enca", "drms"].contains(codec_tag_string) }

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
        "stream=index,codec_type,codec_name,codec_tag_string,sample_rate,channels:format=format_name,start_time,duration",
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

    /// Whether the file counts its frames, so that its length is exact.
    var countsFrames: Bool { ["flac", "wv", "tta", "ape", "tak", "avi"].contains(format.format_name) }

    /// The length that the file states, in seconds; nil if ffprobe guesses it, or if it may be that of a picture.
    var statedSeconds: Double? {
        guard hasTimes || countsFrames, streams.count == 1, let seconds = format.duration.flatMap(Double.init)
        else {
            return nil
        }
        // These state where their clock ends.
        let statesEnd = ["matroska", "mov", "asf"].contains { format.format_name.hasPrefix($0) }
        return statesEnd ? seconds - startTime : seconds
    }

    /// Where its clock begins, in seconds.
    ///
    /// Encoders' delays have times shortly before 0, and clocks that run over later do.
    var startTime: Double {
        let time = format.start_time.flatMap(Double.init) ?? 0
        return time < -1 ? time : max(0, time)
    }
}
