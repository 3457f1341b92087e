import AudioCore

/// A passage whose edges are known: one reference, heard on one path or on several after each other.
struct ClosedPassage: Sendable {
    /// A part on one path.
    struct Part: Sendable {
        let path: PassagePath
        let places: Range<Int>
        let rate: Double
        var frames: Range<Double>

        var evidence: Double { path.evidence.sum(of: places, rate: rate) }
        var line: PassageLine { line(at: frames.lowerBound) }

        func line(at frame: Double) -> PassageLine {
            (path.straight.first { frame < $0.frames.upperBound }?.run ?? path.runs[path.runs.count - 1]).line
        }
    }

    let reference: Int
    private(set) var parts: [Part]
    let evidence: Double
    private let explained: [Int]
    /// Other places of the reference that have the same sound.
    private var repeats: [ClosedPassage] = []

    /// How much less probable an edge at the reference's own may be, to be taken for it.
    private static let ownEdgeEvidence = 6.0
    /// The longest beginning or end that may be inaudible, in frames: ten seconds.
    private static let mostMissed = 312.0
    /// The longest time between two parts of a passage in which nothing of it is heard, in frames: a second.
    private static let longestBreakFrames = 32.0
    /// How far a part may go back, in frames: ten seconds, as more is another time through the reference.
    private static let longestReturnFrames = 312.0

    var frames: Range<Double> { parts[0].frames.lowerBound..<parts[parts.count - 1].frames.upperBound }

    /// The passages that paths of one reference make.
    ///
    /// - Parameters:
    ///   - length: The frames of the reference.
    ///   - end: The frames of the recording so far.
    static func passages(_ paths: [PassagePath], frames length: Int, end: Int) -> [ClosedPassage] {
        let sequence = PassageSequence(paths).parts
        var passages: [[Part]] = []
        for part in sequence.map({ part(of: paths, $0) }) {
            if let last = passages.last?.last, let first = passages.last?.first,
                goesOn(from: last, of: first, to: part)
            {
                passages[passages.count - 1].append(part)
            } else {
                passages.append([part])
            }
        }
        // What is heard at the same time on another path is a repeat.
        let used = Set(sequence.map(\.path))
        for path in paths.indices where !used.contains(path) {
            passages += PassageSequence([paths[path]]).parts.map { [part(of: [paths[path]], $0)] }
        }
        return passages.map { ClosedPassage($0, frames: length, end: end) }
    }

    private static func part(of paths: [PassagePath], _ part: PassageSequence.Part) -> Part {
        let path = paths[part.path]
        return Part(
            path: path, places: part.places, rate: part.rate, frames: path.evidence.frames(of: part.places))
    }

    /// Whether a part goes on with the passage of another, at another place: a cut, a repeat or a change of speed.
    private static func goesOn(from last: Part, of first: Part, to next: Part) -> Bool {
        guard next.frames.lowerBound - last.frames.upperBound <= longestBreakFrames else { return false }
        let before = last.line(at: last.frames.upperBound).referenceFrame(at: last.frames.upperBound)
        let begin = first.line.referenceFrame(at: first.frames.lowerBound)
        let after = next.line.referenceFrame(at: next.frames.lowerBound)
        return before - after <= min(longestReturnFrames, (before - begin) / 2)
    }

    private init(_ parts: [Part], frames length: Int, end: Int) {
        reference = parts[0].path.reference
        evidence = parts.reduce(0) { $0 + $1.evidence }
        explained = parts.flatMap { $0.path.evidence.peaks[$0.places].compactMap(\.heard) }
        self.parts = parts
        for place in parts.indices.dropFirst() { meet(place) }
        extendToOwnEdges(length: Double(length), end: Double(end))
        self.parts[0].frames =
            max(0, self.parts[0].frames.lowerBound)..<max(0, self.parts[0].frames.upperBound)
    }

    /// Makes one time of the edges of two parts that nearly meet.
    private mutating func meet(_ place: Int) {
        let (begin, end) = (parts[place - 1].frames.lowerBound, parts[place].frames.upperBound)
        guard let seam = Self.seam(from: parts[place - 1], to: parts[place]), begin < seam, seam < end else {
            return
        }
        parts[place - 1].frames = begin..<seam
        parts[place].frames = seam..<end
    }

    /// Takes the ends of the reference for those of the passage where that is about as probable.
    private mutating func extendToOwnEdges(length: Double, end: Double) {
        let (first, last) = (parts[0], parts[parts.count - 1])
        let own = first.line.frame(at: 0)
        let lastLine = last.line(at: last.frames.upperBound)
        let ownEnd = lastLine.frame(at: length)
        if own < first.frames.lowerBound, first.frames.lowerBound - own < Self.mostMissed,
            Self.isFaint(first, own..<first.frames.lowerBound)
        {
            parts[0].frames = own..<first.frames.upperBound
        } else if first.frames.contains(own) {
            parts[0].frames = own..<first.frames.upperBound
        }
        let begin = parts[parts.count - 1].frames.lowerBound
        guard ownEnd > begin, ownEnd <= end else { return }
        if ownEnd < last.frames.upperBound
            || (ownEnd - last.frames.upperBound < Self.mostMissed
                && Self.isFaint(last, last.frames.upperBound..<ownEnd))
        {
            parts[parts.count - 1].frames = begin..<ownEnd
        }
    }

    /// Whether the reference may be heard between two times beside a part: where it begins or ends less of it is heard.
    private static func isFaint(_ part: Part, _ frames: Range<Double>) -> Bool {
        let places = part.path.evidence.places(in: frames)
        let rate = max(PassageEvidence.leastRate, 0.5 * part.rate)
        return part.path.evidence.sum(of: places, rate: rate) > -ownEdgeEvidence
    }
}

extension ClosedPassage {
    /// The longest gap between two passages that is a seam, at which one ends and the next begins: half a second.
    static let seamFrames = 16.0

    /// The passages by their beginnings.
    ///
    /// Where two nearly meet, both edges become one, at its most probable time.
    static func meeting(_ passages: [ClosedPassage]) -> [ClosedPassage] {
        var sorted = passages.sorted { $0.frames.lowerBound < $1.frames.lowerBound }
        for place in sorted.indices.dropFirst() {
            let (last, next) = (sorted[place - 1].parts.count - 1, sorted[place].parts[0])
            guard let seam = seam(from: sorted[place - 1].parts[last], to: next) else { continue }
            sorted[place - 1].parts[last].frames = sorted[place - 1].parts[last].frames.lowerBound..<seam
            sorted[place].parts[0].frames = seam..<next.frames.upperBound
        }
        return sorted
    }

    /// The time in the gap between two parts with least evidence against the one before it and the other after it; nil
    /// if they do not nearly meet.
    private static func seam(from first: Part, to second: Part) -> Double? {
        let (end, begin) = (first.frames.upperBound, second.frames.lowerBound)
        guard end < begin, begin - end <= seamFrames else { return nil }
        let before = first.evidence(by: end..<begin).map { (frame: $0.frame, gain: $0.evidence) }
        let after = second.evidence(by: end..<begin).map { (frame: $0.frame, gain: -$0.evidence) }
        let changes = (before + after).sorted { $0.frame < $1.frame }
        var (sum, most) = (0.0, 0.0)
        var best = end..<(changes.first?.frame ?? begin)
        for (place, change) in changes.enumerated() {
            sum += change.gain
            guard sum > most else { continue }
            most = sum
            best = change.frame..<(place + 1 < changes.count ? changes[place + 1].frame : begin)
        }
        return (best.lowerBound + best.upperBound) / 2
    }
}

extension ClosedPassage.Part {
    /// The evidence of each expected peak between two times.
    func evidence(by frames: Range<Double>) -> [(frame: Double, evidence: Double)] {
        let (hit, miss) = PassageEvidence.weights(rate)
        return path.evidence.peaks[path.evidence.places(in: frames)].map {
            (Double($0.time) / Double(FrequencyScale.timeSteps), $0.heard != nil ? hit : miss)
        }
    }
}

extension ClosedPassage {
    /// Leaves out passages whose sound others explain better.
    static func resolved(_ passages: [ClosedPassage]) -> [ClosedPassage] {
        var kept: [ClosedPassage] = []
        for passage in passages.sorted(by: precedes) {
            let repeated = kept.firstIndex { $0.reference == passage.reference && passage.isMostly(in: $0) }
            if let repeated {
                kept[repeated].repeats.append(passage)
            } else if passage.isHeard(beside: kept.filter(passage.isMostly)) {
                kept.append(passage)
            }
        }
        return kept
    }

    private static func precedes(_ a: ClosedPassage, _ b: ClosedPassage) -> Bool {
        a.evidence != b.evidence ? a.evidence > b.evidence : a.reference < b.reference
    }

    private func isMostly(in other: ClosedPassage) -> Bool {
        2 * frames.overlap(other.frames) > frames.length
    }

    /// The evidence that a passage needs besides that which better ones explain.
    private static let leastOwnEvidence = 20.0
    /// The same as a share of the evidence of a better one there.
    private static let leastOwnShare = 0.3

    /// Whether it is heard together with better passages: without the peaks that they explain as well.
    private func isHeard(beside better: [ClosedPassage]) -> Bool {
        guard !better.isEmpty else { return true }
        let theirs = Set(better.flatMap(\.explained))
        let own = parts.reduce(0.0) { sum, part in
            let (hit, miss) = PassageEvidence.weights(part.rate)
            return part.path.evidence.peaks[part.places].reduce(sum) { sum, peak in
                guard let heard = peak.heard else { return sum + miss }
                return theirs.contains(heard) ? sum : sum + hit
            }
        }
        let most = better.map { $0.evidence(in: frames) }.max() ?? 0
        return own >= max(Self.leastOwnEvidence, Self.leastOwnShare * most)
    }

    /// The evidence between two times; before and after the passage that of its first and last path.
    private func evidence(in frames: Range<Double>) -> Double {
        parts.indices.reduce(0) { sum, place in
            let begin = place > 0 ? parts[place].frames.lowerBound : frames.lowerBound
            let end = place + 1 < parts.count ? parts[place].frames.upperBound : frames.upperBound
            let own =
                max(begin, frames.lowerBound)..<max(begin, frames.lowerBound, min(end, frames.upperBound))
            return parts[place].evidence(by: own).reduce(sum) { $0 + $1.evidence }
        }
    }

    /// Whether the sightings are proof of a passage.
    ///
    /// An hour has thousands of windows, so the threshold of a single query is too low. Two that agree need half as much.
    ///
    /// - Parameter certainMargin: How far above the threshold one sighting is proof.
    func isCertain(_ threshold: Double, _ certainMargin: Double) -> Bool {
        let margin = best.match.score - threshold
        let count = parts.reduce(0) { $0 + $1.path.sightingCount }
        return parts.contains(where: \.path.isProven) || margin >= certainMargin
            || (margin >= certainMargin / 2 && count > 1)
    }

    private var best: Sighting {
        let all = parts.flatMap { $0.path.runs.map(\.best) }
        return all.dropFirst().reduce(all[0]) { $1.match.score > $0.match.score ? $1 : $0 }
    }

    /// The match of the passage; its offsets are those of the recording's first sample, as of any query.
    var match: Match {
        let seconds = FrequencyScale.frameSeconds
        let segments = PassageSegment.all(of: parts)
        let best = best
        let main = segments.first { $0.frames.contains(best.line.frame) } ?? segments[0]
        var match = best.match
        match.queryRange = frames.lowerBound * seconds..<frames.upperBound * seconds
        let reference =
            segments[0].referenceFrames
            .lowerBound..<max(
                segments[0].referenceFrames.lowerBound,
                segments[segments.count - 1].referenceFrames.upperBound)
        match.referenceRange = reference.lowerBound * seconds..<reference.upperBound * seconds
        match.segments = segments.count > 1 ? segments.map(\.heard) : []
        match.offsetSeconds = main.referenceFrame(at: frames.lowerBound) * seconds
        match.isAccepted = true
        match.alternatives = repeats.map {
            Match.Alternative(
                offsetSeconds: $0.parts[0].line.referenceFrame(at: frames.lowerBound) * seconds,
                score: $0.best.match.score)
        }
        return match.ofQuery(beginningSecondsEarlier: frames.lowerBound * seconds)
    }
}

/// A stretch of a passage on one straight line.
struct PassageSegment: Sendable {
    private(set) var frames: Range<Double>
    private var line: PassageLine
    private let part: ClosedPassage.Part

    /// Lines whose speeds differ by less do not cross at a change of speed.
    private static let leastChange = 0.002
    /// The largest distance of a crossing from where the evidence says, in frames: 3 s.
    private static let reach = 94.0
    /// Segments make one if the line of both is this near, in frames, and in speed.
    private static let (sameFrames, sameSkew) = (0.5, 5e-4)

    /// The straight stretches of some parts, in order of time.
    static func all(of parts: [ClosedPassage.Part]) -> [PassageSegment] {
        var segments: [PassageSegment] = []
        for part in parts {
            for (run, frames) in part.path.straight {
                let common = frames.clamped(to: part.frames)
                guard !common.isEmpty else { continue }
                let next = PassageSegment(
                    frames: common, line: part.path.evidence.fitted(run.line, in: common), part: part)
                if let last = segments.last, let whole = last.joined(with: next) {
                    segments[segments.count - 1] = whole
                } else {
                    segments.append(next)
                }
            }
        }
        for place in segments.indices.dropFirst() { meet(&segments, at: place) }
        return segments
    }

    /// Both as one straight stretch; nil if they are not.
    private func joined(with next: PassageSegment) -> PassageSegment? {
        guard frames.upperBound == next.frames.lowerBound, part.path.id == next.part.path.id,
            abs(line.timeSkew - next.line.timeSkew) < Self.sameSkew,
            abs(line.referenceFrame(at: frames.upperBound) - next.line.referenceFrame(at: frames.upperBound))
                < Self.sameFrames
        else { return nil }
        let both = frames.lowerBound..<next.frames.upperBound
        return PassageSegment(frames: both, line: part.path.evidence.fitted(line, in: both), part: part)
    }

    /// Moves the edge of two segments to where their lines cross: there the speed changes.
    private static func meet(_ segments: inout [PassageSegment], at place: Int) {
        let (last, next) = (segments[place - 1], segments[place])
        let change = next.line.timeSkew - last.line.timeSkew
        guard last.frames.upperBound == next.frames.lowerBound, abs(change) > leastChange else { return }
        let edge = last.frames.upperBound
        let crossing =
            edge + (last.line.referenceFrame(at: edge) - next.line.referenceFrame(at: edge)) / change
        guard abs(crossing - edge) < reach, last.frames.lowerBound < crossing,
            crossing < next.frames.upperBound
        else { return }
        segments[place - 1].frames = last.frames.lowerBound..<crossing
        segments[place].frames = crossing..<next.frames.upperBound
    }

    var referenceFrames: Range<Double> {
        let begin = line.referenceFrame(at: frames.lowerBound)
        return begin..<max(begin, line.referenceFrame(at: frames.upperBound))
    }

    func referenceFrame(at frame: Double) -> Double { line.referenceFrame(at: frame) }

    var heard: Match.Segment {
        let seconds = FrequencyScale.frameSeconds
        return Match.Segment(
            queryRange: frames.lowerBound * seconds..<frames.upperBound * seconds,
            referenceRange: referenceFrames.lowerBound * seconds..<referenceFrames.upperBound * seconds,
            frequencySkew: line.frequencySkew, timeSkew: line.timeSkew)
    }
}
