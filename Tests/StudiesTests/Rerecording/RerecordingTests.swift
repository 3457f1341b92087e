import AudioCore
import AudioIO
import Corpora
import Evaluation
import Foundation
import Matchers
import SignalProcessing
import Studies
import SystemIO
import TestSupport
import Testing

/// Queries on a tape, recorded in a room by a device with a clock of its own, and cut out again.
@Suite struct RerecordingTests {
    private let folder: TemporaryFolder
    private let opened: OpenedPlan
    private let rerecording: Rerecording

    /// Opens a plan of two cells with `positives` queries of 1 s each.
    init() throws { try self.init(positives: 3) }

    private init(positives: Int) throws {
        folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        for seed in UInt64(1)...3 {
            let sound = TestSignals.noise(seed: seed, amplitude: 0.4, seconds: 20, sampleRate: 22_050)
            try Self.write(sound, to: "\(music)/\(seed).wav")
        }
        try AtomicFile.write(
            """
            name: room
            corpus: synthetic
            seed: 9
            positives: \(positives)
            negatives: 0
            lengthSeconds: 1
            latencyTrials: 0
            families:
              - name: clean
              - {name: speed, severities: [2], unit: "%", chain: [{speed: {percent: $severity}}]}
            """, to: folder.file("room.yaml"))
        var library = try CorpusLibrary(
            recipeFolder: PackageFolder.shortCorpora, cacheFolder: folder.makeFolder("cache"))
        library.comparison = FolderComparison(matcher: { SilentMatcher() })
        opened = try RunRequest(plan: folder.file("room.yaml"), folder: music).open(in: library)
        rerecording = Rerecording(opened, note: { _ in }, progress: { _, _, _ in })
    }

    private static func write(_ audio: AudioBuffer, to path: String, as name: String = "wav-pcm16") throws {
        try AudioFile.write(audio, to: path, as: #require(AudioEncoding(name)))
    }

    private func makeTape() throws -> AudioBuffer {
        _ = try rerecording.writeTape(to: folder.file("tape.wav"))
        return try AudioFile.read(folder.file("tape.wav"))
    }

    /// What a device at 16 kHz records whose clock is `skew` faster than the speaker's.
    ///
    /// The direct path comes after 10 ms. A reflection 3 ms later is stronger. Then the room rings.
    private func record(_ tape: AudioBuffer, skew: Int) throws -> AudioBuffer {
        var generator = SeededGenerator(seed: 4)
        var response = (0..<16_000).map { frame -> Float in
            let level = frame < 480 ? 0 : 0.01 * exp(-Double(frame) / 3000)
            return Float(level * generator.uniform(in: -1...1))
        }
        response[480] = 0.5
        response[480 + 144] = -0.6
        let wet = AudioBuffer(
            samples: Convolution.convolve(tape.samples, response).map { 0.3 * $0 },
            sampleRate: tape.sampleRate)
        let heard = try Resampler.resample(
            wet, lengthRatio: 1_000_000 + skew, over: 3_000_000, quality: .fastest)
        let noise = TestSignals.noise(
            seed: 6, amplitude: 0.01, seconds: heard.durationSeconds + 1, sampleRate: tape.sampleRate)
        return AudioBuffer(
            samples: zip(heard.samples, noise.samples).map { $0 + $1 }, sampleRate: 16_000)
    }

    private func cut(_ audio: AudioBuffer, into store: MemoryStore) throws -> RerecordedSession {
        // Float, so that a cut can be found again by its samples.
        try Self.write(audio, to: folder.file("recording.wav"), as: "wav-float")
        return try rerecording.cut(folder.file("recording.wav"), into: store)
    }

    @Test func startsAreWithinAMillisecondAndSkewWithinFivePartsPerMillion() throws {
        let bench = try RerecordingTests(positives: 100)
        let tape = try bench.makeTape()
        let clean = MemoryStore()
        #expect(try bench.cut(tape, into: clean).recorded == 200)
        let places = try clean.firstFrames(in: tape)
        // On the tape itself, every query is at its own place.
        for trial in bench.opened.plan.trials {
            let recording = try bench.opened.plan.corpus.audio(
                of: #require(bench.opened.plan.corpus.tracks.first { $0.id == trial.source }))
            let truth = try trial.render(from: recording, material: bench.opened.material).truth
            let found = try #require(clean.records[trial.id]?.truth)
            #expect(abs(try #require(found.offsetSeconds) - #require(truth.offsetSeconds)) < 2e-5)
            #expect(abs(try #require(found.timeSkew) - #require(truth.timeSkew)) < 1e-7)
        }

        let skew = 317
        // The recording begins within the tape's lead.
        let all = try bench.record(tape, skew: skew)
        let heard = all.frames(5000..<all.frameCount)
        let room = MemoryStore()
        let session = try bench.cut(heard, into: room)
        #expect(session.recorded == 200)
        #expect(abs(session.pace - 1 - Double(skew) * 1e-6) < 5e-6)
        var worst = 0.0
        for (id, frame) in try room.firstFrames(in: heard) {
            let truth = try #require(room.records[id]?.truth)
            let played = try #require(clean.records[id]?.truth)
            let ratio = 1 + (try #require(played.timeSkew))
            // What the tape played 10 ms before the cut's first sample.
            let tapeSeconds = Double(frame + 5000) / 16_000 / (1 + Double(skew) * 1e-6) - 0.01
            let start = tapeSeconds - Double(try #require(places[id])) / 48_000
            let expected = try #require(played.offsetSeconds) + ratio * start
            worst = max(worst, abs(try #require(truth.offsetSeconds) - expected))
            #expect(abs(try #require(truth.timeSkew) - (ratio / (1 + Double(skew) * 1e-6) - 1)) < 5e-6)
            #expect(truth.frequencySkew == truth.timeSkew)
        }
        #expect(worst < 1e-3, "\(worst) s")
    }

    /// Part of the tape is enough, and what is missing has its name.
    @Test func recordingsThatBeginLateAndEndEarlyAddUp() throws {
        let tape = try makeTape()
        let store = MemoryStore()
        let ids = opened.plan.trials.map(\.id)
        let middle = tape.frameCount / 2
        let first = #expect(throws: MissingQueries.self) {
            try cut(tape.frames(0..<middle + 70_000), into: store)
        }
        let kept = Set(store.records.keys)
        #expect(kept.count >= 3 && kept == Set(ids.prefix(kept.count)))
        #expect(first?.trials == Array(ids.dropFirst(kept.count)) && store.missing == first?.trials)
        #expect("\(try #require(first))".contains(try #require(ids.last)))

        let whole = MemoryStore()
        _ = try cut(tape, into: whole)
        let late = tape.frameCount / 3
        let session = try cut(tape.frames(late..<tape.frameCount), into: store)
        #expect(session.held == kept.count && session.recorded == ids.count - kept.count)
        #expect(store.missing.isEmpty)
        for id in ids {
            let (one, other) = (
                store.records[id]?.truth?.offsetSeconds, whole.records[id]?.truth?.offsetSeconds
            )
            #expect(abs(try #require(one) - #require(other)) < 1e-4)
        }
    }

    @Test func aQueryWithLostSamplesIsMissingAndTheOthersAreKept() throws {
        let tape = try makeTape()
        let store = MemoryStore()
        let clean = MemoryStore()
        _ = try cut(tape, into: clean)
        let ids = opened.plan.trials.map(\.id)
        let place = try #require(clean.firstFrames(in: tape)[ids[3]])
        // The recorder drops 2 ms within the fourth query.
        let lossy =
            tape.frames(0..<place + 20_000).samples
            + tape.frames(place + 20_096..<tape.frameCount).samples
        let error = #expect(throws: MissingQueries.self) {
            try cut(AudioBuffer(samples: lossy, sampleRate: 48_000), into: store)
        }
        #expect(error?.trials == [ids[3]] && store.records.count == ids.count - 1)
    }

    @Test func aRecordingWithoutSweepsMissesAll() throws {
        let store = MemoryStore()
        let noise = TestSignals.noise(seed: 1, seconds: 20, sampleRate: 44_100)
        let error = #expect(throws: MissingQueries.self) { try cut(noise, into: store) }
        #expect(error?.trials == opened.plan.trials.map(\.id) && store.records.isEmpty)
        #expect("\(try #require(error))".contains("no query was found"))
        #expect(throws: ConfigurationError.self) {
            try cut(TestSignals.noise(seed: 1, seconds: 1, sampleRate: 4000), into: store)
        }
    }

    @Test func clippedAndFaintRecordingsAreNamed() throws {
        let notes = Notes()
        let bench = Rerecording(opened, note: { notes.add($0) }, progress: { _, _, _ in })
        let tape = try makeTape()
        for (gain, word) in [(Float(9), "clipped"), (0.0005, "dBFS"), (0.5, nil as String?)] {
            let samples = tape.samples.map { max(-1, min(1, gain * $0)) }
            try Self.write(
                AudioBuffer(samples: samples, sampleRate: 48_000), to: folder.file("r.wav"), as: "wav-float")
            notes.clear()
            #expect(try bench.cut(folder.file("r.wav"), into: MemoryStore()).recorded == 6)
            #expect(notes.all.count == (word == nil ? 0 : 6), "\(notes.all)")
            for note in notes.all { #expect(note.contains(try #require(word))) }
        }
    }
}

/// Finds no recording equal to another.
private final class SilentMatcher: Matcher {
    let name = "silent"
    let version = "1"
    let settings: [String: String] = [:]

    func enrol(id: String, audio: AudioBuffer) {}
    func finishEnrolment() -> Int? { 0 }
    func identify(_ query: Query) -> [Candidate] { [] }
}

private final class Notes: @unchecked Sendable {
    // Sendable: one thread uses it.
    private(set) var all: [String] = []
    func add(_ note: String) { all.append(note) }
    func clear() { all = [] }
}

/// Keeps recorded queries in memory.
private final class MemoryStore: RerecordedQueries {
    private(set) var audio: [String: AudioBuffer] = [:]
    private(set) var records: [String: TrialRecord] = [:]
    private(set) var missing: [String] = []

    func holds(_ trial: Trial) -> Bool { records[trial.id] != nil }
    func check(_ query: PlayedQuery) throws {}
    func write(_ audio: AudioBuffer, of query: PlayedQuery) throws {
        self.audio[query.record.trial.id] = audio
    }
    func setTruth(_ records: [TrialRecord]) throws {
        for record in records { self.records[record.trial.id] = record }
    }
    func list(missing: [String]) throws { self.missing = missing }

    /// Where each query begins in a recording, found by its samples.
    func firstFrames(in recording: AudioBuffer) throws -> [String: Int] {
        var candidates: [Float: [String]] = [:]
        for (id, audio) in audio { candidates[audio.samples[0], default: []].append(id) }
        var places: [String: Int] = [:]
        for frame in 0..<recording.frameCount {
            for id in candidates[recording.samples[frame]] ?? [] {
                guard let cut = audio[id]?.samples, frame + cut.count <= recording.frameCount else {
                    continue
                }
                // Queries may overlap in their source, so all samples count.
                if recording.samples[frame..<frame + cut.count].elementsEqual(cut) { places[id] = frame }
            }
        }
        guard places.count == audio.count else { throw CocoaError(.featureUnsupported) }
        return places
    }
}
