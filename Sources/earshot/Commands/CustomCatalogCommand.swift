import ArgumentParser
import Dispatch
import Fingerprinting
import Foundation

/// `earshot custom-catalog`: works on catalogs of one's own.
struct CustomCatalogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "custom-catalog", abstract: "Make catalogs of your own recordings.",
        subcommands: [Create.self])

    /// `earshot custom-catalog create`: makes a catalog of audio files and signatures.
    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a catalog of audio files, signatures, and folders of them.")

        @Option(name: .shortAndLong, parsing: .upToNextOption, help: "Audio files, signatures or folders.")
        var sources: [String]

        @Option(name: .shortAndLong, help: "The catalog file to write (.earcatalog).")
        var output: String

        @Option(help: "How references are identified: stem or relative-path.")
        var ids: ReferenceSource.Naming = .stem

        @Option(help: "How many files are worked on at a time.")
        var jobs: Int = ProcessInfo.processInfo.activeProcessorCount

        func validate() throws {
            guard jobs >= 1 else { throw ValidationError("--jobs must be at least 1, not \(jobs)") }
        }

        func run() throws {
            let found = try ReferenceSource.find(sources, naming: ids)
            let display = ProgressDisplay()
            let outcome = try CatalogBuilder(jobs: jobs).build(found) { done in
                display.show("references", done: done, of: found.count)
            }
            for warning in outcome.warnings { StandardError.print("warning: \(warning)") }
            try CatalogFile.write(outcome.references, to: output)
            let hours = (outcome.hours * 100).rounded() / 100
            StandardError.print("\(output): \(outcome.references.count) references, \(hours) hours")
        }
    }
}

extension ReferenceSource.Naming: ExpressibleByArgument {}
