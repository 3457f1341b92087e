import Foundation

/// What one machine has to tell the others: a file of events, one a line, that is only ever added to.
///
/// A folder of journals can be carried between machines by anything that copies files. Copies under other names
/// (conflicts), older states and lines that have not arrived wholly do no harm.
enum LibraryJournal {
    /// Journals are the files whose names begin and end so.
    static let prefix = "library-"
    static let suffix = ".jsonl"
    /// A longer line is no event of ours; this much memory is needed to read.
    static let longestLine = 16 << 20

    /// What is in the journals of a folder.
    struct Contents {
        var additions: [UUID: LibraryEvent.Addition] = [:]
        var removals: Set<UUID> = []
        /// File, line and reason for each line that is no event.
        var unreadable: [String] = []
        /// The files of which a part was not read, for they are of another format.
        var spoiled: Set<String> = []
    }

    /// Reads all journals of `folder`.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed` when the folder or a file in it cannot be read.
    static func readAll(in folder: String) throws -> Contents {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw SHError(
                .mediaLibrarySyncFailed, message: "\(folder): cannot be read: \(error.localizedDescription)")
        }
        var contents = Contents()
        for name in names.sorted() where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            try read("\(folder)/\(name)", into: &contents)
        }
        return contents
    }

    /// Differs when a journal of `folder` came, went or changed.
    static func state(of folder: String) -> Set<String> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(
            names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.map { name in
                let facts = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                return "\(name) \(facts?[.size] ?? 0) \(facts?[.modificationDate] ?? 0)"
            })
    }

    private static func read(_ path: String, into contents: inout Contents) throws {
        guard let reader = try JournalReader(path: path, longestLine: longestLine) else { return }
        var number = 0
        while let line = try reader.next() {
            number += 1
            do throws(LibraryEvent.LineError) {
                guard let bytes = line else { throw LibraryEvent.LineError.tooLong }
                switch try LibraryEvent(line: bytes) {
                case .addition(let addition)?: contents.additions[addition.tag] = addition
                case .removal(let tag)?: contents.removals.insert(tag)
                case nil: break
                }
            } catch {
                contents.unreadable.append("\(path): line \(number): \(error.reason)")
                if error.spoilsFile {
                    contents.spoiled.insert(path)
                    return
                }
            }
        }
    }

    /// Appends lines of events to the journal at `path`; makes it if there is none.
    ///
    /// A line that a killed process left unfinished is cut off first: what it told is told again.
    /// - Throws: `SHError.mediaLibrarySyncFailed` naming the file.
    static func append(_ lines: [Data], to path: String) throws {
        do {
            if !FileManager.default.fileExists(atPath: path) {
                guard FileManager.default.createFile(atPath: path, contents: nil) else {
                    throw CocoaError(.fileWriteUnknown)
                }
            }
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            defer { try? file.close() }
            let end = try wholeLines(of: file)
            try file.truncate(atOffset: end)
            var bytes = end == 0 ? try LibraryEvent.header() : Data()
            for line in lines { bytes += line }
            try file.write(contentsOf: bytes)
            try file.synchronize()
        } catch {
            throw SHError(
                .mediaLibrarySyncFailed, message: "\(path): cannot be written: \(error.localizedDescription)")
        }
    }

    /// The length of a file up to the end of its last whole line.
    private static func wholeLines(of file: FileHandle) throws -> UInt64 {
        var end = try file.seekToEnd()
        while end > 0 {
            let start = end - min(end, 4096)
            try file.seek(toOffset: start)
            let bytes = try file.read(upToCount: Int(end - start)) ?? Data()
            if let newline = bytes.lastIndex(of: UInt8(ascii: "\n")) {
                return start + UInt64(bytes.distance(from: bytes.startIndex, to: newline)) + 1
            }
            end = start
        }
        return 0
    }
}
