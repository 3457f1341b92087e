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
struct WindowMatch: Sendable {
    let match: Match
    let line: PassageLine
    let frames: Range<Int>

    init(_ match: Match, frames: Range<Int>) {
        self.match = match
        self.frames = frames
        line = PassageLine(
            frame: Double(frames.lowerBound),
            referenceFrame: (match.offsetSeconds - match.reverberationDelaySeconds)
                / FrequencyScale.frameSeconds,
            timeSkew: match.timeSkew, frequencySkew: match.frequencySkew)
    }
}

/// A passage that was seen and may go on.
struct OpenPassage: Sendable {
    let reference: Int
    let referenceID: String
    private(set) var line: PassageLine
    private var first: PassageLine
    private(set) var best: WindowMatch
    private(set) var matchCount = 1
    private var firstSeen: Int
    private(set) var lastFrame: Int
    private(set) var evidence = PassageEvidence()
    /// The frame up to which evidence was counted.
    private(set) var countedFrame: Int?

    /// The largest distance of a match from the line, in frames: a quarter of a second.
    private static let agreementFrames = 8.0

    /// - Parameter certainMargin: How far above the threshold one match is proof.
    init(_ found: WindowMatch, certainMargin: Double) {
        self.certainMargin = certainMargin
        reference = found.match.referenceIndex
        referenceID = found.match.referenceID
        line = found.line
        first = found.line
        best = found
        firstSeen = found.frames.lowerBound
        lastFrame = found.frames.upperBound
    }

    /// Whether the matches are proof of a passage.
    ///
    /// An hour has thousands of windows, so the threshold of a single query is too low. Two that agree need half as much.
    func isCertain(_ threshold: Double) -> Bool {
        let margin = best.match.score - threshold
        return margin >= certainMargin || (margin >= certainMargin / 2 && matchCount > 1)
    }

    private let certainMargin: Double

    func includes(_ found: WindowMatch) -> Bool {
        guard found.match.referenceIndex == reference else { return false }
        let middle = Double(found.frames.lowerBound + found.frames.upperBound) / 2
        return abs(line.referenceFrame(at: middle) - found.line.referenceFrame(at: middle))
            <= Self.agreementFrames
    }

    /// Takes another match, and the line through it.
    mutating func take(_ found: WindowMatch) {
        matchCount += 1
        firstSeen = min(firstSeen, found.frames.lowerBound)
        lastFrame = max(lastFrame, found.frames.upperBound)
        if found.match.score > best.match.score { best = found }
        let distance = found.line.frame - first.frame
        line = found.line
        // Over ten seconds and more both places tell the skew better than one window.
        if distance > 300 {
            let skew = (found.line.referenceFrame - first.referenceFrame) / distance - 1
            if abs(skew - found.match.timeSkew) < 0.02 { line.timeSkew = skew }
        }
    }

    /// The frames of all matches.
    var seen: Range<Int> { firstSeen..<lastFrame }

    /// The first frame with evidence.
    var firstFrame: Double {
        Double(evidence.peaks.first?.time ?? best.frames.lowerBound * FrequencyScale.timeSteps)
            / Double(FrequencyScale.timeSteps)
    }

    mutating func count(_ peaks: [PassageEvidence.ExpectedPeak], through frame: Int) {
        evidence.add(peaks)
        countedFrame = frame
    }
}
