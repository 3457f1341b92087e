import AudioCore

/// A straight line through a recording and a reference, in frames.
struct PassageLine: Sendable {
    var frame: Double
    var referenceFrame: Double
    var timeSkew: Double
    var frequencySkew: Double

    /// The reference frame at a frame of the recording.
    func referenceFrame(at frame: Double) -> Double {
        referenceFrame + (frame - self.frame) * (1 + timeSkew)
    }

    /// The frame of the recording at a reference frame.
    func frame(at referenceFrame: Double) -> Double {
        frame + (referenceFrame - self.referenceFrame) / (1 + timeSkew)
    }
}

/// A match of a window of the recording.
struct Sighting: Sendable {
    let match: Match
    let frames: Range<Int>
    /// Through the middle of the window.
    let line: PassageLine

    init(_ match: Match, frames: Range<Int>) {
        self.match = match
        self.frames = frames
        let start = (match.offsetSeconds - match.reverberationDelaySeconds) / FrequencyScale.frameSeconds
        let half = Double(frames.count) / 2
        line = PassageLine(
            frame: Double(frames.lowerBound) + half, referenceFrame: start + half * (1 + match.timeSkew),
            timeSkew: match.timeSkew, frequencySkew: match.frequencySkew)
    }
}

/// A straight part of a path: sightings on one line.
struct PassageRun: Sendable {
    private(set) var line: PassageLine
    /// The sighting with the highest score.
    private(set) var best: Sighting
    private let first: Double
    private(set) var last: Double
    // Of places since the first, and of their distances from it in the reference.
    private var (count, sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0, 0.0)
    private var longest = 0

    /// Over ten seconds and more many places tell the skew better than one window.
    private static let skewFrames = 312.0

    init(_ found: Sighting) {
        line = found.line
        best = found
        first = found.line.frame
        last = first
        origin = found.line.referenceFrame
        take(found)
    }

    private let origin: Double

    /// How far from the line a sighting is, in frames.
    func distance(of found: Sighting) -> Double {
        abs(line.referenceFrame(at: found.line.frame) - found.line.referenceFrame)
    }

    mutating func take(_ found: Sighting) {
        if found.match.score > best.match.score { best = found }
        // A longer window tells the skew better.
        if found.frames.count > longest {
            longest = found.frames.count
            (line.timeSkew, line.frequencySkew) = (found.line.timeSkew, found.line.frequencySkew)
        }
        last = max(last, found.line.frame)
        let (x, y) = (found.line.frame - first, found.line.referenceFrame - origin)
        count += 1
        sumX += x
        sumY += y
        sumXX += x * x
        sumXY += x * y
        let spread = sumXX - sumX * sumX / count
        if last - first > Self.skewFrames, spread > 0 {
            line.timeSkew = (sumXY - sumX * sumY / count) / spread - 1
        }
        line.frame = first + sumX / count
        line.referenceFrame = origin + sumY / count
    }

    /// Where the next run takes over.
    func end(before next: PassageRun) -> Double { (last + next.first) / 2 }
}

/// Sightings of a reference one after the other on a line, which may bend, and what is heard of the reference there.
struct PassagePath: Sendable {
    /// Tells it from other paths of a recording.
    let id: Int
    let reference: Int
    private(set) var runs: [PassageRun]
    private(set) var sightingCount = 0
    private var firstSeen: Int
    private(set) var lastSeen: Int
    private(set) var evidence = PassageEvidence()
    /// The frame up to which evidence was counted.
    private(set) var countedFrame: Int?

    /// The largest distance of a sighting from the line, in frames: 64 ms.
    private static let agreementFrames = 2.0
    /// The same for one that is on the same run.
    private static let straightFrames = 0.6

    /// Whether one sighting is proof: that of a whole query.
    let isProven: Bool

    init(_ found: Sighting, id: Int, isProven: Bool = false) {
        self.id = id
        self.isProven = isProven
        reference = found.match.referenceIndex
        runs = [PassageRun(found)]
        firstSeen = found.frames.lowerBound
        lastSeen = found.frames.upperBound
        sightingCount = 1
    }

    func includes(_ found: Sighting) -> Bool {
        found.match.referenceIndex == reference
            && runs[runs.count - 1].distance(of: found) <= Self.agreementFrames
    }

    /// Takes another sighting, which is included.
    mutating func take(_ found: Sighting) {
        sightingCount += 1
        firstSeen = min(firstSeen, found.frames.lowerBound)
        lastSeen = max(lastSeen, found.frames.upperBound)
        if runs[runs.count - 1].distance(of: found) <= Self.straightFrames {
            runs[runs.count - 1].take(found)
        } else {
            runs.append(PassageRun(found))
        }
    }

    /// The frames of all sightings.
    var seen: Range<Int> { firstSeen..<lastSeen }

    /// The highest score of a sighting.
    var score: Double { runs.map(\.best.match.score).max() ?? -.infinity }

    /// The runs, each with its frames.
    var straight: [(run: PassageRun, frames: Range<Double>)] {
        var begin = -Double.infinity
        return runs.indices.map { place in
            let end = place + 1 < runs.count ? runs[place].end(before: runs[place + 1]) : .infinity
            defer { begin = max(begin, end) }
            return (runs[place], begin..<max(begin, end))
        }
    }

    /// The first frame with evidence.
    var firstFrame: Double {
        Double(evidence.peaks.first?.time ?? firstSeen * FrequencyScale.timeSteps)
            / Double(FrequencyScale.timeSteps)
    }

    mutating func count(_ peaks: [PassageEvidence.ExpectedPeak], through frame: Int) {
        evidence.add(peaks)
        countedFrame = frame
    }
}
