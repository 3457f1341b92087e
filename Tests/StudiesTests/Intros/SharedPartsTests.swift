import AudioCore
import Studies
import Testing

/// Parts from the passages of all pairs of files, with errors of their ends.
struct SharedPartsTests {
    private typealias Place = (episode: Int, seconds: Range<Double>)

    /// The passages of all pairs of places of a part; some pairs are not found.
    private func passages(_ places: [Place], using generator: inout SeededGenerator) -> [EpisodeFindings
        .Passage]
    {
        func moved(_ range: Range<Double>) -> Range<Double> {
            let error = generator.uniform(in: -0.05...0.05)
            return (range.lowerBound + error)..<(range.upperBound + generator.uniform(in: -0.05...0.05))
        }
        var passages: [EpisodeFindings.Passage] = []
        for (number, first) in places.enumerated() {
            for (distance, second) in places[(number + 1)...].enumerated()
            where distance == 0 || generator.index(below: 3) > 0 {
                passages.append(
                    .init(
                        first: first.episode, second: second.episode, firstSeconds: moved(first.seconds),
                        secondSeconds: moved(second.seconds), timeSkew: 0, correlation: 0.9))
            }
        }
        return passages
    }

    private func expect(_ parts: [EpisodeFindings.Part], equal truth: [[Place]]) {
        #expect(parts.count == truth.count)
        for (part, places) in zip(parts, truth) {
            #expect(part.places.map(\.episode) == places.map(\.episode))
            for (found, place) in zip(part.places, places) {
                #expect(abs(found.seconds.lowerBound - place.seconds.lowerBound) < 0.06)
                #expect(abs(found.seconds.upperBound - place.seconds.upperBound) < 0.06)
            }
        }
    }

    @Test func creditsThatDifferAreThreeParts() {
        for seed in 0..<20 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let starts = (0..<12).map { _ in generator.uniform(in: 500...600) }
            let odd = starts.indices.filter { $0 % 2 == 1 }
            let even = starts.indices.filter { $0 % 2 == 0 && $0 != 4 }
            // The whole is 20 % longer than the head: less than that cannot be told by overlap.
            let head = starts.indices.filter { $0 != 4 }.map {
                (episode: $0, seconds: starts[$0]..<(starts[$0] + 20))
            }
            let long = odd.map { (episode: $0, seconds: starts[$0]..<(starts[$0] + 24)) }
            let other = even.map { (episode: $0, seconds: starts[$0]..<(starts[$0] + 31)) }
            var found: [EpisodeFindings.Passage] = []
            for (one, place) in head.enumerated() {
                for next in head[(one + 1)...] where (place.episode - next.episode) % 2 != 0 {
                    found += passages([place, next], using: &generator)
                }
            }
            found += passages(long, using: &generator) + passages(other, using: &generator)
            expect(SharedParts(found, shortestSeconds: 3).parts, equal: [head, long, other])
        }
    }

    /// An end that one pair has wrong moves nothing, and gives no part.
    @Test func oneWrongEndGivesNoPart() {
        for error in [-9.0, -2, -0.8, 0.8, 2.5] {
            var generator = SeededGenerator(seed: 3)
            let intro = (0..<8).map { (episode: $0, seconds: Double($0 * 5)..<Double($0 * 5 + 30)) }
            var found = passages(intro, using: &generator)
            let first = found[0]
            found[0].firstSeconds =
                first.firstSeconds.lowerBound..<(first.firstSeconds.upperBound + error)
            found[0].secondSeconds =
                first.secondSeconds.lowerBound..<(first.secondSeconds.upperBound + error)
            expect(SharedParts(found, shortestSeconds: 3).parts, equal: [intro])
        }
    }

    /// Two parts that some files play one after the other are two parts.
    @Test func neighboursAreNoPart() {
        var generator = SeededGenerator(seed: 4)
        let logo = (0..<6).map { (episode: $0, seconds: 0.0..<6) }
        let intro = (0..<6).map { episode in
            let start: Double = episode < 4 ? 6 : 20
            return (episode: episode, seconds: start..<(start + 25))
        }
        let both = (0..<4).map { (episode: $0, seconds: 0.0..<31) }
        let apart =
            passages(Array(logo[3...]), using: &generator) + passages(Array(intro[3...]), using: &generator)
        var found = passages(both, using: &generator) + apart
        for place in 0..<3 {
            for other in 4..<6 {
                found += passages([logo[place], logo[other]], using: &generator)
                found += passages([intro[place], intro[other]], using: &generator)
            }
        }
        let parts = SharedParts(found, shortestSeconds: 3).parts
        expect(parts, equal: [intro, logo])
        #expect(parts.map(EpisodeSearch.Limits(seconds: 10).contain) == [true, false])
        #expect(parts.map(EpisodeSearch.Limits(files: 6).contain) == [true, true])
        #expect(parts.map(EpisodeSearch.Limits(files: 7).contain) == [false, false])
    }
}
