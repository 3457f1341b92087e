import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Files of earlier versions through the commands: shown, exported, changed, upgraded and matched.
@Suite struct EarlierVersionTests {
    private static let golden = PackageFolder.path + "/Tests/Golden/"
    static let catalogs = ["catalog-4", "catalog-5", "catalog-6-groups-of-160", "catalog-6", "catalog-7"]

    private let folder: TemporaryFolder
    private let catalog: String

    init() throws {
        folder = try TemporaryFolder()
        catalog = folder.file("c.earcatalog")
    }

    private func take(_ name: String) throws {
        try FileManager.default.copyItem(atPath: Self.golden + name + ".earcatalog", toPath: catalog)
    }

    /// The files of an export by their names.
    private func export() throws -> [String: Data] {
        let run = try EarshotProcess("custom-catalog", "export", catalog, "-o", folder.file("exported"))
        #expect(run.status == 0, "\(run.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("exported"))
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: folder.file("exported/" + $0))))
            })
    }

    @Test("Each version is shown, exported, verified, matched and upgraded", arguments: catalogs)
    func everyVersionIsOfUse(name: String) throws {
        try take(name)
        let display = try EarshotProcess("custom-catalog", "display", catalog)
        #expect(display.status == 0 && display.output.contains("song 2"))
        #expect(try EarshotProcess("custom-catalog", "verify", catalog).status == 0)
        let exported = try export()
        #expect(exported.count == 6)
        let query = Self.golden + "query-3.earsignature"
        let match = try EarshotProcess("match", "--catalog", catalog, query)
        #expect(match.status == 0 && match.output.contains(#""reference":"song 1""#))
        let isConverted = !["catalog-6", "catalog-7"].contains(name)
        #expect(match.errors.contains("earshot custom-catalog upgrade \(catalog)") == isConverted)

        let upgrade = try EarshotProcess("custom-catalog", "upgrade", catalog)
        let version = CatalogFile.currentVersion
        #expect(upgrade.status == 0)
        #expect(
            upgrade.errors.contains(
                name == "catalog-7" ? "is of today's version" : " became \(version)"), "\(upgrade.errors)")
        #expect(try export() == exported)
        let after = try EarshotProcess("match", "--catalog", catalog, query)
        let time = /"matchMilliseconds":[\d.]+/
        #expect(after.output.replacing(time, with: "") == match.output.replacing(time, with: ""))
        #expect(after.errors.isEmpty)
    }

    @Test("An update writes today's version in passing")
    func updateUpgrades() throws {
        try take("catalog-4")
        let update = try EarshotProcess(
            "custom-catalog", "remove", catalog, "-s", "song 0")
        #expect(update.status == 0, "\(update.errors)")
        #expect(try CatalogFile.open(catalog).source?.version == CatalogFile.currentVersion)
        #expect(try CatalogFile.open(catalog).entries.map(\.id) == ["song 1", "song 2"])
        let merged = folder.file("merged.earcatalog")
        let merge = try EarshotProcess(
            "custom-catalog", "merge", Self.golden + "catalog-5.earcatalog", "-o", merged)
        #expect(merge.status == 0, "\(merge.errors)")
        #expect(try CatalogFile.open(merged).source?.version == CatalogFile.currentVersion)
    }

    @Test("An upgrade that fails leaves the file as it was, and goes on with the next")
    func failedUpgradesChangeNothing() throws {
        try take("catalog-5")
        let before = try Data(contentsOf: URL(fileURLWithPath: catalog))
        let full = try EarshotProcess(
            shell: "ulimit -f 8; exec \"$EARSHOT\" custom-catalog upgrade \(catalog)")
        #expect(full.status == 1 && full.errors.contains(catalog))
        #expect(try Data(contentsOf: URL(fileURLWithPath: catalog)) == before)
        var damaged = before
        damaged[damaged.count / 2] ^= 1
        let other = folder.file("damaged.earcatalog")
        try damaged.write(to: URL(fileURLWithPath: other))
        let both = try EarshotProcess("custom-catalog", "upgrade", other, catalog)
        #expect(both.status == 1 && both.errors.contains("damaged.earcatalog: byte "))
        #expect(both.errors.contains("version 5 became"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == damaged)
        #expect(folder.names() == ["c.earcatalog", "damaged.earcatalog"])
    }

    @Test("A link stays a link, and two upgrades at once are one")
    func linksAndRacesAreSafe() throws {
        try take("catalog-4")
        let link = folder.file("link.earcatalog")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: catalog)
        let both = try EarshotProcess(
            shell:
                "\"$EARSHOT\" custom-catalog upgrade \(link) & \"$EARSHOT\" custom-catalog upgrade \(catalog); wait $!"
        )
        #expect(both.status == 0, "\(both.errors)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == catalog)
        #expect(try CatalogFile.verify(catalog).source?.version == CatalogFile.currentVersion)
        #expect(both.errors.contains("became \(CatalogFile.currentVersion)"))
    }

    @Test("Of a damaged catalog the rest is given back; what is lost is named, and the exit code says so")
    func damagedCatalogsGiveBackTheRest() throws {
        // A media item that fills blocks of its own.
        let references = try ["one", "two", "three"].map { id in
            Reference(
                id: id, mediaItem: MediaItem([.init("cover", .data([UInt8](repeating: 7, count: 100_000)))]),
                signature: try Signature(contentsOf: Self.golden + "standard-4.earsignature"))
        }
        try CatalogFile.write(references, to: catalog)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: catalog))
        bytes[150_000] ^= 1
        try bytes.write(to: URL(fileURLWithPath: catalog))
        let display = try EarshotProcess("custom-catalog", "display", catalog)
        #expect(display.status == 1 && display.output.contains("one ") && !display.output.contains("two "))
        let export = try EarshotProcess("custom-catalog", "export", catalog, "-o", folder.file("out"))
        #expect(export.status == 1)
        #expect(export.errors.contains("reference 2 \"two\" is lost: \(catalog): byte "))
        #expect(export.errors.contains("is damaged; this is a part, 2 of 3 references"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted()
                == ["one.csv", "one.earsignature", "three.csv", "three.earsignature"])
        let all = try EarshotProcess(
            "custom-catalog", "export", catalog, "-o", folder.file("all"), "--all-or-nothing")
        #expect(all.status == 1 && !FileManager.default.fileExists(atPath: folder.file("all")))
        // Damage of the index costs no reference.
        bytes[150_000] ^= 1
        bytes[bytes.count - 10_000] ^= 1
        try bytes.write(to: URL(fileURLWithPath: catalog))
        let index = try EarshotProcess("custom-catalog", "export", catalog, "-o", folder.file("index"))
        #expect(index.status == 1 && index.errors.contains("is damaged; each of its 3 references is whole"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("index")).count == 6)
    }
}
