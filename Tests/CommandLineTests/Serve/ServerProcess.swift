import EarshotKit
import Foundation
import KitTestSupport
import TestSupport
import Testing

/// A running `earshot serve` on a free port; it is killed when the value goes away.
final class ServerProcess {
    let port: UInt16
    private let started: EarshotProcess.Started
    private var hasEnded = false

    var address: String { "http://127.0.0.1:\(port)" }

    /// Starts a server and waits until it takes connections.
    ///
    /// - Parameters:
    ///   - fileBlocks: Files have at most so many blocks of 512 bytes, as if the disk were full; nil for any size.
    ///   - starter: The beginning of a command that runs the rest of it.
    init(_ arguments: [String], fileBlocks: Int? = nil, through starter: [String] = []) throws {
        let limit =
            fileBlocks.map { ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f \($0); exec \"$0\" \"$@\""] } ?? []
        let started = try EarshotProcess.Started(
            command: starter + limit + [EarshotProcess.binary, "serve", "--address", "127.0.0.1:0"]
                + arguments)
        self.started = started
        var line = ""
        _ = started.reaches {
            line = started.output
            return line.hasSuffix("\n")
        }
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0.dropLast()) }) else {
            throw StartError(errors: try started.finish().errors)
        }
        self.port = port
    }

    deinit { if !hasEnded { kill(started.process.processIdentifier, SIGKILL) } }

    var processIdentifier: Int32 { started.process.processIdentifier }
    var isRunning: Bool { started.process.isRunning }
    /// What it has logged.
    var log: String { started.errors }
    /// Its resident memory in kilobytes.
    var residentKilobytes: Int {
        let status = try? String(
            contentsOfFile: "/proc/\(started.process.processIdentifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    func signal(_ number: Int32) { kill(started.process.processIdentifier, number) }

    /// Ends it as an operator would.
    func end() throws -> EarshotProcess {
        signal(SIGTERM)
        hasEnded = true
        return try started.finish()
    }

    struct StartError: Error {
        let errors: String
    }
}

/// A folder with a catalog of songs, and queries of them.
struct ServedSongs {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("songs.earcatalog")
        try SongBook.catalog().write(to: URL(fileURLWithPath: path))
    }

    /// The bytes of a query of 5 s.
    static func query(_ song: Int) throws -> [UInt8] {
        [UInt8](try SongBook.query(song, from: 7, seconds: 5).dataRepresentation)
    }
}
