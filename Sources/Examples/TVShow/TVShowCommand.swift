import ArgumentParser
import ShazamKit
import Tune

@main
struct TVShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tv-show", abstract: "Name the episodes of a show that a recording may be from",
        discussion: """
            Episodes are named after their files. A recording of the shared intro matches all episodes, unless each \
            is broadcast at its own skew. Without files the program makes three episodes, and looks up parts of them.
            """)

    @Argument(help: "The episodes: audio, or video with audio.", transform: URL.init(fileURLWithPath:))
    var episodes: [URL] = []
    @Option(help: "The recording.", transform: URL.init(fileURLWithPath:)) var heard: URL?
    @Option(help: "Print only the episode with this title.") var title: String?
    @Option(help: "The percent by which each episode is higher than the one before.")
    var skewPercent: Float?

    func run() async throws {
        guard let heard else {
            guard episodes.isEmpty else { throw ValidationError("No recording. Add --heard FILE.") }
            return try await demonstrate()
        }
        var made: [TVShow.Episode] = []
        for (number, episode) in episodes.enumerated() {
            made.append(
                TVShow.Episode(
                    title: episode.deletingPathExtension().lastPathComponent,
                    signature: try await SHSignatureGenerator.signature(from: AVURLAsset(url: episode)),
                    skew: skewPercent.map { $0 / 100 * Float(number) }))
        }
        let recording = try await SHSignatureGenerator.signature(from: AVURLAsset(url: heard))
        Self.print(try await TVShow(made).episodes(in: recording, title: title))
    }

    private func demonstrate() async throws {
        let intro = Tune.samples(0, seconds: 12)
        let episodes = (1...3).map { intro + Tune.samples($0, seconds: 12) }
        let show = try TVShow(
            episodes.enumerated().map { number, episode in
                TVShow.Episode(title: "Episode \(number + 1)", signature: try Tune.signature(episode))
            })
        let rate = Tune.sampleRate
        for (part, seconds) in [("the intro", 4..<9), ("the second episode", 14..<19)] {
            Swift.print("\(part):")
            let heard = episodes[1][seconds.lowerBound * rate..<seconds.upperBound * rate]
            Self.print(try await show.episodes(in: Tune.signature(heard)))
        }
    }

    private static func print(_ found: [SHMatchedMediaItem]) {
        for item in found {
            Swift.print(
                String(
                    format: "%@ at %.2f s, skew %+.2f %%", item.title ?? "", item.matchOffset,
                    item.frequencySkew * 100))
        }
        if found.isEmpty { Swift.print("no episode") }
    }
}
