import SystemIO

/// The mean of audio tracks of a file, each decoded by its own `ffmpeg`, read in step.
///
/// The mix is as long as the longest track.
final class ForeignTracks: SampleSource {
    let sampleRate: Int
    let channelCount: Int
    let formatName: String
    let expectedFrames = 0
    let remark: String?
    /// Throws unless damage that a failed read may have made is that of the file; called at the end.
    var confirm: (_ damage: AudioDamage?, _ frameCount: Int) throws -> Void = { _, _ in }
    private(set) var framesRead = 0

    private let tracks: [ForeignTrack]
    private var block: [Float] = []

    /// - Parameter leftOut: What is said of tracks that cannot be read.
    init(format: ForeignRequest.Format, formatName: String, tracks: [ForeignTrack], leftOut: [String]) {
        sampleRate = format.sampleRate
        channelCount = format.channelCount
        self.formatName = formatName
        self.tracks = tracks
        let mix = "its \(tracks.count) audio tracks are mixed; each is harder to recognise than alone"
        let remarks = (tracks.count > 1 ? [mix] : []) + leftOut
        remark = remarks.isEmpty ? nil : remarks.joined(separator: "; ")
    }

    var trackCount: Int { tracks.count }

    var damage: AudioDamage? {
        tracks.compactMap(\.damage).min { $0.seconds < $1.seconds }
    }

    func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
        let samples = target.bindMemory(to: Float.self)
        let count = try tracks.count == 1 ? tracks[0].read(into: samples) : mix(into: samples)
        framesRead += count
        if count * channelCount < samples.count, tracks.contains(where: \.readMayHaveFailed) {
            try confirm(damage, framesRead)
            confirm = { _, _ in }
        }
        return count
    }

    private func mix(into target: UnsafeMutableBufferPointer<Float>) throws -> Int {
        if block.count < target.count { block = [Float](repeating: 0, count: target.count) }
        target.update(repeating: 0)
        let gain = 1 / Float(tracks.count)
        var longest = 0
        for track in tracks {
            let frames = try block.withUnsafeMutableBufferPointer {
                try track.read(into: UnsafeMutableBufferPointer(rebasing: $0[..<target.count]))
            }
            longest = max(longest, frames)
            for index in 0..<(frames * channelCount) { target[index] += gain * block[index] }
        }
        return longest
    }
}

/// A track that `ffmpeg` decodes to 32-bit floats while they are read.
///
/// `ffmpeg` names the time of each block on standard error before it writes its samples. Silence takes the place of
/// what is missing between them, without a buffer for it.
final class ForeignTrack {
    private(set) var damage: AudioDamage?
    /// Whether ffmpeg could not read the file, as it says, or stopped before it could say so.
    private(set) var readMayHaveFailed = false

    private let name: String
    private let codec: String
    private let demuxer: String
    private let otherCodecs: Set<String>
    private let sampleRate: Int
    private let channelCount: Int
    private var statedSeconds: Double?
    private let startsAtZero: Bool
    private let process: RunningProcess
    /// The time that is frame 0; nil if times are not known.
    private var startTime: Double?
    /// Decoded bytes that were not taken, from `taken` on.
    private var bytes: [UInt8] = []
    private var taken = 0
    /// The blocks that were announced.
    private var blocks: [(time: Double?, frames: Int)] = []
    /// The frames of the current block that were not taken.
    private var left = 0
    private var silence = 0
    private var hasGap = false
    /// How many long gaps came in a row, with little audio between them, and where the last one was.
    private var (longGaps, lastGap) = (0, 0)
    /// The frame from which on times count again after a jump of the clock.
    private var settled = 0
    private var framesRead = 0
    /// Where the last block that was announced ends.
    private var announced = 0.0
    private var isAtEnd = false
    /// Whether the file is open: complaints before are those of guesses at formats.
    private var isOpen = false
    /// The beginning of a line of standard error.
    private var line: [UInt8] = []
    private var complaint: String?

    private static let stallSeconds = 600.0
    private static let longestLine = 4096
    private static let longestBacklashSeconds = 0.1
    /// More is taken for a jump of the clock, which a broadcast may have.
    private var longestSilenceSeconds: Double { demuxer.hasPrefix("mpeg") ? 3600 : 24 * 3600 }
    /// The clock of a longer part that is missing at the beginning is that of a stream, which began before its recording.
    private static let longestLossSeconds = 600.0
    private static let longestStartSeconds = 3600.0
    /// A clock with this number of gaps in a row, each of this length, runs at another rate than it says.
    private static let (mostLongGaps, longGapSeconds) = (4, 60.0)
    /// Less than the shortest packet of common codecs, more than the rounding of containers' times.
    ///
    /// Vorbis has blocks of two lengths, and times that are early or late by some of a block.
    private var longestGapSeconds: Double { codec == "vorbis" ? 0.1 : 0.015 }

    /// Most containers round lengths, or estimate them.
    private let longestShortfallSeconds: Double

    /// Waits for the first block, so that a track that cannot be decoded is an error; errors call the file `name`.
    ///
    /// - Parameter startsAtZero: Whether its clock begins at 0, whatever the first time is.
    init(
        _ process: RunningProcess, _ stream: ForeignProbe.Stream, of found: ForeignProbe, startsAtZero: Bool,
        format: ForeignRequest.Format, name: String
    ) throws {
        self.process = process
        self.name = name
        codec = stream.codec_name ?? "audio"
        demuxer = found.format.format_name
        statedSeconds = found.statedSeconds
        longestShortfallSeconds = found.countsFrames ? 0.02 : 1
        otherCodecs = found.otherCodecs
        sampleRate = format.sampleRate
        channelCount = format.channelCount
        self.startsAtZero = startsAtZero
        startTime = found.hasTimes ? startsAtZero ? 0 : found.startTime : nil
        receive()
        guard bytes.isEmpty else { return }
        try process.requireOwnEnd(after: Self.stallSeconds, name: name)
        let reason = damage?.reason ?? complaint ?? "no sample"
        throw AudioFileError(.damaged, path: name, "\(codec) that cannot be decoded (\(reason))")
    }

    private var frameBytes: Int { 4 * channelCount }

    func read(into target: UnsafeMutableBufferPointer<Float>) throws -> Int {
        let wanted = target.count / channelCount
        var count = 0
        target.update(repeating: 0)
        while count < wanted {
            if left == 0, silence == 0 {
                guard !blocks.isEmpty else {
                    guard !isAtEnd else { break }
                    receive()
                    continue
                }
                let block = blocks.removeFirst()
                left = block.frames
                place(block.time)
            }
            var frames = min(silence > 0 ? silence : left, wanted - count)
            if silence > 0 {
                silence -= frames
            } else {
                frames = take(frames, into: target, at: count)
                left = isAtEnd && frames == 0 ? 0 : left - frames
            }
            count += frames
            framesRead += frames
        }
        if count < wanted {
            try process.requireOwnEnd(after: Self.stallSeconds, name: name)
            if process.end != .exited(0) {
                readMayHaveFailed = true
                note(complaint ?? "the rest is left out", at: seconds)
            }
            if let statedSeconds, seconds < statedSeconds - longestShortfallSeconds {
                note("the audio ends; the file states \(AudioDamage.text(statedSeconds)) s", at: seconds)
            }
        }
        return count
    }

    /// Copies at most `frames` frames of the current block.
    private func take(_ frames: Int, into target: UnsafeMutableBufferPointer<Float>, at start: Int) -> Int {
        if bytes.count - taken < frameBytes, !isAtEnd { receive() }
        let got = min(frames, (bytes.count - taken) / frameBytes)
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(target)[(start * frameBytes)...].copyBytes(
                from: $0[taken..<(taken + got * frameBytes)])
        }
        taken += got * frameBytes
        return got
    }

    /// Waits for more bytes; what was announced before them is known afterwards.
    private func receive() {
        bytes.removeFirst(taken)
        taken = 0
        let old = bytes.count
        bytes += [UInt8](repeating: 0, count: 1 << 16)
        let more = bytes.withUnsafeMutableBytes {
            process.read(
                into: UnsafeMutableRawBufferPointer(rebasing: $0[old...]),
                until: .now + .seconds(Self.stallSeconds), complain: hear)
        }
        bytes.removeLast(bytes.count - old - more)
        isAtEnd = more == 0
    }

    /// Sets the silence before a block that has a time of the container.
    private func place(_ time: Double?) {
        guard let time, let start = startTime else { return }
        let gap = time - start - seconds
        if framesRead == 0 {
            // Sound may start later than the picture, and an encoder's delay before it.
            if gap > 0, gap < (startsAtZero ? Self.longestLossSeconds : longestSilenceSeconds) {
                silence = frames(gap)
            } else {
                startTime = time
            }
        } else if gap > Self.longestStartSeconds, framesRead < sampleRate * 2 {
            // Some containers count from 0 until the first time that they state.
            startTime = start + gap
            statedSeconds = statedSeconds.map { $0 - gap }
        } else if framesRead < settled, abs(gap) > longestGapSeconds {
            startTime = start + gap
        } else if gap > longestGapSeconds, gap < longestSilenceSeconds {
            longGaps = gap < Self.longGapSeconds ? 0 : framesRead - lastGap < sampleRate ? longGaps + 1 : 1
            guard longGaps < Self.mostLongGaps else {
                note("its clock does not fit its audio, which is read on without gaps", at: seconds)
                startTime = nil
                return
            }
            silence = frames(gap)
            lastGap = framesRead + silence
            let words = "\(AudioDamage.text(gap)) s are without audio; silence takes their place"
            if let damage, !hasGap {
                self.damage = AudioDamage(seconds: damage.seconds, reason: "\(damage.reason); \(words)")
            }
            note(words, at: seconds)
            hasGap = true
        } else if gap < -Self.longestBacklashSeconds || gap >= longestSilenceSeconds {
            note(
                "its clock jumps by \(AudioDamage.text(gap)) s; its audio is read on without a gap",
                at: seconds)
            startTime = start + gap
            // Blocks from before the jump may follow.
            settled = framesRead + sampleRate
        }
    }

    private func frames(_ seconds: Double) -> Int { Int(bounded: (seconds * Double(sampleRate)).rounded()) }

    /// Keeps the first damage.
    private func note(_ reason: String, at seconds: Double) {
        if damage == nil { damage = AudioDamage(seconds: max(0, seconds), reason: reason) }
    }

    private var seconds: Double { Double(framesRead) / Double(sampleRate) }

    private func hear(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                if line.count < Self.longestLine { line.append(byte) }
                continue
            }
            hear(String(decoding: line, as: UTF8.self))
            line.removeAll(keepingCapacity: true)
        }
    }

    /// Takes a line of ffmpeg: `[part @ address] [level] text`.
    private func hear(_ line: String) {
        if line.hasPrefix("[Parsed_ashowinfo") {
            guard let frames = Self.field("nb_samples:", of: line).flatMap({ Int($0) }) else { return }
            // The clock after resampling counts frames. Times in words have too few digits.
            let time = Self.field("pts:", of: line).flatMap { Int($0) }.map {
                Double($0) / Double(sampleRate)
            }
            if let time, let startTime { announced = time - startTime }
            announced += Double(frames) / Double(sampleRate)
            blocks.append((time, frames))
        } else if line.hasPrefix("[info] Input #0") || line.hasPrefix("Input #0") {
            isOpen = true
        } else if let text = ["[error] ", "[fatal] ", "[panic] "].compactMap(line.firstRange(of:)).first {
            let speaker = line.hasPrefix("[") ? line.dropFirst().prefix { $0 != " " && $0 != "]" } : ""
            // The writer of raw samples complains of times, which raw samples do not have.
            guard speaker != "f32le", !otherCodecs.contains(String(speaker)) else { return }
            let reason = "ffmpeg says: \(line[text.upperBound...])"
            complaint = reason
            readMayHaveFailed = readMayHaveFailed || reason.hasSuffix(ForeignDecoder.readFailure)
            if isOpen || speaker == demuxer, !Self.harmless.contains(where: reason.contains) {
                note(reason, at: announced)
            }
        }
    }

    /// Words of complaints about pictures, and about the part of a block that ends a file.
    private static let harmless = ["cover", "corrupt input packet"]

    private static func field(_ name: String, of line: String) -> Substring? {
        line.firstRange(of: name).map { line[$0.upperBound...].prefix { $0 != " " } }
    }
}

extension RunningProcess {
    /// Throws if a signal ended it, or if it was killed because it wrote nothing for `stallSeconds`.
    ///
    /// Errors call its file `name`.
    func requireOwnEnd(after stallSeconds: Double, name: String) throws(AudioFileError) {
        switch end {
        case .timedOut:
            throw AudioFileError(
                .decoderEnded, path: name, "its decoder did not decode on in \(stallSeconds) s")
        case .signalled(let signal): throw .endedBySignal(signal, path: name)
        default: break
        }
    }
}
