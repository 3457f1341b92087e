import ArgumentParser
import Fingerprinting
import Foundation

/// `earshot custom-catalog`: works on catalogs of one's own.
struct CustomCatalogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "custom-catalog", abstract: "Make catalogs of your own recordings.",
        subcommands: [Create.self, Update.self, Display.self, Verify.self])

    /// `earshot custom-catalog create`: makes a catalog of audio files and signatures.
    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a catalog of audio files, signatures, and folders of them.")

        @Option(name: .shortAndLong, parsing: .upToNextOption, help: "Audio files, signatures or folders.")
        var sources: [String]

        @Option(name: .shortAndLong, help: "The catalog file to write (.earcatalog).")
        var output: String

        @OptionGroup var enrolment: EnrolmentOptions

        func run() throws {
            let outcome = try enrolment.references(of: sources)
            try CatalogFile.write(outcome.references, to: output)
            StandardError.print(
                "\(output): \(outcome.references.count) references, \(EnrolmentOptions.hours(outcome.hours)) hours"
            )
        }
    }

    /// `earshot custom-catalog update`: adds references to a catalog.
    struct Update: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add audio files, signatures, and folders of them to a catalog.",
            discussion: """
                What the catalog holds already is copied, not analysed again. A reference whose identifier the catalog
                has already is an error, and then nothing is changed; with --replace it takes the old one's place in
                matching and stands last in the list. Killed at any time, the command leaves the old catalog or the new
                one. An update waits for another one of the same catalog to end.
                """)

        @Argument(help: "The catalog file to add to.")
        var catalog: String

        @Option(
            name: [.short, .long, .customShort("s"), .customLong("sources")], parsing: .upToNextOption,
            help: "Audio files, signatures or folders.")
        var input: [String]

        @Flag(help: "Replace references whose identifiers are those of new ones.")
        var replace = false

        @OptionGroup var enrolment: EnrolmentOptions

        func run() throws {
            // Before the long work, to no avail otherwise.
            _ = try CatalogFile.open(catalog)
            let outcome = try enrolment.references(of: input)
            let replaced = try CatalogFile.update(catalog, adding: outcome.references, replacing: replace) {
                StandardError.print("\(catalog): waiting for another update to end")
            }
            StandardError.print(
                "\(catalog): \(outcome.references.count - replaced) references added, \(replaced) replaced")
        }
    }

    /// `earshot custom-catalog verify`: checks a catalog file.
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check every block of a catalog and everything its parts must agree on.",
            discussion: "The exit code is 0 when all is well, 1 with the place of the first damage otherwise."
        )

        @Argument(help: "The catalog file.")
        var catalog: String

        func run() throws {
            let sound = try CatalogFile.verify(catalog)
            try StandardOutput.print(
                "\(catalog): sound, \(sound.entries.count) references, \(EnrolmentOptions.hours(sound.hours)) hours"
            )
        }
    }
}

/// How audio files become references, for the commands that make and extend catalogs.
struct EnrolmentOptions: ParsableArguments {
    @Option(help: "How references are identified: stem or relative-path.")
    var ids: ReferenceSource.Naming = .stem

    @Option(help: "How many files are worked on at a time.")
    var jobs: Int = ProcessInfo.processInfo.activeProcessorCount

    func validate() throws {
        guard jobs >= 1 else { throw ValidationError("--jobs must be at least 1, not \(jobs)") }
    }

    /// Makes the references of all files, showing progress and warnings.
    func references(of paths: [String]) throws -> CatalogBuilder.Outcome {
        let found = try ReferenceSource.find(paths, naming: ids)
        let display = ProgressDisplay()
        let outcome = try CatalogBuilder(jobs: jobs).build(found) { done in
            display.show("references", done: done, of: found.count)
        }
        for warning in outcome.warnings { StandardError.print("warning: \(warning)") }
        return outcome
    }

    /// Hours to two digits.
    static func hours(_ hours: Double) -> Double { (hours * 100).rounded() / 100 }
}

extension ReferenceSource.Naming: ExpressibleByArgument {}
