/// Which ways there are to tell the episodes of a shared part apart.
package struct EpisodeAdvice: Sendable {
    /// How soon after the part the only right episode is known.
    package enum Waiting: Hashable, Sendable {
        /// Every episode was known this long after the part's end, in seconds, and at every later trial.
        case seconds(Double)
        /// These files were not known at the last trial, or end before it; by their place in the list.
        case unknown([Int])
    }

    /// What a longer query comes to.
    package let waiting: Waiting
    /// Files that have nothing but the part, give or take a second at either end; by their place in the list.
    package let nothingElse: [Int]
    /// The largest distance of skew tags, in percent, with room for all files; nil when there is none.
    package let tagSpacing: Double?
    /// Whether the files already play the part at speeds of their own, so far apart that tags tell them.
    package let isTagged: Bool

    /// The distances of tags that were measured to be told apart, in percent.
    package static let tagSpacings = [0.5, 0.1]

    /// Weighs what was found of a part.
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
        if let soonest = known.first {
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
        tagSpacing = Self.tagSpacings.first { IntroPlanFile.episodes(taggedAt: $0) >= files.count }
        let skews = findings.passages.filter { passage in
            part.places.contains { $0.episode == passage.first && $0.seconds.overlaps(passage.firstSeconds) }
        }.map { abs($0.timeSkew) }
        isTagged = !skews.isEmpty && skews.allSatisfy { $0 * 100 >= (Self.tagSpacings.last ?? 0) }
    }
}
