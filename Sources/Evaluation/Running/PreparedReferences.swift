import AudioCore
import Corpora
import Matchers
import Synchronization

/// Enrols references with several matchers and analyses each recording once.
package final class PreparedReferences: Sendable {
    /// The cost of enrolment, summed over threads.
    package struct Cost: Sendable {
        package var decodeSeconds = 0.0
        /// The length of the decoded audio.
        package var audioSeconds = 0.0
        /// Elapsed time of the first matcher.
        package var enrolSeconds = 0.0
        /// Of the first matcher; nil if unknown.
        package var processorSeconds: Double? = 0
        package var indexBytes: Int?
        /// By recording; empty unless asked for.
        package var sounds: [String: RecordingSound] = [:]

        package init() {}
    }

    private struct Kept {
        var key: String
        var values: [String: any Sendable] = [:]
    }

    private let keptKeys: Int
    private let jobs: Int
    private let describesSounds: Bool
    private let audio: @Sendable (Track) throws -> AudioBuffer
    private let kept = Mutex<[Kept]>([])

    /// - Parameters:
    ///   - keptKeys: The number of preparation keys, those used last, whose values stay in memory.
    ///   - describesSounds: Fills in ``Cost/sounds`` of the recordings that are decoded.
    ///   - audio: Decodes a recording.
    package init(
        jobs: Int, keepingKeys keptKeys: Int = 0, describesSounds: Bool = false,
        audio: @escaping @Sendable (Track) throws -> AudioBuffer
    ) {
        self.jobs = max(1, jobs)
        self.describesSounds = describesSounds
        self.keptKeys = keptKeys
        self.audio = audio
    }

    /// Decodes the recordings of a corpus.
    package convenience init(
        of corpus: Corpus, jobs: Int, keepingKeys keptKeys: Int = 0, describesSounds: Bool = false
    ) {
        self.init(jobs: jobs, keepingKeys: keptKeys, describesSounds: describesSounds) {
            try corpus.audio(of: $0)
        }
    }

    /// Enrols each track with the matchers that hold it, without finishing.
    ///
    /// - Parameter matchers: instances of one contestant, each with its ids; nil means all ids.
    /// - Throws: The error of a reference that cannot be decoded or enrolled.
    package func enrol(
        _ tracks: [Track], into matchers: [(matcher: any Matcher, holds: Set<String>?)],
        progress: @Sendable (_ done: Int) -> Void = { _ in }
    ) throws -> Cost {
        let known = Dictionary(tracks.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let audio = audio
        for (matcher, _) in matchers {
            matcher.powers.remote?.setReferenceSource { id in
                guard let track = known[id] else { throw MeasurementError("unknown reference \(id)") }
                return try audio(track)
            }
        }
        guard let first = matchers.first?.matcher else { return Cost() }
        let preparation = first.powers.preparation
        let cost = Mutex(Cost())
        _ = try ParallelMap.map(tracks.count, jobs: first.enrolmentJobs(of: jobs), progress: progress) {
            number in
            let track = tracks[number]
            let learners = matchers.filter { $0.holds?.contains(track.id) ?? true }.map(\.matcher)
            let one = try enrol(track, preparation, learners)
            cost.withLock { cost in
                cost.decodeSeconds += one.decodeSeconds
                cost.audioSeconds += one.audioSeconds
                cost.enrolSeconds += one.enrolSeconds
                cost.processorSeconds? += one.processorSeconds ?? 0
                cost.sounds.merge(one.sounds) { $1 }
            }
        }
        return cost.withLock { $0 }
    }

    /// - Parameter preparation: that of the first of all matchers.
    private func enrol(
        _ track: Track, _ preparation: MatcherPowers.Preparation?, _ learners: [any Matcher]
    ) throws -> Cost {
        var cost = Cost()
        var prepared = preparation.flatMap { value(of: track.id, $0.key) }
        let audio = try prepared == nil ? decoded(track, &cost) : nil
        if describesSounds, let audio { cost.sounds[track.id] = RecordingSound(audio) }
        if let preparation, let audio {
            let value = try measured(true, &cost) { try preparation.prepare(audio) }
            keep(value, of: track.id, preparation.key)
            prepared = value
        }
        for (place, matcher) in learners.enumerated() {
            // Instances of one contestant have one key. An instance of another key enrols the audio.
            let own = matcher.powers.preparation
            try measured(place == 0, &cost) {
                if let own, let prepared, own.key == preparation?.key {
                    own.enrol(track.id, prepared)
                } else {
                    try matcher.enrol(id: track.id, audio: audio ?? self.audio(track))
                }
            }
        }
        return cost
    }

    private func decoded(_ track: Track, _ cost: inout Cost) throws -> AudioBuffer {
        let clock = ContinuousClock()
        let start = clock.now
        let audio = try audio(track)
        cost.decodeSeconds += (clock.now - start).seconds
        cost.audioSeconds += audio.durationSeconds
        return audio
    }

    private func measured<T>(_ counts: Bool, _ cost: inout Cost, _ work: () throws -> T) throws -> T {
        let clock = ContinuousClock()
        let (start, processor) = (clock.now, ThreadClock.seconds)
        let result = try work()
        if counts {
            cost.enrolSeconds += (clock.now - start).seconds
            cost.processorSeconds? += ThreadClock.seconds - processor
        }
        return result
    }

    private func value(of track: String, _ key: String) -> (any Sendable)? {
        kept.withLock { kept in
            guard let place = kept.firstIndex(where: { $0.key == key }) else { return nil }
            // The key that was used last is dropped last.
            kept.append(kept.remove(at: place))
            return kept.last?.values[track]
        }
    }

    private func keep(_ value: any Sendable, of track: String, _ key: String) {
        guard keptKeys > 0 else { return }
        kept.withLock { kept in
            if !kept.contains(where: { $0.key == key }) { kept.append(Kept(key: key)) }
            if kept.count > keptKeys { kept.removeFirst() }
            guard let place = kept.firstIndex(where: { $0.key == key }) else { return }
            kept[place].values[track] = value
        }
    }
}
