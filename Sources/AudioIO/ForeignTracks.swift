import SystemIO

/// The mean of audio tracks of a file, each decoded by its own `ffmpeg`, read in step.
///
/// The mix is as long as the longest track.
final class ForeignTracks: SampleSource {
    let sampleRate: Int
    let channelCount: Int
    let formatName: String
    let expectedFrames = 0

    private let tracks: [ForeignTrack]
    /// What the programs read, if it is removed afterwards.
    private let file: TemporaryFile?
    private var block: [Float] = []

    init(
        sampleRate: Int, channelCount: Int, formatName: String, tracks: [ForeignTrack], file: TemporaryFile?
    ) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.formatName = formatName
        self.tracks = tracks
        self.file = file
    }

    var trackCount: Int { tracks.count }

    var damage: AudioDamage? {
        tracks.compactMap(\.damage).min { $0.seconds < $1.seconds }
    }

    func read(into target: UnsafeMutableBufferPointer<Float>) throws -> Int {
        if tracks.count == 1 { return try tracks[0].read(into: target) }
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
final class ForeignTrack {
    private(set) var damage: AudioDamage?

    private let name: String
    private let content: MediaContent
    private let sampleRate: Int
    private let channelCount: Int
    private let process: RunningProcess
    private var framesRead = 0
    private var isAtEnd = false
    /// The beginning of a line of standard error.
    private var line: [UInt8] = []

    private static let stallSeconds = 600.0
    private static let longestLine = 4096

    /// Errors call the file `name`.
    init(_ process: RunningProcess, name: String, content: MediaContent, sampleRate: Int, channelCount: Int) {
        self.process = process
        self.name = name
        self.content = content
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    func read(into target: UnsafeMutableBufferPointer<Float>) throws -> Int {
        guard !isAtEnd else { return 0 }
        let wanted = target.count / channelCount * channelCount * 4
        let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(target)[..<wanted])
        var count = 0
        while count < wanted {
            let more = process.read(
                into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]),
                until: .now + .seconds(Self.stallSeconds), complain: hear)
            guard more > 0 else {
                isAtEnd = true
                break
            }
            count += more
        }
        let frames = count / (4 * channelCount)
        framesRead += frames
        if isAtEnd { try checkEnd() }
        return frames
    }

    private func checkEnd() throws {
        switch process.end {
        case .exited(0) where framesRead > 0: return
        case .timedOut:
            throw failure("\(content.name) that ffmpeg did not decode on in \(Self.stallSeconds) s")
        default:
            let reason = damage?.reason ?? "no reason given"
            guard framesRead > 0 else { throw failure("\(content.name) that cannot be decoded (\(reason))") }
            note("the rest is left out")
        }
    }

    private func failure(_ message: String) -> AudioFileError {
        AudioFileError(.damaged, path: name, message)
    }

    /// Keeps the first complaint, with the place of what was read until then.
    private func note(_ reason: String) {
        guard damage == nil else { return }
        damage = AudioDamage(seconds: Double(framesRead) / Double(sampleRate), reason: reason)
    }

    private func hear(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                if line.count < Self.longestLine { line.append(byte) }
                continue
            }
            if damage == nil, let reason = Self.complaint(String(decoding: line, as: UTF8.self)) {
                note(reason)
            }
            line.removeAll(keepingCapacity: true)
        }
    }

    /// What a line of ffmpeg says of damage: `[decoder @ address] [level] text`.
    private static func complaint(_ line: String) -> String? {
        // The writer of raw samples complains of times, which raw samples do not have.
        guard !line.hasPrefix("[f32le") else { return nil }
        for level in ["[error] ", "[fatal] ", "[panic] "] {
            if let text = line.firstRange(of: level) { return "ffmpeg says: \(line[text.upperBound...])" }
        }
        guard line.contains("audio samples"), let text = line.firstRange(of: "[verbose] ") else { return nil }
        return "its times do not fit its samples, ffmpeg says: \(line[text.upperBound...])"
    }
}
