import AudioCore
import Fingerprinting

/// A change of the library on any machine.
///
/// Each addition has a unique tag, and a removal names a tag. So the order and repetition of events do not
/// matter: an item exists while one of its additions is not removed.
package enum LibraryEvent: Hashable, Sendable {
    case addition(Addition)
    case removal(tag: UUID)
    /// The first line. Journals have no settings.
    case header(settings: [String: String])

    var name: String {
        switch self {
        case .addition(let addition): "the item with the Shazam ID \(addition.shazamID)"
        case .removal(let tag): "the removal of \(tag)"
        case .header: "the header"
        }
    }

    package struct Addition: Hashable, Sendable {
        /// Unique among all machines.
        package let tag: UUID
        package let app: String
        /// Identifies the item within its app.
        package let shazamID: String
        /// Greater than the clocks of all events known on the adding machine.
        package let clock: Int64
        package let item: Data

        package init(tag: UUID, app: String, shazamID: String, clock: Int64, item: Data) {
            self.tag = tag
            self.app = app
            self.shazamID = shazamID
            self.clock = clock
            self.item = item
        }
    }

    /// The bound of clocks, so that incrementing them cannot overflow.
    package static let clockLimit: Int64 = 1 << 53
}

extension LibraryEvent {
    /// The members of a line; `event` determines which are required.
    private struct Line: Codable {
        var event: String
        var tag: UUID?
        var app: String?
        var shazamID: String?
        var clock: Int64?
        var title: String?
        var item: Data?
        var format: Int?
        var settings: [String: String]?
    }

    static let format = 1

    /// Encodes the event as a line with its line end.
    /// - Throws: `LineError` if the line cannot be read back. Otherwise each synchronisation would write it
    ///   again.
    func line() throws(LineError) -> Data {
        let line: Data
        do { line = try unchecked() } catch { throw LineError(reason: "\(error)") }
        guard line.count <= LibraryJournal.longestLine + 1 else { throw LineError.tooLong }
        guard try LibraryEvent(line: line) == self else {
            throw LineError(reason: "does not decode to the same event")
        }
        return line
    }

    private func unchecked() throws -> Data {
        switch self {
        case .addition(let addition):
            // For people who read the file.
            let title = try MediaItem(encoded: Array(addition.item), name: addition.tag.uuidString).title
            return try Self.encoded(
                Line(
                    event: "add", tag: addition.tag, app: addition.app, shazamID: addition.shazamID,
                    clock: addition.clock, title: title, item: addition.item))
        case .removal(let tag): return try Self.encoded(Line(event: "remove", tag: tag))
        case .header(let settings):
            let settings = settings.isEmpty ? nil : settings
            return try Self.encoded(Line(event: "journal", format: Self.format, settings: settings))
        }
    }

    private static func encoded(_ line: Line) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(line) + Data("\n".utf8)
    }

    /// Decodes a line.
    /// - Throws: `LineError` for any invalid bytes.
    init(line bytes: Data) throws(LineError) {
        guard let line = try? JSONDecoder().decode(Line.self, from: bytes) else {
            throw LineError(reason: "expected an object with the member \"event\"")
        }
        switch line.event {
        case "journal":
            if let refusal = Release.refusal(
                ofFormat: line.format ?? 0, known: Self.format...Self.format)
            {
                throw LineError(reason: refusal, spoilsFile: true)
            }
            self = .header(settings: line.settings ?? [:])
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
            let decoded: MediaItem
            do { decoded = try MediaItem(encoded: Array(item), name: "the item") } catch {
                throw LineError(reason: "\(error)")
            }
            guard SHMediaItem(stored: decoded).libraryID == shazamID else {
                throw LineError(reason: "expected a \"shazamID\" of digits that is the item's")
            }
            self = .addition(Addition(tag: tag, app: app, shazamID: shazamID, clock: clock, item: item))
        default: throw LineError(reason: "expected an event \"add\" or \"remove\", found \"\(line.event)\"")
        }
    }

    /// A line that cannot be decoded; `spoilsFile` means that the rest of the file must be skipped.
    struct LineError: Error {
        let reason: String
        var spoilsFile = false

        static let tooLong = LineError(reason: "is longer than \(LibraryJournal.longestLine) bytes")
    }
}
