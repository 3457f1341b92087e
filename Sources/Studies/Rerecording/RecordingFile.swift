import AudioCore
import AudioIO
import Corpora
import SignalProcessing

/// A recording of a tape, read block by block because it may take hours.
struct RecordingFile {
    let sampleRate: Int
    let channelCount: Int
    private let path: String

    private static let blockFrames = 1 << 16

    /// - Throws: `AudioFileError` if it cannot be read; ``ConfigurationError`` if its rate is too low for sweeps.
    init(path: String) throws {
        let info = try AudioFile.info(path)
        guard info.sampleRate >= Sweep.lowestSampleRate else {
            throw ConfigurationError(
                file: path,
                message:
                    "the recording has \(info.sampleRate) Hz; expected \(Sweep.lowestSampleRate) Hz or more")
        }
        self.path = path
        sampleRate = info.sampleRate
        channelCount = info.channelCount
    }

    /// The seconds at which sweeps begin, in order of time.
    func sweeps() throws -> [Double] {
        var search = SweepSearch(sampleRate: sampleRate)
        let reader = try AudioFileReader(path: path)
        while let block = try reader.read(maxFrames: Self.blockFrames) { search.add(block.mono()) }
        return search.finish()
    }

    /// Gives `take` the frames of each range, and its number, up to the file's end; ranges are in order of time.
    func cut(_ ranges: [Range<Int>], take: (Int, AudioBuffer) throws -> Void) throws {
        let parts = try AudioFileParts(path: path)
        for (number, range) in ranges.enumerated() {
            let part = try parts.frames(range)
            guard part.frameCount == range.count else { return }
            try take(number, part)
        }
    }
}

/// Finds the sweeps of a recording that arrives block by block.
private struct SweepSearch {
    /// What is searched at once, and what of the sound around it is needed for that, in seconds.
    private static let partSeconds = 30
    private static let marginSeconds = 2

    private let finder: SweepFinder
    private var found: [Double] = []
    private var window: [Float] = []
    /// The frame of the recording at which the window begins.
    private var origin = 0
    /// The frame from which on nothing was searched yet.
    private var next = 0

    init(sampleRate: Int) { finder = SweepFinder(sampleRate: sampleRate) }

    mutating func add(_ samples: [Float]) {
        let part = Self.partSeconds * finder.sampleRate
        let margin = Self.marginSeconds * finder.sampleRate
        window += samples
        while origin + window.count >= next + part + margin {
            search(to: Double(next + part))
            next += part
            let past = max(0, next - margin - origin)
            window.removeFirst(past)
            origin += past
        }
    }

    /// Searches the rest and returns the seconds of all sweeps, in order.
    mutating func finish() -> [Double] {
        search(to: .infinity)
        return found
    }

    private mutating func search(to end: Double) {
        let places = finder.places(in: window).map { Double(origin) + $0 }
        found += places.filter { $0 >= Double(next) && $0 < end }.map { $0 / Double(finder.sampleRate) }
    }
}
