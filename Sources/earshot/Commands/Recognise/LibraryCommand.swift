import ArgumentParser
import EarshotKit
import Foundation
import SystemIO

struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: "List, add and remove the media items of the library",
        discussion: """
            The library is $XDG_DATA_HOME/earshot/library.jsonl (by default in ~/.local/share). Any number of processes may \
            use it at once. Each app sees only its own items.
            """,
        subcommands: [List.self, Add.self, Remove.self, Sync.self, Update.self])

    struct Options: ParsableArguments {
        @Option(help: "The app: its bundle identifier or process name.")
        var app = "earshot"

        var library: SHLibrary { SHLibrary(app: app) }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print an app's items, newest first",
            discussion: """
                Prints a line for each item: Shazam ID, title, artist; tab-separated. With --csv, prints a table of all \
                properties, as `earshot custom-catalog create --help` describes it.
                """)

        @OptionGroup var options: Options
        @Flag(help: "Print a table of all properties.")
        var csv = false
        @Flag(help: "Print the names of all apps instead, with their numbers of items; tab-separated.")
        var apps = false

        func validate() throws { try exclude("--apps", "--app", "--csv") }

        func run() async throws {
            let store = try LibraryStore(folder: LibraryFolder.path)
            if apps {
                for app in try store.apps() {
                    try StandardOutput.print("\(VisibleText.quoted(app.name))\t\(app.count)")
                }
                return
            }
            let items = try store.items(of: options.app)
            if csv { return try StandardOutput.write(MediaItemTable(items).csv) }
            for item in items {
                let cells = [item.shazamID, item.title, item.artist].map { cell in
                    (cell ?? "").split { $0 == "\t" || $0.isNewline }.joined(separator: " ")
                }
                try StandardOutput.print(VisibleText.message(cells.joined(separator: "\t")))
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add items, all or none",
            discussion: "An item with a known Shazam ID replaces the old one.")

        @OptionGroup var options: Options
        @Argument(help: "The Shazam ID of the item: digits only.")
        var shazamID: String?
        @Option(help: "The item's title.")
        var title: String?
        @Option(help: "The item's artist.")
        var artist: String?
        @Option(
            name: [.customShort("m"), .customLong("media-items")],
            help:
                "A table of items (.csv) with a column shazamID; see `earshot custom-catalog create --help`.")
        var table: String?

        func validate() throws {
            try reject(
                if: (shazamID == nil) == (table == nil),
                "Name one item by its Shazam ID, or a table with --media-items.")
            try reject(
                if: table != nil && (title != nil || artist != nil),
                "A table holds its own titles and artists. Remove --title and --artist.")
        }

        func run() async throws {
            var properties: [SHMediaItemProperty: Any] = [.shazamID: shazamID ?? ""]
            properties[.title] = title
            properties[.artist] = artist
            let table = try table.map { try MediaItemTable(contentsOf: $0) }
            table?.warnings.forEach(StandardError.warn)
            try await options.library.addItems(table?.items ?? [SHMediaItem(properties: properties)])
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove items that an app has added, all or none")

        @OptionGroup var options: Options
        @Argument(help: ArgumentHelp("The Shazam IDs of the items.", valueName: "shazam-id"))
        var shazamIDs: [String]

        func run() async throws {
            try await options.library.removeItems(
                shazamIDs.map { SHMediaItem(properties: [.shazamID: $0]) })
        }
    }

    struct Sync: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Exchange additions and removals with your other machines through a shared folder",
            discussion: """
                Each machine writes a journal to the folder. Any tool that copies files can sync it. Apps sync by \
                themselves once a folder is set; this command syncs at once.
                """)

        @Option(help: "Set the folder for all apps.")
        var folder: String?
        @Flag(help: "Stop syncing.")
        var off = false

        func validate() throws {
            try reject(if: folder != nil && off, "Name a folder or none, not both.")
        }

        func run() async throws {
            let library = SHLibrary(app: "earshot")
            if off { return try library.setSyncFolder(nil) }
            if let folder { try library.setSyncFolder(URL(fileURLWithPath: folder)) }
            guard let report = try await library.synchronize() else {
                throw CatalogEditError("No shared folder. Add --folder DIR.")
            }
            for line in report.unreadable { StandardError.warn("\(line)") }
            try StandardOutput.print(
                "\(report.received.counting("item")) received, \(report.removed) removed, "
                    + "\(report.sent.counting("change")) sent")
        }
    }

    struct Update: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Convert the library of an earlier version",
            discussion: "Reads library.sqlite, which stays as it is, and writes library.jsonl beside it.")

        func run() throws {
            let folder = LibraryFolder.path
            let earlier = try EarlierLibrary(folder + "/" + LibraryStore.earlierFileName)
            _ = try LibraryStore(folder: folder, earlier: (earlier.events, earlier.syncFolder))
            try StandardOutput.print("\(earlier.events.count.counting("change")) converted")
        }
    }
}
