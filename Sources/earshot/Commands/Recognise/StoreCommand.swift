import ArgumentParser
import Foundation

#if Server
    import CatalogServer
#endif

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Check, repair and export the store of a catalog server",
        discussion: "The server must be stopped. `earshot serve --store` makes a store.",
        subcommands: [Check.self, Repair.self, Export.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List references, versions and damage",
            discussion: """
                Checks every block of every segment and every reference of the manifest, and changes nothing. The exit code \
                is 1 if a part is damaged.
                """)

        @OptionGroup var store: StoreInput
        @Flag(help: "Print JSON.")
        var json = false

        #if Server
            func run() throws {
                let contents = try StoreFolder(store.path).check()
                try StandardOutput.print(
                    json ? contents.json() : StoreListing.text(contents, of: store.path))
                if !contents.isWhole { throw ExitCode(1) }
            }
        #endif
    }

    struct Repair: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set damaged parts aside and upgrade the others to today's format",
            discussion: """
                Damaged parts move to the folder set-aside of the store, with a note of what is lost. The whole references \
                of a damaged segment stay in the store. Nothing is deleted. A repair that was killed goes on when it is \
                started again. From then on programs of earlier versions refuse the store.
                """)

        @OptionGroup var store: StoreInput

        #if Server
            func run() throws {
                let folder = try StoreFolder(store.path)
                try folder.repair(isThorough: true, setsAside: true, note: StandardError.print)
                try StandardOutput.print(StoreListing.text(folder.check(), of: store.path))
            }
        #endif
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the signature and the media items of each reference to a folder",
            discussion: """
                The files are those of `earshot custom-catalog export`. Of damaged parts it writes the references that are \
                whole, names the others, and exits with 1.
                """)

        @OptionGroup var store: StoreInput
        @OptionGroup var export: ExportOptions

        #if Server
            func run() throws {
                let folder = try StoreFolder(store.path)
                if export.batch.allOrNothing, let damage = try folder.check().parts.compactMap(\.damage).first
                {
                    throw CommandError(description: damage)
                }
                var failed = FailedFiles(options: export.batch)
                let parts = try folder.export(
                    to: export.output, replacing: export.force, note: export.note
                ) {
                    try failed.append($0)
                }
                let count = parts.reduce(0) { $0 + $1.references } - failed.errors.count
                StandardError.print("\(export.output): \(count.counting("reference"))")
                try failed.report()
                let damaged = parts.filter { $0.damage != nil }
                guard !damaged.isEmpty else { return }
                for line in damaged.flatMap(StoreListing.lines) { StandardError.print("Error: " + line) }
                StandardError.print("\(store.path): is damaged; this is a part")
                throw ExitCode(1)
            }
        #endif
    }
}

struct StoreInput: ParsableArguments {
    @Argument(help: ArgumentHelp("The folder of the store.", valueName: "folder"), completion: .directory)
    var path: String

    #if !Server
        func validate() throws {
            throw CommandError(
                description:
                    "This build has no catalog server. Build with: swift build -c release --traits Server")
        }
    #endif
}

#if Server
    /// What a store holds, as text and as JSON.
    private enum StoreListing {
        /// A line for the whole, one for each part, and those of lost references.
        static func text(_ contents: StoreFolder.Contents, of path: String) -> String {
            let damaged = contents.parts.filter { $0.damage != nil }.count
            let state = damaged == 0 ? "sound" : "\(damaged.counting("part")) damaged"
            let total = "\(path): \(state), \(contents.references.counting("reference"))"
            let aside = contents.setAside.map {
                "set-aside/\($0.file): \($0.reason)" + ($0.lost.map { "; lost: " + list($0) } ?? "")
            }
            return ([total] + contents.parts.flatMap(lines) + aside).joined(separator: "\n")
        }

        static func lines(_ part: StoreFolder.Part) -> [String] {
            guard let damage = part.damage else {
                let version = part.version.map { "version \($0), " } ?? ""
                return ["\(part.name): \(version)\(part.references.counting("reference"))"]
            }
            let lost = part.lost.map(list) ?? "each of its references"
            return ["\(part.name): damaged: \(damage)", "\(part.name): lost: \(lost)"]
        }

        private static func list(_ names: [String]) -> String {
            names.isEmpty ? "none" : names.joined(separator: ", ")
        }
    }
#endif
