import AudioCore
import Degradations
import Evaluation
import Foundation
import Matchers

/// A made-up run with the shape of a real one: 2,500 trials over 84 conditions, drawn from a seed.
///
/// Recalls and errors are of the size a good matcher has, so that the report can be looked at.
enum SampleRun {
    /// A condition to make up.
    struct Condition {
        var degradation: String
        var severity = ""
        var value: Double?
        var length = 5.0
        var recall = 1.0
        var chain: [any Degradation]
        var frequencySkew = 0.0
        var timeSkew = 0.0
        /// How coarse the errors are, 1 for a clean query.
        var coarseness = 1.0
        var isOffered = true
    }

    static let facts: RunFacts = {
        var facts = RunFacts(
            Provenance(
                matcher: .init(
                    name: "earshot", version: "0.1.0",
                    settings: ["peaksPerSecond": "21", "threshold": "36", "skewRange": "0.055"],
                    digest: String(repeating: "a7d3", count: 16)),
                planName: "standard", planDigest: String(repeating: "5b0e", count: 16),
                planPath: "Corpora/Plans/standard.yaml", request: RunRequest(), corpusName: "games",
                corpusDigest: String(repeating: "9c41", count: 16), half: .test, seed: 20_261_120,
                notes: [
                    "Speech in the corpus is sampled at 8 kHz, so that babble lies wholly in the matcher’s band: it is "
                        + "harder here than the same SNR over the full band.",
                    "White noise at a given SNR is 7.4 dB easier within 0–4 kHz than over the full band.",
                ],
                commit: "cbdc39b4f2a1d85e07c6b9d1e4f8a2c3b5d7e9f1",
                machine: .init(
                    processor: "AMD EPYC 9B14", logicalCores: 2, memoryBytes: 8_340_000_000,
                    operatingSystem: "Debian GNU/Linux 12", kernel: "6.1.0-18-amd64"),
                toolVersions: [
                    "swift": "6.3.1", "libsndfile": "1.2.0", "libsamplerate": "0.2.2", "rubberband": "3.1.2",
                    "fftw": "3.3.10", "ffmpeg": "5.1.6",
                ],
                startedAt: "2026-11-20T23:05:12Z"))
        facts.wallSeconds = 211.4
        facts.jobs = 2
        facts.referenceCount = 96
        facts.referenceSeconds = 15_840
        facts.indexBytes = 5_632_114
        facts.enrolSeconds = 8.9
        facts.trialCount = 2550
        facts.latencyTrialCount = 400
        facts.decodeSecondsTotal = 61.2
        facts.decodedAudioSeconds = 31_000
        facts.scoreThreshold = 36
        return facts
    }()

    /// The records of the run, in the order of the plan.
    static func records(positives: Int = 20, negatives: Int = 10, seed: UInt64 = 1) -> [TrialRecord] {
        var records: [TrialRecord] = []
        for condition in conditions {
            for number in 0..<(positives + negatives) {
                let isPositive = number < positives
                var generator = SeededGenerator(
                    seed: seed, condition.degradation, condition.severity, "\(number)")
                // The length is part of the cell too, where one family tries several.
                for _ in 0..<Int(condition.length * 2) { _ = generator.next() }
                records.append(
                    record(
                        condition, number: isPositive ? number : number - positives, isPositive: isPositive,
                        index: records.count, &generator))
            }
        }
        return records
    }

    private static func record(
        _ condition: Condition, number: Int, isPositive: Bool, index: Int, _ generator: inout SeededGenerator
    ) -> TrialRecord {
        let words = [condition.degradation, condition.severity, "\(condition.length)s"]
        let slug = words.filter { !$0.isEmpty }.joined(separator: "/").replacing(" ", with: "-").lowercased()
        let track = generator.index(below: 96)
        let offset = generator.uniform(in: 0...150)
        var record = Self.record(
            "\(slug)/\(isPositive ? "p" : "n")\(String(format: "%03d", number))", index,
            Cell(
                degradation: condition.degradation, severity: condition.severity,
                severityValue: condition.value, lengthSeconds: condition.length),
            isPositive: isPositive, source: "games/track-\(track).ogg", references: ["track-\(track)"],
            truth: Truth(
                offsetSeconds: offset, frequencySkew: condition.frequencySkew,
                timeSkew: condition.timeSkew, skewChangePerSecond: 0))
        record.sourceClass = "class-\(track)"
        record.query?.redraws = generator.unit() < 0.05 ? 1 : 0
        record.trial.chain = DegradationChain(steps: condition.chain.map { AnyDegradation($0) })
        record.query?.digest = String(generator.next(), radix: 16)
        guard condition.isOffered else {
            record.isOffered = false
            record.query = nil
            return record
        }
        record.query?.sourceStartSeconds = offset
        record.query?.sourceEndSeconds = offset + condition.length * (1 + condition.timeSkew)
        record.query?.snrDecibels = condition.severity.hasSuffix("dB") ? condition.value : nil
        if isPositive {
            answer(&record, condition, track: track, offset: offset, &generator)
        } else {
            let score = 17 + 6 * normal(&generator).magnitude + (generator.unit() < 0.003 ? 14 : 0)
            record.candidates = [candidate(generator.index(below: 96), score: score, &generator)]
        }
        if index % 6 == 0 {
            let isFast = isPositive && condition.frequencySkew == 0
            record.latency = .init(
                milliseconds: (isFast ? 4.6 : 45) * exp(0.12 * normal(&generator)) * condition.length / 5)
        }
        return record
    }

    /// A record without answers of a stereo query that was cut from the start of its source.
    static func record(
        _ id: String, _ index: Int, _ cell: Cell, isPositive: Bool, source: String, references: [String],
        truth: Truth
    ) -> TrialRecord {
        var record = TrialRecord(
            Trial(
                id: id, index: index, cell: cell, isPositive: isPositive, source: source,
                chain: DegradationChain(steps: []), startSeed: 0))
        var query = sampleQuery
        query.truth = truth
        query.digest = id
        query.frameCount = Int(cell.lengthSeconds * 44_100)
        record.query = query
        if isPositive {
            record.truthReferences = references
            record.truthOffsetDeltas = Dictionary(uniqueKeysWithValues: references.map { ($0, 0) })
        }
        return record
    }

    private static let sampleQuery = QueryFacts(
        RenderedQuery(Clip(AudioBuffer(silentFrames: 1, sampleRate: 44_100, channelCount: 2))))

    private static func answer(
        _ record: inout TrialRecord, _ condition: Condition, track: Int, offset: Double,
        _ generator: inout SeededGenerator
    ) {
        let isFound = generator.unit() < condition.recall
        let score = isFound ? 40 + 120 * generator.unit() : 20 + 15 * generator.unit()
        var right = Candidate(
            referenceID: "track-\(track)",
            offsetSeconds: offset + 0.0004 * condition.coarseness * normal(&generator),
            frequencySkew: condition.frequencySkew + 1.2e-5 * condition.coarseness * normal(&generator),
            timeSkew: condition.timeSkew
                + 1.5e-4 * condition.coarseness * normal(&generator) * (5 / condition.length),
            score: score, confidence: 1 / (1 + exp(28 - score)), isAccepted: score >= 36)
        right.freeFrequencySkew = right.frequencySkew.map { $0 * 1.00001 }
        right.freeTimeSkew = right.timeSkew.map { $0 * 1.0001 }
        right.frequencySkewStandardError = 1.2e-5 * condition.coarseness
        right.timeSkewStandardError = 1.5e-4 * condition.coarseness * (5 / condition.length)
        if isFound, generator.unit() < 0.1 {
            right.offsetSeconds = right.offsetSeconds.map { $0 + 32 }
            if generator.unit() < 0.9 {
                record.repetition = RepeatSearch(
                    correlation: 0.99,
                    offsetErrorSeconds: 0.0004 * condition.coarseness * normal(&generator))
            }
        }
        record.candidates = [
            right, candidate((track + 7) % 96, score: 17 + 3 * generator.unit(), &generator),
        ]
        if !isFound {
            switch generator.index(below: 40) {
            case 0: record.candidates = [candidate((track + 5) % 96, score: 38.4, &generator), right]
            case 1: record.candidates = []
            case 2...20: record.candidates.swapAt(0, 1)
            default: break
            }
        }
    }

    private static func candidate(
        _ track: Int, score: Double, _ generator: inout SeededGenerator
    ) -> Candidate {
        Candidate(
            referenceID: "track-\(track)", offsetSeconds: generator.uniform(in: 0...150),
            frequencySkew: generator.uniform(in: -0.05...0.05), timeSkew: generator.uniform(in: -0.05...0.05),
            score: score, confidence: 1 / (1 + exp(28 - score)), isAccepted: score >= 36)
    }

    /// A standard normal draw (Box and Muller).
    private static func normal(_ generator: inout SeededGenerator) -> Double {
        (-2 * log(1 - generator.unit())).squareRoot() * cos(2 * .pi * generator.unit())
    }
}
