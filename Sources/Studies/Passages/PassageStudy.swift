import AudioCore
import Corpora
import Degradations
import Evaluation
import Matchers
import SystemIO

/// Plays the recording of a plan to a matcher, and records the passages that it finds.
package struct PassageStudy: Study {
    package struct Settings: Codable, Sendable {
        package var plan: PassagePlanFile
    }

    package static let name = "passages"
    package var settings: Settings { Settings(plan: plan.portable) }
    package var identity: [String] {
        get throws {
            var generator = SeededGenerator(seed: plan.seed)
            var chain = DegradationChain(steps: [
                AnyDegradation(Speed(percent: 0)), AnyDegradation(Tempo(percent: 0)),
                AnyDegradation(VoiceOver(snrDecibels: 0, seed: 0)),
            ])
            for step in plan.chain { chain.steps.append(try step.draw(using: &generator)) }
            return try ["recording \(PassageRecording.version)", plan.content(), corpus.lockDigest]
                + [QueryRecipe.libraries]
                + QueryRecipe(corpus: corpus, material: material).content(of: chain)
        }
    }
    package let trialCount = 1

    package let plan: PassagePlanFile
    package let corpus: Corpus
    package let contestant: Contestant
    private let material: CorpusMaterial
    private let blockFrames: Int

    /// - Parameter blockFrames: the frames of a block; the passages must not depend on it.
    package init(
        plan: PassagePlanFile, corpus: Corpus, material: CorpusMaterial, contestant: Contestant,
        blockFrames: Int = 4096
    ) {
        self.plan = plan
        self.corpus = corpus
        self.material = material
        self.contestant = contestant
        self.blockFrames = blockFrames
    }

    package func recording(spoolIn folder: String) throws -> PassageRecording {
        try PassageRecording(plan: plan, corpus: corpus, material: material, folder: folder)
    }

    /// What a table of answers of another program scores.
    ///
    /// - Parameter folder: where decoded recordings may stay, in a file without a name.
    /// - Throws: ``ConfigurationError`` with line and column for an answer behind the end of the recording, or for a reference that
    ///   it does not have.
    package func outcome(of answers: PassageList, spoolIn folder: String) throws -> PassageOutcome {
        let recording = try recording(spoolIn: folder)
        var outcome = try PassageOutcome(
            airings: recording.airings, durationSeconds: recording.durationSeconds,
            catalog: recording.references.map(\.id), answers: answers)
        outcome.sounds = try recording.sounds(of: PassageScore(outcome))
        return outcome
    }

    /// Plays the recording, unless its outcome is stored.
    ///
    /// - Parameter keep: gets every block, to write it elsewhere.
    /// - Throws: ``MeasurementError`` if the contestant finds no passages, or the machine disturbed it twice. Then nothing is
    ///   stored. ``ConfigurationError`` if the corpus is too small. The error of a reference that cannot be enrolled.
    package func run(
        in study: StudyRun, keep: (AudioBuffer) throws -> Void = { _ in }
    ) throws -> PassageOutcome {
        try study.outcome(of: "recording") {
            let matcher = try contestant.make()
            let powers = matcher.powers
            guard powers.passageControl != nil || powers.startPassages != nil else {
                throw MeasurementError("the matcher \(contestant.name) does not find passages")
            }
            let recording = try recording(spoolIn: study.path)
            let references = recording.references
            powers.remote?.setReferenceSource { id in
                guard let reference = references.first(where: { $0.id == id }) else {
                    throw MeasurementError("\(id) is no reference of the recording")
                }
                return try recording.audio(of: reference)
            }
            _ = try ParallelMap.map(
                references.count, jobs: matcher.enrolmentJobs(of: study.jobs),
                progress: { study.progress("references", $0, references.count) }
            ) { number in
                try matcher.enrol(
                    id: references[number].id, audio: recording.audio(of: references[number]))
            }
            _ = try matcher.finishEnrolment()
            var player = try PassagePlayer(recording, to: matcher, blockFrames: blockFrames)
            let minutes = max(1, Int(bounded: (recording.durationSeconds / 60).rounded(.up)))
            try recording.render { block in
                try keep(block)
                try player.play(block)
                study.progress("minutes", Int(bounded: player.elapsedSeconds / 60), minutes)
            }
            var outcome = try player.finished()
            outcome.sounds = try recording.sounds(of: PassageScore(outcome))
            return outcome
        }
    }
}

/// Gives a recording to a matcher in blocks of one size.
private struct PassagePlayer {
    private(set) var outcome: PassageOutcome
    private var stream: any PassageStream
    private let remote: (any RemoteMatcher)?
    private let blockFrames: Int
    private var waiting: [Float] = []
    private var frames = 0
    private let sampleRate: Int

    init(_ recording: PassageRecording, to matcher: any Matcher, blockFrames: Int) throws {
        sampleRate = recording.sampleRate
        self.blockFrames = blockFrames
        outcome = PassageOutcome(
            airings: recording.airings, durationSeconds: recording.durationSeconds,
            catalog: recording.references.map(\.id))
        outcome.processorSeconds = 0
        let powers = matcher.powers
        remote = powers.remote
        if let control = powers.passageControl {
            stream = try control(recording.airings.map(\.passage), recording.sampleRate)
        } else if let start = powers.startPassages {
            stream = try start(recording.sampleRate, 1)
        } else {
            throw MeasurementError("the matcher \(matcher.name) does not find passages")
        }
    }

    var elapsedSeconds: Double { Double(frames) / Double(sampleRate) }

    mutating func play(_ audio: AudioBuffer) throws {
        waiting += audio.samples
        var start = 0
        while waiting.count - start >= blockFrames {
            try give(waiting[start..<(start + blockFrames)])
            start += blockFrames
        }
        waiting.removeFirst(start)
    }

    mutating func finished() throws -> PassageOutcome {
        if !waiting.isEmpty { try give(waiting[...]) }
        try ask { try $0.finish() }
        return outcome
    }

    private mutating func give(_ samples: ArraySlice<Float>) throws {
        frames += samples.count
        let block = AudioBuffer(samples: Array(samples), sampleRate: sampleRate)
        try ask { try $0.append(block) }
    }

    private var processorSeconds: Double? {
        guard let remote else { return ThreadClock.seconds }
        return remote.processorSeconds
    }

    /// After an error of the matcher, it is asked no more.
    private mutating func ask(_ question: (inout any PassageStream) throws -> [Passage]) throws {
        guard outcome.error == nil else { return }
        let (began, restarts, stopped) = (
            processorSeconds, remote?.restartCount, RunningClock.stoppedSeconds
        )
        do {
            let passages = try TrialError.asking { try question(&stream) }
            // A program that was asked twice took more than the answer needs.
            let isOnce =
                remote == nil || (remote?.restartCount == restarts && RunningClock.stoppedSeconds == stopped)
            outcome.processorSeconds = began.flatMap { began in
                processorSeconds.flatMap { now in
                    isOnce ? outcome.processorSeconds.map { $0 + now - began } : nil
                }
            }
            for passage in passages {
                if let fault = passage.fault {
                    throw TrialError(.matcher, "the answer has \(fault)")
                }
                guard passage.queryRange.upperBound <= outcome.latestEnd else {
                    throw TrialError(
                        .matcher,
                        "the answer ends at \(passage.queryRange.upperBound) s; the recording ends at "
                            + "\(outcome.durationSeconds) s")
                }
                // A program that gets the whole recording does not say when it was sure.
                outcome.answers.append(
                    .init(passage, elapsedSeconds: remote == nil ? elapsedSeconds : nil))
            }
        } catch let error as TrialError where error.cause == .machine {
            throw MeasurementError(
                "the recording was not measured: \(error). No figure counts it. The same command asks again")
        } catch let error as TrialError {
            outcome.error = "\(error) at \(elapsedSeconds) s"
        }
    }
}
