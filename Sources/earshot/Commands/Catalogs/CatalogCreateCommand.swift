import ArgumentParser
import EarshotKit
import Fingerprinting
import SystemIO

extension CustomCatalogCommand {
    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a catalog of audio files, signatures, and folders of them",
            discussion: MediaItemTable.grammar)

        @OptionGroup var enrolment: EnrolmentOptions

        @Option(
            name: .shortAndLong,
            help:
                "The catalog file to write (.earcatalog), or a folder for it: it is named after the first source."
        )
        var output: String

        func run() throws {
            let file = OutputPath.file(
                output, named: OutputPath.stem(enrolment.sources.first ?? "catalog"),
                extension: CatalogFile.fileExtension)
            let outcome = try enrolment.references()
            try CatalogFile.write(outcome.references, to: file)
            StandardError.print(
                "\(file): \(outcome.references.count.counting("reference")), "
                    + "\(EnrolmentOptions.hours(outcome.hours)) hours")
        }
    }

    struct Update: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add audio files, signatures, and folders of them to a catalog",
            discussion: """
                What the catalog holds already is copied, not analysed again. A reference whose identifier the catalog \
                has already is an error, and then nothing is changed; with --replace it takes the old one's place in \
                matching and stands last in the list. Killed at any time, the command leaves the old catalog or the new \
                one. An update waits for another one of the same catalog to end. `earshot custom-catalog create --help` \
                describes tables of media items.
                """)

        @OptionGroup var catalog: CatalogInput

        @OptionGroup var enrolment: EnrolmentOptions

        @Flag(help: "Replace references whose identifiers are those of new ones.")
        var replace = false

        @OptionGroup var target: CatalogOutput

        func run() throws {
            // Before the long work, to no avail otherwise.
            _ = try CatalogFile.open(catalog.path)
            let outcome = try enrolment.references()
            let replaced = try CatalogFile.update(
                catalog.path, to: target.file(for: catalog.path), adding: outcome.references,
                replacing: replace
            ) {
                StandardError.print("\(catalog.path): waiting for another update to end")
            }
            StandardError.print(
                "\(target.file(for: catalog.path) ?? catalog.path):"
                    + " \((outcome.references.count - replaced).counting("reference")) added, \(replaced) replaced"
            )
        }
    }
}

/// Where a changed catalog goes.
struct CatalogOutput: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "The catalog file to write, or a folder for it; by default the catalog itself is changed.")
    var output: String?

    /// The file to write; nil for the catalog at `input` itself.
    func file(for input: String) -> String? {
        output.map {
            OutputPath.file($0, named: OutputPath.stem(input), extension: CatalogFile.fileExtension)
        }
    }
}
