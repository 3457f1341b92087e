import Fingerprinting
import Foundation

/// The form of events in journals: one object of JSON a line.
extension LibraryEvent {
    /// The members of a line; which of them there must be depends on `event`.
    private struct Line: Codable {
        var event: String
        var tag: UUID?
        var app: String?
        var shazamID: String?
        var clock: Int64?
        var title: String?
        var item: Data?
        var format: Int?
    }

    /// The version of the journals that this code writes, and the latest that it reads.
    static let format = 1

    /// The first line of every journal.
    static func header() throws -> Data { try encoded(Line(event: "journal", format: format)) }

    /// The event as a line, with its end, that every reader takes for this event.
    ///
    /// - Throws: `LineError` when there is none: what cannot be read back would be told again and again.
    func line() throws(LineError) -> Data {
        let line: Data
        do { line = try unchecked() } catch { throw LineError(reason: "\(error)") }
        guard line.count <= LibraryJournal.longestLine + 1 else { throw LineError.tooLong }
        guard try LibraryEvent(line: line) == self else {
            throw LineError(reason: "is another event when it is read back")
        }
        return line
    }

    private func unchecked() throws -> Data {
        switch self {
        case .addition(let addition):
            // The title is for people who look into the file.
            let title = try MediaItem(encoded: Array(addition.item), name: addition.tag.uuidString).title
            return try Self.encoded(
                Line(
                    event: "add", tag: addition.tag, app: addition.app, shazamID: addition.shazamID,
                    clock: addition.clock, title: title, item: addition.item))
        case .removal(let tag):
            return try Self.encoded(Line(event: "remove", tag: tag))
        }
    }

    private static func encoded(_ line: Line) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(line) + Data("\n".utf8)
    }

    /// Reads a line; gives nil for the header.
    ///
    /// - Throws: `LineError`, whatever the bytes are.
    init?(line bytes: Data) throws(LineError) {
        guard let line = try? JSONDecoder().decode(Line.self, from: bytes) else {
            throw LineError(reason: "expected an object with the member \"event\"")
        }
        switch line.event {
        case "journal":
            guard let format = line.format, format == Self.format else {
                throw LineError(
                    reason: "expected a journal of format \(Self.format), found \(line.format ?? 0)",
                    spoilsFile: true)
            }
            return nil
        case "remove":
            guard let tag = line.tag else { throw LineError(reason: "expected the member \"tag\"") }
            self = .removal(tag: tag)
        case "add":
            guard let tag = line.tag, let app = line.app, let shazamID = line.shazamID, let item = line.item,
                let clock = line.clock, (0..<Self.clockLimit).contains(clock)
            else {
                throw LineError(
                    reason: "expected the members \"tag\", \"app\", \"shazamID\", \"clock\", \"item\"")
            }
            do { _ = try MediaItem(encoded: Array(item), name: "the item") } catch {
                throw LineError(reason: "\(error)")
            }
            self = .addition(Addition(tag: tag, app: app, shazamID: shazamID, clock: clock, item: item))
        default: throw LineError(reason: "expected an event \"add\" or \"remove\", found \"\(line.event)\"")
        }
    }

    /// What is wrong with a line, and whether the rest of its file may not be read either.
    struct LineError: Error {
        let reason: String
        var spoilsFile = false

        /// No line may be longer.
        static let tooLong = LineError(reason: "is longer than \(LibraryJournal.longestLine) bytes")
    }
}
