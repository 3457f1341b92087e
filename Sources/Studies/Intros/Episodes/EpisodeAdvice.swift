/// The ways to distinguish the episodes of a shared part.
package struct EpisodeAdvice: Sendable {
    /// The time after the part until the right episode is the only answer.
    package enum Waiting: Hashable, Sendable {
        /// Every episode was known this many seconds after the part's end, and at every later trial.
        case seconds(Double)
        /// Indices of files that were not known at the last trial, or end before it.
        case unknown([Int])
    }

    /// The effect of a longer query.
    package let waiting: Waiting
    /// Indices of files that contain only the part, within 1 s at either end.
    package let nothingElse: [Int]
    /// The largest distance of skew tags with room for all files, in percent; nil if there is none.
    package let tagSpacing: Double?
    /// Whether the files already play the part at speeds that tags can distinguish.
    package let isTagged: Bool

    /// The distances of tags that matching distinguished in measurements, in percent.
    package static let tagSpacings = [0.5, 0.1]

    /// Evaluates the findings for a part.
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
