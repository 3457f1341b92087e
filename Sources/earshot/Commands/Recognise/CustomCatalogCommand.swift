import ArgumentParser
import AudioIO
import EarshotKit
import Fingerprinting
import Foundation
import Reporting
import SystemIO

struct CustomCatalogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "custom-catalog", abstract: "Make catalogs of your own recordings",
        subcommands: [
            Create.self, Update.self, Merge.self, Display.self, Remove.self, Export.self, Verify.self,
            Upgrade.self,
        ])

    struct Create: ParsableCommand, DecodingCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a catalog of audio files, signatures, and folders of them",
            discussion: MediaItemTable.grammar)

        @OptionGroup var enrolment: EnrolmentOptions
        @Option(parsing: .upToNextOption, help: "Another name of --signature-asset.")
        var input: [String] = []
        @OptionGroup var target: NewCatalogOptions

        func validate() throws {
            try reject(
                if: enrolment.sources.isEmpty && input.isEmpty,
                "Name what to make references of with --signature-asset.")
        }

        var decoding: SandboxOptions { enrolment.reading.decoding }

        func run() throws {
            let sources = enrolment.sources + input
            let file = target.file(for: sources.first ?? "catalog")
            // From here on, so that it replaces no update that was made during the work.
            let replacement = try CatalogReplacement(file, willWait: CatalogInput.noteWait(file))
            let (outcome, failed) = try enrolment.references(of: sources, for: file)
            try replacement.write(outcome.references)
            StandardError.print(
                "\(file): \(outcome.references.count.counting("reference")), \(NumberText.seconds(outcome.hours * 3600))"
            )
            try failed.report()
        }
    }

    struct Update: ParsableCommand, DecodingCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add audio files, signatures, and media items to a catalog",
            discussion: """
                --signature-asset adds references. If the catalog has another recording with the name of a file, the name \
                of the folder becomes a part of the new identifier. If an identifier is in the catalog already, the \
                command fails and the catalog does not change. --replace replaces the reference instead, and moves it to \
                the end of the list.

                Without --signature-asset, the command adds the media items of tables to references of the catalog. A \
                table belongs to the reference with its file name, or to the reference of --id. The reference keeps its \
                signature, its items and their identifiers. `earshot custom-catalog create --help` describes tables.

                If the command is killed, the catalog is the old one or the new one. Two updates of a catalog wait for each \
                other. The catalog can also be the address of a server (http://…) with --store. The server then gets the \
                references one by one, with the token of EARSHOT_CATALOG_TOKEN.
                """)

        @OptionGroup var catalog: UpdateInput
        @OptionGroup var enrolment: EnrolmentOptions
        @Flag(help: "Replace references that have the identifier of a new one.")
        var replace = false
        @OptionGroup var target: CatalogOutput

        func validate() throws {
            try reject(
                if: sources.isEmpty && enrolment.tables.isEmpty,
                "Say what to add with --signature-asset or --media-items.")
            if sources.isEmpty {
                try refuse(
                    ["--replace", "--track", "--strict", "--all-or-nothing"], "without --signature-asset")
            }
        }

        var decoding: SandboxOptions { enrolment.reading.decoding }

        func run() throws {
            let isServer = CatalogClient.isAddress(catalog.path)
            try reject(
                if: isServer && (sources.isEmpty || target.output != nil),
                "A server takes --signature-asset, and no --output.")
            let client =
                try isServer
                ? CatalogClient(address: catalog.path, token: CatalogClient.environmentToken) : nil
            // Before the long work, to no avail otherwise.
            if let client { _ = try client.facts() } else { _ = try CatalogFile.open(catalog.path) }
            if sources.isEmpty { return try addItems() }
            let output = target.file(for: catalog.path) ?? catalog.path
            let (outcome, failed) = try enrolment.references(
                of: sources, for: isServer ? nil : output, besides: isServer || replace ? nil : catalog.path)
            let replaced =
                if let client {
                    try outcome.references.filter { try client.put($0, replacing: replace) }.count
                } else {
                    try CatalogFile.update(
                        catalog.path, to: target.file(for: catalog.path), adding: outcome.references,
                        replacing: replace, willWait: CatalogInput.noteWait(output))
                }
            let added = outcome.references.count - replaced
            StandardError.print("\(output): \(added.counting("reference")) added, \(replaced) replaced")
            try failed.report()
        }

        private var sources: [String] { enrolment.sources + catalog.sources }

        private func addItems() throws {
            let items = try MediaItemFiles(enrolment.tables, naming: enrolment.ids, id: enrolment.id)
                .items(noting: StandardError.warn)
            let output = target.file(for: catalog.path)
            try CatalogFile.edit(
                catalog.path, to: output, willWait: CatalogInput.noteWait(output ?? catalog.path)
            ) { opened in
                CatalogFile.Change(adding: try opened.references(adding: items, path: catalog.path))
            }
            let count = items.values.reduce(0) { $0 + $1.count }
            StandardError.print(
                "\(output ?? catalog.path): \(count.counting("media item")) added to"
                    + " \(items.count.counting("reference"))")
        }
    }

    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make one catalog of several",
            discussion: """
                A reference is omitted if an earlier catalog has the same identifier, signature and media items. A \
                different reference with the same identifier becomes ID-2, ID-3 and so on.
                """)

        @Argument(help: ArgumentHelp("The catalog files.", valueName: "catalog"))
        var catalogs: [String]
        @OptionGroup var target: NewCatalogOptions

        func run() throws {
            let file = target.file(for: catalogs[0])
            let replacement = try CatalogReplacement(
                file, madeOf: catalogs, willWait: CatalogInput.noteWait(file))
            let merged = try SHCustomCatalog(merging: catalogs)
            try merged.write(to: replacement)
            StandardError.print("\(file): \(merged.referenceCount.counting("reference"))")
        }
    }

    struct Display: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the references of a catalog",
            discussion: """
                Prints a line for each reference: identifier, title, duration, number of peaks, and bytes in the file \
                without the index. A line for each media item follows, with identifier and properties. --json prints one \
                object with the members references, hours, bytes, indexBytes and version. If the catalog is damaged, the \
                command lists the whole references, names the damaged ones, and exits with 1.
                """)

        @OptionGroup var catalog: CatalogInput
        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let input = try WholeReferences(of: catalog.path) {
                try CatalogListing($0 ?? CatalogFile.open(catalog.path))
            }
            try StandardOutput.print(json ? input.value.json() : input.value.table)
            try input.report()
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove references or media items from a catalog",
            discussion: """
                `earshot custom-catalog display` shows the identifiers. If a reference loses media items, the reference \
                stays, moves to the end of the list, and its other items keep their identifiers. If an identifier is \
                unknown, the command fails and the catalog does not change.
                """)

        @OptionGroup var catalog: CatalogInput
        @Option(
            name: [.customShort("s"), .customLong("signature-id")], parsing: .upToNextOption,
            help: "Identifiers of references.")
        var references: [String] = []
        @Option(
            name: [.customShort("m"), .customLong("media-item-ids")], parsing: .upToNextOption,
            help: "Identifiers of media items, with commas between them.", transform: Self.itemIDs)
        var items: [Set<UUID>] = []
        @OptionGroup var target: CatalogOutput
        @OptionGroup var replacement: ReplacementOptions
        @Flag(name: .shortAndLong, help: "List the references that change.")
        var verbose = false

        func validate() throws {
            try reject(
                if: references.isEmpty && items.isEmpty,
                "Say what to remove with --signature-id or --media-item-ids.")
        }

        private static func itemIDs(_ list: String) throws -> Set<UUID> {
            Set(
                try list.split(separator: ",").map { text in
                    guard let id = UUID(uuidString: text.trimmingCharacters(in: .whitespaces)) else {
                        throw ValidationError("\"\(text)\" is not a media item identifier")
                    }
                    return id
                })
        }

        func run() throws {
            let (itemIDs, output) = (Set(items.joined()), target.file(for: catalog.path))
            try replacement.check(output ?? catalog.path, inputs: [])
            try CatalogFile.edit(
                catalog.path, to: output, willWait: CatalogInput.noteWait(output ?? catalog.path)
            ) { opened in
                let added = try opened.references(
                    without: itemIDs, leavingOut: references, path: catalog.path)
                if verbose {
                    for reference in added { StandardError.print("\(reference.id): loses media items") }
                    for reference in references { StandardError.print("\(reference): removed") }
                }
                return CatalogFile.Change(removing: Set(references), adding: added)
            }
            StandardError.print(
                "\(output ?? catalog.path): \(Set(references).count.counting("reference")) and "
                    + "\(itemIDs.count.counting("media item")) removed")
        }
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the signature and the media items of each reference to a folder",
            discussion: """
                Writes a signature (.earsignature) and a table (.csv) for each reference, named by the identifier. \
                Signatures of a .shazamcatalog are .shazamsignature files. This command makes the catalog again:

                  earshot custom-catalog create -s FOLDER -m FOLDER -o CATALOG

                If identifiers have slashes, export makes folders, and create needs --ids relative-path. Names longer than \
                255 bytes are shortened. If the catalog is damaged, the command writes the whole references, names the \
                damaged ones, and exits with 1.
                """)

        @OptionGroup var catalog: CatalogInput
        @OptionGroup var export: ExportOptions

        func run() throws {
            let input = try WholeReferences(of: catalog.path, isEnough: !export.batch.allOrNothing) {
                try $0 ?? CatalogFile.verify(catalog.path)
            }
            var failed = FailedFiles(options: export.batch)
            try input.value.export(
                to: export.output,
                signatureExtension: OutputPath.extension(Signature.fileExtension, like: catalog.path),
                replacing: export.force, note: export.note
            ) {
                try failed.append($0)
            }
            let count = input.value.entries.count - failed.errors.count
            try failed.require(count > 0)
            StandardError.print("\(export.output): \(count.counting("reference"))")
            try failed.report()
            try input.report()
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check a catalog for damage",
            discussion: """
                Checks every block, and that all parts agree. If the catalog is damaged, the command prints the place of \
                the first damage, and the exit code is 1.
                """)

        @OptionGroup var catalog: CatalogInput

        func run() throws {
            let sound = try CatalogFile.verify(catalog.path)
            try StandardOutput.print(
                "\(catalog.path): sound, \(sound.entries.count.counting("reference")),"
                    + " \(NumberText.seconds(sound.hours * 3600))")
            EarlierFormat.note(catalog.path, sound.source)
        }
    }

    struct Upgrade: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Convert catalogs and signatures of earlier versions to today's format",
            discussion: """
                Keeps references, peaks and media items with their identifiers, and makes a new index. The new file replaces \
                the old file when the whole new file is on the disk. Files of today's format do not change. Damaged files \
                do not change either: `earshot custom-catalog export` writes their whole references. An earlier format \
                lacks some data, and the article Compatibility describes the effect on accuracy.
                """)

        @Argument(help: ArgumentHelp("The catalogs and signatures.", valueName: "file"))
        var files: [String]

        func run() throws {
            var failed = FailedFiles()
            for file in files {
                do {
                    let isSignature = Signature.fileExtensions.contains((file as NSString).pathExtension)
                    let change =
                        isSignature
                        ? try Signature.upgrade(file)
                        : try CatalogFile.upgrade(file, willWait: CatalogInput.noteWait(file))
                    StandardError.print(
                        "\(file): "
                            + (change.map { "version \($0.from) became \($0.to)" } ?? "is of today's version")
                    )
                } catch { try failed.append(error) }
            }
            try failed.report()
        }
    }
}

/// What a command made of a catalog, or of the references of a damaged one that are whole.
private struct WholeReferences<Value> {
    let value: Value
    private let path: String
    private var damage: (error: FingerprintingError, salvaged: SalvagedCatalog)?

    /// Makes a value of the catalog at `path`.
    ///
    /// - Parameters:
    ///   - isEnough: Whether a part of a damaged one is enough.
    ///   - body: Called with nil to open the catalog; again with what is whole, if that throws because of damage.
    init(of path: String, isEnough: Bool = true, _ body: (Catalog?) throws -> Value) throws {
        self.path = path
        do { value = try body(nil) } catch let error as FingerprintingError
            where error.code == .malformedFile && isEnough
        {
            guard let salvaged = try? CatalogFile.salvage(path) else { throw error }
            value = try body(salvaged.catalog)
            damage = (error, salvaged)
        }
    }

    /// Names what is lost.
    /// - Throws: Exit code 1 if the catalog is damaged.
    func report() throws {
        guard let (error, salvaged) = damage else { return }
        for reference in salvaged.lost { StandardError.print("Error: \(reference)") }
        let whole = salvaged.catalog.entries.count
        let all = (whole + salvaged.lost.count).counting("reference")
        StandardError.print("Error: \(error)")
        StandardError.print(
            "\(path): is damaged; "
                + (salvaged.lost.isEmpty
                    ? "each of its \(all) is whole" : "this is a part, \(whole) of \(all)"))
        throw ExitCode(1)
    }
}

/// What commands say of a file of an earlier format.
enum EarlierFormat {
    /// Says that an index was made in memory, and which command keeps it.
    static func note(_ path: String, _ source: CatalogSource?) {
        guard let source, !source.hasCurrentIndex else { return }
        StandardError.print(
            "\(path): has version \(source.version), so each command makes an index in memory. To keep it: "
                + CommandText.line(["earshot", "custom-catalog", "upgrade", path]))
    }
}

struct CatalogInput: ParsableArguments {
    @Option(
        name: [.short, .customShort("c"), .long, .customLong("catalog")], help: "The catalog file.",
        completion: .catalogs)
    var input: String?
    @Argument(
        help: ArgumentHelp("The catalog file, without --catalog.", valueName: "catalog"),
        completion: .catalogs)
    var positional: String?

    func validate() throws {
        try reject(if: (input == nil) == (positional == nil), "Name the catalog once: --catalog CATALOG.")
    }

    var path: String { input ?? positional ?? "" }

    static func noteWait(_ path: String) -> () -> Void {
        { StandardError.print("\(path): waiting for another update to end") }
    }
}

/// The catalog of an update, and its sources where they are named with --input.
struct UpdateInput: ParsableArguments {
    @Option(
        name: .shortAndLong, parsing: .upToNextOption,
        help: "The catalog file. With --catalog, another name of --signature-asset.")
    var input: [String] = []
    @Option(
        name: [.long, .customShort("c")], help: "The catalog file, instead of --input.", completion: .catalogs
    )
    var catalog: String?
    @Argument(
        help: ArgumentHelp("The catalog file, without --catalog.", valueName: "catalog"),
        completion: .catalogs)
    var positional: String?

    func validate() throws {
        let names = catalog.map { [$0] } ?? input
        try reject(
            if: names.count + (positional == nil ? 0 : 1) != 1, "Name the catalog once: --catalog CATALOG.")
    }

    var path: String { catalog ?? input.first ?? positional ?? "" }

    var sources: [String] { catalog == nil ? [] : input }
}

/// Where a new catalog goes.
struct NewCatalogOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "The catalog file to write (.earcatalog), or a folder. There it is named after the first input."
    )
    var output: String

    func file(for input: String) -> String {
        OutputPath.file(output, for: input, extension: CatalogFile.fileExtension)
    }
}

/// Where a changed catalog goes.
struct CatalogOutput: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "The catalog file to write, or a folder for it. (default: change the catalog itself)")
    var output: String?

    /// The file to write; nil for the catalog at `input` itself.
    func file(for input: String) -> String? {
        output.map { OutputPath.file($0, for: input, extension: CatalogFile.fileExtension) }
    }
}

/// How files become references, for the commands that make and extend catalogs.
struct EnrolmentOptions: ParsableArguments {
    @Option(
        name: [.customShort("s"), .customLong("signature-asset"), .customLong("sources")],
        parsing: .upToNextOption,
        help: "Audio and video files, signatures (.earsignature), and folders of them.")
    var sources: [String] = []
    @Option(
        name: [.customShort("m"), .customLong("media-items")], parsing: .upToNextOption,
        help: ArgumentHelp(
            "Tables of media items (.csv), and folders of them.",
            discussion: """
                A single table belongs to a single source. One of several tables belongs to the source with its \
                identifier, or to the only source in its folder. If a table has a column named reference, each row belongs \
                to the source with that identifier or file. A source without a table gets title, artist, album, genres \
                and ISRC from its tags. Without tags, the title is the name of the file.
                """))
    var tables: [String] = []
    @Option(
        help: ArgumentHelp(
            "The form of identifiers.",
            discussion: """
                stem is the name of the file, relative-path is the path below the given folder, both without extension. If \
                files have the same name, the name of the folder precedes it: folder/name.
                """))
    var ids: ReferenceSource.Naming = .stem
    @Option(help: "The identifier of the reference, for a single source or table.")
    var id: String?
    @OptionGroup var threads: ThreadOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var replacement: ReplacementOptions
    @OptionGroup var batch: BatchOptions
    @OptionGroup var search: FolderSearchOptions

    private func find(
        _ sources: [String], _ leftOut: inout [FolderListing.LeftOut], _ failed: inout FailedFiles
    ) throws -> [ReferenceSource] {
        var found = try ReferenceSource.find(sources, naming: ids) {
            leftOut += $0
        } renaming: {
            StandardError.print("\($0.path): has the identifier \"\($0.id)\", because others have its name")
        } failing: {
            try failed.append($0)
        }
        try failed.require(!found.isEmpty)
        guard let id else { return found }
        guard found.count == 1 else {
            throw CatalogEditError(
                "--id names one reference, but there are \(found.count) sources")
        }
        found[0].id = id
        return found
    }

    /// Makes the references of sources for the catalog at `output`, showing progress and warnings.
    ///
    /// - Parameter existing: A catalog that has other references already; nil if there is none, or its references are
    ///   replaced.
    func references(of sources: [String], for output: String?, besides existing: String? = nil) throws -> (
        outcome: CatalogBuilder.Outcome, failed: FailedFiles
    ) {
        // Tables are read and the output is tried before the long work: a mistake shows at once.
        let described = try MediaItemFiles(tables, naming: ids, id: id)
        var leftOut = described.leftOut
        var failed = FailedFiles(options: batch)
        let found = try described.described(
            find(sources, &leftOut, &failed), noting: StandardError.warn)
        if let output { try replacement.check(output, inputs: found.map(\.path) + described.files) }
        let display = ProgressDisplay()
        var outcome = try CatalogBuilder(jobs: threads.count).build(
            found, track: reading.track, strict: reading.strict, goesOn: !batch.allOrNothing
        ) { done in
            display.show("references", done: done, of: found.count)
        }
        if let existing, ids == .stem, id == nil {
            outcome.references = try besides(CatalogFile.open(existing), outcome.references, of: found)
        }
        outcome.warnings.forEach(StandardError.warn)
        ShortAudio.warn(of: outcome.references.map { ($0.id, $0.signature.durationSeconds) })
        search.note(leftOut)
        for error in outcome.failures { try failed.append(error) }
        try failed.require(!outcome.references.isEmpty)
        for reference in outcome.references where search.verbose {
            let items = reference.mediaItem.items(ofRecording: []).count
            StandardError.print(
                "\(reference.id): \(formatNumber(reference.signature.durationSeconds, digits: 3)) s,"
                    + " \(reference.signature.peaks.count.counting("peak")), \(items.counting("media item"))")
        }
        return (outcome, failed)
    }
}

extension EnrolmentOptions {
    /// References with the names of their folders where the catalog has another recording of their name.
    private func besides(
        _ catalog: Catalog, _ references: [Reference], of sources: [ReferenceSource]
    ) throws -> [Reference] {
        let sources = Dictionary(sources.map { ($0.id, $0) }) { first, _ in first }
        return try references.map { reference in
            guard let place = try catalog.place(ofID: reference.id), let source = sources[reference.id],
                let id = source.idInFolder, try catalog.place(ofID: id) == nil,
                try catalog.recordingName(at: place)
                    != Catalog(comparing: [reference]).recordingName(at: 0)
            else { return reference }
            StandardError.print(
                "\(source.path): has the identifier \"\(id)\", because the catalog has another \"\(reference.id)\""
            )
            return Reference(id: id, mediaItem: reference.mediaItem, signature: reference.signature)
        }
    }
}

extension ReferenceSource.Naming: ExpressibleByArgument {}
