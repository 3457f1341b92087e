import AudioCore
import Corpora

/// Joins the passages of pairs of episodes into parts that several episodes share.
///
/// Sides of passages with nearly the same ends are one place. Places that a passage joins belong to one part. So a
/// part has the same ends in all its files, apart from errors. Credits that end in two ways give three parts: what all
/// files share, and each whole.
package struct SharedParts {
    private struct Side {
        let episode: Int
        let seconds: Range<Double>
    }

    /// The largest difference of the ends of one place, in seconds.
    private static let tolerance = 1.0

    /// The parts that most files share first, longer before shorter.
    package let parts: [EpisodeFindings.Part]

    /// - Parameter shortestSeconds: The least length that a part has to add to those of more files.
    package init(_ passages: [EpisodeFindings.Passage], shortestSeconds: Double) {
        let sides = passages.flatMap {
            [
                Side(episode: $0.first, seconds: $0.firstSeconds),
                Side(episode: $0.second, seconds: $0.secondSeconds),
            ]
        }
        let (places, placeOf) = Self.places(of: sides)
        var classes = EquivalenceClasses(ids: places.indices.map { String($0) })
        for passage in passages.indices {
            classes.join(String(placeOf[2 * passage]), String(placeOf[2 * passage + 1]), offsetSeconds: nil)
        }
        let groups = Dictionary(grouping: places.indices) { classes.classID(of: String($0)) }
        let joined = groups.values.map { group in
            EpisodeFindings.Part(places: Self.merged(group.map { place in places[place].map { sides[$0] } }))
        }.sorted {
            ($1.episodes.count, $1.lengthSeconds, $0.places[0].episode, $0.places[0].seconds.lowerBound) < (
                $0.episodes.count, $0.lengthSeconds, $1.places[0].episode, $1.places[0].seconds.lowerBound
            )
        }
        parts = Self.withoutImplied(joined, shortestSeconds: shortestSeconds)
    }

    /// The sides of each place, and the place of each side.
    private static func places(of sides: [Side]) -> (places: [[Int]], placeOf: [Int]) {
        var places: [[Int]] = []
        var placesOfEpisode: [Int: [Int]] = [:]
        var placeOf = [Int](repeating: 0, count: sides.count)
        // Longest first, so that long passages define the places.
        let order = sides.indices.sorted {
            (sides[$1].seconds.length, sides[$0].episode, $0)
                < (sides[$0].seconds.length, sides[$1].episode, $1)
        }
        for side in order {
            let this = sides[side]
            let known = placesOfEpisode[this.episode]?.first {
                let other = sides[places[$0][0]].seconds
                return abs(other.lowerBound - this.seconds.lowerBound) <= tolerance
                    && abs(other.upperBound - this.seconds.upperBound) <= tolerance
            }
            placeOf[side] = known ?? places.count
            if let known {
                places[known].append(side)
            } else {
                placesOfEpisode[this.episode, default: []].append(places.count)
                places.append([side])
            }
        }
        return (places, placeOf)
    }

    /// Each place by the medians of its ends; places of an episode that overlap by half are one.
    private static func merged(_ places: [[Side]]) -> [EpisodeFindings.Part.Place] {
        var merged: [[Side]] = []
        for sides in places.sorted(by: {
            ($0[0].episode, $0[0].seconds.lowerBound) < ($1[0].episode, $1[0].seconds.lowerBound)
        }) {
            let (last, this) = (merged.last?[0], sides[0])
            let isSame =
                last.map {
                    $0.episode == this.episode
                        && $0.seconds.overlap(this.seconds) >= 0.5
                            * min($0.seconds.length, this.seconds.length)
                } ?? false
            if isSame { merged[merged.count - 1] += sides } else { merged.append(sides) }
        }
        return merged.map { sides in
            let starts = sides.map(\.seconds.lowerBound).sorted()
            let ends = sides.map(\.seconds.upperBound).sorted()
            let (start, end) = (starts[starts.count / 2], ends[ends.count / 2])
            return EpisodeFindings.Part.Place(
                episode: sides[0].episode, seconds: start..<max(start, end),
                spreadSeconds: max((starts.last ?? 0) - starts[0], (ends.last ?? 0) - ends[0]))
        }
    }

    /// Leaves out parts whose places lie within parts that their files share already.
    private static func withoutImplied(
        _ parts: [EpisodeFindings.Part], shortestSeconds: Double
    ) -> [EpisodeFindings.Part] {
        var kept: [(part: EpisodeFindings.Part, files: Set<Int>)] = []
        for part in parts {
            let files = Set(part.episodes)
            let wider = kept.filter { files.isSubset(of: $0.files) }.flatMap(\.part.places)
            let isNew = part.places.contains { place in
                let known = wider.filter { $0.episode == place.episode }.map(\.seconds)
                return place.seconds.pieces(outside: known).reduce(0) { $0 + $1.length } >= shortestSeconds
            }
            if isNew { kept.append((part, files)) }
        }
        return kept.map(\.part)
    }
}
