import AudioCore
import Fingerprinting
import Glibc
import TestSupport
import Testing

/// Several catalogs answer as one of all their references.
@Suite struct SegmentedCatalogTests {
    private static let introSeconds = 8.0
    private static let episodes = 5

    /// Songs, a copy of the first, and episodes that share an intro.
    private static let audios: [(id: String, audio: AudioBuffer)] = {
        let songs = (0..<7).map { ("song-\($0)", ScoreSong(seed: 3000 + UInt64($0), seconds: 15).render()) }
        let intro = ScoreSong(seed: 3100, seconds: introSeconds).render()
        let shows = (0..<episodes).map { number in
            let body = ScoreSong(seed: 3200 + UInt64(number), seconds: 7).render()
            return (
                "episode-\(number)",
                AudioBuffer(samples: intro.samples + body.samples, sampleRate: intro.sampleRate)
            )
        }
        return songs + [("copy", songs[0].1)] + shows
    }()

    private static let references: [Reference] = audios.compactMap { id, audio in
        guard let signature = try? SignatureExtractor.signature(of: audio) else { return nil }
        return Reference(id: id, signature: signature)
    }

    /// Excerpts of all references, clean and in noise, within the intro and across its end; and one of nothing known.
    private static let queries: [(name: String, query: Query)] = {
        var queries: [(String, AudioBuffer)] = []
        for (id, audio) in audios {
            let rate = audio.sampleRate
            let noise = TestSignals.noise(seed: 7, amplitude: 0.05, seconds: 5, sampleRate: rate)
            for start in [1.0, 6.5, 9] {
                let first = Int(start * Double(rate))
                let clip = audio.frames(first..<(first + 5 * rate))
                queries.append(("\(id) at \(start)", clip))
                let noisy: [Float] = zip(clip.samples, noise.samples).map { $0.0 + $0.1 }
                queries.append(
                    ("\(id) at \(start) in noise", AudioBuffer(samples: noisy, sampleRate: rate)))
            }
        }
        queries.append(("unknown", ScoreSong(seed: 9999, seconds: 5).render()))
        return queries.compactMap { name, audio in (try? Query(audio)).map { (name, $0) } }
    }()

    private func accepted(_ matches: [Match]) -> [String: Match] {
        Dictionary(matches.filter(\.isAccepted).map { ($0.referenceID, $0) }, uniquingKeysWith: { a, _ in a })
    }

    @Test(arguments: [1, 2, 4, 13])
    func dividedReferencesAnswerAsOneCatalog(parts: Int) throws {
        let whole = try Catalog(references: Self.references)
        let divided = SegmentedCatalog(
            try (0..<parts).map { part in
                let own = Self.references.enumerated().filter { $0.offset % parts == part }.map(\.element)
                return SegmentedCatalog.Segment(try Catalog(references: own))
            })
        #expect(abs(divided.hours - whole.hours) < 1e-9)
        #expect(Self.queries.count == 79)
        var found = 0
        for (name, query) in Self.queries {
            let expected = accepted(try whole.matchAll(query))
            let matches = try divided.matchAll(query).found.map(\.match)
            let answers = accepted(matches)
            #expect(Set(answers.keys) == Set(expected.keys), "\(name)")
            for (id, match) in expected {
                guard let answer = answers[id] else { continue }
                // A fit starts from the middle of the part with most votes, which may differ.
                #expect(abs(answer.offsetSeconds - match.offsetSeconds) < 1e-6, "\(name): \(id)")
                #expect(abs(answer.score - match.score) < 0.01, "\(name): \(id)")
            }
            let first = try whole.matchAll(query).first { $0.isAccepted }
            #expect(matches.first { $0.isAccepted }?.peakEvidence == first?.peakEvidence, "\(name)")
            found += expected.count
        }
        #expect(found > 100)
    }

    @Test(arguments: [1, 2])
    func aQueryOfAnotherAnalysisIsRefused(parts: Int) throws {
        var settings = Settings()
        settings.analysis.lowestHertz += 60
        let query = try Query(Self.audios[0].audio, settings: settings)
        let divided = SegmentedCatalog(
            try (0..<parts).map { SegmentedCatalog.Segment(try Catalog(references: [Self.references[$0]])) })
        let error = #expect(throws: FingerprintingError.self) { try divided.matchAll(query) }
        #expect(error?.code == .incompatibleSignature)
    }

    /// A quick search drops hits where copies have too many.
    @Test(arguments: [[3, 64], [64, 3], [1, 16, 64, 16]])
    func everyCopyIsFoundWhateverPartHasIt(copies: [Int]) throws {
        let songs = Self.references.prefix(4)
        func part(_ number: Int) throws -> SegmentedCatalog.Segment {
            let references = (0..<copies[number]).flatMap { copy in
                songs.map { Reference(id: "\($0.id)/\(number)/\(copy)", signature: $0.signature) }
            }
            // One copy of each song is gone.
            return SegmentedCatalog.Segment(
                try Catalog(references: references), removed: Set(references.indices.suffix(4)))
        }
        let divided = SegmentedCatalog(try copies.indices.map(part))
        for song in songs {
            let query = try #require(Self.queries.first { $0.name == "\(song.id) at 6.5" }?.query)
            let found = accepted(try divided.matchAll(query).found.map(\.match)).keys
            #expect(found.count == copies.reduce(0) { $0 + $1 - 1 }, "\(song.id)")
            #expect(found.allSatisfy { $0.hasPrefix(song.id + "/") })
        }
    }

    @Test func aRemovedReferenceIsNeitherFoundNorHidesAnother() throws {
        let all = try Catalog(references: Self.references)
        for (place, reference) in Self.references.enumerated() {
            let divided = SegmentedCatalog([SegmentedCatalog.Segment(all, removed: [place])])
            let rest = try Catalog(references: Self.references.filter { $0.id != reference.id })
            #expect(abs(divided.hours - rest.hours) < 1e-9)
            for (name, query) in Self.queries where name.hasPrefix(reference.id) {
                let expected = accepted(try rest.matchAll(query))
                let answers = accepted(try divided.matchAll(query).found.map(\.match))
                #expect(Set(answers.keys) == Set(expected.keys), "\(name)")
            }
        }
    }

    @Test func theSizeOfTheWholeTakesFromTheScore() throws {
        let segments = SegmentedCatalog([SegmentedCatalog.Segment(try Catalog(references: Self.references))])
        let query = Self.queries[0].query
        let small = try #require(try segments.matchAll(query, wholeHours: 100).found.first?.match)
        let large = try #require(try segments.matchAll(query, wholeHours: 100_000).found.first?.match)
        #expect(small.referenceID == large.referenceID && small.offsetSeconds == large.offsetSeconds)
        let decision = Settings().decision
        func chance(_ hours: Double) -> Double {
            1 + decision.chanceShare * (hours / decision.calibrationHours - 1)
        }
        let lost = log(chance(100_000) / chance(100)) / decision.chanceSlope
        #expect(abs(small.score - large.score - lost) < 1e-4)
    }

    @Test func aDamagedSegmentIsNamedAndTheOthersAnswer() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("damaged.earcatalog")
        try CatalogFile.write(Array(Self.references[..<7]), to: path)
        let damaged = try CatalogFile.open(path, wholeLimit: 0)
        #expect(truncate(path, 4096) == 0)
        let segments = SegmentedCatalog([
            SegmentedCatalog.Segment(damaged),
            SegmentedCatalog.Segment(try Catalog(references: Self.references[7...])),
        ])
        let (_, query) = try #require(Self.queries.first { $0.name == "copy at 1.0" })
        let result = try segments.matchAll(query)
        #expect(result.failures.map(\.segment) == [0])
        #expect(result.found.filter(\.match.isAccepted).map(\.match.referenceID) == ["copy"])
    }
}
