import ArgumentParser
import EarshotKit

/// Says which episodes of a show a recording may be of.
@main
struct TVShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tv-show",
        abstract: "Say which episodes of a show a recording may be of.",
        discussion: """
            Episodes are named after their files. A recording of the intro that they share is of all of them, unless \
            each is broadcast at a skew of its own.
            """)

    @Argument(help: "The episodes: audio, or video with audio.", transform: URL.init(fileURLWithPath:))
    var episodes: [URL]
    @Option(help: "The recording.", transform: URL.init(fileURLWithPath:)) var heard: URL
    @Option(help: "Only the episode of this title.") var title: String?
    @Option(help: "The first episode is broadcast as it is, each further one so much higher, in percent.")
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
