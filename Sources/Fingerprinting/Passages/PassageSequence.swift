import AudioCore

/// When which of several paths of one reference is heard: the most probable sequence.
///
/// The evidence of all paths is one sequence of peaks in order of time. A part of a path adds that of its peaks, less the
/// price of a part. So where the likelihoods cross, a path is left for another or for none.
struct PassageSequence {
    /// A part of a path by its peaks.
    struct Part {
        var path: Int
        var places: Range<Int>
        var rate: Double
    }

    /// The evidence that a part must have.
    private static let price = 12.0
    /// The same if none has that much.
    private static let leastPrice = 8.0
    /// The longest part of a passage in which nothing of it is heard, on one path: 15 s.
    private static let longestGapFrames = 469.0

    /// In order of time.
    let parts: [Part]

    init(_ paths: [PassagePath]) {
        // A part that is drowned has a lower share than the rest.
        let rough = paths.map { path in
            let seen = Double(path.seen.lowerBound)..<Double(path.seen.upperBound)
            return PassageEvidence.roughRate(path.evidence.rate(path.evidence.places(in: seen)))
        }
        var found: [Part] = []
        for price in [Self.price, Self.leastPrice] where found.isEmpty {
            found = Self.best(paths, rates: rough, price: price)
            // Edges are where the share that is heard within a path ends.
            let own = Self.rates(of: found, in: paths, or: rough)
            if !found.isEmpty { found = Self.best(paths, rates: own, price: price) }
        }
        parts = Self.joined(found, in: paths)
    }

    /// The share of peaks heard in the parts of each path.
    private static func rates(of parts: [Part], in paths: [PassagePath], or rough: [Double]) -> [Double] {
        paths.indices.map { path in
            let own = parts.filter { $0.path == path }
            let weight = own.reduce(0) { $0 + $1.places.count }
            let sum = own.reduce(0) { $0 + $1.rate * Double($1.places.count) }
            return weight > 0 ? sum / Double(weight) : rough[path]
        }
    }

    /// The sequence with most evidence, of which each part pays the price.
    private static func best(_ paths: [PassagePath], rates: [Double], price: Double) -> [Part] {
        let weights = rates.map(PassageEvidence.weights)
        var events = paths.indices.flatMap { path in
            paths[path].evidence.peaks.enumerated().map { (time: $1.time, path: path, place: $0) }
        }
        if paths.count > 1 { events.sort { ($0.time, $0.path, $0.place) < ($1.time, $1.path, $1.place) } }
        // Parts that were begun, each after what ended before it, and the best sequences that end with one.
        var begun: [(path: Int, begin: Int, after: Int?)] = []
        var ended: [(part: Int, end: Int)] = []
        var best = 0.0
        var sums = [Double](repeating: -.infinity, count: paths.count)
        var current = [Int](repeating: 0, count: paths.count)
        for (_, path, place) in events {
            if best - price > sums[path] {
                sums[path] = best - price
                current[path] = begun.count
                begun.append((path, place, ended.indices.last))
            }
            sums[path] +=
                paths[path].evidence.peaks[place].heard != nil ? weights[path].hit : weights[path].miss
            if sums[path] > best {
                best = sums[path]
                ended.append((current[path], place + 1))
            }
        }
        var parts: [Part] = []
        var last = ended.indices.last
        while let ending = last {
            let part = begun[ended[ending].part]
            let places = part.begin..<ended[ending].end
            parts.append(Part(path: part.path, places: places, rate: paths[part.path].evidence.rate(places)))
            last = part.after
        }
        return parts.reversed()
    }

    /// Parts of one path make one where nothing else is heard in between.
    private static func joined(_ parts: [Part], in paths: [PassagePath]) -> [Part] {
        var joined: [Part] = []
        for part in parts {
            let evidence = paths[part.path].evidence
            if let last = joined.last, last.path == part.path,
                evidence.frames(of: part.places).lowerBound - evidence.frames(of: last.places).upperBound
                    < longestGapFrames
            {
                let places = last.places.lowerBound..<part.places.upperBound
                joined[joined.count - 1].places = places
                joined[joined.count - 1].rate = evidence.rate(places)
            } else {
                joined.append(part)
            }
        }
        return joined
    }
}
