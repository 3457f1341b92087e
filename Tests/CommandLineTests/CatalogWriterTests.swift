import Fingerprinting
import Foundation
import SystemIO
import TestSupport
import Testing

/// Commands that write one catalog at the same time: the result is that of one after the other.
@Suite(.enabled(if: Strace.isWanted, "strace is not installed, or may not trace"), .timeLimit(.minutes(10)))
struct CatalogWriterTests {
    private struct Outcome: Hashable {
        var statuses: [Int32]
        var references: [String]
    }

    /// All that write the catalog `c`.
    private static let commands = [
        "create -s a.earsignature b.earsignature -o c", "update c -s d.earsignature",
        "update c --id a -m items.csv",
        "update other -s d.earsignature -o c", "remove c -s a", "merge c other -o c",
    ]

    private static let references = Result {
        try ["a", "b", "d", "e"].enumerated().map { seed, id in
            Reference(
                id: id,
                signature: try SignatureExtractor.signature(
                    of: ScoreSong(seed: UInt64(seed), seconds: 4).render()))
        }
    }

    /// A folder with the catalog `c` of one reference, and what commands need.
    private static func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let references = try references.get()
        for reference in references {
            try reference.signature.write(to: folder.file(reference.id + ".earsignature"))
        }
        try CatalogFile.write([references[0]], to: folder.file("c"))
        try CatalogFile.write([references[3]], to: folder.file("other"))
        try AtomicFile.write("title\nOne\n", to: folder.file("items.csv"))
        return folder
    }

    private static func arguments(_ command: String, in folder: TemporaryFolder) -> [String] {
        let names = folder.names()
        return ["custom-catalog"]
            + command.split(separator: " ").map(String.init).map {
                names.contains($0) || $0 == "c" ? folder.file($0) : $0
            }
    }

    private static func outcome(_ statuses: [Int32], in folder: TemporaryFolder) throws -> Outcome {
        #expect(folder.names().allSatisfy { !$0.hasSuffix(".part") })
        let catalog = try CatalogFile.verify(folder.file("c"))
        return Outcome(
            statuses: statuses,
            references: try catalog.entries.indices.map { place in
                let entry = try catalog.entry(at: place)
                // Replaced ones keep their identifiers.
                return "\(entry.id) with \(entry.mediaItem.properties.isEmpty ? "no items" : "items")"
            })
    }

    /// What commands leave behind, one after the other, by the pair.
    private static let sequences = Result {
        try Dictionary(
            uniqueKeysWithValues: commands.flatMap { first in commands.map { [first, $0] } }.map { pair in
                let folder = try makeFolder()
                let statuses = try pair.map {
                    try EarshotProcess(arguments: arguments($0, in: folder)).status
                }
                return (pair, try outcome(statuses, in: folder))
            })
    }

    @Test(arguments: commands, commands) func noFinishedChangeIsLost(first: String, second: String) throws {
        let sequences = try Self.sequences.get()
        var possible = [try #require(sequences[[first, second]]), try #require(sequences[[second, first]])]
        possible[1].statuses.reverse()

        // The first one stops when it has written its file, before this takes its name.
        let folder = try Self.makeFolder()
        let slow = try EarshotProcess.Started(
            command: [
                "/usr/bin/strace", "-D", "-f", "-o", folder.file("trace"), "-e", "trace=fsync", "-e",
                "inject=fsync:signal=SIGSTOP:when=1", EarshotProcess.binary,
            ] + Self.arguments(first, in: folder))
        _ = slow.reaches {
            (try? String(contentsOfFile: folder.file("trace"), encoding: .utf8))?.contains(
                "stopped by SIGSTOP") == true
        }
        let other = try EarshotProcess.Started(
            command: [EarshotProcess.binary] + Self.arguments(second, in: folder))
        _ = other.reaches { other.errors.contains("waiting for another update") }
        kill(slow.process.processIdentifier, SIGCONT)
        let statuses = [try slow.finish().status, try other.finish().status]
        let outcome = try Self.outcome(statuses, in: folder)
        #expect(possible.contains(outcome), "\(outcome) is none of \(possible)")
    }
}
