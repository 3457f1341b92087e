import AudioCore

/// Collects the passages of a recording, of which it sees chunk after chunk.
struct PassageSearch {
    private let catalog: Catalog
    /// The frame up to which the recording was searched.
    private(set) var searched = 0
    private var open: [OpenPassage] = []
    private var closed: [ClosedPassage] = []

    /// The frames that are searched at once: 24.6 s.
    static let chunkFrames = 768
    /// The frames on either side of a chunk that its passages may need: 8.2 s.
    static let contextFrames = 256
    /// Without skew a window is 2 s, so that a jingle fills much of one.
    private static let shortFrames = 64
    /// With skew it is 8 s.
    private static let longFrames = 256
    /// How far above the threshold one window is proof of a passage, among those of an hour that do not overlap.
    private let certainMargin: Double

    init(catalog: Catalog) {
        self.catalog = catalog
        let hour = 3600 / FrequencyScale.frameSeconds
        certainMargin = catalog.settings.decision.margin(
            windowsPerHour: hour / Double(Self.shortFrames) + hour / Double(Self.longFrames))
    }

    /// Searches on, up to a frame of the recording.
    ///
    /// - Parameters:
    ///   - query: The recording's peaks near there.
    ///   - start: The frame of the recording at the query's first.
    mutating func search(_ query: Query, start: Int, to end: Int) throws {
        for found in try windowMatches(in: query, start: start, from: searched, to: end) {
            let known = open.firstIndex { $0.includes(found) }
            if let known {
                open[known].take(found)
            } else {
                open.append(OpenPassage(found, certainMargin: certainMargin))
            }
        }
        let peaks = query.peaks.filter { $0.rank < catalog.settings.analysis.queryRank }
        for place in open.indices {
            let passage = open[place]
            let expected = expectedPeaks(of: passage, in: query, peaks, start: start, end: end)
            open[place].count(expected, through: end)
        }
        searched = end
        var left: [OpenPassage] = []
        for passage in open { if isOver(passage) { close(passage) } else { left.append(passage) } }
        open = left
    }

    private func windowMatches(
        in query: Query, start: Int, from first: Int, to end: Int
    ) throws -> [WindowMatch] {
        var found: [WindowMatch] = []
        func look(_ frames: Range<Int>, unskewedOnly: Bool) throws {
            let part = query.part(frames.lowerBound - start..<frames.upperBound - start)
            found += try catalog.matchWindow(part, unskewedOnly: unskewedOnly)
                .filter(\.isAccepted).map { WindowMatch($0, frames: frames) }
        }
        for frame in stride(from: first, to: end, by: Self.shortFrames / 2) {
            try look(frame..<frame + Self.shortFrames, unskewedOnly: true)
        }
        for frame in stride(from: first, to: end, by: Self.longFrames / 2) {
            let lower = max(start, frame - Self.longFrames / 4)
            let frames = lower..<lower + Self.longFrames
            let clear = catalog.threshold + certainMargin / 2
            let seen = found.filter { $0.match.score >= clear && frames.overlaps($0.frames) }
            let most = Dictionary(grouping: seen) { $0.match.referenceIndex }.values.map(\.count).max() ?? 0
            if most < 5 { try look(frames, unskewedOnly: false) }
        }
        return found
    }

    private func expectedPeaks(
        of passage: OpenPassage, in query: Query, _ peaks: [Peak], start: Int, end: Int
    ) -> [PassageEvidence.ExpectedPeak] {
        let steps = FrequencyScale.timeSteps
        let from = passage.countedFrame ?? start
        let startSeconds = passage.line.referenceFrame(at: Double(start)) * FrequencyScale.frameSeconds
        let aligned = AlignedPeaks(
            reference: passage.reference, startSeconds: startSeconds,
            frequencySkew: passage.line.frequencySkew, timeSkew: passage.line.timeSkew, in: query,
            catalog: catalog)
        var heard = [Int](repeating: -1, count: aligned.reference.count)
        aligned.forEachPart { first, _, pairs in
            for pair in pairs {
                let peak = peaks[first + Int(pair.query)]
                heard[Int(pair.reference)] = (Int(peak.time) + start * steps) << 16 | Int(peak.frequency)
            }
        }
        var expected: [PassageEvidence.ExpectedPeak] = []
        for place in aligned.expected {
            let frame = aligned.queryFrame(of: aligned.reference[place]) + Double(start)
            guard frame >= Double(from), frame < Double(end) else { continue }
            expected.append(
                .init(time: Int(bounded: frame * Double(steps)), heard: heard[place] < 0 ? nil : heard[place])
            )
        }
        return expected
    }

    private func isOver(_ passage: OpenPassage) -> Bool {
        passage.line.referenceFrame(at: Double(searched)) > Double(catalog.frames(of: passage.reference))
            || (searched - passage.lastFrame > 300 && passage.evidence.hasEnded)
    }

    private mutating func close(_ passage: OpenPassage) {
        for segment in passage.evidence.segments(least: 8, seen: passage.seen) {
            closed.append(
                ClosedPassage(
                    passage, segment, frames: catalog.frames(of: passage.reference), end: searched))
        }
    }

    /// Takes a match of a part of a query, which begins at frame 0.
    mutating func take(_ match: Match, frames: Range<Int>) {
        open.append(OpenPassage(WindowMatch(match, frames: frames), certainMargin: 0))
    }

    /// The passages at the end of a query: all, and those that count beside each other.
    ///
    /// Looks up once more each part of the query that no passage explains.
    mutating func end(of query: Query) throws -> (all: [ClosedPassage], heard: [ClosedPassage]) {
        closeAll()
        let peaks = query.peaks.filter { $0.rank < catalog.settings.analysis.queryRank }
        let heard = heard(closed)
        let known = Set(heard.map(\.passage.reference))
        for gap in Self.gaps(of: query, beside: heard) {
            for match in try catalog.matchWindow(query.part(gap), unskewedOnly: false)
            where match.isAccepted && !known.contains(match.referenceIndex) {
                // A window across the seam was less sure of it.
                closed.removeAll {
                    $0.passage.reference == match.referenceIndex && !$0.passage.isCertain(catalog.threshold)
                }
                take(match, frames: gap)
            }
        }
        for place in open.indices {
            let expected = expectedPeaks(of: open[place], in: query, peaks, start: 0, end: query.frameCount)
            open[place].count(expected, through: query.frameCount)
        }
        closeAll()
        return (closed, self.heard(closed))
    }

    /// The shortest part of a query that is looked up by itself: half a second.
    private static let shortestGap = 16

    /// The parts of a query beside its passages; none if it has none.
    private static func gaps(of query: Query, beside heard: [ClosedPassage]) -> [Range<Int>] {
        guard !heard.isEmpty else { return [] }
        var gaps: [Range<Int>] = []
        var frame = 0
        for passage in heard {
            gaps.append(frame..<max(frame, Int(bounded: passage.frames.lowerBound)))
            frame = max(frame, Int(bounded: passage.frames.upperBound.rounded(.up)))
        }
        gaps.append(frame..<max(frame, query.frameCount))
        return gaps.filter { $0.count >= shortestGap }
    }

    /// The certain ones of passages, by their beginnings, without those that others explain.
    private func heard(_ passages: [ClosedPassage]) -> [ClosedPassage] {
        let certain = ClosedPassage.resolved(passages).filter { $0.passage.isCertain(catalog.threshold) }
        return ClosedPassage.meeting(certain)
    }

    private mutating func closeAll() {
        for passage in open { close(passage) }
        open = []
    }

    /// The passages that nothing can change that is heard later.
    mutating func takeSure() -> [Match] { take(before: searched - Self.contextFrames) }

    /// The remaining passages, at the end of the recording.
    mutating func takeAll() -> [Match] {
        closeAll()
        return take(before: .max)
    }

    /// The closed passages that no other one can change, of which the earliest may begin at `frame`.
    private mutating func take(before frame: Int) -> [Match] {
        var limit = open.map(\.firstFrame).min().map { min($0, Double(frame)) } ?? Double(frame)
        // One that is not sure may explain an earlier one better.
        for passage in closed.sorted(by: { $0.frames.upperBound > $1.frames.upperBound })
        where passage.frames.upperBound + ClosedPassage.seamFrames >= limit {
            limit = min(limit, passage.frames.lowerBound)
        }
        let isSure = { (passage: ClosedPassage) in
            passage.frames.upperBound + ClosedPassage.seamFrames < limit
        }
        let sure = heard(closed.filter(isSure))
        closed.removeAll(where: isSure)
        return sure.map(\.match)
    }
}
