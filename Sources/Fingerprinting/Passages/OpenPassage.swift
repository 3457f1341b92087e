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

/// A reference seen in a window of the recording.
struct PassageSighting: Sendable {
    let match: Match
    let line: PassageLine
    /// The frames of the window.
    let frames: Range<Int>

    init(_ match: Match, frames: Range<Int>, frameSeconds: Double) {
        self.match = match
        self.frames = frames
        line = PassageLine(
            frame: Double(frames.lowerBound),
            referenceFrame: (match.offsetSeconds - match.reverberationDelaySeconds) / frameSeconds,
            timeSkew: match.timeSkew, frequencySkew: match.frequencySkew)
    }
}

/// A passage that was seen and may go on.
struct OpenPassage: Sendable {
    let reference: Int
    let referenceID: String
    private(set) var line: PassageLine
    private var first: PassageLine
    private(set) var best: PassageSighting
    private(set) var sightings = 1
    private var firstSeen: Int
    private(set) var lastFrame: Int
    private(set) var evidence = PassageEvidence()
    /// The frame up to which evidence was counted.
    private(set) var countedFrame: Int?

    /// The largest distance of a sighting from the line, in frames: a quarter of a second.
    private static let agreementFrames = 8.0

    /// - Parameter certainMargin: How far above the threshold one sighting is proof.
    init(_ sighting: PassageSighting, certainMargin: Double = Self.certainMargin) {
        self.certainMargin = certainMargin
        reference = sighting.match.referenceIndex
        referenceID = sighting.match.referenceID
        line = sighting.line
        first = sighting.line
        best = sighting
        firstSeen = sighting.frames.lowerBound
        lastFrame = sighting.frames.upperBound
    }

    /// Whether the sightings are proof of a passage.
    ///
    /// An hour has thousands of windows, so the threshold of a single query is too low.
    func isCertain(_ threshold: Double) -> Bool {
        let margin = best.match.score - threshold
        return margin >= certainMargin || (margin >= Self.agreedMargin && sightings > 1)
    }

    private static let agreedMargin = 2.0
    private static let certainMargin = 5.0
    private let certainMargin: Double

    /// Whether a sighting is of this passage.
    func includes(_ sighting: PassageSighting) -> Bool {
        guard sighting.match.referenceIndex == reference else { return false }
        let middle = Double(sighting.frames.lowerBound + sighting.frames.upperBound) / 2
        return abs(line.referenceFrame(at: middle) - sighting.line.referenceFrame(at: middle))
            <= Self.agreementFrames
    }

    /// Takes another sighting, and the line through it.
    mutating func take(_ sighting: PassageSighting) {
        sightings += 1
        firstSeen = min(firstSeen, sighting.frames.lowerBound)
        lastFrame = max(lastFrame, sighting.frames.upperBound)
        if sighting.match.score > best.match.score { best = sighting }
        let distance = sighting.line.frame - first.frame
        line = sighting.line
        // Over ten seconds and more both places tell the skew better than one window.
        if distance > 300 {
            let skew = (sighting.line.referenceFrame - first.referenceFrame) / distance - 1
            if abs(skew - sighting.match.timeSkew) < 0.02 { line.timeSkew = skew }
        }
    }

    /// The frames of all sightings.
    var seen: Range<Int> { firstSeen..<lastFrame }

    /// The first frame with evidence.
    var firstFrame: Double {
        Double(evidence.moments.first?.time ?? best.frames.lowerBound * FrequencyScale.timeSteps)
            / Double(FrequencyScale.timeSteps)
    }

    mutating func count(_ moments: [PassageEvidence.Moment], through frame: Int) {
        evidence.add(moments)
        countedFrame = frame
    }
}
