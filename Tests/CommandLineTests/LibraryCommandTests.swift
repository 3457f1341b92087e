import EarshotKit
import Foundation
import GRDB
import Observation
import TestSupport
import Testing

/// `earshot library`: processes that use one library at once, and die at it.
@Suite(.tags(.timed)) struct LibraryCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func environment(_ machine: String = "data") -> [String: String] {
        ["XDG_DATA_HOME": folder.file(machine)]
    }

    private func library(_ arguments: String, machine: String = "data", status: Int32 = 0) throws
        -> EarshotProcess
    {
        let run = try EarshotProcess(
            shell: "exec \"$EARSHOT\" library \(arguments)", environment: environment(machine))
        #expect(run.status == status && !run.isSignalled, "\(arguments): \(run.errors)")
        return run
    }

    private func ids(machine: String = "data", app: String = "earshot") throws -> [String] {
        try library("list --app \(app)", machine: machine).output.split(separator: "\n").map {
            String($0.prefix { $0 != "\t" })
        }
    }

    @Test func addsListsAndRemoves() throws {
        _ = try library("add 7 --title 'a\ttitle' --artist 'an artist'")
        _ = try library("add 8 --app other")
        try Data("shazamID,title,mood\n1,one,\n2,\"two, too\",blue\n".utf8).write(
            to: URL(fileURLWithPath: folder.file("t.csv")))
        _ = try library("add -m '\(folder.file("t.csv"))'")
        #expect(try library("list").output == "2\ttwo, too\t\n1\tone\t\n7\ta title\tan artist\n")
        #expect(
            try library("list --csv").output
                == "title,artist,shazamID,mood:text\n\"two, too\",,2,blue\none,,1,\na\ttitle,an artist,7,\n")
        #expect(try library("list --apps").output == "earshot\t3\nother\t1\n")
        _ = try library("add 9 --app x --title \"$(printf 'a\\033[31mb')\"")
        #expect(try library("list --app x").output == "9\ta\\u{1b}[31mb\t\n")
        _ = try library("remove 9 --app x")
        _ = try library("remove 7 1")
        let anothers = try library("remove 2 8", status: 1)
        #expect(
            anothers.errors.contains("earshot has added no item with the Shazam ID 8; nothing was removed"))
        #expect(try ids() == ["2"] && ids(app: "other") == ["8"])
        #expect(try library("add 12x", status: 1).errors.contains("\"12x\"; one of digits only is needed"))
        #expect(try library("add", status: 64).errors.contains("Name one item by its Shazam ID"))
        #expect(try library("add 1 -m x", status: 64).errors.contains("Name one item by its Shazam ID"))
        #expect(try library("sync", status: 1).errors.contains("Add --folder DIR"))
        #expect(try library("sync --folder /nonexistent", status: 1).errors.contains("/nonexistent"))
    }

    /// Each of four shells adds sixty items, one process each, and takes every third away again.
    @Test func fourProcessesAtOnceLoseNothing() throws {
        let shells = try (0..<4).map { worker in
            try EarshotProcess.Started(
                command: [
                    "/bin/sh", "-c",
                    """
                    set -e; i=0
                    while [ $i -lt 60 ]; do
                        "$EARSHOT" library add \(worker + 1)$i
                        [ $((i % 3)) -ne 0 ] || "$EARSHOT" library remove \(worker + 1)$i
                        i=$((i + 1))
                    done
                    """,
                ], environment: environment().merging(["EARSHOT": EarshotProcess.binary]) { $1 })
        }
        for shell in shells {
            let run = try shell.finish()
            #expect(run.status == 0, "\(run.errors)")
        }
        let expected = (1...4).flatMap { worker in (0..<60).filter { $0 % 3 != 0 }.map { "\(worker)\($0)" } }
        #expect(try Set(ids()) == Set(expected))
        #expect(try ids().count == expected.count)
    }

    /// Processes that add are killed at moments from their start to beyond their end: what was acknowledged is there,
    /// nothing is there by half, in library and journal.
    @Test func killedProcessesLoseNothingAcknowledged() throws {
        let meeting = try folder.makeFolder("meeting")
        _ = try library("sync --folder '\(meeting)'")
        let rows = (0..<50).map { "\($0),item \($0)" }.joined(separator: "\n")
        var acknowledged: Set<Int> = []
        let clock = ContinuousClock()
        var duration = 0.0
        for round in 0..<30 {
            let table = folder.file("\(round).csv")
            try Data("shazamID,title\n\(rows.replacing("\n", with: "\n\(round + 1)"))\n".utf8).write(
                to: URL(fileURLWithPath: table))
            let start = clock.now
            let run = try EarshotProcess.Started(
                command: [EarshotProcess.binary, "library", "add", "--app", "app\(round)", "-m", table],
                environment: environment())
            if round > 2 {
                usleep(UInt32(1e6 * duration * Double(round) / 24))
                kill(run.process.processIdentifier, SIGKILL)
            }
            let ended = try run.finish()
            if round <= 2 { duration = max(duration, (clock.now - start) / .seconds(1)) }
            if ended.status == 0, !ended.isSignalled { acknowledged.insert(round) }
        }
        #expect(acknowledged.isSuperset(of: 0...2))
        _ = try library("sync")
        _ = try library("sync --folder '\(meeting)'", machine: "elsewhere")
        for round in 0..<30 {
            let count = try ids(app: "app\(round)").count
            #expect(count == 50 || (count == 0 && !acknowledged.contains(round)), "\(round): \(count)")
            #expect(try ids(machine: "elsewhere", app: "app\(round)").count == count)
        }
    }

    /// The library of an earlier version is refused until it is converted, and then complete.
    @Test func anEarlierLibraryIsConverted() throws {
        let meeting = try folder.makeFolder("meeting")
        _ = try folder.makeFolder("data")
        let data = try folder.makeFolder("data/earshot")
        _ = try library("update", status: 1)
        let removed = UUID()
        let database = try DatabaseQueue(path: data + "/library.sqlite")
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE addition (tag TEXT PRIMARY KEY, app TEXT, shazamID TEXT, clock INTEGER, item BLOB);
                    CREATE TABLE removal (tag TEXT PRIMARY KEY);
                    CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT);
                    INSERT INTO setting VALUES ('syncFolder', '\(meeting)');
                    INSERT INTO removal VALUES ('\(removed)');
                    """)
            for (clock, id) in ["7", "9", "8"].enumerated() {
                let item = SHMediaItem(properties: [.shazamID: id, .title: "title \(id)"])
                try database.execute(
                    sql: "INSERT INTO addition VALUES (?, 'earshot', ?, ?, ?)",
                    arguments: [UUID().uuidString, id, clock, Data(try item.stored.encoded())])
            }
        }
        for command in ["list", "add 1", "sync"] {
            #expect(try library(command, status: 1).errors.contains("Run `earshot library update`"))
        }
        #expect(try library("update").output == "4 changes converted\n")
        #expect(try library("list").output == "8\ttitle 8\t\n9\ttitle 9\t\n7\ttitle 7\t\n")
        _ = try library("remove 9")
        #expect(try library("update").output == "4 changes converted\n")
        #expect(try ids() == ["8", "7"])
        let journal = try #require(try FileManager.default.contentsOfDirectory(atPath: meeting).first)
        #expect(try String(contentsOfFile: "\(meeting)/\(journal)", encoding: .utf8).contains("\(removed)"))
    }

    @Test func machinesMeetInAFolder() throws {
        let meeting = try folder.makeFolder("meeting")
        _ = try library("add 1")
        #expect(
            try library("sync --folder '\(meeting)'").output
                == "0 items received, 0 removed, 1 change sent\n")
        #expect(
            try library("sync --folder '\(meeting)'", machine: "b").output
                == "1 item received, 0 removed, 0 changes sent\n")
        // From here on they meet by themselves.
        _ = try library("remove 1", machine: "b")
        _ = try library("add 2", machine: "b")
        _ = try library("add 3")
        #expect(try ids() == ["3", "2"])
        _ = try library("sync --off")
        _ = try library("add 4")
        _ = try library("sync", machine: "b")
        #expect(try ids(machine: "b") == ["3", "2"])
    }

    @MainActor @Test(.timeLimit(.minutes(1))) func observersAreToldOfAnotherProcess() async throws {
        let watched = SHLibrary(app: "watched", folder: URL(fileURLWithPath: folder.file("data/earshot")))
        #expect(watched.items.isEmpty)
        let (changes, announce) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = watched.items
        } onChange: {
            announce.yield()
        }
        _ = try library("add 42 --app watched")
        for await _ in changes { break }
        #expect(watched.items.map(\.shazamID) == ["42"])
    }
}
