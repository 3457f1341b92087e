import AudioCore

/// Matches a stream of audio: which references it contains, and where.
///
/// Audio arrives in blocks of any size; the same audio gives the same events however it is cut. Memory does not grow
/// with the stream. At the start, and after a reference has ended, it matches growing parts of the stream until it finds
/// something. Then it checks the found reference at its expected place, at little cost, until it ends. It analyses the
/// channels as ``SignatureExtractor`` does. While two channels have more power in their difference than in their mean, it
/// also searches half the difference.
///
/// ```swift
/// var stream = try StreamMatcher(catalog: catalog, sampleRate: 44_100, channelCount: 1)
/// for event in try stream.append(block) where event.kind == .found { print(event.matches[0].referenceID) }
/// ```
public struct StreamMatcher {
    private let catalog: any StreamCatalog
    private let settings: StreamSettings
    private let sampleRate: Int
    private var window: StreamWindow
    /// Half the difference of two channels that oppose each other, since a time in seconds.
    private var difference: (window: StreamWindow, since: Double)?
    private var followsDifference = false
    private var search: StreamSearch
    private var followed: [FollowedReference] = []
    /// What was followed last.
    private var lost: [FollowedReference] = []
    private var frameCount = 0
    private var step = 0
    private var lastRivalLook = 0.0
    private var jump: FollowedReference?
    /// When what was followed ended, as long as that is not reported: what plays next may be known soon.
    private var unsaidEnd: Double?
    /// The search for what else plays while it is doubtful whether what is followed does.
    private var doubt: StreamSearch?

    /// Starts with audio of the given rate in hertz and number of channels.
    ///
    /// - Throws: `FingerprintingError` for a rate outside 1000…768,000 Hz.
    public init(
        catalog: Catalog, sampleRate: Int, channelCount: Int, settings: StreamSettings = StreamSettings()
    ) throws {
        try self.init(
            in: catalog, sampleRate: sampleRate, channelCount: channelCount, settings: settings)
    }

    /// Starts with audio whose references another process searches.
    ///
    /// - Throws: `FingerprintingError` for a rate outside 1000…768,000 Hz.
    package init(
        remote: RemoteCatalog, sampleRate: Int, channelCount: Int,
        settings: StreamSettings = StreamSettings()
    ) throws {
        try self.init(in: remote, sampleRate: sampleRate, channelCount: channelCount, settings: settings)
    }

    private init(
        in catalog: any StreamCatalog, sampleRate: Int, channelCount: Int, settings: StreamSettings
    ) throws {
        self.catalog = catalog
        self.settings = settings
        self.sampleRate = sampleRate
        search = StreamSearch(settings: settings, decision: catalog.settings.decision, startSeconds: 0)
        window = try StreamWindow(
            settings: catalog.settings, sampleRate: sampleRate, channelCount: channelCount,
            longestSeconds: settings.longestWindowSeconds)
    }

    /// The length of the stream so far, in seconds.
    public var elapsedSeconds: Double { Double(frameCount) / Double(sampleRate) }

    /// Takes the next samples and returns the new events in order.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite, rate or channels change, or the catalog's file is
    ///   damaged.
    public mutating func append(_ audio: AudioBuffer) throws -> [StreamEvent] {
        var events: [StreamEvent] = []
        var taken = 0
        while taken < audio.frameCount {
            let boundary = Int(bounded: Double(step + 1) * settings.stepSeconds * Double(sampleRate))
            let count = min(audio.frameCount - taken, boundary - frameCount)
            let part = count == audio.frameCount ? audio : audio.frames(taken..<(taken + count))
            try window.append(part)
            try difference?.window.append(part)
            taken += count
            frameCount += count
            guard frameCount == boundary else { continue }
            step += 1
            if let event = try look(at: Double(step) * settings.stepSeconds) { events.append(event) }
        }
        return events
    }

    private mutating func look(at now: Double) throws -> StreamEvent? {
        if window.channelsOppose, difference == nil {
            let opposing = try StreamWindow(
                settings: catalog.settings, sampleRate: sampleRate, channelCount: 2,
                longestSeconds: settings.longestWindowSeconds, mix: .difference)
            difference = (opposing, now)
        } else if !window.channelsOppose, !followsDifference {
            difference = nil
        }
        guard followed.isEmpty else { return try checkFollowed(at: now) }
        if let event = try lookForAny(at: now) {
            unsaidEnd = nil
            return event
        }
        return try sayEnd(at: now)
    }

    /// The silence in which nothing plays; what sounds at an end is not in it.
    private static let silentSeconds = 0.5

    /// Reports the end of what was followed, when nothing sounds since, or nothing was found for a while.
    private mutating func sayEnd(at now: Double) throws -> StreamEvent? {
        guard let since = unsaidEnd else { return nil }
        let isSilent = try self.query(since: max(since, now - Self.silentSeconds)).query.peaks.isEmpty
        guard isSilent || now - since >= settings.nextSeconds else { return nil }
        unsaidEnd = nil
        let (query, start) = try self.query(since: since)
        return event(.notFound, [], query, start, now)
    }

    private mutating func lookForAny(at now: Double) throws -> StreamEvent? {
        guard let look = search.look(at: now) else { return nil }
        followsDifference = false
        var (query, start) = try self.query(since: look.sinceSeconds)
        var matches = try catalog.match(query, unskewedOnly: look.isUnskewedOnly, candidates: look.candidates)
        if difference != nil, matches.first?.isAccepted != true {
            followsDifference = true
            let other = try self.query(since: look.sinceSeconds)
            let found = try catalog.match(
                other.query, unskewedOnly: look.isUnskewedOnly, candidates: look.candidates)
            followsDifference = found.first?.isAccepted ?? false
            if followsDifference { (query, start, matches) = (other.query, other.startSeconds, found) }
        }
        let named = search.named(of: playing(matches, start, now), startSeconds: start, at: now)
        guard !named.isEmpty else {
            followsDifference = false
            guard look.reports else { return nil }
            return event(.notFound, [], query, start, now)
        }
        matches = try all(like: named, query, start, now)
        // A search since the beginning of the stream, or since the end of a reference, looked no further back.
        let since = search.isFirst ? start : try heardSince(matches[0], start, at: now)
        guard since < start else { return begin(matches, query, start, now) }
        let (whole, wholeStart) = try self.query(since: since)
        return begin(
            matches.map { $0.ofQuery(beginningSecondsEarlier: start - wholeStart) }, whole, wholeStart, now)
    }

    /// Since when the reference of a match is heard: its window may begin later.
    private func heardSince(_ match: Match, _ start: Double, at now: Double) throws -> Double {
        let seconds = catalog.settings.analysis.frameSeconds
        let (query, longStart) = try self.query(since: now - settings.longestWindowSeconds)
        let expected = catalog.expectedPeaks(
            of: match.referenceIndex,
            on: FollowedReference(match: match, startSeconds: start, sinceSeconds: start, at: now).line,
            in: query, start: Int(bounded: (longStart / seconds).rounded()), 0..<(start / seconds))
        let (hit, miss) = PassageEvidence.weights(PassageEvidence.roughRate(1))
        var (sum, most, since) = (0.0, 0.0, start)
        for peak in expected.reversed() {
            sum += peak.heard != nil ? hit : miss
            if sum < most - settings.endEvidence { break }
            guard sum > most else { continue }
            (most, since) = (sum, Double(peak.time) / Double(FrequencyScale.timeSteps) * seconds)
        }
        return since
    }

    /// The matches whose references have not ended.
    private func playing(_ matches: [Match], _ start: Double, _ now: Double) -> [Match] {
        matches.filter { now - end(of: $0, start) <= settings.overrunSeconds }
    }

    /// The time in the stream at which a match's reference ends, in seconds.
    private func end(of match: Match, _ startSeconds: Double) -> Double {
        let left = catalog.durationSeconds(at: match.referenceIndex) - match.offsetSeconds
        return startSeconds + left / (1 + match.timeSkew)
    }

    /// A query of the mix that is followed, since a time of the stream.
    private func query(since seconds: Double) throws -> (query: Query, startSeconds: Double) {
        guard followsDifference, let difference else { return try window.query(since: seconds) }
        let (query, start) = try difference.window.query(since: seconds - difference.since)
        return (query, start + difference.since)
    }

    /// The matches, and all other references that share the passage.
    private func all(
        like named: [Match], _ query: Query, _ start: Double, _ now: Double
    ) throws -> [Match] {
        let all = playing(try catalog.matchAll(query), start, now).filter {
            $0.isAccepted && ($0.score >= search.agreedScore || $0.sharesThePassage)
        }
        return all.contains { $0.referenceIndex == named[0].referenceIndex } ? all : named
    }

    /// - Parameter changed: When what was followed ended, if that is known.
    private mutating func begin(
        _ matches: [Match], _ query: Query, _ start: Double, _ now: Double, changed: Double? = nil
    ) -> StreamEvent {
        let since = changed ?? followed.map(\.sinceSeconds).min()
        let before = changed != nil ? [] : followed.isEmpty ? lost : followed
        // Of repeats the one is heard that continues what was heard.
        let matches = matches.map { match in
            before.first { $0.reference == match.referenceIndex }?.continued(by: match, start) ?? match
        }
        followed = matches.map {
            FollowedReference(match: $0, startSeconds: start, sinceSeconds: since ?? start, at: now)
        }
        (jump, doubt) = (nil, nil)
        lastRivalLook = now
        return event(.found, matches, query, start, now)
    }

    private mutating func checkFollowed(at now: Double) throws -> StreamEvent? {
        let before = followed.count
        try listen(at: now)
        if let event = try endOrDoubt(at: now) { return event }
        let period = followed.count > 1 ? settings.rivalSeconds : settings.followSeconds
        guard let last = followed.map(\.checkedSeconds).max(),
            followed.count < before || now - last >= period - 1e-9
        else { return nil }
        let ends = followed.map { end(of: $0.match, $0.startSeconds) }
        let going = followed.indices.filter { now - ends[$0] <= settings.overrunSeconds }
        if going.isEmpty { return try searchAnew(since: ends.max() ?? now, at: now) }
        followed = going.map { followed[$0] }
        if now - lastRivalLook >= settings.rivalLookSeconds, let event = try lookForRivals(at: now) {
            return event
        }
        let longest = followed.count > 1 ? settings.rivalWindowSeconds : settings.followWindowSeconds
        let since = max(followed.map(\.sinceSeconds).min() ?? 0, now - longest)
        let (query, start) = try self.query(since: since)
        let matches = confirmed(
            try catalog.match(
                query,
                expectedAt: followed.map {
                    $0.candidate(
                        queryFrames: query.frameCount, startSeconds: start,
                        frameSeconds: catalog.settings.analysis.frameSeconds)
                }), startSeconds: start)
        for place in followed.indices {
            followed[place].check(
                matches.first { $0.referenceIndex == followed[place].reference }, startSeconds: start,
                at: now)
        }
        if matches.isEmpty, let event = try lookForRivals(at: now) { return event }
        let left = followed.filter { now - $0.confirmedSeconds < settings.lostSeconds }
        if left.isEmpty {
            return try searchAnew(since: followed.map(\.confirmedSeconds).max() ?? now, at: now)
        }
        followed = left
        let found = matches.filter { match in left.contains { $0.reference == match.referenceIndex } }
        guard !found.isEmpty else { return nil }
        return event(left.count < before ? .found : .following, found, query, start, now)
    }

    /// The latest peaks are not known yet: a quarter of a second.
    private static let lagFrames = 8
    /// Peaks are compared with those around: the half second before a part is analysed with it.
    private static let contextFrames = 16

    /// Counts which peaks of what is followed were heard since the last time.
    private mutating func listen(at now: Double) throws {
        let frameSeconds = catalog.settings.analysis.frameSeconds
        let end = Int(bounded: now / frameSeconds) - Self.lagFrames
        let counted = followed.map { $0.heard.countedFrame ?? Int(bounded: $0.startSeconds / frameSeconds) }
        guard let first = counted.min(), end > first else { return }
        let (query, startSeconds) = try self.query(since: Double(first - Self.contextFrames) * frameSeconds)
        let start = Int(bounded: (startSeconds / frameSeconds).rounded())
        for place in followed.indices where end > counted[place] {
            let expected = catalog.expectedPeaks(
                of: followed[place].reference, on: followed[place].line, in: query, start: start,
                Double(counted[place])..<Double(end))
            followed[place].heard.count(expected, through: end)
        }
    }

    /// Ends what is not heard any more, and searches for what else plays where that is doubtful.
    private mutating func endOrDoubt(at now: Double) throws -> StreamEvent? {
        let best = followed.map(\.heard.bestFrame).max() ?? 0
        let ended = best * catalog.settings.analysis.frameSeconds
        let going = followed.filter { $0.heard.doubt < settings.endEvidence }
        if going.isEmpty {
            beginAnew(since: ended)
            unsaidEnd = ended
            return try look(at: now)
        }
        followed = going
        guard going.allSatisfy({ $0.heard.doubt >= settings.doubtEvidence }) else {
            doubt = nil
            return nil
        }
        let since = (ended / settings.stepSeconds).rounded() * settings.stepSeconds
        var search =
            doubt
            ?? StreamSearch(
                settings: settings, decision: catalog.settings.decision, startSeconds: max(0, since))
        defer { if doubt != nil { doubt = search } }
        doubt = search
        guard let look = search.look(at: now) else { return nil }
        let (query, start) = try self.query(since: look.sinceSeconds)
        let found = try catalog.match(
            query, unskewedOnly: look.isUnskewedOnly, candidates: look.candidates)
        let named = search.named(of: playing(found, start, now), startSeconds: start, at: now)
        guard let first = named.first else { return nil }
        if let place = followed.firstIndex(where: { $0.goesOn(as: first, start) }) {
            followed[place].heard.renew()
            doubt = nil
            return nil
        }
        let event = begin(try all(like: named, query, start, now), query, start, now, changed: since)
        return event
    }

    /// Follows nothing any more, and searches in what was heard since a time.
    private mutating func searchAnew(since seconds: Double, at now: Double) throws -> StreamEvent {
        beginAnew(since: seconds)
        if let event = try lookForAny(at: now) { return event }
        let (query, startSeconds) = try self.query(since: seconds)
        return event(.notFound, [], query, startSeconds, now)
    }

    private mutating func beginAnew(since seconds: Double) {
        (lost, followed) = (followed, [])
        (doubt, unsaidEnd) = (nil, nil)
        followsDifference = false
        let start = (seconds / settings.stepSeconds).rounded() * settings.stepSeconds
        search = StreamSearch(
            settings: settings, decision: catalog.settings.decision, startSeconds: max(0, start))
    }

    /// The matches of followed references at their expected places; stops to follow those whose shared passage ended.
    private mutating func confirmed(_ matches: [Match], startSeconds: Double) -> [Match] {
        let least = catalog.threshold - settings.followMargin
        let sound = matches.filter { match in
            match.score >= least
                && followed.contains {
                    $0.reference == match.referenceIndex && $0.agrees(with: match, startSeconds)
                }
        }
        guard let best = sound.map(\.peakEvidence).max() else { return [] }
        let ended = Set(sound.filter(\.containsOnlyAPart).map(\.referenceIndex))
        followed.removeAll { ended.contains($0.reference) }
        return sound.filter {
            $0.peakEvidence >= settings.rivalShare * best && !ended.contains($0.referenceIndex)
        }
    }

    /// Searches for other references, and for a followed reference at another place.
    private mutating func lookForRivals(at now: Double) throws -> StreamEvent? {
        lastRivalLook = now
        let (query, start) = try self.query(since: now - settings.followWindowSeconds)
        let matches = playing(try catalog.matchAll(query), start, now).filter {
            $0.isAccepted && ($0.score >= search.certainScore || $0.sharesThePassage)
        }
        guard matches.contains(where: { $0.score >= search.certainScore }) else { return nil }
        let isNew = matches.contains { match in
            !followed.contains { $0.reference == match.referenceIndex }
        }
        if isNew { return begin(matches, query, start, now) }
        return isJump(matches, startSeconds: start, at: now) ? begin(matches, query, start, now) : nil
    }

    /// Whether a followed reference has jumped to another place.
    ///
    /// It must match there twice in a row, and the match must not be a repeat of the expected place.
    private mutating func isJump(_ matches: [Match], startSeconds start: Double, at now: Double) -> Bool {
        let elsewhere = matches.first { match in
            followed.contains {
                $0.reference == match.referenceIndex
                    && !$0.agrees(with: $0.continued(by: match, start), start)
            }
        }
        defer {
            jump = elsewhere.map {
                FollowedReference(match: $0, startSeconds: start, sinceSeconds: start, at: now)
            }
        }
        guard let elsewhere, let jump else { return false }
        return jump.reference == elsewhere.referenceIndex && jump.agrees(with: elsewhere, start)
    }

    private func event(
        _ kind: StreamEvent.Kind, _ matches: [Match], _ query: Query, _ start: Double, _ now: Double
    ) -> StreamEvent {
        StreamEvent(kind: kind, matches: matches, query: query, startSeconds: start, elapsedSeconds: now)
    }
}

/// A finding about a stream at one moment.
public struct StreamEvent: Sendable {
    /// The kinds of finding.
    public enum Kind: Hashable, Sendable {
        /// References match that did not before.
        case found
        /// The same references still match; their places are updated.
        case following
        /// No reference matches.
        case notFound
    }

    /// The kind of finding.
    public let kind: Kind
    /// The references, best first; offsets are those of the query's first sample.
    public let matches: [Match]
    /// The analysed part of the stream.
    public let query: Query
    /// The time in the stream of the query's first sample, in seconds.
    public let startSeconds: Double
    /// The time in the stream of the query's end, in seconds.
    public let elapsedSeconds: Double
}
