import ArgumentParser
import Evaluation
import Fingerprinting
import Foundation
import MatcherAdapters
import SystemIO

/// Measures matching in catalogs of any size, made of real and synthetic references.
@main
struct CatalogScale: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure recall and CPU time of matching in catalogs of given sizes",
        discussion: """
            References are the real ones listed in --tracks, and synthetic ones drawn from their peaks. Queries are \
            the output of 'earshot degrade'. Times are CPU times of one thread. For example
              paste <(earshot corpus path games) <(earshot corpus list games | tail -n +2) \\
                | awk -F'\\t' '$2 ~ /enrolled/ {print $1 "\\t" $7}' > tracks.tsv
              earshot degrade --plan standard --corpus games --half tuning --output queries
              CatalogScale --tracks tracks.tsv --queries queries --hours 15 1000
            A catalog of 10,000 h takes 14 GB of memory, 9 GB with --rank 2, and as much on disk with --files.
            """)

    @Option(help: "A file of lines: path of an audio or signature file, tab, identifier.")
    var tracks: String

    @Option(help: "The folder of queries and their truth.csv.")
    var queries: String

    @Option(parsing: .upToNextOption, help: "The sizes of the catalogs, in hours.")
    var hours: [Double] = [15]

    @Option(help: "The ranks of peaks in references: 3 is 21 peaks a second, 2 is 14.")
    var rank = 3

    @Option(help: "The most hits that the full search counts, instead of the setting.")
    var mostHits: Int?

    @Option(help: "The most hits that the first phase counts, instead of the setting.")
    var mostQuickHits: Int?

    @Option(help: "The most candidates that the full search checks, instead of the setting.")
    var candidates: Int?

    @Option(help: "The least pairs of peaks of a candidate, instead of the setting.")
    var leastPairs: Int?

    @Option(help: "The most pairs that a reference peak starts, instead of the setting.")
    var pairs: Int?

    @Option(help: "The most queries of each condition, for positives and negatives each.")
    var limit = 1000

    @Option(help: "How often to match each query; the median time counts.")
    var rounds = 1

    @Option(help: "Only conditions whose name contains this.")
    var only: String?

    @Option(help: "The seed of the synthetic references.")
    var seed: UInt64 = 1

    @Option(help: "A file for all answers, one line each.")
    var answers: String?

    @Option(help: "A folder for catalog files: write each catalog there, open the file, and match from it.")
    var files: String?

    func run() throws {
        var settings = Settings()
        settings.analysis.referenceRank = rank
        if let mostHits { settings.lookup.mostHits = mostHits }
        if let mostQuickHits { settings.lookup.mostQuickHits = mostQuickHits }
        if let candidates { settings.lookup.candidates = candidates }
        if let leastPairs { settings.lookup.leastPairs = leastPairs }
        if let pairs { settings.index.referencePairs = pairs }
        let real = try tracksListed(settings: settings)
        let synthetic = SyntheticReferences(sources: real.map(\.signature), seed: seed, settings: settings)
        let folder = try QueryFolder(path: queries, limit: limit, only: only)
        let realHours = real.reduce(0) { $0 + $1.signature.durationSeconds } / 3600
        print("\(real.count) real references, \(Figure(realHours)) h; \(folder.items.count) queries")
        for size in hours {
            let missing = Int(max(0, size - realHours) * 3600 / SyntheticReferences.seconds + 0.5)
            let start = ThreadClock.seconds
            let references = (0..<real.count + missing).lazy.map {
                $0 < real.count ? real[$0] : synthetic.reference($0 - real.count)
            }
            var catalog = try Catalog(references: references, settings: settings)
            print(
                """

                catalog of \(Figure(catalog.hours)) h, rank \(rank): made in \(Figure(ThreadClock.seconds - start)) s of CPU, \
                \(Figure(Double(catalog.indexBytes) / 1e6 / catalog.hours)) MB per hour in memory, \
                index \(Figure(Double(catalog.pairIndexBytes) / 1e6 / catalog.hours)) MB per hour, \
                \(Figure(Double(catalog.pairCount) / catalog.hours / 3600)) pairs a second
                """)
            if let files {
                let path = "\(files)/\(Int(size)).\(CatalogFile.fileExtension)"
                try CatalogFile.write(catalog, to: path)
                catalog = try Catalog(references: [], settings: settings)
                catalog = try openTimed(path, settings: settings)
            }
            var trials: [Trial] = []
            for item in folder.items {
                trials.append(try Trial(item, catalog: catalog, settings: settings, rounds: rounds))
            }
            Summary(trials).print()
            if let answers {
                let lines = trials.map(\.line).joined(separator: "\n")
                try AtomicFile.write(Array((lines + "\n").utf8), to: "\(answers)-\(Int(size))")
            }
        }
    }

    /// Opens a file that is not in the page cache, then again, and prints both times.
    private func openTimed(_ path: String, settings: Settings) throws -> Catalog {
        let bytes = try PageCache.drop(path)
        var opened: [Duration] = []
        for _ in 0..<10 {
            let time = try ContinuousClock().measure { _ = try CatalogFile.open(path, settings: settings) }
            opened.append(time)
        }
        let milliseconds = opened.map { Figure($0 / .milliseconds(1)) }
        print(
            """
            file of \(Figure(Double(bytes) / 1e9)) GB, opened in \(milliseconds[0]) ms with nothing in memory, \
            then in \(milliseconds[9]) ms
            """)
        return try CatalogFile.open(path, settings: settings)
    }

    private func tracksListed(settings: Settings) throws -> [Reference] {
        try String(contentsOfFile: tracks, encoding: .utf8).split(whereSeparator: \.isNewline).map { line in
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 2 else {
                throw ValidationError("\(tracks): expected path, tab, identifier: \(line)")
            }
            let signature =
                fields[0].hasSuffix("." + Signature.fileExtension)
                ? try Signature(contentsOf: fields[0]) : try Signature(ofAudioFile: fields[0])
            return Reference(id: fields[1], signature: signature)
        }
    }
}
