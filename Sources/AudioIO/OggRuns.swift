/// Ogg streams one after the other, with silence where pages are missing.
///
/// Granule positions say how much is missing, so later times stay true.
final class OggRuns: SampleSource {
    let sampleRate: Int
    let channelCount: Int
    let formatName: String
    let expectedFrames = 0
    private(set) var damage: AudioDamage?

    private let name: String
    private let file: VirtualFile
    private let map: OggMap
    private var link = 0
    /// The next run of the link.
    private var run = 0
    private var current: SoundFile
    private var silence = 0
    private var framesRead = 0
    /// Where on the output the link's granule position 0 is.
    private var origin = 0
    private var isAtEnd = false

    /// Longer gaps are taken for forged positions.
    private static let longestGapSeconds = 3600

    /// Errors call the file `name`.
    init(_ map: OggMap, of file: VirtualFile, name: String) throws {
        self.map = map
        self.file = file
        self.name = name
        guard let first = map.links.first, !first.runs.isEmpty else {
            throw AudioFileError(.damaged, path: name, "an Ogg file whose header is damaged")
        }
        current = try Self.open(first, run: 0, of: file, name: name)
        sampleRate = current.sampleRate
        channelCount = current.channelCount
        formatName = current.formatName
        run = 1
        origin = -output(first.opusPreSkip ?? 0)
        if first.runs[0].followsGap { try place(first, first.runs[0]) }
    }

    func read(into target: UnsafeMutableBufferPointer<Float>) throws -> Int {
        let wanted = target.count / channelCount
        var count = 0
        while count < wanted, !isAtEnd {
            let rest = UnsafeMutableBufferPointer(
                rebasing: target[(count * channelCount)..<(wanted * channelCount)])
            if silence > 0 {
                let frames = min(silence, wanted - count)
                UnsafeMutableBufferPointer(rebasing: rest[..<(frames * channelCount)]).update(repeating: 0)
                silence -= frames
                framesRead += frames
                count += frames
                continue
            }
            let frames = try current.read(into: rest)
            framesRead += frames
            count += frames
            if frames * channelCount < rest.count { try advance() }
        }
        return count
    }

    /// Opens the next run, if there is one.
    private func advance() throws {
        if let damage = current.damage { note(damage.reason) }
        let finished = map.links[link]
        if run == 1, finished.runs.indices.contains(0), !finished.runs[0].followsGap {
            origin = framesRead - output(finished.runs[0].lastGranule)
        }
        while true {
            let next = map.links[link]
            if run < next.runs.count {
                run += 1
                guard let sound = try? Self.open(next, run: run - 1, of: file, name: name) else {
                    try file.expectNoFailure(name: name)
                    continue
                }
                current = sound
                try place(next, next.runs[run - 1])
                return
            }
            guard link + 1 < map.links.count else { break }
            link += 1
            run = 0
            origin = framesRead - output(map.links[link].opusPreSkip ?? 0)
            guard let first = map.links[link].runs.first else { continue }
            run = 1
            current = try Self.open(map.links[link], run: 0, of: file, name: name)
            guard current.sampleRate == sampleRate, current.channelCount == channelCount else {
                throw AudioFileError(
                    .damaged, path: name,
                    "at \(AudioDamage.text(seconds)) s the format changes from \(sampleRate) Hz, \(channelCount)"
                        + " channels to \(current.sampleRate) Hz, \(current.channelCount) channels;"
                        + " split the file there")
            }
            if first.followsGap { try place(map.links[link], first) }
            return
        }
        isAtEnd = true
        if map.isCutShort {
            note("the next stream's header is missing; the rest is left out")
        } else if map.endsWithinPage {
            note("the file ends within a page")
        }
    }

    /// Sets the silence before a run that follows a gap, which the decoder has open.
    private func place(_ link: OggMap.Link, _ run: OggMap.Run) throws {
        let frames = try length(of: link, run)
        // The decoder leaves out the pre-skip at the end of every run of Opus.
        let cut = output(link.opusPreSkip ?? 0)
        let gap = origin + output(run.lastGranule) - cut - frames - framesRead
        let shortest = -sampleRate / 50
        guard (shortest...(Self.longestGapSeconds * sampleRate)).contains(gap) else {
            throw AudioFileError(
                .damaged, path: name,
                "at \(AudioDamage.text(seconds)) s pages are missing, and granule position \(run.lastGranule)"
                    + " does not tell how many")
        }
        silence = max(0, gap)
        note("\(AudioDamage.text(Double(silence) / Double(sampleRate))) s of audio are missing")
    }

    /// The number of frames that the decoder gives for a run.
    private func length(of link: OggMap.Link, _ run: OggMap.Run) throws -> Int {
        let parts = FileParts([link.header, run.bytes], of: file)
        let counter = try SoundFile(parts, promises: false, name: name)
        var block = [Float](repeating: 0, count: 4096 * channelCount)
        var count = 0
        while true {
            let frames = try block.withUnsafeMutableBufferPointer { try counter.read(into: $0) }
            guard frames > 0 else { return count }
            count += frames
        }
    }

    private var seconds: Double { Double(framesRead) / Double(sampleRate) }

    /// Opus counts at 48 kHz.
    private func output(_ granule: Int) -> Int {
        guard map.links[link].opusPreSkip != nil else { return granule }
        return granule / (48_000 / sampleRate)
    }

    private func note(_ reason: String) {
        if damage == nil { damage = AudioDamage(seconds: seconds, reason: reason) }
    }

    private static func open(
        _ link: OggMap.Link, run: Int, of file: VirtualFile, name: String
    ) throws -> SoundFile {
        try SoundFile(
            FileParts([link.header, link.runs[run].bytes], of: file), promises: false, name: name)
    }
}
