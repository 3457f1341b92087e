import Corpora
import Evaluation
import Foundation
import Matchers

/// The origin of a measurement's figures, for judging and repeating them.
package struct MeasurementOrigin: Codable, Hashable, Sendable {
    package var matcher: RunFacts.Contestant
    package var corpusName: String
    /// SHA-256 of the corpus lock, in hexadecimal.
    package var corpusDigest: String
    /// The plan's name and digest; nil if there is no plan.
    package var plan: String?
    /// The half of the references.
    package var half: CorpusHalf
    /// The seed of every random choice.
    package var seed: UInt64
    /// The command line.
    package var commandLine: String
    /// The commit of the sources, with a trailing `+` if they were changed since.
    package var commit: String
    package var machine: RunFacts.Machine
    /// The start in ISO 8601 with a time zone.
    package var startedAt: String
    /// Remarks for the reader of the figures.
    package var notes: [String]

    package init(
        matcher: RunFacts.Contestant, corpusName: String, corpusDigest: String, plan: String?,
        half: CorpusHalf,
        seed: UInt64, commandLine: String, commit: String, machine: RunFacts.Machine, startedAt: String,
        notes: [String]
    ) {
        self.matcher = matcher
        self.corpusName = corpusName
        self.corpusDigest = corpusDigest
        self.plan = plan
        self.half = half
        self.seed = seed
        self.commandLine = commandLine
        self.commit = commit
        self.machine = machine
        self.startedAt = startedAt
        self.notes = notes
    }

    /// Makes the origin of a measurement that begins now, on this machine.
    package init(
        contestant: Contestant, corpus: Corpus, plan: Plan?, half: CorpusHalf, seed: UInt64,
        commandLine: String, notes: [String] = []
    ) throws {
        let matcher = try contestant.make()
        self.init(
            matcher: RunFacts.Contestant(
                name: matcher.name, version: matcher.version, settings: matcher.settings,
                digest: try contestant.digest()),
            corpusName: corpus.name, corpusDigest: corpus.lockDigest,
            plan: plan.map { "\($0.file.name) (\($0.digest))" }, half: half, seed: seed,
            commandLine: commandLine, commit: Provenance.commit, machine: .current,
            startedAt: Date().formatted(.iso8601), notes: notes)
    }

    /// The origin without time, machine and command line.
    package var withoutCircumstances: MeasurementOrigin {
        var origin = self
        origin.commandLine = ""
        origin.startedAt = ""
        origin.machine = RunFacts.Machine(
            processor: "", logicalCores: 0, memoryBytes: 0, operatingSystem: "", kernel: "")
        return origin
    }
}
