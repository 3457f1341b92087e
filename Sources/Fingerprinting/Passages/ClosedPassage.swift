import AudioCore

/// A passage whose edges are known.
struct ClosedPassage: Sendable {
    let passage: OpenPassage
    private(set) var segment: PassageEvidence.Segment
    private(set) var frames: Range<Double>
    private(set) var explained: [Int]
    /// Other places of the reference that have the same sound.
    private var repeats: [ClosedPassage] = []

    /// How much less probable an edge at the reference's own may be, to be taken for it.
    private static let ownEdgeEvidence = 6.0
    /// The longest beginning or end that may be inaudible, in frames: ten seconds.
    private static let mostMissed = 312.0

    /// - Parameters:
    ///   - length: The frames of the reference.
    ///   - end: The frames of the recording so far.
    init(_ passage: OpenPassage, _ segment: PassageEvidence.Segment, frames length: Int, end: Int) {
        self.passage = passage
        self.segment = segment
        var edges = passage.evidence.edges(of: segment)
        explained = passage.evidence.explained(by: segment.places)
        let own = passage.line.frame(at: 0)..<passage.line.frame(at: Double(length))
        let peaks = passage.evidence.peaks
        let steps = Double(FrequencyScale.timeSteps)
        // Where a recording begins or ends less of it is heard.
        let faint = max(0.22, 0.5 * segment.rate)
        let before = peaks[..<segment.places.lowerBound].partitioningIndex {
            Double($0.time) / steps >= own.lowerBound
        }
        if passage.evidence.evidence(of: before..<segment.places.lowerBound, rate: faint)
            > -Self.ownEdgeEvidence, edges.lowerBound - own.lowerBound < Self.mostMissed
        {
            edges = own.lowerBound..<max(own.lowerBound, edges.upperBound)
        }
        let after = peaks[segment.places.upperBound...].partitioningIndex {
            Double($0.time) / steps >= own.upperBound
        }
        if passage.evidence.evidence(of: segment.places.upperBound..<after, rate: faint)
            > -Self.ownEdgeEvidence, own.upperBound - edges.upperBound < Self.mostMissed,
            own.upperBound <= Double(end)
        {
            edges = edges.lowerBound..<max(edges.lowerBound, own.upperBound)
        }
        self.frames = max(0, edges.lowerBound)..<max(0, edges.upperBound)
    }

    /// Leaves out passages whose sound others explain better.
    static func resolved(_ passages: [ClosedPassage]) -> [ClosedPassage] {
        var kept: [ClosedPassage] = []
        for passage in passages.sorted(by: precedes) {
            let repeated = kept.firstIndex {
                $0.passage.reference == passage.passage.reference && passage.isMostly(in: $0)
            }
            if let repeated {
                kept[repeated].repeats.append(passage)
            } else if passage.isHeard(beside: kept.filter(passage.isMostly)) {
                kept.append(passage)
            }
        }
        return kept
    }

    /// The longest gap between two passages that is a seam, at which one ends and the next begins: half a second.
    static let seamFrames = 16.0

    /// The passages by their beginnings.
    ///
    /// Where two nearly meet, both edges become one, at its most probable time.
    static func meeting(_ passages: [ClosedPassage]) -> [ClosedPassage] {
        var sorted = passages.sorted { $0.frames.lowerBound < $1.frames.lowerBound }
        for place in sorted.indices.dropFirst() {
            let (end, begin) = (sorted[place - 1].frames.upperBound, sorted[place].frames.lowerBound)
            guard end < begin, begin - end <= seamFrames else { continue }
            let seam = seam(from: sorted[place - 1], to: sorted[place])
            sorted[place - 1].frames = sorted[place - 1].frames.lowerBound..<seam
            sorted[place].frames = seam..<sorted[place].frames.upperBound
        }
        return sorted
    }

    /// The time in the gap between two passages with least evidence against the one before it and the other after it.
    private static func seam(from first: ClosedPassage, to second: ClosedPassage) -> Double {
        let gap = first.frames.upperBound..<second.frames.lowerBound
        let before = first.evidence(by: gap).map { (frame: $0.frame, gain: $0.evidence) }
        let after = second.evidence(by: gap).map { (frame: $0.frame, gain: -$0.evidence) }
        let changes = (before + after).sorted { $0.frame < $1.frame }
        var (sum, most) = (0.0, 0.0)
        var best = gap.lowerBound..<(changes.first?.frame ?? gap.upperBound)
        for (place, change) in changes.enumerated() {
            sum += change.gain
            guard sum > most else { continue }
            most = sum
            best = change.frame..<(place + 1 < changes.count ? changes[place + 1].frame : gap.upperBound)
        }
        return (best.lowerBound + best.upperBound) / 2
    }

    private func isMostly(in other: ClosedPassage) -> Bool {
        let both = frames.clamped(to: other.frames)
        return 2 * (both.upperBound - both.lowerBound) > frames.upperBound - frames.lowerBound
    }

    /// The evidence that a passage needs besides that which better ones explain.
    private static let leastOwnEvidence = 20.0
    /// The same as a share of the evidence of a better one there.
    private static let leastOwnShare = 0.3

    /// Whether it is heard together with better passages: without the peaks that they explain as well.
    private func isHeard(beside better: [ClosedPassage]) -> Bool {
        guard !better.isEmpty else { return true }
        let theirs = Set(better.flatMap(\.explained))
        let (hit, miss) = PassageEvidence.weights(segment.rate)
        let own = passage.evidence.peaks[segment.places].reduce(0.0) { sum, peak in
            guard let heard = peak.heard else { return sum + miss }
            return theirs.contains(heard) ? sum : sum + hit
        }
        let most = better.map { $0.evidence(in: frames) }.max() ?? 0
        return own >= max(Self.leastOwnEvidence, Self.leastOwnShare * most)
    }

    /// The evidence between two times.
    private func evidence(in frames: Range<Double>) -> Double {
        evidence(by: frames).reduce(0) { $0 + $1.evidence }
    }

    /// The evidence of each expected peak between two times.
    private func evidence(by frames: Range<Double>) -> [(frame: Double, evidence: Double)] {
        let steps = Double(FrequencyScale.timeSteps)
        let peaks = passage.evidence.peaks
        let first = peaks.partitioningIndex { Double($0.time) >= frames.lowerBound * steps }
        let end = peaks.partitioningIndex { Double($0.time) >= frames.upperBound * steps }
        let (hit, miss) = PassageEvidence.weights(segment.rate)
        return peaks[first..<max(first, end)].map {
            (Double($0.time) / steps, $0.heard != nil ? hit : miss)
        }
    }

    private static func precedes(_ a: ClosedPassage, _ b: ClosedPassage) -> Bool {
        if a.segment.evidence != b.segment.evidence { return a.segment.evidence > b.segment.evidence }
        return a.passage.reference < b.passage.reference
    }

    /// The match of the passage; its offsets are those of the recording's first sample, as of any query.
    var match: Match {
        let seconds = FrequencyScale.frameSeconds
        let line = passage.line
        var match = passage.best.match
        let reference =
            line.referenceFrame(at: frames.lowerBound) * seconds..<line.referenceFrame(
                at: frames.upperBound) * seconds
        match.queryRange = frames.lowerBound * seconds..<frames.upperBound * seconds
        match.referenceRange = reference
        match.offsetSeconds = reference.lowerBound
        match.isAccepted = true
        match.alternatives = repeats.map {
            Match.Alternative(
                offsetSeconds: $0.passage.line.referenceFrame(at: frames.lowerBound) * seconds,
                score: $0.passage.best.match.score)
        }
        return match.ofQuery(beginningSecondsEarlier: frames.lowerBound * seconds)
    }
}
