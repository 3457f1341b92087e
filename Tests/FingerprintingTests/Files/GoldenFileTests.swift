import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Files that every version since 0.1.0 wrote of the same recordings; `Tests/Golden/README.md` says how.
struct GoldenFileTests {
    private static let folder = PackageFolder.path + "/Tests/Golden/"
    /// The catalogs by number, in order; that of number 6 with groups of 160 keys first.
    static let catalogs = ["catalog-4", "catalog-5", "catalog-6-groups-of-160", "catalog-6", "catalog-7"]
    static let kinds = ["reference", "query", "standard"]
    static let signatures = kinds.flatMap { [$0 + "-3", $0 + "-4"] }

    private static func catalog(_ name: String) throws -> Catalog {
        try CatalogFile.open(folder + name + ".earcatalog")
    }

    private static func signature(_ name: String) throws -> Signature {
        try Signature(contentsOf: folder + name + ".earsignature")
    }

    private static func bytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder + name)))
    }

    private static func references(_ catalog: Catalog) throws -> [Reference] {
        try catalog.entries.indices.map { try catalog.reference(at: $0) }
    }

    private static func withoutLevels(_ signature: Signature) -> Signature {
        signature.with(\.level, signature.peaks.map { _ in 0 }, hasHeights: signature.hasHeights)
    }

    @Test("Every version gives the same references; only version 4 has no levels", arguments: catalogs)
    func referencesAreTheSame(name: String) throws {
        let read = try Self.references(Self.catalog(name))
        let newest = try Self.references(Self.catalog("catalog-7"))
        #expect(read.count == 3 && read.allSatisfy { $0.signature.peaks.count > 50 })
        guard name == "catalog-4" else {
            #expect(read == newest)
            return
        }
        #expect(read.map(\.id) == newest.map(\.id) && read.map(\.mediaItem) == newest.map(\.mediaItem))
        #expect(read.map(\.signature) == newest.map { Self.withoutLevels($0.signature) })
    }

    @Test("Both versions of signatures give the same peaks; only version 3 has no levels")
    func signaturesAreTheSame() throws {
        for name in Self.kinds {
            let old = try Self.signature(name + "-3")
            let new = try Self.signature(name + "-4")
            #expect(old == Self.withoutLevels(new) && new.peaks.contains { $0.level > 0 })
            #expect(old.hasHeights == (name == "query"))
        }
    }

    @Test("An upgraded file gives the answers of the old one, bit by bit", arguments: catalogs)
    func upgradeKeepsAnswers(name: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.earcatalog")
        try Data(Self.bytes(name + ".earcatalog")).write(to: URL(fileURLWithPath: path))
        let query = Query(try Self.signature("query-4"))
        let before = try CatalogFile.open(path).matchAll(query)
        let change = try CatalogFile.upgrade(path)
        let newest = CatalogFile.currentVersion
        #expect(change?.to == (name == "catalog-7" ? nil : newest))
        let after = try CatalogFile.verify(path)
        #expect(after.source?.version == newest && after.source?.hasCurrentIndex == true)
        #expect(try after.matchAll(query) == before)
        #expect(before.first?.referenceID == "song 1" && before.first?.isAccepted == true)
        #expect(try CatalogFile.upgrade(path) == nil)
        #expect(folder.names() == ["a.earcatalog"])
        if name != "catalog-4" {
            #expect(
                try Self.bytes("catalog-7.earcatalog") == Array(Data(contentsOf: URL(fileURLWithPath: path))))
        }
    }

    @Test("Peaks that agree only as those of another rendition take from the score, but not without levels")
    func missingLevelsDoNotCount() throws {
        let song = SongCatalog.songs[1].render()
        let part = AudioBuffer(
            samples: Array(song.samples[80_000..<160_000]), sampleRate: song.sampleRate)
        /// Moves peaks by up to 12 ms and 10 cents.
        func other(_ reference: Reference, level: (Peak) -> UInt8) -> Reference {
            let signature = reference.signature
            let peaks = signature.peaks.enumerated().map { place, peak in
                Peak(
                    time: peak.time + UInt32(place * 7 % 49),
                    frequency: UInt16(Double(peak.frequency) * (1 + 0.0006 * Double(place * 5 % 21 - 10))),
                    rank: peak.rank, level: level(peak))
            }.sorted(by: Peak.precedes)
            return Reference(
                id: reference.id,
                signature: Signature(
                    peaks: peaks, frameCount: signature.frameCount, sampleRate: signature.sampleRate,
                    keptRanks: signature.keptRanks, channelsCancel: false,
                    analysisIdentity: signature.analysisIdentity))
        }
        func distances(level: (Peak) -> UInt8) throws -> Double {
            let catalog = try Catalog(references: SongCatalog.references.map { other($0, level: level) })
            let answer = try #require(catalog.explain(part).answers.first)
            #expect(answer.match.referenceID == "song 1")
            return try #require(answer.parts.first { $0.name.hasPrefix("distances of strong peaks") }).amount
        }
        #expect(try distances { UInt8($0.frequency % 30) + 1 } < -1)
        #expect(try distances { _ in 0 } == 0)
    }

    @Test("An upgraded signature is that of today, but for what was not heard")
    func signaturesAreUpgraded() throws {
        let folder = try TemporaryFolder()
        for name in Self.signatures {
            let path = folder.file(name)
            try Data(Self.bytes(name + ".earsignature")).write(to: URL(fileURLWithPath: path))
            let before = try Signature(contentsOf: path)
            #expect(try Signature.upgrade(path)?.to == (name.hasSuffix("3") ? Signature.currentVersion : nil))
            #expect(try Signature(contentsOf: path) == before)
            #expect(try Signature.upgrade(path) == nil)
        }
    }

    @Test("Today's writer gives the bytes of the golden files of today's numbers")
    func layoutsChangeWithTheirNumbers() throws {
        let number = CatalogFile.currentVersion
        let catalog = try Self.bytes("catalog-\(number).earcatalog")
        let opened = try CatalogFile.decode(catalog, name: "catalog")
        #expect(
            try CatalogFile.encode(Catalog(references: Self.references(opened), settings: opened.settings))
                == catalog)
        for name in Self.kinds {
            let bytes = try Self.bytes("\(name)-\(Signature.currentVersion).earsignature")
            #expect(try Signature(encoded: bytes, name: name).encoded() == bytes)
        }
        // The newest golden file is that of today's number.
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(
            Set(Self.catalogs.map { $0 + ".earcatalog" } + Self.signatures.map { $0 + ".earsignature" })
                == Set(names.filter { $0.contains(".ear") }))
    }

    @Test(
        "A number of the future is named with both releases, one of the past with what is read",
        arguments: [UInt32(0), 3, 8, .max])
    func otherNumbersAreNamed(number: UInt32) throws {
        var bytes = try Self.bytes("catalog-7.earcatalog")
        bytes.replaceSubrange(8..<12, with: (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
        SealedFile.seal(&bytes)
        let error = #expect(throws: FingerprintingError.self) { try CatalogFile.decode(bytes, name: "other") }
        let newer = number > 7 ? "; written by Earshot 0.4 or later; this is 0.3.0" : ""
        let expected = "other: byte 8: expected version 4 to 7 of a catalog, found \(number)" + newer
        #expect(error?.description == expected)
    }

    @Test("A file with the number of another layout is refused where it differs")
    func otherLayoutsAreRefused() throws {
        for (name, number) in [("catalog-7", UInt8(4)), ("catalog-7", 5), ("catalog-4", 7), ("catalog-5", 6)]
        {
            var bytes = try Self.bytes(name + ".earcatalog")
            bytes[8] = number
            SealedFile.seal(&bytes)
            let error = #expect(throws: FingerprintingError.self) {
                try CatalogFile.decode(bytes, name: "mixed")
            }
            #expect(error?.description.contains("numbers in section GROUPS, found") == true)
        }
        // Versions 4 and 5 have groups of one size. Records of one are no records of the other.
        for (name, number) in [("catalog-4", UInt8(5)), ("catalog-5", 4)] {
            var bytes = try Self.bytes(name + ".earcatalog")
            bytes[8] = number
            SealedFile.seal(&bytes)
            #expect(throws: FingerprintingError.self) { try CatalogFile.decode(bytes, name: "mixed") }
        }
        for (name, number) in [("query-3", UInt8(4)), ("query-4", 3)] {
            var bytes = try Self.bytes(name + ".earsignature")
            bytes[8] = number
            SealedFile.seal(&bytes)
            #expect(throws: FingerprintingError.self) { try Signature(encoded: bytes, name: "mixed") }
        }
    }
}
