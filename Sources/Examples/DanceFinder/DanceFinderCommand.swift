import ArgumentParser
import ShazamKit
import Tune

@main
struct DanceFinderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dance-finder", abstract: "Find the dance to a song",
        subcommands: [Find.self, List.self, Forget.self], defaultSubcommand: Find.self)

    struct Find: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Listen and store the dance")

        @Argument(
            help: """
                A catalog of songs; each has a title, a subtitle that names the dance, and a Shazam ID. Without one \
                the command makes two songs in the current folder, to be played to the microphone.
                """)
        var catalog: String?

        func run() async throws {
            let songs = SHCustomCatalog()
            if let catalog {
                try songs.add(from: URL(fileURLWithPath: catalog))
            } else {
                try Self.makeSongs(in: songs)
            }
            let finder = await DanceFinder(songs, library: .default)
            await finder.prepare()
            print("listening")
            fflush(nil)
            switch try await finder.find() {
            case .found(let dance): print(line(dance))
            case .unknown: print("no song with a dance")
            }
        }

        private static func makeSongs(in catalog: SHCustomCatalog) throws {
            for (number, dance) in ["waltz", "tango"].enumerated() {
                let song = Tune.samples(number, seconds: 30)
                try Tune.write(song, to: URL(fileURLWithPath: "\(dance).wav"))
                try catalog.addReferenceSignature(
                    Tune.signature(song),
                    representing: [
                        SHMediaItem(properties: [
                            .title: dance.capitalized, .subtitle: "how to dance a \(dance)",
                            .shazamID: "\(number + 1)",
                        ])
                    ])
                print("made \(dance).wav")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the dances found so far")

        func run() async throws {
            for dance in await SHLibrary.default.items { print(line(dance)) }
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Forget a dance")

        @Argument(help: "The song's title.") var title: String

        func run() async throws {
            let library = SHLibrary.default
            let dances = await library.items.filter { $0.title == title }
            guard !dances.isEmpty else { throw ValidationError("No dance to \"\(title)\" is stored.") }
            try await library.removeItems(dances)
        }
    }
}

private func line(_ dance: SHMediaItem) -> String {
    "\(dance.title ?? ""): \(dance.subtitle ?? "no dance")"
}
