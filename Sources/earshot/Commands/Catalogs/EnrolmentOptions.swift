import ArgumentParser
import EarshotKit
import Fingerprinting
import Foundation
import SystemIO

/// How files become references, for the commands that make and extend catalogs.
struct EnrolmentOptions: ParsableArguments {
    @Option(
        name: [.customShort("s"), .customLong("signature-asset"), .customLong("sources")],
        parsing: .upToNextOption,
        help: "Audio and video files, signatures (.earsignature), and folders of them.")
    var sources: [String]

    @Option(
        name: [.customShort("m"), .customLong("media-items")], parsing: .upToNextOption,
        help: ArgumentHelp(
            "Tables of media items (.csv), and folders of them.",
            discussion: """
                One table belongs to one source. Of several each belongs to the source of the same identifier. A source \
                without a table is known by a title, its file's name.
                """))
    var tables: [String] = []

    @Option(
        help: ArgumentHelp(
            "How references are identified: stem or relative-path.",
            discussion: "By the file's name, or its path from the folder given, without extension."))
    var ids: ReferenceSource.Naming = .stem

    @Option(help: "How many files are worked on at a time. (default: as many as there are processors)")
    var jobs: Int?

    @Flag(name: .shortAndLong, help: "List the references that were made.")
    var verbose = false

    func validate() throws {
        guard let jobs else { return }
        guard jobs >= 1 else { throw ValidationError("--jobs must be at least 1, not \(jobs)") }
    }

    /// Makes the references of all sources, showing progress and warnings.
    func references() throws -> CatalogBuilder.Outcome {
        // Tables are read before the long work: a mistake in one shows at once.
        let found = try MediaItemFiles(tables, naming: ids).described(
            ReferenceSource.find(sources, naming: ids))
        let display = ProgressDisplay()
        let jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
        let outcome = try CatalogBuilder(jobs: jobs).build(found) { done in
            display.show("references", done: done, of: found.count)
        }
        for warning in outcome.warnings { StandardError.print("warning: \(warning)") }
        if verbose {
            for reference in outcome.references {
                let items = reference.mediaItem.items(ofReference: reference.id).count
                StandardError.print(
                    "\(reference.id): \(reference.signature.durationSeconds) s,"
                        + " \(reference.signature.peaks.count.counting("peak")), \(items.counting("media item"))"
                )
            }
        }
        return outcome
    }

    /// Hours to two digits.
    static func hours(_ hours: Double) -> Double { (hours * 100).rounded() / 100 }
}

extension ReferenceSource.Naming: ExpressibleByArgument {}
