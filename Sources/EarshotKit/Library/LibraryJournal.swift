import SystemIO

/// The append-only file of one machine's events, one per line.
///
/// Any tool may copy a folder of journals between machines. Conflict copies, older versions and truncated
/// last lines do no harm.
enum LibraryJournal {
    static let prefix = "library-"
    static let suffix = ".jsonl"
    /// Readers need this much memory; a longer line is invalid.
    static let longestLine = 16 << 20

    struct Contents {
        var events = LibraryContents()
        /// File, line and reason of each invalid line.
        var unreadable: [String] = []
        /// The files skipped in part because of their format.
        var spoiled: Set<String> = []
    }

    /// Reads all journals of `folder`.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if the folder or a file cannot be read.
    static func readAll(in folder: String) throws -> Contents {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw SHError.syncFailed("\(folder): cannot be read: \(error.localizedDescription)")
        }
        var contents = Contents()
        for name in names.sorted() where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            try read("\(folder)/\(name)", mayGrow: true, into: &contents)
        }
        return contents
    }

    /// A value that changes with the journals of `folder`.
    static func state(of folder: String) -> Set<String> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(
            names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.map { name in
                let facts = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                return "\(name) \(facts?[.size] ?? 0) \(facts?[.modificationDate] ?? 0)"
            })
    }

    /// More invalid lines of a file are only counted.
    private static let mostShown = 10

    /// Reads a file, if there is one.
    /// - Parameter mayGrow: Whether a partial last line may be still arriving.
    static func read(_ path: String, mayGrow: Bool, into contents: inout Contents) throws {
        do {
            let reader = try LineReader(path: path, longestLine: longestLine)
            // A pipe is no journal.
            guard reader.isFile else { return }
            var (number, unreadable) = (0, 0)
            while let line = try reader.nextLine(), line.isComplete || !mayGrow {
                number += 1
                if line.bytes?.isEmpty == true { continue }
                do throws(LibraryEvent.LineError) {
                    guard let bytes = line.bytes else { throw LibraryEvent.LineError.tooLong }
                    contents.events.take(
                        try LibraryEvent(line: Data(bytes)), line: Data(bytes + [UInt8(ascii: "\n")]))
                } catch {
                    unreadable += 1
                    if unreadable <= mostShown {
                        let place = error.spoilsFile ? "" : "line \(number): "
                        contents.unreadable.append("\(path): \(place)\(error.reason)")
                    }
                    if error.spoilsFile {
                        contents.spoiled.insert(path)
                        break
                    }
                }
            }
            if unreadable > mostShown {
                contents.unreadable.append("\(path): \(unreadable - mostShown) more lines like these")
            }
        } catch {
            guard error.code != ENOENT else { return }
            throw SHError.syncFailed("\(path): cannot be read: \(error)")
        }
    }

    /// Appends lines to the journal at `path`, which it creates if missing.
    ///
    /// First removes a partial line of a killed process. The next synchronisation writes that event again.
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
            var bytes = end == 0 ? try LibraryEvent.header(settings: [:]).line() : Data()
            for line in lines { bytes += line }
            try file.write(contentsOf: bytes)
            try file.synchronize()
        } catch {
            throw SHError.syncFailed("\(path): cannot be written: \(error.localizedDescription)")
        }
    }

    /// The length of a file up to the end of its last complete line.
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
