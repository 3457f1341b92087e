import AudioCore
import Studies
import Testing

struct EpisodeChapterTests {
    private typealias Part = EpisodeFindings.Part

    private func findings(_ count: Int, _ parts: [[(episode: Int, seconds: Range<Double>)]])
        -> EpisodeFindings
    {
        var findings = EpisodeFindings()
        findings.episodes = (0..<count).map { .init(id: "\($0)", durationSeconds: 600) }
        findings.parts = parts.map { places in
            Part(places: places.map { .init(episode: $0.episode, seconds: $0.seconds, spreadSeconds: 0) })
        }
        return findings
    }

    @Test func placesDecideOnKinds() {
        let found = findings(
            6,
            [
                (0..<6).map { (episode: $0, seconds: 560.0..<580) },
                (0..<4).map { (episode: $0, seconds: Double($0 * 20)..<(Double($0 * 20) + 30)) },
                // A theme that one file plays at its end.
                [(0, 10..<30), (1, 10..<30), (2, 500..<520)],
                [(3, 300..<320), (4, 5..<25)], [(3, 590..<600), (4, 300..<310)],
                // Both early: what is shown again and where cannot be told.
                [(4, 100..<120), (5, 0..<20)],
                [(0, 300..<320), (1, 10..<30), (2, 590..<600)],
            ])
        #expect(
            found.parts.map(found.kind) == [.credits, .intro, .intro, .recap, .preview, .other, .other])
        #expect(found.kinds(of: found.parts[2]) == [.intro, .intro, .other])
        #expect(found.kinds(of: found.parts[3]) == [.other, .recap])
        #expect(found.kinds(of: found.parts[4]) == [.preview, .other])
        let two = findings(2, [[(0, 5..<40), (1, 60..<95)]])
        #expect(two.kind(of: two.parts[0]) == .intro)
    }

    /// A file of two episodes has the parts of each.
    @Test func aDoubleEpisodeIsTwo() {
        var found = findings(
            4,
            [
                (0..<4).map { (episode: $0, seconds: 30.0..<60) } + [(3, 630..<660)],
                (0..<4).map { (episode: $0, seconds: 570.0..<600) } + [(3, 1170..<1200)],
            ])
        found.episodes[3].durationSeconds = 1200
        #expect(found.kinds(of: found.parts[0]) == [.intro, .intro, .intro, .intro, .intro])
        #expect(found.kinds(of: found.parts[1]) == [.credits, .credits, .credits, .credits, .credits])
        // A theme that comes again soon begins no episode.
        found.parts[0].places[4].seconds = 100..<130
        #expect(found.kinds(of: found.parts[1]).dropLast() == [.credits, .credits, .credits, .other])
    }

    @Test func creditsOfOneHeadAreOneChapter() {
        let found = findings(
            4,
            [
                (0..<4).map { (episode: $0, seconds: 550.0..<565) },
                [(0, 550..<590), (2, 550..<590)], (0..<3).map { (episode: $0, seconds: 100.0..<130) },
            ])
        #expect(
            found.chapters(of: 0) == [
                .init(kind: .intro, part: 2, seconds: 100..<130),
                .init(kind: .credits, part: 0, seconds: 550..<565),
                .init(kind: .other, part: 1, seconds: 565..<590),
            ])
        #expect(found.chapters(of: 3) == [.init(kind: .credits, part: 0, seconds: 550..<565)])
    }

    /// For any parts, the chapters of a file are in order, do not overlap, and cover what a part covers.
    @Test func chaptersCoverThePartsOnce() {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<200 {
            let parts = (0..<6).map { _ in
                (0..<4).filter { _ in generator.index(below: 3) > 0 }.map { episode in
                    let start = generator.uniform(in: 0...550)
                    return (episode: episode, seconds: start..<(start + generator.uniform(in: 3...50)))
                }
            }.filter { $0.count >= 2 }
            let found = findings(4, parts)
            for episode in 0..<4 {
                let chapters = found.chapters(of: episode).map(\.seconds)
                #expect(zip(chapters, chapters.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
                #expect(chapters.allSatisfy { $0.length >= EpisodeFindings.shortestChapter })
                let places = parts.flatMap { $0.filter { $0.episode == episode }.map(\.seconds) }
                let lost = places.flatMap { $0.pieces(outside: chapters) }
                #expect(lost.allSatisfy { $0.length < EpisodeFindings.shortestChapter })
            }
        }
    }
}
