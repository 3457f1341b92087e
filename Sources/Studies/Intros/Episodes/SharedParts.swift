import Corpora

/// Joins the passages of pairs of episodes into parts that several episodes share.
struct SharedParts {
    private struct Side {
        let episode: Int
        let seconds: Range<Double>
    }

    /// Passages of one episode are the same place if they overlap by this share of the longer.
    private static let sameShare = 0.8

    let parts: [EpisodeFindings.Part]

    init(_ passages: [EpisodeFindings.Passage]) {
        let sides = passages.flatMap {
            [
                Side(episode: $0.first, seconds: $0.firstSeconds),
                Side(episode: $0.second, seconds: $0.secondSeconds),
            ]
        }
        var places: [[Int]] = []
        // Longest first, so that long passages define the places.
        let order = sides.indices.sorted {
            (sides[$1].seconds.length, sides[$0].episode, $0)
                < (sides[$0].seconds.length, sides[$1].episode, $1)
        }
        var placeOf = [Int](repeating: 0, count: sides.count)
        for side in order {
            let known = places.firstIndex { members in
                let (other, this) = (sides[members[0]], sides[side])
                return other.episode == this.episode
                    && other.seconds.overlap(this.seconds) >= Self.sameShare
                        * max(other.seconds.length, this.seconds.length)
            }
            placeOf[side] = known ?? places.count
            if let known { places[known].append(side) } else { places.append([side]) }
        }
        var classes = EquivalenceClasses(ids: places.indices.map { String($0) })
        for passage in passages.indices {
            classes.join(String(placeOf[2 * passage]), String(placeOf[2 * passage + 1]), offsetSeconds: nil)
        }
        let groups = Dictionary(grouping: places.indices) { classes.classID(of: String($0)) }
        parts = groups.values.map { group in
            let found = group.map { place in
                let starts = places[place].map { sides[$0].seconds.lowerBound }.sorted()
                let ends = places[place].map { sides[$0].seconds.upperBound }.sorted()
                let (start, end) = (starts[starts.count / 2], ends[ends.count / 2])
                return EpisodeFindings.Part.Place(
                    episode: sides[places[place][0]].episode, seconds: start..<max(start, end),
                    spreadSeconds: max((starts.last ?? 0) - starts[0], (ends.last ?? 0) - ends[0]))
            }
            return EpisodeFindings.Part(
                places: found.sorted {
                    ($0.episode, $0.seconds.lowerBound) < ($1.episode, $1.seconds.lowerBound)
                })
        }.sorted {
            ($1.episodes.count, $1.lengthSeconds, $0.places[0].episode, $0.places[0].seconds.lowerBound) < (
                $0.episodes.count, $0.lengthSeconds, $1.places[0].episode, $1.places[0].seconds.lowerBound
            )
        }
    }
}
