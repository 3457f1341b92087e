import AudioCore
import EarshotKit
import Foundation
import TestSupport
import Testing

/// Machines that synchronise through journals in a folder.
@Suite(.tags(.timed)) struct LibrarySyncTests {
    private let folder: TemporaryFolder
    private let meeting: String

    init() throws {
        folder = try TemporaryFolder()
        meeting = try folder.makeFolder("meeting")
    }

    private func machine(_ name: String) throws -> LibraryStore {
        try LibraryStore(folder: folder.file(name))
    }

    private func item(_ id: Int) -> SHMediaItem {
        SHMediaItem(properties: [.shazamID: "\(id)", .title: "item \(id)"])
    }

    private func ids(_ store: LibraryStore, app: String = "app") throws -> Set<String> {
        Set(try store.items(of: app).compactMap(\.shazamID))
    }

    private func journals() -> [String] {
        folder.names().isEmpty
            ? [] : ((try? FileManager.default.contentsOfDirectory(atPath: meeting)) ?? []).sorted()
    }

    /// Three machines change items and synchronise in random order with late journals, and agree in the end.
    @Test(arguments: 0..<12) func machinesAgreeAndLoseNothing(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let machines = try (0..<3).map { try machine("machine \($0)") }
        // Each machine sees the others' journals as of the last copy.
        let views = try (0..<3).map { try folder.makeFolder("view \($0)") }
        func carry(from: Int, to: Int) throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: views[from]) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(views[from])/\(name)"))
                let target = URL(fileURLWithPath: "\(views[to])/\(name)")
                let old = (try? Data(contentsOf: target)) ?? Data()
                if bytes.count > old.count { try bytes.write(to: target) }
            }
        }
        var expected: Set<String> = []
        for step in 0..<60 {
            let place = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1, 2:
                try await machines[place].add([item(step)], app: "app")
                expected.insert("\(step)")
            case 3:
                guard let victim = try ids(machines[place]).sorted().randomElement(using: &random) else {
                    continue
                }
                try await machines[place].remove([SHMediaItem(properties: [.shazamID: victim])], app: "app")
                expected.remove(victim)
            case 4: _ = try machines[place].synchronize(with: views[place])
            default: try carry(from: place, to: Int.random(in: 0..<3, using: &random))
            }
        }
        for _ in 0..<3 {
            for place in 0..<3 {
                _ = try machines[place].synchronize(with: views[place])
                try carry(from: place, to: (place + 1) % 3)
                try carry(from: place, to: (place + 2) % 3)
            }
        }
        for machine in machines { #expect(try ids(machine) == expected) }
        // Nothing is left to send.
        for place in 0..<3 {
            let report = try machines[place].synchronize(with: views[place])
            #expect(report == LibrarySyncReport.nothing)
        }
    }

    @Test func addingAgainOutlastsARemovalElsewhere() async throws {
        let (first, second) = (try machine("a"), try machine("b"))
        try await first.add([item(1)], app: "app")
        _ = try first.synchronize(with: meeting)
        _ = try second.synchronize(with: meeting)
        try await first.remove([item(1)], app: "app")
        try await second.add([item(1)], app: "app")
        for store in [first, second, first] { _ = try store.synchronize(with: meeting) }
        #expect(try ids(first) == ["1"] && ids(second) == ["1"])
        // Both had added it. It is one item, and one removal removes it.
        try await second.remove([item(1)], app: "app")
        for store in [second, first] { _ = try store.synchronize(with: meeting) }
        #expect(try ids(first).isEmpty && ids(second).isEmpty)
    }

    @Test func appsAreSeparateAndItemsComplete() async throws {
        let (first, second) = (try machine("a"), try machine("b"))
        let rich = SHMediaItem(properties: [
            .shazamID: "9", .genres: ["a", "b"], .timeRanges: [0.25..<7],
            SHMediaItemProperty("x"): ["y": 1.5],
        ])
        try await first.add([rich], app: "one")
        try await first.add([item(9)], app: "two")
        #expect(try first.synchronize(with: meeting).sent == 2)
        #expect(try second.synchronize(with: meeting).received == 2)
        #expect(try second.items(of: "one") == [rich] && second.items(of: "two") == [item(9)])
        #expect(try second.apps().map(\.name) == ["one", "two"])
    }

    @Test func lostJournalsAreWrittenAgain() async throws {
        let (first, second, third) = (try machine("a"), try machine("b"), try machine("c"))
        try await first.add([item(1), item(2)], app: "app")
        _ = try first.synchronize(with: meeting)
        _ = try second.synchronize(with: meeting)
        for name in journals() { try FileManager.default.removeItem(atPath: "\(meeting)/\(name)") }
        #expect(try second.synchronize(with: meeting).sent == 2)
        #expect(try ids(second) == ["1", "2"])
        _ = try third.synchronize(with: meeting)
        #expect(try ids(third) == ["1", "2"])
    }

    @Test func unfinishedLinesAndCopiesDoNoHarm() async throws {
        let (first, second) = (try machine("a"), try machine("b"))
        try await first.add([item(1), item(2)], app: "app")
        _ = try first.synchronize(with: meeting)
        let path = "\(meeting)/\(try #require(journals().first))"
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try whole.write(to: URL(fileURLWithPath: "\(meeting)/library-copy.sync-conflict.jsonl"))
        for length in [1, whole.count / 3, whole.count - 1] {
            try whole.prefix(length).write(to: URL(fileURLWithPath: path))
            #expect(try second.synchronize(with: meeting).unreadable.isEmpty)
        }
        #expect(try ids(second) == ["1", "2"])
        try FileManager.default.removeItem(atPath: "\(meeting)/library-copy.sync-conflict.jsonl")
        // As a killed process leaves it. The event is written again after the last complete line.
        _ = try first.synchronize(with: meeting)
        let third = try machine("c")
        #expect(try third.synchronize(with: meeting).unreadable.isEmpty)
        #expect(try ids(third) == ["1", "2"])
    }

    /// Invalid lines and their error messages.
    static let badLines: [(line: String, reason: String)] = [
        ("nonsense", "\"event\""), ("{}", "\"event\""), ("[1]", "\"event\""),
        ("{\"event\":\"rename\"}", "found \"rename\""), ("{\"event\":\"remove\"}", "\"tag\""),
        ("{\"event\":\"remove\",\"tag\":\"7\"}", "\"event\""), ("{\"event\":\"add\"}", "\"clock\""),
        (
            "{\"event\":\"add\",\"tag\":\"4FFB8B84-CBDF-4558-BB8A-CA555A7DE356\",\"app\":\"a\",\"shazamID\":\"1\","
                + "\"clock\":9223372036854775807,\"item\":\"AAA=\"}", "\"clock\""
        ),
        (
            "{\"event\":\"add\",\"tag\":\"4FFB8B84-CBDF-4558-BB8A-CA555A7DE356\",\"app\":\"a\",\"shazamID\":\"1\","
                + "\"clock\":1,\"item\":\"//8=\"}", "the item: byte 2"
        ),
        (String(repeating: "x", count: 17 << 20), "is longer than"),
    ]

    @Test(arguments: badLines.indices) func anInvalidLineIsReportedAndTheOthersCount(_ place: Int)
        async throws
    {
        let bad = Self.badLines[place]
        let (first, second) = (try machine("a"), try machine("b"))
        try await first.add([item(1)], app: "app")
        _ = try first.synchronize(with: meeting)
        let stranger = "\(meeting)/library-0.jsonl"
        try Data((bad.line + "\n").utf8).write(to: URL(fileURLWithPath: stranger))
        let report = try second.synchronize(with: meeting)
        #expect(report.received == 1 && report.unreadable.count == 1)
        let message = try #require(report.unreadable.first)
        #expect(message.hasPrefix("\(stranger): line 1: ") && message.contains(bad.reason), "\(message)")
    }

    /// Writes the journal of a machine that has added `item`, after changes of its lines.
    private func writeJournal(of item: SHMediaItem, _ change: (String) -> String) async throws {
        let path = try folder.makeFolder("elsewhere")
        let stranger = try machine("stranger")
        try await stranger.add([item], app: "app")
        _ = try stranger.synchronize(with: path)
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first)
        let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
        try Data(change(text).utf8).write(to: URL(fileURLWithPath: "\(meeting)/library-0.jsonl"))
    }

    /// The item added last stays the first, although no later clock is left.
    @Test func theLargestClockStillAllowsAddingInOrder() async throws {
        let last = LibraryEvent.clockLimit - 1
        try await writeJournal(of: item(7)) { $0.replacing("\"clock\":1,", with: "\"clock\":\(last),") }
        let (first, second) = (try machine("a"), try machine("b"))
        #expect(try first.synchronize(with: meeting).received == 1)
        for id in 1...6 { try await first.add([item(id)], app: "app") }
        #expect(try first.items(of: "app").compactMap(\.shazamID) == ["6", "5", "4", "3", "2", "1", "7"])
        #expect(try first.synchronize(with: meeting).sent == 6)
        #expect(try first.synchronize(with: meeting) == LibrarySyncReport.nothing)
        #expect(try second.synchronize(with: meeting).received == 7)
        let others = try second.items(of: "app").compactMap(\.shazamID).filter { $0 != "7" }
        #expect(others == ["6", "5", "4", "3", "2", "1"])
    }

    @Test(arguments: ["78", "seven", ""]) func aLineOfAnotherShazamIDIsNotTaken(id: String) async throws {
        try await writeJournal(of: item(7)) {
            $0.replacing("\"shazamID\":\"7\"", with: "\"shazamID\":\"\(id)\"")
        }
        let store = try machine("a")
        let report = try store.synchronize(with: meeting)
        #expect(report.received == 0 && report.unreadable.count == 1)
        #expect(report.unreadable[0].contains("\"shazamID\" of digits that is the item's"), "\(report)")
        #expect(try store.items(of: "app").isEmpty)
    }

    /// Empty lines are nothing, and of many invalid ones a few are named.
    @Test func aFloodOfLinesIsCounted() async throws {
        try await writeJournal(of: item(7)) { text in
            String(repeating: "\n", count: 3 << 20) + String(repeating: "no\n", count: 5000) + text
        }
        let report = try machine("a").synchronize(with: meeting)
        #expect(report.received == 1 && report.unreadable.count == 11)
        #expect(report.unreadable.last?.hasSuffix("library-0.jsonl: 4990 more lines like these") == true)
    }

    @Test func aCopyOfTheFileAloneIsALibrary() async throws {
        let store = try machine("a")
        try await store.add([item(1), item(2)], app: "app")
        try await store.remove([item(2)], app: "app")
        let copy = try folder.makeFolder("copy")
        try FileManager.default.copyItem(
            atPath: folder.file("a/library.jsonl"), toPath: copy + "/library.jsonl")
        #expect(try ids(machine("copy")) == ["1"])
        _ = try store.items(of: "app")
    }

    @Test func anItemTooLargeForAJournalIsNotAdded() async throws {
        let store = try machine("a")
        let large = SHMediaItem(properties: [
            .shazamID: "7", SHMediaItemProperty("x"): Data(count: 13 << 20),
        ])
        let error = await #expect(throws: SHError.self) {
            try await store.add([item(1), large], app: "app")
        }
        #expect(error?.code == .mediaLibrarySyncFailed)
        #expect(error?.message.contains("Shazam ID 7 cannot be stored: its line") == true, "\(error as Any)")
        #expect(try ids(store).isEmpty)
    }

    @Test(arguments: [0, 2, 1 << 32 - 1]) func aJournalOfAnotherFormatIsNotAppendedTo(
        format: Int
    ) async throws {
        let store = try machine("a")
        try await store.add([item(1)], app: "app")
        _ = try store.synchronize(with: meeting)
        let path = "\(meeting)/\(try #require(journals().first))"
        let later = Data("{\"event\":\"journal\",\"format\":\(format)}\n".utf8)
        try later.write(to: URL(fileURLWithPath: path))
        let report = try store.synchronize(with: meeting)
        let refusal = Release.refusal(ofFormat: format, known: 1...1) ?? ""
        #expect(report.sent == 0 && report.unreadable == ["\(path): \(refusal)"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == later)
    }

    @Test func unreadableAndUnwritableFilesAreNamed() async throws {
        let store = try machine("a")
        let missing = folder.file("nowhere")
        #expect { _ = try store.synchronize(with: missing) } throws: {
            ($0 as NSError).code == 400 && $0.localizedDescription.contains(missing)
        }
        #expect { try store.setSyncFolder("relative") } throws: { ($0 as NSError).code == 400 }
        try await store.add([item(1)], app: "app")
        _ = try store.synchronize(with: meeting)
        let path = "\(meeting)/\(try #require(journals().first))"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect { _ = try store.synchronize(with: meeting) } throws: {
            ($0 as NSError).code == 400 && $0.localizedDescription.contains(path)
        }
        #expect(try ids(store) == ["1"])
    }
}

extension LibrarySyncReport {
    fileprivate static let nothing = LibrarySyncReport(received: 0, removed: 0, sent: 0, unreadable: [])
}
