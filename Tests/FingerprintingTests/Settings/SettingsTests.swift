import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Settings: what identifies an analysis, what a catalog file remembers, and what is free.
struct SettingsTests {
    /// A change of one setting, and what it is called.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let make: @Sendable (inout Settings) -> Void
        var testDescription: String { name }
    }

    /// Settings that decide which peaks there are.
    static let ofPeaks = [
        Change(name: "analysis.lowestHertz") { $0.analysis.lowestHertz += 60 },
        Change(name: "analysis.highestHertz") { $0.analysis.highestHertz -= 10 },
        Change(name: "analysis.silencePower") { $0.analysis.silencePower *= 2 },
        Change(name: "analysis.envelopeWeight") { $0.analysis.envelopeWeight = 0.5 },
        Change(name: "analysis.envelopeFrames") { $0.analysis.envelopeFrames += 1 },
        Change(name: "analysis.rankFrames") { $0.analysis.rankFrames += 1 },
        Change(name: "analysis.rankOctaves") { $0.analysis.rankOctaves = 0.25 },
    ]
    /// Settings that decide what is kept of them and how it is filed.
    static let ofIndex = [
        Change(name: "analysis.referenceRank") { $0.analysis.referenceRank -= 1 },
        Change(name: "index.widestOctaves") { $0.index.widestOctaves = 0.75 },
        Change(name: "index.referencePairs") { $0.index.referencePairs += 1 },
        Change(name: "index.ratioWeight") { $0.index.ratioWeight = 0.5 },
        Change(name: "index.ratioStepBins") { $0.index.ratioStepBins = 1 },
        Change(name: "index.finestRatioOctaves") { $0.index.finestRatioOctaves = 0.004 },
        Change(name: "index.coarsestRatioOctaves") { $0.index.coarsestRatioOctaves = 0.03125 },
    ]
    /// Settings of queries alone.
    static let ofQueries = [
        Change(name: "analysis.queryRank") { $0.analysis.queryRank = 8 },
        Change(name: "index.queryPairs") { $0.index.queryPairs = 10 },
        Change(name: "lookup.mostHits") { $0.lookup.mostHits = 1000 },
        Change(name: "lookup.widestOctaves") { $0.lookup.widestOctaves = 0.02 },
        Change(name: "verification.boxFrames") { $0.verification.boxFrames = 1 },
        Change(name: "weights.constant") { $0.weights.constant = -7 },
        Change(name: "decision.threshold") { $0.decision.threshold = 9 },
    ]

    private func changed(_ change: Change) -> Settings {
        var settings = Settings()
        change.make(&settings)
        #expect(settings != Settings(), "\(change.name) was not changed")
        return settings
    }

    @Test("A setting that decides which peaks there are is another identity of the analysis")
    func peaksHaveAnIdentity() {
        let identities = Self.ofPeaks.map { changed($0).analysis.identity } + [Settings().analysis.identity]
        #expect(Set(identities).count == identities.count)
    }

    @Test("Settings of the index and of queries leave the identity of the analysis alone")
    func otherSettingsAreNoIdentity() {
        for change in Self.ofIndex + Self.ofQueries {
            #expect(changed(change).analysis.identity == Settings().analysis.identity, "\(change.name)")
        }
    }

    /// A change of this number makes all signatures in files useless.
    @Test("The identity of the recommended analysis is the one that files hold")
    func theIdentityStays() throws {
        let signature = try SignatureExtractor.signature(of: .init(silentFrames: 0, sampleRate: 8000))
        #expect(signature.analysisIdentity == Settings().analysis.identity)
        #expect(String(Settings().analysis.identity, radix: 16) == "f39c8eced93230ab")
    }

    @Test("The bass is no part of the identity, for it may be missing on either side")
    func bassIsNoIdentity() {
        var settings = Settings()
        for hertz in [20.0, 50, 75] {
            settings.analysis.lowestHertz = hertz
            #expect(settings.analysis.identity == Settings().analysis.identity)
        }
    }

    @Test("A catalog file is used with the settings it was made with", arguments: ofPeaks + ofIndex)
    func storedSettingsAreHonoured(change: Change) throws {
        let settings = changed(change)
        let references = (0..<2).map { seed in
            Reference(
                id: "\(seed)",
                signature: PeakMusic.signature(seed: UInt64(seed), seconds: 20, settings: settings))
        }
        let bytes = try CatalogFile.encode(Catalog(references: references, settings: settings))
        let catalog = try CatalogFile.decode(bytes, name: "a")
        #expect(catalog.settings == settings)
        #expect(try CatalogFile.encode(catalog) == bytes)
        let query = PeakMusic.cut(references[1].signature, from: 5, seconds: 5).query
        let match = try #require(try catalog.match(query).first)
        #expect(match.referenceID == "1" && match.isAccepted)
        // The recommended settings give other bytes, and cannot be merged with these.
        #expect(
            try CatalogFile.encode(Catalog(references: []))
                != CatalogFile.encode(Catalog(references: [], settings: settings)))
        let error = #expect(throws: FingerprintingError.self) {
            try CatalogFile.merged([Catalog(references: []), catalog], removed: [[], []])
        }
        #expect(error?.code == .incompatibleSignature)
        #expect(error?.description.contains("\(change.name) = ") == true, "\(error?.description ?? "")")
    }

    @Test("A file is updated with the settings it was made with")
    func updatesKeepSettings() throws {
        let folder = try TemporaryFolder()
        var settings = Settings()
        settings.analysis.rankOctaves = 0.25
        settings.index.referencePairs = 5
        let references = (0..<3).map { seed in
            Reference(
                id: "\(seed)",
                signature: PeakMusic.signature(seed: UInt64(seed), seconds: 20, settings: settings))
        }
        let path = folder.file("a.earcatalog")
        try CatalogFile.write(Array(references.prefix(1)), to: path, settings: settings)
        try CatalogFile.update(path, adding: references.dropFirst())
        let whole = try CatalogFile.encode(Catalog(references: references, settings: settings))
        #expect(try CatalogFile.encode(CatalogFile.open(path)) == whole)
        // Signatures of another analysis do not fit.
        let stranger = Reference(id: "3", signature: PeakMusic.signature(seed: 3, seconds: 20))
        let error = #expect(throws: FingerprintingError.self) {
            try CatalogFile.update(path, adding: [stranger])
        }
        #expect(error?.code == .incompatibleSignature)
        #expect(try CatalogFile.encode(CatalogFile.open(path)) == whole)
    }

    @Test("A file whose settings no engine can use is refused, and the setting is named")
    func impossibleSettingsAreRefused() throws {
        for (name, value) in [
            ("analysis.lowestHertz", 0), ("analysis.highestHertz", 1e9), ("analysis.highestHertz", 25),
            ("analysis.envelopeFrames", 1e12),
            ("analysis.referenceRank", 99), ("index.finestRatioOctaves", 0), ("index.widestOctaves", .nan),
            ("index.longestFrames", 21),
        ] {
            var bytes = try CatalogFile.encode(Catalog(references: []))
            let range = CatalogSections(bytes: bytes).range("SETTINGS")
            let key = Array(name.utf8)
            // The value follows its key and a tag.
            let start = try #require(
                range.first { bytes[$0...].starts(with: key) }.map { $0 + key.count + 1 }, "\(name)")
            withUnsafeBytes(of: value.bitPattern.littleEndian) {
                bytes.replaceSubrange(start..<start + 8, with: $0)
            }
            SealedFile.seal(&bytes)
            let error = #expect(throws: FingerprintingError.self) {
                try CatalogFile.decode(bytes, name: "a")
            }
            #expect(error?.code == .incompatibleSignature)
            #expect(
                error?.description.contains("a: made with \(name) = ") == true, "\(error?.description ?? "")")
        }
    }

    @Test("A setting of queries alone is free, and not in the file", arguments: ofQueries)
    func querySettingsAreFree(change: Change) throws {
        let bytes = try CatalogFile.encode(Catalog(references: SmallQuery.references))
        let settings = changed(change)
        let catalog = try CatalogFile.decode(bytes, name: "a", settings: settings)
        #expect(catalog.settings == settings)
        let made = try Catalog(references: SmallQuery.references, settings: settings)
        #expect(try CatalogFile.encode(made) == bytes)
        // Whether read or made, the catalog answers by its own settings.
        #expect(try catalog.match(SmallQuery.query) == made.match(SmallQuery.query))
    }

    private enum SmallQuery {
        static let references = PeakMusic.references(3, seconds: 20)
        static let query = PeakMusic.cut(
            references[1].signature, from: 5, seconds: 5,
            .init(timeRatio: 1.03, frequencyRatio: 1.03, kept: 0.7)
        ).query
    }

    @Test("A file whose stored settings have one more or one less is refused")
    func storedSettingsAreAllThere() throws {
        let bytes = try CatalogFile.encode(Catalog(references: []))
        let range = CatalogSections(bytes: bytes).range("SETTINGS")
        let stored = try MediaItem(encoded: Array(bytes[range]), name: "settings")
        #expect(stored.properties.count == 18 && Set(stored.properties.map(\.key)).count == 18)
        // The last number, another version of the index.
        var newer = bytes
        newer[range.upperBound - 8] += 1
        SealedFile.seal(&newer)
        let error = #expect(throws: FingerprintingError.self) { try CatalogFile.decode(newer, name: "a") }
        #expect(error?.description.contains("index.version = 4") == true)
        // One property less, as its number says.
        var fewer = bytes
        fewer[range.lowerBound] -= 1
        SealedFile.seal(&fewer)
        #expect(throws: FingerprintingError.self) { try CatalogFile.decode(fewer, name: "a") }
    }

    @Test("Settings are read from JSON as they were written, and none is missing in it")
    func settingsAreCodable() throws {
        for change in Self.ofPeaks + Self.ofIndex + Self.ofQueries {
            let settings = changed(change)
            let data = try JSONEncoder().encode(settings)
            #expect(try JSONDecoder().decode(Settings.self, from: data) == settings, "\(change.name)")
            let groups = try #require(
                try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
            let words = change.name.split(separator: ".").map(String.init)
            #expect(groups[words[0]]?[words[1]] != nil, "\(change.name)")
        }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Settings.self, from: Data("{}".utf8)) }
    }

    @Test("Every number in JSON is a setting that can be changed")
    func jsonHoldsTheSettings() throws {
        let data = try JSONEncoder().encode(Settings())
        let groups = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
        #expect(Set(groups.keys) == ["analysis", "index", "lookup", "verification", "weights", "decision"])
        for (group, values) in groups {
            for (name, value) in values {
                for changed in Self.changes(of: value) {
                    var other = groups
                    other[group]?[name] = changed
                    let read = try JSONDecoder().decode(
                        Settings.self, from: JSONSerialization.data(withJSONObject: other))
                    #expect(read != Settings(), "\(group).\(name)")
                }
            }
        }
    }

    /// A number, or a curve with each of its numbers, raised by 1.
    private static func changes(of value: Any) -> [Any] {
        if let number = value as? Double { return [number + 1] }
        guard let curve = value as? [String: [Double]] else {
            Issue.record("\(value) is neither a number nor a curve")
            return []
        }
        return curve.flatMap { name, numbers in
            numbers.indices.map { place in
                var changed = curve
                changed[name]?[place] += 1
                return changed
            }
        }
    }

    @Test("Bins and frames are those of the transform")
    func unitsAreThoseOfTheTransform() {
        let analysis = Settings().analysis
        #expect(analysis.binHertz == 3.90625 && analysis.frameSeconds == 0.032)
        let peak = Peak(time: 64, frequency: 32, rank: 0)
        #expect(peak.timeSeconds == analysis.frameSeconds && peak.frequencyHertz == analysis.binHertz)
    }
}
