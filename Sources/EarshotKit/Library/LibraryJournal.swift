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
        var additions: [UUID: LibraryEvent.Addition] = [:]
        var removals: Set<UUID> = []
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
            try read("\(folder)/\(name)", into: &contents)
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
            var bytes = end == 0 ? try LibraryEvent.header() : Data()
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

/// Reads complete lines with bounded memory.
final class JournalReader {
    private let file: FileHandle
    private let path: String
    private let longestLine: Int
    private var pending = Data()
    private var isAtEnd = false

    /// Opens a file; nil if it is missing or not regular.
    init?(path: String, longestLine: Int) throws {
        // Non-blocking, because a pipe may have no writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SHError.syncFailed("\(path): cannot be read: \(String(cString: strerror(errno)))")
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.path = path
        self.longestLine = longestLine
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    }

    /// The next line without its end: `.some(nil)` for one that is too long, nil at the end.
    ///
    /// Skips a partial last line, which may still be growing.
    func next() throws -> Data?? {
        var isTooLong = false
        var searched = pending.startIndex
        while true {
            if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = pending[..<end]
                pending = pending[(end + 1)...]
                return .some(isTooLong || line.count > longestLine ? nil : Data(line))
            }
            if isAtEnd { return nil }
            if pending.count > longestLine {
                isTooLong = true
                pending = Data()
            }
            let more: Data?
            do { more = try file.read(upToCount: 1 << 16) } catch {
                throw SHError.syncFailed("\(path): cannot be read: \(error.localizedDescription)")
            }
            pending = Data(pending)
            searched = pending.endIndex
            pending += more ?? Data()
            isAtEnd = (more ?? Data()).isEmpty
        }
    }
}
