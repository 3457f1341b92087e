import ArgumentParser
import EarshotKit

@main
struct TVShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tv-show", abstract: "Name the episodes of a show that a recording may be from",
        discussion: """
            Episodes are named after their files. A recording of the shared intro matches all episodes, unless each \
            is broadcast at its own skew.
            """)

    @Argument(help: "The episodes: audio, or video with audio.", transform: URL.init(fileURLWithPath:))
    var episodes: [URL]
    @Option(help: "The recording.", transform: URL.init(fileURLWithPath:)) var heard: URL
    @Option(help: "Print only the episode with this title.") var title: String?
    @Option(help: "The percent by which each episode is higher than the one before.")
    var skewPercent: Float?

    func run() async throws {
        var made: [TVShow.Episode] = []
        for (number, episode) in episodes.enumerated() {
            made.append(
                TVShow.Episode(
                    title: episode.deletingPathExtension().lastPathComponent,
                    signature: try await SHSignatureGenerator.signature(from: AVURLAsset(url: episode)),
                    skew: skewPercent.map { $0 / 100 * Float(number) }))
        }
        let recording = try await SHSignatureGenerator.signature(from: AVURLAsset(url: heard))
        let found = try await TVShow(made).episodes(in: recording, title: title)
        for item in found {
            print(
                String(
                    format: "%@ at %.2f s, skew %+.2f %%", item.title ?? "", item.matchOffset,
                    item.frequencySkew * 100))
        }
        if found.isEmpty { print("no episode") }
    }
}
