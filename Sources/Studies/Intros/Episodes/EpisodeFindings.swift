import Corpora
import Evaluation

/// The results of a search for the shared parts of episodes.
package struct EpisodeFindings: Sendable {
    package struct Episode: Sendable {
        package var id: String
        package var durationSeconds: Double

        package init(id: String, durationSeconds: Double) {
            self.id = id
            self.durationSeconds = durationSeconds
        }
    }

    /// A part that two or more files have in common.
    package struct Part: Sendable {
        /// A place in a file that has the part.
        package struct Place: Hashable, Sendable {
            package var episode: Int
            /// In seconds of the file.
            package var seconds: Range<Double>
            /// The spread of its ends over the files that share it, in seconds.
            package var spreadSeconds: Double

            package init(episode: Int, seconds: Range<Double>, spreadSeconds: Double) {
                self.episode = episode
                self.seconds = seconds
                self.spreadSeconds = spreadSeconds
            }
        }

        /// Its places, by file and time.
        package var places: [Place]
        /// Trials that show whether a matcher distinguishes its files.
        package var trials: [Trial] = []

        package init(places: [Place]) { self.places = places }

        /// Its length in seconds: the median of its places.
        package var lengthSeconds: Double {
            let lengths = places.map(\.seconds.length).sorted()
            return lengths.isEmpty ? 0 : lengths[lengths.count / 2]
        }

        package var episodes: [Int] { Set(places.map(\.episode)).sorted() }
    }

    /// A query that ends after a shared part of a file, and the matcher's answer.
    package struct Trial: Sendable {
        package var episode: Int
        package var tailSeconds: Double
        package var verdict: IntroVerdict
    }

    package var episodes: [Episode] = []
    /// The files that could not be read, with the reason.
    package var unreadable: [EquivalenceAudit.Unreadable] = []
    package var passages: [Passage] = []
    /// The parts that two or more files share: those of most files first, longer before shorter.
    package var parts: [Part] = []

    package init() {}

    /// Groups of files that are nearly the same throughout.
    package var copies: [[Int]] {
        var groups = EquivalenceClasses(ids: episodes.indices.map { String($0) })
        for passage in passages {
            let whole = zip([passage.first, passage.second], [passage.firstSeconds, passage.secondSeconds])
                .allSatisfy { $1.length >= 0.9 * episodes[$0].durationSeconds }
            if whole { groups.join(String(passage.first), String(passage.second), offsetSeconds: nil) }
        }
        let byClass = Dictionary(grouping: episodes.indices) { groups.classID(of: String($0)) }
        return byClass.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    }
}

extension EpisodeFindings {
    /// The first second of a file at which it can be told from every other; nil if another has all of it.
    ///
    /// From each other file it can be told at the end of the first second that the other does not have.
    package func toldApartSeconds(of file: Int) -> Double? {
        let whole = 0..<max(0, episodes[file].durationSeconds)
        var latest = 0.0
        for other in episodes.indices where other != file {
            let shared = passages.compactMap { passage -> Range<Double>? in
                if (passage.first, passage.second) == (file, other) { return passage.firstSeconds }
                return (passage.first, passage.second) == (other, file) ? passage.secondSeconds : nil
            }
            guard let own = whole.pieces(outside: shared).first(where: { $0.length >= 1 }) else { return nil }
            latest = max(latest, own.lowerBound + 1)
        }
        return episodes.count > 1 ? latest : nil
    }

    package struct Passage: Sendable, Equatable {
        /// The index of one file, smaller than ``second``.
        package var first: Int
        package var second: Int
        package var firstSeconds: Range<Double>
        package var secondSeconds: Range<Double>
        /// Seconds of the second file per second of the first, minus 1.
        package var timeSkew: Double
        /// The correlation of the waveforms below 4 kHz, −1…1.
        package var correlation: Double

        package init(
            first: Int, second: Int, firstSeconds: Range<Double>, secondSeconds: Range<Double>,
            timeSkew: Double,
            correlation: Double
        ) {
            self.first = first
            self.second = second
            self.firstSeconds = firstSeconds
            self.secondSeconds = secondSeconds
            self.timeSkew = timeSkew
            self.correlation = correlation
        }

        /// The passages of two files without artefacts of longer passages, in their order.
        ///
        /// A window at the end of a long passage also contains the audio after it. A matcher may take it for a short
        /// passage at a slightly higher speed. So a passage is left out if less than `shortestSeconds` of it is
        /// outside a longer one, in both files.
        package static func distinct(_ passages: [Passage], shortestSeconds: Double) -> [Passage] {
            passages.filter { passage in
                guard passage.firstSeconds.length >= shortestSeconds else { return false }
                return !passages.contains { longer in
                    longer.firstSeconds.length > passage.firstSeconds.length
                        && [\Passage.firstSeconds, \.secondSeconds].allSatisfy { side in
                            let (own, other) = (passage[keyPath: side], longer[keyPath: side])
                            return own.length - own.overlap(other) < shortestSeconds
                        }
                }
            }
        }
    }
}

/// The ways to distinguish the episodes of a shared part.
package struct EpisodeAdvice: Sendable {
    /// The time after the part until the right episode is the only answer.
    package enum Waiting: Hashable, Sendable {
        /// Every episode was known this many seconds after the part's end, and at every later trial.
        case seconds(Double)
        /// Indices of files that were not known at the last trial, or end before it.
        case unknown([Int])
        /// No file goes on after the part.
        case nothingFollows
    }

    package let waiting: Waiting
    /// Indices of files that contain only the part, within 1 s at either end.
    package let nothingElse: [Int]
    /// The largest distance of skew tags with room for all files, in percent; nil if there is none.
    package let tagSpacing: Double?
    /// Whether the files already play the part at speeds that tags can distinguish.
    package let isTagged: Bool

    /// The distances of tags that matching distinguished in measurements, in percent.
    package static let tagSpacings = [0.5, 0.1]

    package init(_ part: EpisodeFindings.Part, in findings: EpisodeFindings) {
        let files = part.episodes
        nothingElse = files.filter { file in
            part.places.contains {
                $0.episode == file && $0.seconds.lowerBound < 1
                    && findings.episodes[file].durationSeconds - $0.seconds.upperBound < 1
            }
        }
        let known = EpisodeSearch.trialTails.filter { tail in
            files.allSatisfy { file in
                let later = part.trials.filter { $0.episode == file && $0.tailSeconds >= tail }
                return !later.isEmpty && later.allSatisfy { $0.verdict == .right }
            }
        }
        if part.trials.isEmpty {
            waiting = .nothingFollows
        } else if let soonest = known.first {
            waiting = .seconds(soonest)
        } else {
            waiting = .unknown(
                files.filter { file in
                    let last = part.trials.filter { $0.episode == file }.max {
                        $0.tailSeconds < $1.tailSeconds
                    }
                    return last?.verdict != .right
                })
        }
        tagSpacing = Self.tagSpacings.first { IntroDesign.episodes(taggedAt: $0) >= files.count }
        let skews = findings.passages.filter { passage in
            part.places.contains { $0.episode == passage.first && $0.seconds.overlaps(passage.firstSeconds) }
        }.map { abs($0.timeSkew) }
        isTagged = !skews.isEmpty && skews.allSatisfy { $0 * 100 >= (Self.tagSpacings.last ?? 0) }
    }
}
