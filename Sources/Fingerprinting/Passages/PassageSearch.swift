import AudioCore

/// Collects the passages of a recording, of which it sees chunk after chunk.
struct PassageSearch {
    private let catalog: Catalog
    /// The frame up to which the recording was searched.
    private(set) var searched = 0
    private var open: [PassagePath] = []
    private var pathCount = 0
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
        let found = try sightings(in: query, start: start, from: searched, to: end)
        for sighting in found.sorted(by: { $0.line.frame < $1.line.frame }) { take(sighting) }
        count(query, start: start, to: end)
        searched = end
        closeOver()
    }

    private mutating func take(_ sighting: Sighting) {
        if let known = open.firstIndex(where: { $0.includes(sighting) }) {
            open[known].take(sighting)
        } else {
            append(sighting, isProven: false)
        }
    }

    private mutating func append(_ sighting: Sighting, isProven: Bool) {
        pathCount += 1
        open.append(PassagePath(sighting, id: pathCount, isProven: isProven))
    }

    private mutating func count(_ query: Query, start: Int, to end: Int) {
        for place in open.indices where !isOver(open[place]) {
            let expected = expectedPeaks(of: open[place], in: query, start: start, end: end)
            open[place].count(expected, through: end)
        }
    }

    private func sightings(
        in query: Query, start: Int, from first: Int, to end: Int
    ) throws -> [Sighting] {
        var found: [Sighting] = []
        func look(_ frames: Range<Int>, unskewedOnly: Bool) throws {
            let part = query.part(frames.lowerBound - start..<frames.upperBound - start)
            found += try catalog.matchWindow(part, unskewedOnly: unskewedOnly)
                .filter(\.isAccepted).map { Sighting($0, frames: frames) }
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
        of path: PassagePath, in query: Query, start: Int, end: Int
    ) -> [PassageEvidence.ExpectedPeak] {
        let new = Double(path.countedFrame ?? start)..<Double(end)
        return path.straight.flatMap { run, frames in
            let frames = frames.clamped(to: new)
            return frames.isEmpty
                ? []
                : catalog.expectedPeaks(of: path.reference, on: run.line, in: query, start: start, frames)
        }
    }

    private func isOver(_ path: PassagePath) -> Bool {
        let line = path.runs[path.runs.count - 1].line
        return line.referenceFrame(at: Double(searched)) > Double(catalog.frames(of: path.reference))
            || (searched - path.lastSeen > Self.patienceFrames && path.evidence.hasEnded)
    }

    /// How long a path goes on after its last sighting: ten seconds.
    private static let patienceFrames = 312
    /// Paths of a reference this far apart belong to no one passage: 20 s.
    private static let apartFrames = 625

    /// A recording that jumps without end has no more paths of a reference at once.
    private static let mostPaths = 100

    /// Closes the paths that are over, with all of their reference that they may make a passage with.
    private mutating func closeOver() {
        for reference in Set(open.map(\.reference)).sorted() {
            let own = open.filter { $0.reference == reference }
            let over = own.filter(isOver)
            let going = own.filter { !isOver($0) }
            let begin = going.map(\.seen.lowerBound).min() ?? .max
            guard let end = over.map(\.lastSeen).max(),
                begin == .max || begin - end > Self.apartFrames || own.count > Self.mostPaths
            else { continue }
            close(over, of: reference)
            open = open.filter { $0.reference != reference } + going
        }
    }

    private mutating func close(_ paths: [PassagePath], of reference: Int) {
        closed += ClosedPassage.passages(paths, frames: catalog.frames(of: reference), end: searched)
    }

    private mutating func closeAll() {
        for (reference, paths) in Dictionary(grouping: open, by: \.reference).sorted(by: { $0.key < $1.key })
        {
            close(paths, of: reference)
        }
        open = []
    }

    /// Takes a match of a part of a query, which begins at frame 0.
    mutating func take(_ match: Match, frames: Range<Int>) {
        append(Sighting(match, frames: frames), isProven: true)
    }

    /// The passages at the end of a query: all, and those that count beside each other.
    ///
    /// Looks up once more each part of the query that no passage explains.
    mutating func end(of query: Query) throws -> (all: [ClosedPassage], heard: [ClosedPassage]) {
        closeAll()
        let heard = heard(closed)
        let known = Set(heard.map(\.reference))
        for gap in Self.gaps(of: query, beside: heard) {
            for match in try catalog.matchWindow(query.part(gap), unskewedOnly: false)
            where match.isAccepted && !known.contains(match.referenceIndex) {
                // A window across the seam was less sure of it.
                closed.removeAll {
                    $0.reference == match.referenceIndex && !$0.isCertain(catalog.threshold, certainMargin)
                }
                take(match, frames: gap)
            }
        }
        count(query, start: 0, to: query.frameCount)
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
        let certain = ClosedPassage.resolved(passages).filter {
            $0.isCertain(catalog.threshold, certainMargin)
        }
        return ClosedPassage.meeting(certain)
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
