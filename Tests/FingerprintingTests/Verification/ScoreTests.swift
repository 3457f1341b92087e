import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// The score: a sum of named parts, monotone in what it should rest on, and one with confidence and acceptance.
struct ScoreTests {
    private static let seconds = 30.0
    private static let songs = (0..<4).map { ScoreSong(seed: 300 + UInt64($0), seconds: seconds) }
    private static let references: [Reference] = songs.enumerated().map { place, song in
        guard let signature = try? SignatureExtractor.signature(of: song.render(sampleRate: 8000)) else {
            preconditionFailure("a song has no signature")
        }
        return Reference(id: "\(place)", signature: signature)
    }

    private func catalog(_ change: (inout Settings) -> Void = { _ in }) throws -> Catalog {
        var settings = Settings()
        change(&settings)
        return try Catalog(references: Self.references, settings: settings)
    }

    private func query(_ song: Int, noise: Float, seconds: Double = 4) -> AudioBuffer {
        let clean = Self.songs[song].render(from: 9.3, seconds: seconds, sampleRate: 8000)
        let hiss = TestSignals.noise(seed: UInt64(song), amplitude: 1, seconds: seconds, sampleRate: 8000)
        return AudioBuffer(
            samples: zip(clean.samples, hiss.samples).map { $0 + noise * $1 }, sampleRate: 8000)
    }

    private func part(_ word: String, _ parts: [(name: String, amount: Double)]) throws -> Double {
        let found = parts.filter { $0.name.contains(word) }
        #expect(found.count == 1, "\(word) in \(parts.map(\.name))")
        return try #require(found.first).amount
    }

    @Test("The parts of a score add up to it, and the answers explained are those given")
    func partsAddUp() throws {
        let catalog = try catalog()
        for song in 0..<4 {
            for noise in [0, 0.05, 0.3, 2] as [Float] {
                let audio = query(song, noise: noise)
                let explained = try catalog.explain(audio)
                #expect(try explained.answers.map(\.match) == catalog.match(query: audio))
                for (match, parts) in explained.answers {
                    #expect(abs(parts.reduce(0) { $0 + $1.amount } - match.score) < 1e-9)
                }
            }
        }
    }

    @Test("Parts are what their names say: of the size of the catalog, of the peaks")
    func partsAreNamedRightly() throws {
        let weights = Settings().weights
        let hours = try catalog().hours
        let catalog = try catalog { $0.decision.calibrationHours = hours / 10 }
        for seconds in [1.5, 4, 9] {
            let explained = try catalog.explain(query(1, noise: 0, seconds: seconds))
            let (match, parts) = try #require(explained.answers.first)
            #expect(abs(try part("size", parts) + log(1 + 0.35 * 9) / 1.3) < 1e-9)
            #expect(try part("starting", parts) == weights.constant)
            let share = try part("reference explains", parts)
            #expect((weights.explainedShare(0.6)...weights.explainedShare(1)).contains(share))
            // The evidence of peaks is divided by how much chance counts vary, at least 1.
            let evidence = try part("peaks that match", parts)
            #expect(evidence > weights.peakEvidence(10.squareRoot()))
            #expect(evidence <= weights.peakEvidence(match.peakEvidence.squareRoot()) + 1e-6)
        }
    }

    @Test("A change of a curve changes the score by that much of its part")
    func weightsAreLinear() throws {
        let audio = query(2, noise: 0.02)
        let base = try #require(try catalog().explain(audio).answers.first)
        let changes: [(String, WritableKeyPath<Settings.Weights, Settings.Curve>)] = [
            ("kind of skew", \.skew), ("other frequencies", \.frequencyGain),
            ("reference explains", \.explainedShare),
            ("height of the other", \.unexplainedHeight), ("closely", \.concentration),
            ("peaks that match", \.peakEvidence), ("distances of strong", \.misfit),
            ("lead over", \.lead), ("clear audio", \.meanHeight), ("length of", \.length),
        ]
        for (word, path) in changes {
            let changed = try catalog { settings in
                let slopes = settings.weights[keyPath: path].slopes
                settings.weights[keyPath: path].slopes = slopes.map { $0 * 1.1 }
            }
            let match = try #require(try changed.match(query: audio).first)
            let amount = try part(word, base.parts)
            #expect(match.referenceID == base.match.referenceID)
            #expect(abs(match.score - base.match.score - 0.1 * amount) < 1e-6, "\(word)")
        }
        let raised = try catalog { $0.weights.constant += 1 }
        let match = try #require(try raised.match(query: audio).first)
        #expect(abs(match.score - base.match.score - 1) < 1e-6)
    }

    @Test("A match that other sounds alone refuse is related, with the score that it has without them")
    func otherSoundsMakeARelative() throws {
        let audio = query(2, noise: 0.02, seconds: 9)
        // Neither the lead nor the misfit counts.
        let none = Settings.Curve(knots: [0], slopes: [0, 0])
        let base = try #require(
            try catalog {
                $0.weights.lead = none
                $0.weights.misfit = none
            }.match(query: audio).first)
        #expect(base.isAccepted && base.relatedScore == nil && base.relatedConfidence == nil)
        // All peaks count as far off, so much that the right place stays the best one.
        let penalty = base.score - Settings().decision.threshold + 5
        let refused = try catalog {
            $0.weights.lead = none
            $0.weights.misfit = .init(knots: [-10, -9], slopes: [0, -penalty, 0])
            $0.weights.misfitShare = .init(knots: [0, 1], slopes: [0, 1, 0])
        }
        let match = try #require(try refused.match(query: audio).first)
        #expect(match.referenceID == base.referenceID && match.offsetSeconds == base.offsetSeconds)
        #expect(!match.isAccepted && abs(match.score - (base.score - penalty)) < 1e-6)
        #expect(abs(try #require(match.relatedScore) - base.score) < 1e-6)
        #expect(abs(try #require(match.relatedConfidence) - 1 / (1 + exp(-base.score))) < 1e-9)
        // What is improbable as music too is not related.
        let noise = TestSignals.noise(seed: 5, amplitude: 1, seconds: 9, sampleRate: 8000)
        #expect(try refused.match(query: noise).allSatisfy { $0.relatedScore == nil })
    }

    @Test("Strong peaks agree in time or frequency unless the sounds are others", arguments: 0..<4)
    func otherSoundsMisfit(song: Int) throws {
        func misfit(_ audio: AudioBuffer) throws -> Double {
            let answers = try catalog().explain(audio).answers
            let own = try #require(answers.first { $0.match.referenceID == "\(song)" })
            return try part("distances of strong", own.parts)
        }
        let own = try [0, 0.05, 0.15].map { try misfit(query(song, noise: $0, seconds: 9)) }
        #expect(own.allSatisfy { $0 > -1.7 }, "\(own)")
        let other = Self.songs[song].withOtherSounds(seed: UInt64(song))
        let others = try misfit(other.render(from: 9.3, seconds: 9, sampleRate: 8000))
        #expect(own.allSatisfy { $0 > others + 0.3 }, "\(own), other sounds \(others)")
    }

    @Test("A curve is zero at its first knot and has its slopes between knots")
    func curvesAreOfTheirSlopes() {
        let curve = Settings.Curve(knots: [1, 3, 4], slopes: [2, -1, 0.5, 3])
        #expect([-1, 1, 2, 3, 4, 6].map { curve($0) } == [-4, 0, -1, -2, -1.5, 4.5])
        #expect(Settings.Curve(knots: [], slopes: [2])(3) == 6)
    }

    @Test("More evidence never lowers a score, and evidence against a match never raises one")
    func curvesAreMonotone() {
        let weights = Settings().weights
        let rising: [(String, Settings.Curve)] = [
            ("skew", weights.skew), ("frequencies", weights.frequencyGain),
            ("explained share", weights.explainedShare), ("concentration", weights.concentration),
            ("peaks", weights.peakEvidence), ("lead", weights.lead), ("mean height", weights.meanHeight),
            ("length", weights.length),
        ]
        let falling = [("unexplained height", weights.unexplainedHeight), ("misfit", weights.misfit)]
        for (name, curve) in rising {
            #expect(curve.slopes.allSatisfy { $0 >= 0 } && curve.slopes.contains { $0 > 0 }, "\(name)")
        }
        for (name, curve) in falling {
            #expect(curve.slopes.allSatisfy { $0 <= 0 } && curve.slopes.contains { $0 < 0 }, "\(name)")
        }
        for (name, curve) in rising + falling {
            #expect(zip(curve.knots, curve.knots.dropFirst()).allSatisfy { $0 < $1 }, "\(name)")
            #expect(curve.slopes.first == 0 && curve.slopes.last == 0, "\(name)")
        }
    }

    @Test("Scores fall as noise rises, on average")
    func scoresFallWithNoise() throws {
        let catalog = try catalog()
        let means = try [0.03, 0.1, 0.3, 1].map { noise in
            try (0..<4).reduce(0.0) { sum, song in
                let match = try catalog.match(query: query(song, noise: Float(noise))).first {
                    $0.referenceIndex == song
                }
                return sum + (match?.score ?? -10) / 4
            }
        }
        for (quiet, loud) in zip(means, means.dropFirst()) { #expect(quiet > loud, "\(means)") }
        #expect(means[0] > 10 && means[3] < 3.5)
    }

    @Test("Scores fall as peaks are lost or added, on average")
    func scoresFollowThePeaks() throws {
        let references = PeakMusic.references(6, seconds: 30)
        let catalog = try Catalog(references: references)
        func mean(_ change: PeakMusic.Change) throws -> Double {
            try references.indices.reduce(0.0) { sum, place in
                var change = change
                change.seed = UInt64(place)
                let query = PeakMusic.cut(references[place].signature, from: 11, seconds: 4, change).query
                let match = try catalog.match(query).first { $0.referenceIndex == place }
                return sum + (match?.score ?? -10) / 6
            }
        }
        let lost = try [1, 0.8, 0.6, 0.4, 0.2].map { try mean(.init(kept: $0)) }
        let added = try [0, 20, 60, 150].map { try mean(.init(extraPerSecond: $0)) }
        for row in [lost, added] {
            for (more, less) in zip(row, row.dropFirst()) { #expect(more > less, "\(row)") }
        }
    }

    @Test("A longer query of the same song is surer")
    func longerIsSurer() throws {
        let catalog = try catalog()
        let means = try [1.0, 2, 4, 8].map { seconds in
            try (0..<4).reduce(0.0) { sum, song in
                let match = try catalog.match(query: query(song, noise: 0.1, seconds: seconds)).first {
                    $0.referenceIndex == song
                }
                return sum + (match?.score ?? -10) / 4
            }
        }
        for (short, long) in zip(means, means.dropFirst()) { #expect(short < long, "\(means)") }
    }

    @Test("What is accepted follows from the threshold alone, and scores do not depend on it")
    func thresholdsOnlyAccept() throws {
        let audio = query(0, noise: 0.2)
        let usual = try catalog().match(query: audio)
        for threshold in [-20.0, 0, 3.5, 8, 40] {
            let changed = try catalog { $0.decision.threshold = threshold }
            let matches = try changed.match(query: audio)
            #expect(Set(matches.map(\.score)) == Set(usual.map(\.score)))
            for match in matches { #expect(match.isAccepted == (match.score >= threshold)) }
            // Whatever is accepted comes before whatever is not.
            let accepted = matches.map(\.isAccepted)
            #expect(accepted == accepted.sorted { $0 && !$1 })
        }
    }

    @Test("No more answers are given than asked for, and they are the best", arguments: [0, 1, 2, 3])
    func answersAreLimited(most: Int) throws {
        let audio = query(3, noise: 0.3)
        let limited = try catalog { $0.decision.answers = most }.match(query: audio)
        let usual = try catalog().match(query: audio)
        #expect(limited == Array(usual.prefix(most)))
    }

    @Test("One reference is one answer, at its best place")
    func referencesAreNamedOnce() throws {
        for song in 0..<4 {
            let matches = try catalog().match(query: query(song, noise: 0.1))
            #expect(Set(matches.map(\.referenceIndex)).count == matches.count)
            for match in matches { #expect(match.alternatives.allSatisfy { $0.score <= match.score }) }
            #expect(matches.allSatisfy { $0.referenceID == "\($0.referenceIndex)" })
        }
    }

    @Test("Confidence is a probability that rises with the score")
    func confidenceRises() throws {
        var seen: [(score: Double, confidence: Double)] = []
        for noise in [0, 0.1, 0.5, 3] as [Float] {
            seen += try catalog().match(query: query(1, noise: noise)).map { ($0.score, $0.confidence) }
        }
        seen.sort { $0.score < $1.score }
        #expect(seen.count > 5 && seen.allSatisfy { (0...1).contains($0.confidence) })
        for (low, high) in zip(seen, seen.dropFirst()) { #expect(low.confidence <= high.confidence) }
        for (score, confidence) in seen {
            #expect(abs(log(confidence / (1 - confidence)) - score) < 1e-4 || score > 25)
        }
    }
}
