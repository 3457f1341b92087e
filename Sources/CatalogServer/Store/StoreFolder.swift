import EarshotKit
import Fingerprinting
import Foundation
import SystemIO

/// The folder of a store, which one process has open at a time.
///
/// Damaged parts are set aside: they move to the folder `set-aside`, with a note that says what is lost. Nothing is deleted.
package final class StoreFolder: Sendable {
    /// A part of a store: a segment, or a reference of the manifest.
    package struct Part: Codable, Sendable {
        /// The file, or the reference of the manifest.
        package let name: String
        /// The version of its format; nil if it is damaged.
        package var version: UInt32?
        /// How many references it has that were not removed and are whole.
        package var references = 0
        /// What is wrong with it.
        package var damage: String?
        /// The references that are lost; nil if they are unknown, because all are.
        package var lost: [String]? = []
    }

    /// What is in a store.
    package struct Contents: Codable, Sendable {
        package var parts: [Part] = []
        /// The parts that were set aside before.
        package var setAside: [SetAside] = []

        package var references: Int { parts.reduce(0) { $0 + $1.references } }
        package var isWhole: Bool { parts.allSatisfy { $0.damage == nil } }
    }

    /// The note beside a part that was set aside.
    package struct SetAside: Codable, Sendable {
        /// The name of the part in the folder `set-aside`.
        package let file: String
        /// What is wrong with it.
        package let reason: String
        /// The references that are lost; nil if they are unknown, because all are.
        package let lost: [String]?
        /// The identifiers of references in it that clients had removed before.
        package let removed: [String]
    }

    package let path: String
    let manifest: StoreManifest
    private let lock: FileLock

    static let fileExtension = "." + CatalogFile.fileExtension
    private static let partExtensions = [fileExtension, "." + Signature.fileExtension]
    private static let noteExtension = ".json"

    /// Opens the store in a folder.
    ///
    /// - Parameter makes: Whether to make one if there is none.
    /// - Throws: `CatalogFault` if there is none, if another process has it open, or if a later version wrote it.
    package init(_ path: String, makes: Bool = false) throws {
        self.path = path
        let manifestPath = path + "/manifest.sqlite"
        if makes { try SyncedFolder.make(path, mode: 0o700) }
        guard makes || FileManager.default.fileExists(atPath: manifestPath) else {
            throw CatalogFault(
                .notFound, "\(path): is no store, it has no manifest.sqlite", remedy: "Name its folder.")
        }
        do { lock = try FileLock(path + "/store.lock", mode: 0o600) } catch .cannotLock(EWOULDBLOCK) {
            throw CatalogFault(
                .internalError, "\(path): another server or command uses the store", remedy: "Stop it first.")
        } catch {
            throw CatalogFault(
                .internalError, "\(path)/store.lock: \(error)",
                remedy: "Name a folder in which this program may write.")
        }
        manifest = try StoreManifest(manifestPath)
    }

    func segment(_ number: Int64) -> String { "\(path)/\(Self.name(ofSegment: number))" }

    /// Where a segment is: set aside, if a kill came before the manifest forgot it.
    private func place(ofSegment number: Int64) -> String {
        let path = segment(number)
        return FileManager.default.fileExists(atPath: path) ? path : aside(Self.name(ofSegment: number))
    }

    private static func name(ofSegment number: Int64) -> String { "segment-\(number)\(fileExtension)" }

    private func aside(_ name: String) -> String { "\(path)/set-aside/\(name)" }

    // MARK: - Looking

    /// Checks every block of every segment, and every reference of the manifest; changes nothing.
    package func check() throws -> Contents {
        var contents = Contents(setAside: try setAside())
        for (number, removed) in try manifest.files() { contents.parts.append(check(number, removed)) }
        for row in try manifest.storedRows() { contents.parts.append(try check(row)) }
        return contents
    }

    /// - Parameter use: Gets the reference if it is whole.
    private func check(
        _ row: StoreManifest.StoredRow, _ use: (Reference) throws -> Void = { _ in }
    ) throws -> Part {
        do { try use(row.reference()) } catch let error as FingerprintingError {
            return Part(name: row.name, damage: "\(error)", lost: [row.name])
        }
        return Part(name: row.name, version: row.signatureVersion, references: 1)
    }

    private func check(_ number: Int64, _ removed: Set<Int>) -> Part {
        var part = Part(name: Self.name(ofSegment: number))
        let path = place(ofSegment: number)
        do {
            let catalog = try CatalogFile.verify(path)
            part.version = catalog.source?.version
            part.references = catalog.entries.count - removed.count
        } catch {
            let salvaged = try? CatalogFile.salvage(path)
            part.damage = "\(error)"
            part.lost = Self.lost(salvaged, besides: removed)
            part.references = salvaged?.places.filter { !removed.contains($0) }.count ?? 0
        }
        return part
    }

    private static func lost(_ salvaged: SalvagedCatalog?, besides removed: Set<Int>) -> [String]? {
        salvaged?.lost.filter { !removed.contains($0.place) }.map(\.name)
    }

    /// The parts that were set aside and are still there.
    package func setAside() throws -> [SetAside] {
        let folder = aside("")
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap { name in
            guard Self.partExtensions.contains(where: name.hasSuffix) else { return nil }
            let note = FileManager.default.contents(atPath: aside(name + Self.noteExtension))
            return note.flatMap { try? JSONDecoder().decode(SetAside.self, from: $0) }
                ?? SetAside(file: name, reason: "its note is missing or damaged", lost: nil, removed: [])
        }
    }

    // MARK: - Mending

    /// Writes segments and references of earlier versions in today's format, and sets damaged ones aside.
    ///
    /// The whole references of a damaged segment become a new one. Killed at any time, the next call goes on.
    ///
    /// - Parameters:
    ///   - isThorough: Whether to check every block, also of large segments.
    ///   - setsAside: Whether damage is set aside. Otherwise it is an error.
    ///   - note: Receives a sentence before or after each step that takes long or loses something.
    package func repair(isThorough: Bool, setsAside: Bool, note: (String) -> Void) throws {
        try manifest.migrate()
        let files = try manifest.files()
        for (count, (number, removed)) in files.enumerated() {
            let path = segment(number)
            let catalog: Catalog
            do {
                catalog = try isThorough ? CatalogFile.verify(path) : CatalogFile.open(path)
            } catch let error as FingerprintingError
                where error.isDamage || !FileManager.default.fileExists(atPath: path)
            {
                guard setsAside else { throw damaged("\(error)") }
                try setAside(number, removed: removed, because: error, note: note)
                continue
            }
            guard let source = catalog.source, !source.isOfCurrentVersion else { continue }
            note("\(path): upgrades segment \(count + 1) of \(files.count), version \(source.version)")
            let new = try manifest.newFile()
            try CatalogReplacement(segment(new)).write(merging: [catalog], removed: [removed.sorted()])
            try manifest.replace(files: [number], versions: [], by: new, removed: [])
            unlink(path)
        }
        let rows = try manifest.storedRows()
        var upgraded: [StoreManifest.Row] = []
        for row in rows {
            do {
                let reference = try row.reference()
                guard row.signatureVersion != Signature.currentVersion else { continue }
                upgraded.append(StoreManifest.Row(version: row.version, reference: reference))
            } catch let error as FingerprintingError where error.isDamage {
                guard setsAside else { throw damaged("\(error)") }
                try setAside(row, because: error, note: note)
            }
        }
        guard !upgraded.isEmpty else { return }
        note("\(path)/manifest.sqlite: upgrades \(upgraded.count) of \(rows.count) references")
        try manifest.update(upgraded)
    }

    private func damaged(_ problem: String) -> CatalogFault {
        CatalogFault(
            .catalogDamaged, "\(path): a part is damaged: \(problem)",
            remedy:
                "`earshot store check` names all damage. `earshot store repair`, or --set-aside-damaged of"
                + " `earshot serve`, sets it aside and keeps the rest.")
    }

    private func setAside(
        _ number: Int64, removed: Set<Int>, because error: FingerprintingError, note: (String) -> Void
    ) throws {
        let name = Self.name(ofSegment: number)
        try SyncedFolder.make(aside(""), mode: 0o700)
        // It may be there already, if a kill came between this step and the next.
        if !FileManager.default.fileExists(atPath: aside(name)) {
            let isMissing = !FileManager.default.fileExists(atPath: segment(number))
            if isMissing { try AtomicFile.write([], to: aside(name)) } else { try move(name) }
        }
        let salvaged = try? CatalogFile.salvage(aside(name))
        let lost = Self.lost(salvaged, besides: removed)
        let entries = salvaged.map { Array(zip($0.places, $0.catalog.entries)) } ?? []
        try write(
            SetAside(
                file: name, reason: "\(error)", lost: lost,
                removed: entries.filter { removed.contains($0.0) }.map(\.1.id)))
        var new: Int64?
        if let salvaged, entries.contains(where: { !removed.contains($0.0) }) {
            let number = try manifest.newFile()
            new = number
            let whole = salvaged.places.indices.filter { !removed.contains(salvaged.places[$0]) }
            try CatalogReplacement(segment(number)).write(
                whole.map { try salvaged.catalog.reference(at: $0) })
        }
        try manifest.replace(files: [number], versions: [], by: new, removed: [])
        note("\(aside(name)): set aside, because \(error)")
        for reference in lost ?? ["each of its references"] { note("\(aside(name)): \(reference) is lost") }
    }

    private func setAside(
        _ row: StoreManifest.StoredRow, because error: any Error, note: (String) -> Void
    ) throws {
        try SyncedFolder.make(aside(""), mode: 0o700)
        let file = "reference-\(row.version)." + Signature.fileExtension
        try AtomicFile.write(row.signature, to: aside(file))
        try AtomicFile.write(row.item, to: aside("reference-\(row.version).item"))
        try write(SetAside(file: file, reason: "\(error)", lost: [row.name], removed: []))
        try manifest.remove(row.id, from: nil)
        note("\(aside(file)): set aside, because \(error)")
    }

    private func write(_ note: SetAside) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try AtomicFile.write([UInt8](encoder.encode(note)), to: aside(note.file + Self.noteExtension))
    }

    private func move(_ name: String) throws {
        let (from, to) = (path + "/" + name, aside(name))
        let source = try SyncedFolder(path, for: from)
        let target = try SyncedFolder(aside(""), for: to)
        guard rename(from, to) == 0 else {
            throw CatalogFault(
                .internalError, "\(from): cannot be set aside: \(String(cString: strerror(errno)))",
                remedy: "Make the folder writable.")
        }
        try target.synchronize()
        try source.synchronize()
    }

    // MARK: - Giving back

    /// Writes signature and media items of each whole reference into `folder`, as ``Catalog/export(to:)`` does.
    ///
    /// - Returns: The parts, with what is lost of each.
    package func export(
        to folder: String, replacing: Bool, note: (String) -> Void, failing fail: (any Error) throws -> Void
    ) throws -> [Part] {
        var parts: [Part] = []
        for (number, removed) in try manifest.files() {
            let part = check(number, removed)
            parts.append(part)
            let catalog: Catalog
            let places: [Int]
            if part.damage == nil {
                catalog = try CatalogFile.open(place(ofSegment: number))
                places = Array(catalog.entries.indices)
            } else {
                guard let salvaged = try? CatalogFile.salvage(place(ofSegment: number)) else { continue }
                (catalog, places) = (salvaged.catalog, salvaged.places)
            }
            let kept = places.indices.filter { !removed.contains(places[$0]) }
            try Catalog(comparing: kept.map { try catalog.reference(at: $0) })
                .export(to: folder, replacing: replacing, note: note, failing: fail)
        }
        for row in try manifest.storedRows() {
            let part = try check(row) {
                try Catalog(comparing: [$0])
                    .export(to: folder, replacing: replacing, note: note, failing: fail)
            }
            parts.append(part)
        }
        return parts
    }
}

extension FingerprintingError {
    /// Whether the bytes are wrong, rather than of a later release.
    fileprivate var isDamage: Bool { code == .malformedFile && remedy != .useLaterRelease }
}
