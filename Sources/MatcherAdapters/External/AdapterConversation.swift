import AudioCore
import Foundation
import Matchers
import SystemIO

/// Asks a running adapter the questions of the contract for matchers.
final class AdapterConversation {
    let hello: HelloAnswer
    /// Milliseconds from the start to the answer to `hello`.
    let startMilliseconds: Double
    private let program: ProgramConversation
    private let limits: ExternalLimits
    private var references: [String: String] = [:]

    init(_ command: ExternalCommand, limits: ExternalLimits) throws {
        self.limits = limits
        let clock = ContinuousClock()
        let start = clock.now
        (program, hello) = try ProgramConversation.start(
            command, limits: limits,
            hello: AdapterRequest(op: "hello", protocol: 1, newest: HelloAnswer.protocols.upperBound),
            as: HelloAnswer.self
        ) { try $0.check() }
        startMilliseconds = (clock.now - start) / .milliseconds(1)
    }

    var process: AdapterProcess { program.process }

    var isAlive: Bool { program.isAlive }

    /// Processor seconds of all its processes, also after it was killed; nil where they are not known.
    var processorSeconds: Double? { program.processorSeconds }

    /// Gives it the value of every setting, before the first reference.
    func configure(_ settings: [String: SettingValue]) throws {
        let request = AdapterRequest(op: "configure", settings: settings)
        try program.ask(request, limits.helloSeconds, "configure", as: DoneAnswer.self).check()
    }

    /// Enrols a recording, `id` in the judge, under a name.
    ///
    /// - Parameter modified: The modification time of the file.
    func enrol(_ audio: AudioBuffer, id: String, as name: String, modified: Date? = nil) throws {
        try withFile(name, of: audio, modified: modified) { path in
            let request = AdapterRequest(op: "enrol", id: name, path: path)
            try program.ask(request, limits.enrolSeconds, "a reference", as: DoneAnswer.self).check()
        }
        references[name] = id
    }

    func ready() throws -> Int? {
        let answer = try program.ask(
            AdapterRequest(op: "ready"), limits.readySeconds, "ready", as: DoneAnswer.self)
        try answer.check()
        return answer.indexBytes
    }

    func identifyTimed(_ audio: AudioBuffer, as name: String) throws -> TimedAnswers {
        try withFile(name, of: audio, modified: nil) { path in
            let spent = processorSeconds
            let clock = ContinuousClock()
            let start = clock.now
            let candidates = try identify(path: path, as: name)
            let milliseconds = (clock.now - start) / .milliseconds(1)
            let processor = processorSeconds.flatMap { now in spent.map { max(0, now - $0) * 1000 } }
            return TimedAnswers(
                candidates: candidates, milliseconds: milliseconds, processorMilliseconds: processor)
        }
    }

    func identify(_ audio: AudioBuffer, as name: String, modified: Date? = nil) throws -> [Candidate] {
        try withFile(name, of: audio, modified: modified) { try identify(path: $0, as: name) }
    }

    /// Asks about the file at a path, whatever it is.
    func identify(path: String, as name: String) throws -> [Candidate] {
        let request = AdapterRequest(op: "identify", query: name, path: path)
        let answer = try program.ask(request, limits.querySeconds, "a query", as: IdentifyAnswer.self)
        try check(answer.query, is: name)
        return try answer.candidates(names: references)
    }

    /// Asks for all passages of a file of some seconds; the adapter may take as long as it plays.
    func passages(path: String, seconds: Double, as name: String) throws -> [Passage] {
        let request = AdapterRequest(op: "passages", query: name, path: path)
        let answer = try program.ask(
            request, max(limits.querySeconds, seconds), "the passages of a recording", as: PassagesAnswer.self
        )
        try check(answer.query, is: name)
        return try answer.passages(names: references)
    }

    func passages(in audio: AudioBuffer, as name: String) throws -> [Passage] {
        try withFile(name, of: audio, modified: nil) {
            try passages(path: $0, seconds: audio.durationSeconds, as: name)
        }
    }

    /// Asks for the reasons of the answers to a query, and for its alignment with places.
    ///
    /// - Parameter places: Places in references of the judge; those of other references are left out.
    func explain(
        _ audio: AudioBuffer, at places: [ReferencePlace], as name: String
    ) throws -> MatchExplanation {
        try withFile(name, of: audio, modified: nil) { path in
            let asked = places.compactMap { place in
                references.first { $0.value == place.referenceID }.map { id, _ in
                    AdapterRequest.Place(
                        id: id, offsetSeconds: place.offsetSeconds, frequencySkew: place.frequencySkew,
                        timeSkew: place.timeSkew)
                }
            }
            let answer = try program.ask(
                AdapterRequest(op: "explain", query: name, path: path, places: asked), limits.querySeconds,
                "an explanation", as: ExplainAnswer.self, lineBytes: limits.explanationBytes)
            try check(answer.query, is: name)
            return try answer.explanation(of: places, names: references)
        }
    }

    private func check(_ query: String, is name: String) throws {
        guard query == name else {
            throw program.lost("answered query '\(VisibleText.quoted(query))' when '\(name)' was asked")
        }
    }

    private func withFile<T>(
        _ name: String, of audio: AudioBuffer, modified: Date?, _ body: (String) throws -> T
    ) throws -> T {
        program.give(name)
        return try process.folder.withFile(name, of: audio) { path in
            if let modified {
                try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: path)
            }
            return try body(path)
        }
    }
}
